import type { NeutralUse, OfferedTool, Part, Turn } from './types.ts';

type Call = Extract<Part, { kind: 'call' }>;

/** A neutral use as a call of the tool that this request offers; without such a tool, a call that will be refused. */
export function resolveUse(use: NeutralUse, turn: Turn): Call {
  if (find(turn, 'read') !== undefined && find(turn, 'bash') !== undefined) return forLowerCase(use, turn);
  return turn.protocol === 'anthropic' ? forClaude(use, turn) : forCodex(use, turn);
}

function call(name: string, input: Call['input'], namespace?: string, custom = false): Call {
  return { kind: 'call', name, namespace, id: undefined, input, custom };
}

function forClaude(use: NeutralUse, turn: Turn): Call {
  switch (use.use) {
    case 'read':
      return call('Read', { file_path: absolute(use.path, turn) });
    case 'write':
      return call('Write', { file_path: absolute(use.path, turn), content: use.content });
    case 'edit':
      return call('Edit', {
        file_path: absolute(use.path, turn),
        old_string: use.old,
        new_string: use.new,
      });
    case 'shell':
      return call('Bash', { command: use.command, description: 'Run a command' });
    case 'agent': {
      const name = find(turn, 'Agent')?.name ?? 'Task';
      return call(name, {
        description: use.description ?? 'Scripted task',
        prompt: use.prompt,
        subagent_type: 'general-purpose',
      });
    }
    case 'await-agent':
      return call('Bash', { command: 'true', description: 'Do nothing' });
  }
}

/**
 * OpenCode and Pi offer the same short names on both protocols. OpenCode (it alone has `task`) says `filePath`, and on
 * some models changes files by `apply_patch` alone; Pi says `path` and takes a list of edits.
 */
function forLowerCase(use: NeutralUse, turn: Turn): Call {
  const isOpenCode = find(turn, 'task') !== undefined;
  const patches = isOpenCode && find(turn, 'apply_patch') !== undefined;
  const file = (path: string) =>
    isOpenCode ? { filePath: absolute(path, turn) } : { path: absolute(path, turn) };
  switch (use.use) {
    case 'read':
      return call('read', file(use.path));
    case 'write':
      return patches
        ? call('apply_patch', { patchText: patchText(use, turn) })
        : call('write', { ...file(use.path), content: use.content });
    case 'edit':
      if (patches) return call('apply_patch', { patchText: patchText(use, turn) });
      return isOpenCode
        ? call('edit', { ...file(use.path), oldString: use.old, newString: use.new })
        : call('edit', { ...file(use.path), edits: [{ oldText: use.old, newText: use.new }] });
    case 'shell':
      return call('bash', { command: use.command });
    case 'agent':
      return call('task', {
        description: use.description ?? 'Scripted task',
        prompt: use.prompt,
        subagent_type: 'general',
      });
    case 'await-agent':
      return call('bash', { command: 'true' });
  }
}

function forCodex(use: NeutralUse, turn: Turn): Call {
  switch (use.use) {
    case 'read':
      return shell(`cat ${quote(absolute(use.path, turn))}`, turn);
    case 'write':
    case 'edit':
      return patch(patchText(use, turn), turn);
    case 'shell':
      return shell(use.command, turn);
    case 'agent': {
      const tool = find(turn, 'spawn_agent');
      const task = { message: use.prompt };
      const input = tool?.namespace === 'collaboration' ? { task_name: 'scripted_task', ...task } : task;
      return call('spawn_agent', input, tool?.namespace);
    }
    case 'await-agent':
      return waitForAgents(turn);
  }
}

/** The older tool wants the agents' ids, which stand in the results of the spawn calls; the newer waits for all. */
function waitForAgents(turn: Turn): Call {
  const namespace = find(turn, 'wait_agent')?.namespace;
  if (namespace === 'collaboration') return call('wait_agent', { timeout_ms: 60_000 }, namespace);
  const texts = turn.results.flat().map((result) => result.text);
  const targets = texts.flatMap((text) => /"agent_id"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? []);
  return call('wait_agent', { targets, timeout_ms: 60_000 }, namespace);
}

/** Codex's code mode offers one custom tool `exec` that takes JavaScript; otherwise the shell is `exec_command`. */
function shell(command: string, turn: Turn): Call {
  if (codeMode(turn) !== undefined) {
    return call(
      'exec',
      `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }))`,
      undefined,
      true,
    );
  }
  return call('exec_command', { cmd: command }, find(turn, 'exec_command')?.namespace);
}

type Change = Extract<NeutralUse, { use: 'write' | 'edit' }>;

/** A new file or a replaced piece of one, in the words of `apply_patch`. */
function patchText(change: Change, turn: Turn): string {
  const path = absolute(change.path, turn);
  const body =
    change.use === 'write'
      ? [`*** Add File: ${path}`, ...lines(change.content).map((line) => `+${line}`)]
      : [
          `*** Update File: ${path}`,
          '@@',
          ...lines(change.old).map((line) => `-${line}`),
          ...lines(change.new).map((line) => `+${line}`),
        ];
  return ['*** Begin Patch', ...body, '*** End Patch', ''].join('\n');
}

function patch(text: string, turn: Turn): Call {
  if (find(turn, 'apply_patch')?.kind === 'custom') return call('apply_patch', text, undefined, true);
  if (codeMode(turn) !== undefined) {
    return call('exec', `text(await tools.apply_patch(${JSON.stringify(text)}))`, undefined, true);
  }
  return shell(`apply_patch <<'PATCH'\n${text}PATCH\n`, turn);
}

function codeMode(turn: Turn): OfferedTool | undefined {
  return turn.tools.find((tool) => tool.name === 'exec' && tool.kind === 'custom');
}

function find(turn: Turn, name: string): OfferedTool | undefined {
  return turn.tools.find((tool) => tool.name === name);
}

function absolute(path: string, turn: Turn): string {
  return path.startsWith('/') || turn.cwd === '' ? path : `${turn.cwd.replace(/\/$/, '')}/${path}`;
}

function lines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
