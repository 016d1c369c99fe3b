import { findDate, isoDay } from './dates.ts';
import { factThatMoved, factWithValue } from './known.ts';
import { type Context, PERSON, PROJECT, type Reading } from './reading.ts';
import { ATTRIBUTE, isDeployable, subjectIn, valueIn } from './words.ts';

/** A reading before it is known whether a date of its sentence is its time. */
type Found = Omit<Reading, 'isDated'>;
type Groups = Readonly<Record<string, string | undefined>>;
/** What a rule makes of its parts; nothing where they do not name something. */
type Make = (parts: Groups, context: Context) => readonly Found[];

interface Rule {
  readonly pattern: RegExp;
  readonly make: Make;
}

/** What a clause says has which value: by the first rule that fits and finds names in it. */
export function readValue(clause: string, context: Context): readonly Found[] {
  for (const { pattern, make } of RULES) {
    const match = pattern.exec(clause);
    if (match === null) continue;
    const found = make(match.groups ?? {}, context);
    if (found.length > 0) return found;
  }
  return [];
}

const fact = (
  subject: string | undefined,
  predicate: string,
  value: string | undefined,
): readonly Found[] => {
  const s = subject === PROJECT || subject === PERSON ? subject : subjectIn(subject ?? '');
  const v = valueIn(value ?? '');
  return s === null || v === null ? [] : [{ subject: s, predicate, value: v, kind: 'value' }];
};
const ended = (subject: string | undefined, predicate: string, value: string | undefined): readonly Found[] =>
  fact(subject, predicate, value).map((found) => ({ ...found, kind: 'end' }));
const rule = (pattern: string, make: Make): Rule => ({ pattern: new RegExp(`^${pattern}$`, 'iu'), make });

const NOW = '(?:(?:now|currently|always|only|still|all|both) )?';
const HAVE = "(?:['’]ve |['’]re |['’]m | have | are | am )?";
const MOVED = '(?:moved|migrated|switched|ported|transferred|changed|relocated)';
const PLACE: Readonly<Record<string, string>> = { in: 'region', with: 'deployed_to' };
const placed = (preposition: string | undefined) => PLACE[preposition?.toLowerCase() ?? ''] ?? 'deployed_to';

