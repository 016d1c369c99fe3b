/** Models as agents with two providers name them. */
export const SONNET = 'anthropic/claude-sonnet-4-6';
export const GPT = 'openai/gpt-5.4';
/** What lies in `notes.txt` at the beginning. */
export const NOTES = 'first line\nzweite Zeile – ünïcode 🙂\nthird line\n';
/** What is typed. */
export const READ = 'Read notes.txt, change it and list the folder.';
export const SECOND = 'What was the second line?';

/** A file is read, changed, written and listed, and a tool is called that there is none of. */
export const reading = {
  id: 'read',
  when: { equals: READ },
  rounds: [
    {
      steps: [
        { think: 'The file first.' },
        { say: 'I read it first.' },
        { use: 'read' as const, path: 'notes.txt' },
      ],
    },
    { steps: [{ use: 'edit' as const, path: 'notes.txt', old: 'third line', new: 'third line ✓' }] },
    {
      steps: [
        { use: 'write' as const, path: 'new.md', content: '# New\n' },
        { use: 'shell' as const, command: 'sleep 0.3; cat notes.txt' },
      ],
    },
    { steps: [{ call: 'no_such_tool', input: { a: 1 } }] },
    { steps: [{ say: 'Done — „grüß Gott“, 你好 👋\n' }] },
  ],
};
/** The answer to what is typed second. */
export const second = {
  id: 'second',
  when: { contains: 'second line' },
  rounds: [{ steps: [{ say: 'zweite' }] }],
};
