import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Role } from './model.ts';
import { type ComparableMessage, type FormVerdict, matchForm } from './moves.ts';
import { forms, itemOf, wrapped } from './testing/archive.ts';

function message(role: Role, ...parts: readonly string[]): ComparableMessage {
  return { role, items: parts.map(itemOf) };
}

const user = (...parts: readonly string[]) => message('user', ...parts);
const assistant = (...parts: readonly string[]) => message('assistant', ...parts);
const system = (text: string) => message('system', `system:${text}`);

function verdict(
  known: ComparableMessage,
  incoming: ComparableMessage,
  next: { known?: ComparableMessage; incoming?: ComparableMessage } = {},
): FormVerdict {
  return matchForm(
    { known, incoming, knownNext: next.known ?? null, incomingNext: next.incoming ?? null },
    forms,
  );
}

const SAME: FormVerdict = { verdict: 'same', incomingNext: null };
const DIFFERENT: FormVerdict = { verdict: 'different' };

describe('a reminder that moved', () => {
  const own = user('result#1:hi', 'reminder:be brief');

  it('into the tool result before it is the same message, both ways', () => {
    const folded = user(`result#1:hi\n\n${wrapped('be brief')}`);
    expect(verdict(own, folded)).toEqual(SAME);
    expect(verdict(folded, own)).toEqual(SAME);
  });

  it('into the last of several results, with another reminder behind it, is the same', () => {
    const known = user('result#1:a', 'result#2:b', 'reminder:x', 'reminder:y');
    expect(verdict(known, user('result#1:a', `result#2:b\n\n${wrapped('x')}\n\n${wrapped('y')}`))).toEqual(
      SAME,
    );
    expect(verdict(known, user('result#1:a', `result#2:b\n\n${wrapped('x')}`, 'reminder:y'))).toEqual(SAME);
  });

  it('into the system message behind is the same, and that one is absorbed', () => {
    expect(verdict(own, user('result#1:hi'), { incoming: system('be brief') })).toEqual({
      verdict: 'same',
      incomingNext: 'absorbed',
    });
    const two = user('result#1:hi', 'reminder:a', 'reminder:b');
    expect(verdict(two, user('result#1:hi'), { incoming: system('a\n\nb') })).toEqual({
      verdict: 'same',
      incomingNext: 'absorbed',
    });
  });

  it('into a system message that says more is the same, and that one stays', () => {
    expect(verdict(own, user('result#1:hi'), { incoming: system('be brief\n\nAnd polite.') })).toEqual({
      verdict: 'same',
      incomingNext: 'needed',
    });
  });

  it('out of a stored system message is the message and that one together', () => {
    expect(verdict(user('input:hi'), user('reminder:a', 'input:hi'), { known: system('a') })).toEqual({
      verdict: 'knownNext',
      incomingNext: null,
    });
  });

  it('that only a stored system message could explain is undecided without one', () => {
    expect(verdict(user('input:hi'), user('reminder:a', 'input:hi'))).toEqual({ verdict: 'undecided' });
  });

  it('is content where it was no part of its own and stands in no system message', () => {
    expect(verdict(user('result#1:hi'), user(`result#1:hi\n\n${wrapped('x')}`))).toEqual(DIFFERENT);
    expect(verdict(own, user('result#1:hi'))).toEqual(DIFFERENT);
    expect(verdict(own, user('result#1:hi'), { incoming: system('be brief!') })).toEqual(DIFFERENT);
    expect(verdict(own, user('result#1:hi'), { incoming: system('Say: be brief') })).toEqual(DIFFERENT);
    expect(verdict(user('input:hi'), user('reminder:a', 'input:hi'), { known: system('a\n\nb') })).toEqual(
      DIFFERENT,
    );
  });

  it('is not the same with one character, another id or another order', () => {
    expect(verdict(own, user(`result#1:hi.\n\n${wrapped('be brief')}`))).toEqual(DIFFERENT);
    expect(verdict(own, user(`result#1:hi\n\n${wrapped('be brief.')}`))).toEqual(DIFFERENT);
    expect(verdict(own, user(`result#1:hi\n${wrapped('be brief')}`))).toEqual(DIFFERENT);
    expect(verdict(own, user(`result#2:hi\n\n${wrapped('be brief')}`))).toEqual(DIFFERENT);
    expect(verdict(user('result#1:a', 'result#2:b'), user('result#2:b', 'result#1:a'))).toEqual(DIFFERENT);
    expect(verdict(user('reminder:a', 'reminder:b'), user('reminder:b', 'reminder:a'))).toEqual(DIFFERENT);
    expect(verdict(user('reminder:a', 'input:x'), user('input:x', 'reminder:a'))).toEqual(DIFFERENT);
  });

  it('of which there were several is the same with fewer of them, but not with none or more', () => {
    const known = user('result#1:a', 'result#2:b', 'reminder:x', 'reminder:x');
    expect(verdict(known, user('result#1:a', `result#2:b\n\n${wrapped('x')}`))).toEqual(SAME);
    expect(verdict(known, user('result#1:a', 'result#2:b', 'reminder:x'))).toEqual(SAME);
    expect(verdict(known, user('result#1:a', 'result#2:b'), { incoming: system('x') })).toEqual({
      verdict: 'same',
      incomingNext: 'absorbed',
    });
    expect(verdict(known, user('result#1:a', 'result#2:b'))).toEqual(DIFFERENT);
    const more = user('result#1:hi', 'reminder:be brief', 'reminder:be brief');
    expect(verdict(own, more, { known: system('other') })).toEqual(DIFFERENT);
  });

  it('is folded into the result that it belongs to, in whatever order the parts stood', () => {
    const known = user('result#1:a', 'result#2:b', 'reminder:x', 'reminder:task', 'reminder:y');
    const folded = [`result#1:a\n\n${wrapped('y')}`, `result#2:b\n\n${wrapped('x')}\n\n${wrapped('task')}`];
    expect(verdict(known, user(...folded))).toEqual(SAME);
  });

  it('is folded behind a text whose blanks at the end are lost, but not the other way', () => {
    const known = user('result#1:3\t\n', 'reminder:x');
    const folded = user(`result#1:3\n\n${wrapped('x')}`);
    expect(verdict(known, folded)).toEqual(SAME);
    expect(verdict(folded, known)).toEqual(DIFFERENT);
  });

  it('into a system message that stood there already is that one and the message before it', () => {
    const behind = { known: system('tasks'), incoming: system('be brief\n\ntasks') };
    expect(verdict(own, user('result#1:hi'), behind)).toEqual({
      verdict: 'knownNext',
      incomingNext: 'absorbed',
    });
  });

  it('is not folded twice from one part', () => {
    const known = user('result#1:a', 'result#2:b', 'reminder:x');
    const twice = user(`result#1:a\n\n${wrapped('x')}`, `result#2:b\n\n${wrapped('x')}`);
    expect(verdict(known, twice)).toEqual(DIFFERENT);
  });

  it('does not make messages with pictures the same', () => {
    expect(verdict(user('image:one', 'reminder:a'), user('image:two'), { incoming: system('a') })).toEqual(
      DIFFERENT,
    );
  });
});

