import type { Random } from './random.ts';

/** Words of everyday code work, the most used first. */
const WORDS = `
file test error value function request response user data type name list message result key string config server client
query table index cache page token event time session path line state handler service module update return check call
build run version branch commit change review merge deploy release field column row record schema migration database
connection pool timeout retry limit queue worker job task thread lock batch stream buffer chunk parser reader writer
format output input option flag default command script shell process signal exit code status log level warning metric
trace span alert dashboard report summary detail header body footer form button dialog menu tab panel view screen theme
colour layout margin border font icon image asset bundle package dependency import export class method property argument
parameter variable constant literal array object map set tree node edge graph root leaf parent child sibling order sort
filter group count sum total average minimum maximum range offset cursor page size length width height position address
host port domain certificate secret password account role permission policy rule plan price invoice payment order cart
discount coupon tax currency refund receipt customer address email phone notification template language locale calendar
date hour minute second zone schedule reminder holiday backup restore snapshot replica shard partition leader follower
election heartbeat lease quota budget usage threshold window interval delay backoff jitter circuit breaker fallback
feature toggle experiment variant cohort funnel retention import upload download archive compress encrypt decrypt hash
digest signature verify validate sanitize escape encode decode serialize normalize tokenize stem rank score match
highlight snippet suggestion autocomplete synonym spelling crawler sitemap robot feed digest thumbnail preview gallery
video audio caption transcript subtitle player playlist volume brightness sensor device firmware driver kernel memory
heap stack register pointer garbage collector compiler linker loader runtime sandbox container image registry cluster
namespace ingress gateway proxy balancer router switch firewall tunnel bridge adapter plugin extension hook listener
subscriber publisher broker topic channel socket frame packet payload envelope checksum sequence acknowledgement window
`
  .split(/\s+/)
  .filter((word) => word !== '');

const VERBS =
  `get set load save read write find make open close send take parse build check fetch store apply merge split
render create delete update resolve validate handle convert`.split(/\s+/);

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** A word of code work, the usual ones often. */
export function word(random: Random): string {
  return random.pickSkewed(WORDS);
}

/** A name as code has it: `loadInvoiceCache`, `invoice_cache`, `InvoiceCache`. */
export function identifier(random: Random): string {
  const [one, other] = [word(random), random.pick(WORDS)];
  const form = random.below(4);
  if (form === 0) return `${random.pick(VERBS)}${capital(one)}${capital(other)}`;
  if (form === 1) return `${one}_${other}`;
  if (form === 2) return `${capital(one)}${capital(other)}`;
  return `${one}${capital(other)}${random.below(3) === 0 ? random.below(90) : ''}`;
}

/** A path of a source file. */
export function filePath(random: Random): string {
  return `src/${word(random)}/${word(random)}-${random.pick(WORDS)}.${random.pick(['ts', 'py', 'go', 'rs', 'tsx', 'sql'])}`;
}

const hex = (random: Random, digits: number) =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join('');

/** Sentences about code work without any meaning. */
export function prose(random: Random, sentences: number): string {
  const starts = [
    'We should',
    'I think that',
    'It looks like',
    'Please',
    'Before that',
    'The next step is to',
    'For now',
  ];
  return Array.from({ length: sentences }, () => {
    const words = Array.from({ length: 6 + random.below(12) }, () =>
      random.below(9) === 0
        ? `\`${identifier(random)}\``
        : random.below(3) === 0
          ? random.pick(['the', 'a', 'of', 'and', 'in', 'for', 'with', 'to'])
          : word(random),
    );
    return `${random.pick(starts)} ${random.pick(VERBS)} ${words.join(' ')}.`;
  }).join(' ');
}

/** Lines of a log. */
export function logLines(random: Random, lines: number): string {
  return Array.from({ length: lines }, (_, at) => {
    const level = random.pickSkewed(['INFO', 'DEBUG', 'WARN', 'ERROR']);
    const clock = `2026-11-${String(1 + random.below(30)).padStart(2, '0')}T${String(random.below(24)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}:${String(random.below(60)).padStart(2, '0')}Z`;
    return `${clock} ${level} [${word(random)}-${random.below(16)}] ${word(random)} ${word(random)} ${identifier(random)}=${random.below(10_000)} id=${hex(random, 12)} took ${random.below(900)}ms`;
  }).join('\n');
}

/** Source code that would not compile. */
export function codeLines(random: Random, lines: number): string {
  return Array.from({ length: lines }, () => {
    const form = random.below(5);
    if (form === 0)
      return `export function ${identifier(random)}(${word(random)}: ${capital(word(random))}): void {`;
    if (form === 1)
      return `  const ${identifier(random)} = await ${identifier(random)}(${word(random)}, ${random.below(500)});`;
    if (form === 2)
      return `  if (${word(random)}.${word(random)} !== null) return ${identifier(random)}.${random.pick(VERBS)}();`;
    if (form === 3)
      return `  // ${word(random)} ${word(random)} of the ${word(random)} ${random.pick(WORDS)}`;
    return '}';
  }).join('\n');
}
