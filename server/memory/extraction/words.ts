/** Words that rules are made of. All are English; values and subjects may be in any language. */

/** What runs somewhere: of these `runs on` says where it is deployed. */
const DEPLOYABLE =
  'production|prod|staging|preview|sandbox|database|db|api|apis|app|application|backend|frontend|service|services|server|servers|site|website|docs|documentation|worker|workers|queue|cache|cluster|registry|runner|runners|ci|pipeline|pipelines|bot|gateway|dashboard|portal|storage|bucket|buckets|logs|metrics|search|demo|environment|monolith|builds|jobs|cron|webhooks|blog';
const DEPLOYED = new RegExp(`(?<![\\p{L}\\p{N}])(?:${DEPLOYABLE})(?![\\p{L}\\p{N}])`, 'iu');

/** True if a subject names something that is deployed. */
export function isDeployable(subject: string): boolean {
  return DEPLOYED.test(subject);
}

/** Properties of a thing that have a value which can be named. */
export const ATTRIBUTE = [
  'region|zone|location|host|hostname|domain|url|endpoint|port|address|ip|provider|hosting(?: provider)?|deploy(?:ment)? target|target|environment',
  'name|codename|code name|nickname|title|slug|prefix|suffix|namespace|handle|label|id',
  'version|release|branch|main branch|default branch|tag|license|licence|changelog',
  'owner|maintainer|lead|manager|reviewer|assignee|contact|author|team|on-call|product owner|tech lead',
  'deadline|due date|release date|launch date|start date|end date|date|cadence|sprint length|release day|code freeze',
  'limit|rate limit|timeout|budget|quota|size|batch size|page size|threshold|retention|retention period|interval|ttl|concurrency|pool size|memory limit',
  'language|framework|runtime|package manager|test runner|test framework|bundler|linter|formatter|orm|editor|shell|ide|os|operating system|database|queue|cache|ci|registry',
  'time ?zone|currency|locale|encoding|charset|date format|indentation|line length|naming convention|commit style|coding style',
  'schema|table|directory|folder|root|path|bucket|channel|repo|repository|project|workspace|account',
].join('|');

/** What a subject cannot begin with: it would stand for something else. */
const POINTING =
  /^(?:now|it|its|this|that|these|those|they|them|he|she|we|i|you|there|here|what|which|who|where|when|why|how|everything|something|anything|nothing|everyone|someone|nobody|one|all|some|any|each|both|none|most|no|not|if|as|but|and|or|so|then|because|while|for|with|in|on|at|to|from|of|by|the (?:problem|issue|bug|error|reason|thing|point|idea|question|fix|answer|trick|catch|goal|plan|rest|other|same|following|above|below|former|latter|first|last|only|best|whole))\b/iu;
/** Words that make a clause of what should be a name. */
const VERBS =
  /\b(?:is|are|was|were|be|been|has|have|had|does|do|did|will|would|should|could|can|might|may|must|think|thought|said|says|seems|looks|wonder|know|because|whether|that|which|if|please)\b/iu;
/** What only tells how something is doing. */
const STATES =
  /^(?:wrong|right|missing|outdated|old|new|newer|correct|incorrect|broken|unclear|unknown|different|same|required|optional|mandatory|set|unset|empty|stale|important|irrelevant|confusing|long|short|up|down|off|on|ok|okay|fine|hardcoded|valid|invalid|needed|available|unavailable|gone|here|there|ready|done|undefined|null|nil|none|true|false|good|bad|great|slow|fast|big|small|high|low|higher|lower|nice|weird|odd|safe|unsafe|too|very|not|never|always|also|still|just|only|really|quite|already|currently|being|going|trying|what|how|why|where|when|because|probably|likely|maybe|a bit|a lot|a mess|a problem|the problem|the same|the issue|the reason|the one|used|called|named|based|to|that|it|this|those|these|something|nothing|kept|made|built|shown|given|taken|written|found|sent|known|left|lost|run|read|put|hidden|chosen|meant|held|seen|unseen|enough|way|more|less|better|worse|easy|hard|simple|complex|possible|impossible)\b/iu;
/** A small word that tells what happens or happened: the build is failing, the branch is merged into it. */
const HAPPENS = /^\p{Ll}+(?:ed(?![\p{L}\p{N}-])|ing(?:$|\s(?:on|in|at|to|for|with|from|by|the|a|an)\s))/u;
/** One small word that tells how something is: responsive, inconsistent, harmless. */
const HOW = /^\p{Ll}+(?:ive|ous|able|ible|ful|less|tent|dent)$/u;
/** A piece of a sentence that begins or ends in its middle. */
const ADRIFT =
  /^(?:by|for|with|in|on|at|of|from|as|when|whenever|into|after|before|per|via|through|under|over)\s|(?:^|\s)(?:and|or|the|an?|of|to|with|by|for|in|on|at|from)$/iu;
/** What comes behind a value and is no part of it. */
const TAIL =
  'here|now|nowadays|these days|currently|at the moment|at present|instead|too|as well|already|again|today|by the way|btw|please|going forward|from now on|from here on|henceforth|though|then|so far|for now';