describe('an answer that came back', () => {
  const known = assistant('thought:hm', 'answer:I edit.', 'answer: \n', 'call#1:{"path":"a","n":1.10}');

  it('without thinking and blank text and with further keys in its input is the same', () => {
    expect(verdict(known, assistant('answer:I edit.', 'call#1:{"all":false,"n":1.1,"path":"a"}'))).toEqual(
      SAME,
    );
  });

  it('without a server call that broke off is the same', () => {
    expect(verdict(assistant('answer:x', 'call#server:{}'), assistant('answer:x'))).toEqual(SAME);
  });

  it('is another with another word, id, value or order, or less of it', () => {
    for (const parts of [
      ['answer:I edit', 'call#1:{"path":"a","n":1.1}'],
      ['answer:I edit.', 'call#2:{"path":"a","n":1.1}'],
      ['answer:I edit.', 'call#1:{"path":"b","n":1.1}'],
      ['answer:I edit.', 'call#1:{"path":"a"}'],
      ['call#1:{"path":"a","n":1.1}', 'answer:I edit.'],
      ['answer:I edit.'],
      ['answer:I ', 'answer:edit.', 'call#1:{"path":"a","n":1.1}'],
    ]) {
      expect(verdict(known, assistant(...parts)), parts.join()).toEqual(DIFFERENT);
    }
  });

  it('without any words is never judged', () => {
    expect(verdict(assistant('thought:a'), assistant('thought:b'))).toEqual(DIFFERENT);
  });

  it('is not a message of another role', () => {
    expect(verdict(assistant('answer:x'), user('answer:x'))).toEqual(DIFFERENT);
  });
});

