import { describe, expect, test } from 'vitest';
import { type AnsweredCall, mayTouch, needsInput, touchesOf } from './tool-touches.ts';

function told(tool: string, input: unknown, more: Partial<AnsweredCall> = {}): string[] {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const call = { tool, namespace: null, input: text, path: null, isError: false, result: '', folder: '/w' };
  return touchesOf({ ...call, ...more }).map(({ kind, path, tree }) => `${kind} ${path}${tree ? ' *' : ''}`);
}

const PATCH = `*** Begin Patch
*** Add File: new.ts
+x
*** Update File: src/a.ts
*** Move to: src/b.ts
@@ f
-x
+y
*** Update File: c.ts
@@
-1
+2
*** Delete File: old.ts
*** End Patch
`;
const PATCHED = [
  'write /w/new.ts',
  'move /w/src/a.ts',
  'move /w/src/b.ts',
  'edit /w/c.ts',
  'delete /w/old.ts',
];

describe('Claude Code', () => {
  test.each([
    ['Read', { file_path: '/w/a' }, '/w/a', ['read /w/a']],
    ['Write', { file_path: '/w/a', content: 'rm b' }, '/w/a', ['write /w/a']],
    ['Edit', { file_path: '/w/a' }, '/w/a', ['edit /w/a']],
    ['MultiEdit', { file_path: '/w/a' }, '/w/a', ['edit /w/a']],
    ['NotebookEdit', { notebook_path: '/w/a.ipynb' }, '/w/a.ipynb', ['edit /w/a.ipynb']],
    ['NotebookRead', { notebook_path: '/w/a.ipynb' }, '/w/a.ipynb', ['read /w/a.ipynb']],
    ['Bash', { command: 'git mv a b/', description: 'rm c' }, null, ['move /w/a *', 'move /w/b/a']],
    ['Grep', { pattern: 'x', path: 'src' }, null, []],
    ['Glob', { pattern: '*' }, null, []],
    ['Task', { prompt: 'rm a' }, null, []],
    ['mcp__files__write', { file_path: '/w/a' }, '/w/a', []],
  ])('%s %j', (tool, input, path, expected) => {
    expect(told(tool, input, { path })).toEqual(expected);
  });
});

describe('Codex', () => {
  test.each([
    ['exec_command', { cmd: 'cat notes.txt' }, ['read /w/notes.txt']],
    ['exec_command', { cmd: 'cat notes.txt', workdir: '/x' }, ['read /x/notes.txt']],
    ['exec_command', { cmd: 'cat notes.txt', workdir: 'sub' }, ['read /w/sub/notes.txt']],
    ['exec_command', { cmd: `printf "done\\n" >> notes.txt` }, ['edit /w/notes.txt']],
    ['shell', { command: ['bash', '-lc', 'sed -n 1,9p a'], workdir: '/x' }, ['read /x/a']],
    ['shell', { command: ['cat', 'a b'] }, ['read /w/a b']],
    ['shell', { command: ['apply_patch', PATCH] }, PATCHED],
    ['local_shell', { command: ['rm', 'a'], working_directory: '/x' }, ['delete /x/a']],
    ['shell_command', { command: `apply_patch <<'EOF'\n${PATCH}EOF` }, PATCHED],
    ['apply_patch', PATCH, PATCHED],
    ['apply_patch', { input: PATCH }, PATCHED],
    ['view_image', { path: 'a.png' }, []],
    ['write_stdin', { session_id: 1, chars: 'rm a\n' }, []],
    ['exec', 'text(await tools.exec_command({ cmd: "cat notes.txt" }));', ['read /w/notes.txt']],
    [
      'exec',
      `text(await tools.exec_command({ cmd: "printf 'x\\\\n' >> n.txt; ls", workdir: '/x' }))`,
      ['edit /x/n.txt'],
    ],
    ['exec', `await tools.apply_patch(${JSON.stringify(PATCH)})`, PATCHED],
    ['exec', 'if (x) await tools.exec_command({ cmd: "rm a" })', []],
    ['exec', 'await tools.exec_command({ cmd: `rm $' + '{x}` })', []],
    ['exec', 'await tools.exec_command({ cmd: command })', []],
    ['exec', 'const t = "tools.exec_command({ cmd: \\"rm a\\" })"', []],
  ])('%s %j', (tool, input, expected) => {
    expect(told(tool, input)).toEqual(expected);
  });

  test('a path that was found beside the input counts for tools that name a file', () => {
    expect(told('view_image', { path: 'a.png' }, { path: 'a.png' })).toEqual(['read /w/a.png']);
  });

  test.each([
    'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n',
    'Exit code: 127\nWall time: 0 seconds\nOutput:\n',
    '{"output":"x","metadata":{"exit_code":1,"duration_seconds":0}}',
    'aborted by user after 3.1s',
  ])('a command that failed changed nothing: %j', (result) => {
    expect(told('exec_command', { cmd: 'rm a' }, { result })).toEqual([]);
  });

  test('a command that succeeded is not judged by what it printed', () => {
    const result = 'Chunk ID: 1\nProcess exited with code 0\nOutput:\nProcess exited with code 1\n';
    expect(told('exec_command', { cmd: 'rm a' }, { result })).toEqual(['delete /w/a']);
  });
});