/** A name, and not a description: `Postgres`, `pnpm`, `tabs`; not `a small helper`. */
function isNamed(value: string): boolean {
  if (/^an?\s/iu.test(value)) return false;
  if (
    /^(?:the|this|that|some|our|my|its|these|those|two|three|multiple|many|several|different|them|both|all)\b/iu.test(
      value,
    )
  )
    return /\p{Lu}/u.test(value);
  return /[\p{Lu}\d`._/-]/u.test(value) || value.split(/\s+/u).length <= 2;
}
/** A name of a thing is a few words. */
const isShort = ({ value }: Found) => (value ?? '').split(/\s+/u).length <= 4;
const named = (found: readonly Found[]) => found.filter(({ value }) => value !== null && isNamed(value));

/** `Postgres and Redis`: several values, each short. */
function each(value: string | undefined): readonly string[] {
  const parts = (value ?? '').split(/,? and |, /u);
  return parts.every((part) => /^\S+(?: \S+)?$/u.test(part.trim())) ? parts : [value ?? ''];
}

/** Something that moved keeps the slot that it had; else a deployed thing is deployed elsewhere. */
const moved: Make = ({ s, a, v }, { known }) => {
  const was = s === undefined ? null : factThatMoved(known, s, a === undefined ? null : (valueIn(a) ?? a));
  if (was !== null) return fact(was.subject, was.predicate, v);
  if (s === undefined) return [];
  if (isDeployable(s)) return fact(s, 'deployed_to', v);
  if (a === undefined) return [];
  return isTimeOfDay(v)
    ? fact(s, 'time', v)
    : named(fact(s, 'uses', v)).map((found) => ({ ...found, arity: 'one' }));
};
/** Words with a capital that point at something instead of naming it. */
const POINTED =
  /^(?:This|That|It|He|She|They|There|Here|Which|What|Who|The|One|Everything|Something|Nothing|Now)\b/u;
const isTimeOfDay = (value: string | undefined) =>
  /^(?:\d{1,2}(?::\d{2})?\s?(?:am|pm|h|o'clock)?)$/iu.test(value ?? '');

/** `from A to B`: the slot that has A, else what the project uses. */
const replaced: Make = ({ s, a, v }, { known }) => {
  const was = factWithValue(known, valueIn(a ?? '') ?? '');
  if (was !== null) return fact(was.subject, was.predicate, v).concat(manyEnd(was.predicate, was.subject, a));
  const subject = s ?? PROJECT;
  return named(fact(subject, 'uses', v)).flatMap((found) => [
    ...ended(subject, 'uses', a),
    s === undefined ? found : { ...found, arity: 'one' as const },
  ]);
};
const manyEnd = (predicate: string, subject: string, a: string | undefined): readonly Found[] =>
  predicate === 'uses' ? ended(subject, predicate, a) : [];

/** `it's B, not A` corrects the one slot that has A. */
const corrected: Make = ({ a, v }, { known }) => {
  const was = factWithValue(known, valueIn(a ?? '') ?? '');
  return was === null
    ? []
    : fact(was.subject, was.predicate, v).concat(manyEnd(was.predicate, was.subject, a));
};

const used: Make = ({ v, a, s }) => {
  const subject = s === undefined ? PROJECT : s;
  const found = (s === undefined ? each(v) : [v]).flatMap((value) => named(fact(subject, 'uses', value)));
  if (found.length === 0) return [];
  const gone = a === undefined ? [] : ended(subject, 'uses', a);
  return [...gone, ...found.map((one) => (s === undefined ? one : { ...one, arity: 'one' as const }))];
};

const attribute: Make = ({ s, my, p, v }, { isTold }) => {
  if (FORMER.test(s ?? '')) return [];
  const subject = s?.replace(PRESENT, '').trim() || (my === undefined ? PROJECT : PERSON);
  const found = fact(subject, (p ?? '').toLowerCase(), v);
  return isTold ? found : named(found);
};

/** What the thing is now, and what it was. */
const PRESENT = /^(?:new|current|actual|final|official)(?: |$)/iu;
const FORMER = /^(?:old|previous|former|last|original)(?: |$)/iu;
/** What is said of a piece of work in hand, not of the project. */
const IN_HAND =
  /\b(?:error|problem|issue|bug|reason|result|output|answer|value|point|fix|cause|question|thing|idea|solution|difference|goal|plan|test|line|type|function|method|class|variable|return|step|failure|exception|message|argument|parameter|field|file|response|status|code|key|example|case|part|way|kind|sort|number|amount|purpose|job|task|todo|priority|concern|guess|suggestion|assumption)s?$/iu;

/** `our designer is Lucia`: any property, where its value is plainly a name or a number. */
const property: Make = ({ s, p, v }) => {
  const head = (p ?? '').replace(PRESENT, '');
  if (FORMER.test(head) || IN_HAND.test(head) || head.split(/\s+/u).length > 3) return [];
  const isPlain = /^[`"'“\p{Lu}\d]/u.test(v ?? '') && subjectIn(head) !== null;
  return isPlain ? fact(s ?? PROJECT, head.toLowerCase(), v) : [];
};

const dayOf =
  (predicate: string): Make =>
  ({ s, v }, { spoken }) => {
    const date = findDate(`by ${v ?? ''}`, spoken) ?? findDate(v ?? '', spoken);
    const subject = subjectIn(s ?? '');
    if (date === null || subject === null) return [];
    return [{ subject, predicate, value: isoDay(date.at, spoken.zone), kind: 'value' }];
  };

const RULES: readonly Rule[] = [
  rule(
    `(?:it(?:['’]s| is)|that(?:['’]s| is)|make (?:it|that)|should be) ${NOW}(?<v>.+?),? (?:and )?(?:not|instead of|rather than) (?<a>.+)`,
    corrected,
  ),
  rule('not (?<a>.+?),? but (?<v>.+)', corrected),

  // What ended.
  rule(`we${HAVE} ?(?:no longer|stopped|quit) (?:use|using) (?<v>.+?)(?: for (?<s>.+))?`, ({ s, v }) =>
    ended(s ?? PROJECT, 'uses', v),
  ),
  rule("we (?:don['’]t|do not) use (?<v>.+?)(?: for (?<s>.+?))? (?:any ?more|any longer)", ({ s, v }) =>
    ended(s ?? PROJECT, 'uses', v),
  ),
  rule(`we${HAVE} ?(?:dropped|ditched|got rid of|abandoned|retired) (?<v>.+)`, ({ v }) =>
    named(ended(PROJECT, 'uses', v)),
  ),
  rule(
    '(?<s>.+?) (?:is|are) no longer (?:deployed |hosted |running )?(?<w>on|in|at|to|with) (?<v>.+)',
    ({ s, w, v }) => ended(s, placed(w), v),
  ),
  rule(
    "(?<s>.+?) (?:is not|isn['’]t|are not|aren['’]t) (?:deployed |hosted |running )?(?<w>on|in|at|to|with) (?<v>.+?) (?:any ?more|any longer)",
    ({ s, w, v }) => ended(s, placed(w), v),
  ),
  rule('(?<s>.+?) no longer uses (?<v>.+)', ({ s, v }) => ended(s, 'uses', v)),

  // What moved.
  rule(
    `(?:we|i)${HAVE} ?(?:just )?${MOVED} (?:over )?(?:away )?(?:from|off) (?<a>.+?) to (?<v>.+?)(?: for (?<s>.+))?`,
    replaced,
  ),
  rule(
    `(?:we|i)${HAVE} ?(?:just )?${MOVED} (?<s>.+?) (?:over )?(?:away )?(?:from|off) (?<a>.+?) (?:over )?to (?<v>.+)`,
    moved,
  ),
  rule(`(?:we|i)${HAVE} ?(?:just )?${MOVED} (?<s>.+?) (?:over )?to (?<v>.+)`, moved),
  rule(
    `(?<s>.+?) (?:has |have |was |were |is |are |got |just )*(?:been )?${MOVED}(?: over)? (?:away )?(?:from|off) (?<a>.+?) to (?<v>.+)`,
    moved,
  ),
  rule(`(?<s>.+?) (?:has |have |was |were |got |just )*(?:been )?${MOVED}(?: over)? to (?<v>.+)`, moved),
  rule(`(?:we|i)${HAVE} ?(?:just )?(?:switched|migrated) (?:over )?to (?<v>.+?)(?: for (?<s>.+))?`, used),
  rule(`(?:we|i)${HAVE} ?replaced (?<a>.+?) (?:with|by) (?<v>.+)`, replaced),
  rule('(?<a>.+?) (?:was|is|has been|got) replaced (?:with|by) (?<v>.+)', replaced),

  // Names, owners, ports.
  rule(`(?:we(?:['’]ve| have)? )?renamed (?<s>.+?) to (?<v>.+)`, ({ s, v }) => fact(s, 'name', v)),
  rule('(?<s>.+?) (?:was|is|got|has been) renamed to (?<v>.+)', ({ s, v }) => fact(s, 'name', v)),
  rule(`(?<s>.+?) (?:is|are) ${NOW}(?<w>called|named|codenamed) (?<v>.+)`, ({ s, w, v }) =>
    named(fact(s, w === 'codenamed' ? 'codename' : 'name', v)).filter(isShort),
  ),
  rule('(?<s>.+?) belongs? to (?<v>.+)', ({ s, v }) => (/^\p{Lu}/u.test(v ?? '') ? fact(s, 'owner', v) : [])),
  rule('the (?<v>\\S+(?: \\S+)? team) (?:now )?(?:owns|maintains|is responsible for) (?<s>.+)', ({ s, v }) =>
    fact(s, 'owner', v),
  ),
  rule(`(?<s>.+?) (?:is|are) ${NOW}handled by (?<v>.+)`, ({ s, v }) => named(fact(s, 'handled_by', v))),
  rule(
    `(?<v>.+?) is ${NOW}(?:the |our )(?:new )?(?<p>${ATTRIBUTE})(?: (?:of|for) (?<s>.+))?`,
    ({ s, p, v }) =>
      /^\p{Lu}\S*(?: \p{Lu}\S*){0,2}$/u.test(v ?? '') && !POINTED.test(v ?? '')
        ? fact(s ?? PROJECT, (p ?? '').toLowerCase(), v)
        : [],
  ),
  rule('i (?:live|work|am based)(?: remotely)? (?:in|from) (?<v>.+)', ({ v }) =>
    /^\p{Lu}/u.test(v ?? '') ? fact(PERSON, 'location', v) : [],
  ),
  rule('my name is (?<v>.+)', ({ v }) => fact(PERSON, 'name', v)),
  rule('call me (?<v>[\\p{L}-]+)', ({ v }) => fact(PERSON, 'name', v)),
  rule(`(?<s>.+?) (?:is|are) ${NOW}(?:owned|maintained|run) by (?<v>.+)`, ({ s, v }) =>
    named(fact(s, 'owner', v)),
  ),
  rule(
    `(?<v>.+?) ${NOW}(?:owns|maintains|is responsible for|is in charge of|took over|takes over) (?<s>.+?)(?: from .+)?`,
    ({ s, v }) => (subjectIn(v ?? '') === null ? [] : named(fact(s, 'owner', v))),
  ),
  rule(
    `(?<s>.+?) ${NOW}(?:listens|runs|is|is listening|is running) ${NOW}on port (?<v>\\d{2,5})`,
    ({ s, v }) => fact(s, 'port', v),
  ),

  // Where it is deployed.
  rule(`we${HAVE} ?${NOW}run (?<s>.+?) (?<w>on|in) (?<v>.+)`, ({ s, w, v }) =>
    isDeployable(s ?? '') && /\p{Lu}|\d/u.test(v ?? '') ? named(fact(s, placed(w), v)) : [],
  ),
  rule('(?<s>.+?) (?:is|are) (?:now )?(?:at|on|under) (?<v>https?:\\/\\/\\S+)', ({ s, v }) =>
    fact(s, 'url', v),
  ),
  rule('(?:our |the )?(?:deploys?|deployments?) (?:now )?go(?:es)? to (?<v>.+)', ({ v }) =>
    named(fact(PROJECT, 'deployed_to', v)),
  ),
  rule(`we${HAVE} ?${NOW}(?:store|keep|save) (?<s>.+?) (?:in|on) (?<v>.+)`, ({ s, v }) =>
    /\p{Lu}/u.test(v ?? '') ? named(fact(s, 'stored_in', v)) : [],
  ),
  rule('(?<s>.+?) (?:is|are) (?:now )?written in (?<v>.+)', ({ s, v }) => named(fact(s, 'language', v))),
  rule(`we${HAVE} ?${NOW}(?:deploy|host) (?<s>.+?) (?<w>to|on|at|in|with) (?<v>.+)`, ({ s, w, v }) =>
    named(fact(s, placed(w), v)),
  ),
  rule(`we${HAVE} ?${NOW}deploy to (?<v>.+)`, ({ v }) => named(fact(PROJECT, 'deployed_to', v))),
  rule(
    `(?<s>.+?) (?:is|are) ${NOW}(?:deployed|hosted|served|located) (?<w>to|on|at|in|from|with|by) (?<v>.+)`,
    ({ s, w, v }) => named(fact(s, placed(w), v)),
  ),
  rule(`(?<s>.+?) ${NOW}(?:runs?|lives?|deploys?|sits?) (?<w>on|in|at|to) (?<v>.+)`, ({ s, w, v }) =>
    isDeployable(s ?? '') ? named(fact(s, placed(w), v)) : [],
  ),
  rule(`(?<s>.+?) (?:is|are|has been|have been) ${NOW}(?<w>in|on|at) (?<v>.+)`, ({ s, w, v }) =>
    isDeployable(s ?? '') && /^[`"'\p{Lu}]|\d/u.test(v ?? '') ? named(fact(s, placed(w), v)) : [],
  ),

  // Properties.
  rule('(?<s>.+?)(?: is| are)? due (?:on |by )?(?<v>.+)', dayOf('deadline')),
  rule('(?<s>.+?) (?:starts|begins|will start|will begin) (?:on )?(?<v>.+)', dayOf('start date')),
  rule(
    '(?<s>.+?) (?:launches|ships|goes live|will launch|will ship|will go live) (?:on )?(?<v>.+)',
    dayOf('launch date'),
  ),
  rule(`(?<s>.+?)['’]s (?<p>${ATTRIBUTE}) (?:is|are|will be) ${NOW}(?<v>.+)`, attribute),
  rule(
    `(?:the |our |my )?(?<p>${ATTRIBUTE}) (?:of|for) (?<s>.+?) (?:is|are|will be|(?:was|is|got)? ?changed to) ${NOW}(?<v>.+)`,
    attribute,
  ),
  rule(
    `(?:the |our |(?<my>my ))?(?<s>(?:[^\\s]+ ){0,4}?)(?<p>${ATTRIBUTE}) (?:is|are|will be|(?:was|is|got)? ?changed to) ${NOW}(?<v>.+)`,
    attribute,
  ),

  rule('our (?<p>.+?) (?:is|are) (?:now )?(?<v>.+)', property),
  rule('the (?<p>[\\p{L}-]+(?: [\\p{L}-]+)?) (?:of|for) (?<s>.+?) (?:is|are) (?:now )?(?<v>.+)', property),

  // Tools.
  rule('(?<s>.+?) (?:is|are) (?:now )?built (?:with|on|in) (?<v>.+)', ({ s, v }) =>
    named(fact(s, 'uses', v)),
  ),
  rule(
    `we${HAVE} ?(?:pinned|upgraded|updated|bumped|downgraded) (?<s>.+?) to (?:version )?(?<v>v?\\d\\S*)`,
    ({ s, v }) => fact(s, 'version', v),
  ),
  rule(
    `(?:we|i)${HAVE} ?${NOW}(?:use|are using|['’]re using|using) (?<v>.+?)(?:,? (?:instead of|rather than|not|over) (?<a>.+?))?(?: (?:for|as) (?:the |our |a |an )?(?<s>.+))?`,
    used,
  ),
  rule(`we${HAVE} ?${NOW}on (?<v>.+)`, ({ v }) =>
    /^\p{Lu}/u.test(v ?? '') ? named(fact(PROJECT, 'uses', v)) : [],
  ),
  rule('(?<s>(?:\\p{L}+ ){0,2}\\p{L}+s) (?:now |all )?use (?<v>.+)', ({ s, v }) =>
    /^\p{Lu}/u.test(v ?? '') ? fact(s, 'uses', v) : [],
  ),
  rule(
    "(?:let['’]s )?use (?<v>[^\\s]+),? (?:instead of|rather than|not|over) (?<a>[^\\s]+)(?: for (?<s>.+))?",
    used,
  ),
  rule(
    `(?<s>[^,:]+?) ${NOW}uses (?<v>.+?)(?:,? (?:instead of|rather than|not) (?<a>.+?))?(?: for (?<p>.+))?`,
    ({ s, v, a, p }) => {
      const predicate = p === undefined ? 'uses' : `uses for ${p}`;
      const gone = a === undefined ? [] : ended(s, predicate, a);
      return named(fact(s, predicate, v)).flatMap((found) => [...gone, found]);
    },
  ),
  rule(
    'i (?:really |always |generally |usually )?prefer (?<v>.+?)(?: (?:over|to|instead of) (?<a>.+))?',
    ({ v }) => fact(PERSON, 'prefers', v),
  ),

  // What was released, and what a person says to keep.
  rule(
    `(?:we(?:['’]ve| have)? )?(?:just )?(?:released|shipped|launched|published) (?:version )?(?<v>(?:[\\p{L}-]+ )?v?\\d+(?:\\.\\d+)+\\S*)`,
    ({ v }) => fact(PROJECT, 'released', v),
  ),
  rule(
    '(?:version )?(?<v>v?\\d+(?:\\.\\d+)+\\S*) (?:was|is|has been|got|went) (?:released|shipped|launched|published|out|live)',
    ({ v }) => fact(PROJECT, 'released', v),
  ),
  rule(`(?<s>[^,:=]+?) (?:is|are|=) ${NOW}(?<v>.+)`, ({ s, v }, { isTold }) =>
    isTold ? fact(s, 'is', v) : [],
  ),
  rule('(?<s>[^,:=]+?)\\s*[:=]\\s*(?<v>.+)', ({ s, v }, { isTold }) => (isTold ? fact(s, 'is', v) : [])),
];