// A small alphabet, so that random messages often come near each other.
const reminder = fc.constantFrom('r', 's');
const part = fc.oneof(
  fc.constantFrom('input:a', 'input:b'),
  reminder.map((text) => `reminder:${text}`),
  fc
    .tuple(fc.constantFrom('1', '2'), fc.constantFrom('a', 'b'), fc.array(reminder, { maxLength: 2 }))
    .map(([id, text, folded]) => `result#${id}:${[text, ...folded.map(wrapped)].join('\n\n')}`),
);
const userMessage = fc.array(part, { maxLength: 4 }).map((parts) => user(...parts));
const nextMessage = fc.option(
  fc
    .array(fc.constantFrom('r', 's', 'more'), { minLength: 1, maxLength: 2 })
    .map((texts) => system(texts.join('\n\n'))),
  { nil: null },
);

/** The message with all moves undone: its own parts in order, then every reminder wherever it stood. */
function undone(
  main: ComparableMessage,
  next: ComparableMessage | null,
): { core: string[]; reminders: string[] } {
  const reminders: string[] = [];
  const core: string[] = [];
  for (const item of main.items) {
    const own = forms.reminderOf(item);
    if (own !== null) reminders.push(own);
    else {
      const [text = '', ...folded] = item.text.split('\n\n');
      reminders.push(...folded.map((inner) => inner.slice(3, -4)));
      core.push(`${item.kind} ${item.tool?.callId ?? ''} ${text}`);
    }
  }
  for (const item of next?.items ?? []) reminders.push(...item.text.split('\n\n'));
  return { core, reminders: reminders.sort() };
}

describe('two messages that are judged the same', () => {
  it('have, moves undone, the same text', () => {
    let same = 0;
    fc.assert(
      fc.property(
        userMessage,
        userMessage,
        nextMessage,
        nextMessage,
        (known, incoming, knownNext, incomingNext) => {
          const found = matchForm({ known, incoming, knownNext, incomingNext }, forms);
          if (!('incomingNext' in found)) return;
          same++;
          const one = undone(known, found.verdict === 'knownNext' ? knownNext : null);
          const other = undone(incoming, found.incomingNext === null ? null : incomingNext);
          expect(other.core).toEqual(one.core);
          if (found.incomingNext === 'needed') {
            for (const text of one.reminders) expect(other.reminders).toContain(text);
          } else {
            // Of equal ones fewer may come back, never more, and none that is new.
            expect(new Set(other.reminders)).toEqual(new Set(one.reminders));
            expect(other.reminders.length).toBeLessThanOrEqual(one.reminders.length);
          }
        },
      ),
      { numRuns: 20000, seed: 7 },
    );
    expect(same).toBeGreaterThan(100);
  });

  it('are found whatever reminders moved, and never with one character more anywhere', () => {
    const move = fc.constantFrom<'stay' | 'fold' | 'system'>('stay', 'fold', 'system');
    const reminders = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z ]{1,8}$/), move), {
      selector: ([text]) => text,
      minLength: 1,
      maxLength: 4,
    });
    const results = fc.array(fc.stringMatching(/^[a-z\n]{0,8}$/), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(results, reminders, fc.nat(), (texts, moved, at) => {
        const known = user(
          ...texts.map((text, index) => `result#${index}:${text}`),
          ...moved.map(([text]) => `reminder:${text}`),
        );
        const of = (kind: string) => moved.filter(([, where]) => where === kind).map(([text]) => text);
        const last = texts.length - 1;
        const tail = of('fold').map((text) => `\n\n${wrapped(text)}`);
        const incoming = [
          ...texts.map((text, index) => `result#${index}:${text}${index === last ? tail.join('') : ''}`),
          ...of('stay').map((text) => `reminder:${text}`),
        ];
        const next = of('system').length === 0 ? null : system(of('system').join('\n\n'));
        const question = { known, knownNext: null, incomingNext: next };
        expect(matchForm({ ...question, incoming: user(...incoming) }, forms).verdict).toBe('same');
        const chosen = at % incoming.length;
        const spoilt = incoming.map((text, index) => (index === chosen ? `${text}!` : text));
        expect(matchForm({ ...question, incoming: user(...spoilt) }, forms).verdict).toBe('different');
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});
