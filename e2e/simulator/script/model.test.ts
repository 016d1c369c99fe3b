import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, ScriptedModel } from './model.ts';
import type { Turn } from './types.ts';

function turn(changes: Partial<Turn> = {}): Turn {
  return {
    protocol: 'anthropic',
    kind: 'main',
    model: 'm',
    prompt: 'hello',
    round: 0,
    results: [],
    tools: [],
    cwd: '/repo',
    text: () => '',
    typed: ['hello'],
    body: {},
    ...changes,
  };
}

function said(model: ScriptedModel, asked: Turn): string {
  return model
    .plan(asked)
    .parts.map((part) => (part.kind === 'text' ? part.chunks.join('') : part.kind))
    .join('|');
}

describe('the scripted model', () => {
  it('gives round n to the request that n rounds preceded, and repeats the last round', () => {
    const model = new ScriptedModel();
    model.add({ id: 'a', when: {}, rounds: [{ steps: [{ say: 'first' }] }, { steps: [{ say: 'second' }] }] });
    expect([0, 1, 2].map((round) => said(model, turn({ round })))).toEqual(['first', 'second', 'second']);
  });

  it('never calls tools for ever: after a last round with calls it says that it is done', () => {
    const model = new ScriptedModel();
    model.add({ id: 'a', when: {}, rounds: [{ steps: [{ call: 'Bash', input: {} }] }] });
    expect(said(model, turn({ round: 0 }))).toBe('call');
    expect(said(model, turn({ round: 1 }))).toBe('Done.');
  });

  it('asks the latest scenario first, and replaces one of the same id', () => {
    const model = new ScriptedModel();
    model.add({ id: 'a', when: {}, rounds: [{ steps: [{ say: 'old' }] }] });
    model.add({ id: 'b', when: { contains: 'other' }, rounds: [{ steps: [{ say: 'other' }] }] });
    model.add({ id: 'a', when: {}, rounds: [{ steps: [{ say: 'new' }] }] });
    expect(said(model, turn())).toBe('new');
    model.remove('a');
    expect(said(model, turn({ prompt: 'an other one' }))).toBe('other');
    expect(said(model, turn())).toBe('You said: hello');
  });

  it('leaves side requests to the built-in answers unless a matcher names their kind', () => {
    const model = new ScriptedModel();
    model.add({ id: 'a', when: {}, rounds: [{ steps: [{ say: 'mine' }] }] });
    expect(
      JSON.parse(said(model, turn({ kind: 'title', prompt: '<session>fix the bug</session>' }))),
    ).toEqual({
      title: 'Fix the bug',
    });
    model.add({ id: 't', when: { kind: 'title' }, rounds: [{ steps: [{ say: 'my title' }] }] });
    expect(said(model, turn({ kind: 'title' }))).toBe('my title');
  });

  it('fills placeholders from the prompt, its groups, the results and the working folder', () => {
    const model = new ScriptedModel();
    const say = '{{1}} in {{cwd}}: {{result.1}} / {{result}} / {{unknown}} / {{round}}';
    model.add({ id: 'a', when: { pattern: 'read (\\w+)' }, rounds: [{ steps: [{ say }] }] });
    const results = [
      [
        { callId: '1', text: 'one', isError: false },
        { callId: '2', text: 'two', isError: false },
      ],
    ];
    expect(said(model, turn({ prompt: 'read it', results }))).toBe(
      'it in /repo: two / one\ntwo / {{unknown}} / 0',
    );
  });

  it('turns a neutral use into the tool that the request offers', () => {
    const model = new ScriptedModel();
    model.add({ id: 'a', when: {}, rounds: [{ steps: [{ use: 'read', path: 'a.txt' }] }] });
    const claude = model.plan(turn()).parts[0];
    expect(claude).toMatchObject({ name: 'Read', input: { file_path: '/repo/a.txt' } });
    const codex = model.plan(turn({ protocol: 'openai' })).parts[0];
    expect(codex).toMatchObject({ name: 'exec_command', input: { cmd: "cat '/repo/a.txt'" } });
    const tools = [{ name: 'exec', namespace: 'functions', kind: 'custom' as const }];
    const codeMode = model.plan(turn({ protocol: 'openai', tools })).parts[0];
    expect(codeMode).toMatchObject({ name: 'exec', custom: true });
  });

  it('speaks the short tool names of OpenCode and Pi on both protocols', () => {
    const offer = (...names: string[]) =>
      names.map((name) => ({ name, namespace: undefined, kind: 'function' as const }));
    const model = new ScriptedModel();
    model.add({
      id: 'a',
      when: {},
      rounds: [
        {
          steps: [
            { use: 'read', path: 'a.txt' },
            { use: 'edit', path: 'a.txt', old: 'one', new: 'two' },
          ],
        },
      ],
    });
    const inputs = (protocol: Turn['protocol'], ...names: string[]) =>
      model
        .plan(turn({ protocol, tools: offer(...names) }))
        .parts.map((part) => (part.kind === 'call' ? { [part.name]: part.input } : part));
    for (const protocol of ['anthropic', 'openai'] as const) {
      expect(inputs(protocol, 'bash', 'edit', 'read', 'task', 'write')).toEqual([
        { read: { filePath: '/repo/a.txt' } },
        { edit: { filePath: '/repo/a.txt', oldString: 'one', newString: 'two' } },
      ]);
      expect(inputs(protocol, 'read', 'bash', 'edit', 'write')).toEqual([
        { read: { path: '/repo/a.txt' } },
        { edit: { path: '/repo/a.txt', edits: [{ oldText: 'one', newText: 'two' }] } },
      ]);
      expect(inputs(protocol, 'apply_patch', 'bash', 'read', 'task')[1]).toMatchObject({
        apply_patch: { patchText: expect.stringContaining('*** Update File: /repo/a.txt\n@@\n-one\n+two') },
      });
    }
  });
});

describe('cutting a text into deltas', () => {
  it('loses nothing and never splits a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, size) => {
        const pieces = cut(text, size);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
      }),
    );
  });
});