const TAILS = new RegExp(`(?:,? (?:${TAIL}|anymore|any more|any longer))+$`, 'iu');
const NOW_TAILS = new RegExp(`(?:,? (?:${TAIL}))+$`, 'iu');
/** Where a reason or an aside begins. */
const ASIDES =
  / (?:because|since (?!\d)|so that|so we|so it|as it|as we|which|where|while|until|unless|in order to|due to|thanks to|after|before|when|if|but|although|even though)\b.*$|(?: [-–—]|;|: |, (?:not|so|but|and|which|because|since|as|to|where|while|though|rather than|instead of|with|after|unlike)\b|, ?(?:please|thanks|ok|okay|right)\b| \().*$/iu;

/** A clause without what only says that it holds now. */
export function withoutTail(clause: string): string {
  return clause.replace(NOW_TAILS, '');
}

/** A value without what is no part of it, or null where what is left names nothing. */
export function valueIn(text: string): string | null {
  const value = bare(text.replace(ASIDES, '').replace(TAILS, ''));
  if (value === '' || value.length > 80 || value.split(/\s+/u).length > 8) return null;
  if (STATES.test(value) || !/[\p{L}\p{N}]/u.test(value)) return null;
  if (HAPPENS.test(value) || HOW.test(value) || ADRIFT.test(value)) return null;
  return value;
}

/** A subject that names something, or null. */
export function subjectIn(text: string): string | null {
  const subject = bare(text.replace(/^(?:the|our|a|an)\s+/iu, ''));
  if (!/^[\p{L}\p{N}`@]/u.test(subject) || ADRIFT.test(subject)) return null;
  if (subject === '' || subject.length > 60 || subject.split(/\s+/u).length > 6) return null;
  return POINTING.test(subject) || VERBS.test(subject) || /[,;:(){}<>=]/u.test(subject) ? null : subject;
}

function bare(text: string): string {
  return text
    .trim()
    .replace(/^["'“”‘’]+|["'“”‘’.,;:!]+$/gu, '')
    .trim();
}

/** Words before what is said. `told` is what a person says to have something kept. */
const LEADS =
  /^(?:ok(?:ay)?|so|also|and|but|well|right|hey|hi|fyi|actually|correction|no|nope|yes|yep|yeah|sorry|btw|by the way|just so you know|one more thing|heads[- ]up|update|good|great|thanks|thank you|please|now|from now on|from here on|going forward|as of now|currently|to be clear|to clarify|again|first(?: of all)?|finally|(?:do )?note(?: that)?|nb|keep in mind(?: that)?)(?:\s*[,:–—-]\s*|\s+(?=\p{L}))/iu;
const TOLD =
  /^(?:(?:do )?(?:please )?(?:remember|don't forget|do not forget|for the record|make a note|memori[sz]e|bear in mind)(?: that|:|,)|(?:please )?remember(?= to )|(?:remember|reminder|fact|memo)\s*:)\s*/iu;

/** What is said without the words that lead it in, and whether a person says to keep it. */
export function withoutLeads(sentence: string): { readonly words: string; readonly isTold: boolean } {
  let words = sentence;
  let isTold = false;
  for (let before = ''; before !== words; ) {
    before = words;
    const told = TOLD.exec(words);
    if (told !== null) isTold = true;
    words = words.slice(told?.[0].length ?? LEADS.exec(words)?.[0].length ?? 0);
  }
  return { words, isTold };
}

/** True for what is asked, supposed, or not sure. */
export function isUnsure(words: string): boolean {
  return UNSURE.test(words) || QUESTION.test(words);
}

const UNSURE =
  /\b(?:maybe|perhaps|probably|possibly|might|i think|i guess|i believe|i assume|i suppose|not sure|no idea|i wonder|suppose|imagine|what if|let's say|say we|would be|could be|should be|if (?:we|it|you|i|the|this|that)|in case|for example|e\.g|hypothetically|assuming|unless|supposed to|seems|looks like|apparently|used to be|used to|try to|trying to|want to|wants to|plan to|planning to|going to try|wish|hope|hopefully|according to|it says|the (?:error|log|docs|doc|message|readme|output|comment|ticket|issue) says)\b/iu;
const QUESTION =
  /^(?:is|are|was|were|do|does|did|can|could|would|should|will|shall|has|have|had|what|which|who|whom|whose|where|when|why|how|if|when|whenever|once)\b/iu;

/** True for what speaks of a secret, whether or not one stands in it. */
export function isAboutSecrets(words: string): boolean {
  return words.includes('[masked:') || SECRET.test(words) || (TOKEN.test(words) && GIVEN.test(words));
}

const SECRET =
  /\b(?:pass ?(?:word|wd|wort|phrase|code)|pwd|secret|credential|(?:api|access|private|signing|encryption)[ _-]?key|(?:auth|access|bearer|refresh|session)[ _-]?token|bearer|otp|(?:recovery|pin|backup) code|seed phrase|connection string|dsn|kennwort|zugangsdaten|mot de passe|contrase|senha|wachtwoord|parola)|[_-](?:key|token|pass)\b|пароль|密码|密碼|パスワード|비밀번호|hasło|lösenord/iu;
/** A token may be a unit too. */
const TOKEN = /\b(?:tokens?|pin)\b(?! (?:limit|count|budget|usage|window))/iu;
const GIVEN = /[:=]|\b(?:is|are|as|with|use)\b/iu;

/** True for an order that holds for this moment alone. */
export function isPassing(words: string): boolean {
  return PASSING.test(words);
}

const PASSING =
  /^(?:please )?(?:do not|don't|dont|never) (?:worry|bother|mind|know|think|understand|care|see|panic|be|forget|remember|feel|get|believe|ask|stop|start|answer|do (?:it|that|this|anything)|want|like|need|have|just|do|you|i|we|they|it|lie)\b|^(?:please )?(?:never ?mind|always (?:the same|wins|fails))|\b(?:yet|right now|for now|just now|at the moment|this time|for the moment|until i|till i|until we|first|anything|today|tonight)$|\b(?:yet|for now|right now|this time)\b/iu;
