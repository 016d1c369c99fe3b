import type { Maker } from './fact.ts';
import { number, PEOPLE, SUBSYSTEMS } from './subjects.ts';

const EUROPEAN = [
  (system: string, value: string, who: string) => ({
    text: `Für ${system} gilt ab sofort: höchstens ${value} Anfragen gleichzeitig, größere Mengen lehnt ${who} ab.`,
    question: `Wie viele gleichzeitige Anfragen erlaubt ${system}?`,
    plain: `Wie viele grossere Mengen lehnt ${who} bei ${system} ab?`,
  }),
  (system: string, value: string, who: string) => ({
    text: `Le délai de réponse de ${system} a été relevé à ${value} secondes par ${who} après l'échec d'hier.`,
    question: `Quel est le délai de réponse de ${system} ?`,
    plain: `delai de reponse releve par ${who} pour ${system}`,
  }),
  (system: string, value: string, who: string) => ({
    text: `La configuración de ${system} cambió: ${who} amplió la caché a ${value} megabytes según el último análisis.`,
    question: `¿Quién amplió la caché de ${system}?`,
    plain: `configuracion cache ${system} ${who}`,
  }),
  (system: string, value: string, who: string) => ({
    text: `Rozhodli jsme, že ${system} poběží s ${value} vlákny; ${who} to ještě ověří při příští zátěžové zkoušce.`,
    question: `S kolika vlákny poběží ${system}?`,
    plain: `zatezove zkousce ${system} ${who} vlakny`,
  }),
] as const;

/** A text in another language, asked for with and without its marks. */
export const language: Maker = (random, at) => {
  const [system] = SUBSYSTEMS[(at * 7 + 3) % SUBSYSTEMS.length] ?? SUBSYSTEMS[0];
  const make = EUROPEAN[at % EUROPEAN.length] ?? EUROPEAN[0];
  const made = make(system, number(random), random.pick(PEOPLE));
  return {
    kind: 'language',
    carrier: 'typed',
    text: made.text,
    question: random.below(2) === 0 ? made.question : made.plain,
    distractors: [
      make(random.pick(SUBSYSTEMS)[0], '?', random.pick(PEOPLE)).question,
      `${system} läuft wieder.`,
    ],
  };
};