describe('OpenCode and Pi', () => {
  test.each([
    ['read', { filePath: '/w/a' }, '/w/a', ['read /w/a']],
    ['write', { filePath: 'a', content: '' }, 'a', ['write /w/a']],
    ['edit', { filePath: '../a' }, '../a', ['edit /a']],
    ['multiedit', { filePath: 'a' }, 'a', ['edit /w/a']],
    ['bash', { command: 'rm a', workdir: '/x' }, null, ['delete /x/a']],
    ['bash', { command: 'rm a' }, null, ['delete /w/a']],
    ['patch', { patchText: PATCH }, null, PATCHED],
    ['apply_patch', { patchText: PATCH }, null, PATCHED],
    ['read', { path: 'a' }, 'a', ['read /w/a']],
    ['str_replace_based_edit_tool', { command: 'view', path: '/w/a' }, '/w/a', ['read /w/a']],
    ['str_replace_based_edit_tool', { command: 'create', path: '/w/a' }, '/w/a', ['write /w/a']],
    ['str_replace_based_edit_tool', { command: 'insert', path: '/w/a' }, '/w/a', ['edit /w/a']],
  ])('%s %j', (tool, input, path, expected) => {
    expect(told(tool, input, { path })).toEqual(expected);
  });
});

describe('any call', () => {
  test('that is marked as an error changed and read nothing', () => {
    expect(told('Edit', {}, { path: '/w/a', isError: true })).toEqual([]);
    expect(told('Bash', { command: 'cat a > b' }, { isError: true })).toEqual([]);
  });

  test("of another program's tool with the same name counts as nothing", () => {
    expect(told('write', {}, { path: '/w/a', namespace: 'files' })).toEqual([]);
  });

  test('whose input is cut, broken or of another shape counts as nothing', () => {
    for (const input of [
      '',
      '{',
      '{"command":',
      'null',
      '[]',
      '{"command":7}',
      '{"command":["rm",7]}',
      'rm a',
    ])
      expect(told('bash', input)).toEqual([]);
  });

  test('touches one file in one way once', () => {
    expect(told('bash', { command: 'echo 1 >> a; echo 2 >> a; cat a' })).toEqual(['edit /w/a', 'read /w/a']);
  });

  test('is read only where that is needed', () => {
    expect(['Bash', 'apply_patch', 'exec', 'shell'].every(needsInput)).toBe(true);
    expect(['Read', 'Write', 'Edit'].some(needsInput)).toBe(false);
    expect(['Read', 'Bash'].every(mayTouch)).toBe(true);
    expect(['Grep', 'Task', 'web_search'].some(mayTouch)).toBe(false);
  });
});
