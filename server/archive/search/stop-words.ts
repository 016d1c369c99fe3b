/**
 * English words that say nothing of what a text is about. They get no place in the index; a quoted phrase that holds
 * them is compared with the text itself.
 */
const LIST = `
a about above after again all also am an and any are as at be because been before being below between both but by can
could did do does doing don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn down during each few
for from further had has have having he her here hers him his how i if in into is it its itself just let me more most my
myself no nor not now of off on once only or other our ours out over own please same she should so some such than that the
their theirs them then there these they this those through to too under until up very was we were what when where which
while who whom why will with would you your yours yourself
`;

const STOP_WORDS: ReadonlySet<string> = new Set(LIST.split(/\s+/).filter((word) => word !== ''));

/** True for a folded word that the index leaves out. */
export function isStopWord(form: string): boolean {
  return STOP_WORDS.has(form);
}
