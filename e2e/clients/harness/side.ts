import { join } from 'node:path';
import type { FaultRule, Simulator } from '../../simulator/index.ts';
import { type AgentRun, runAgent, type TestedAgent } from './agents.ts';
import type { Json } from './normalise.ts';
import { addWorktree, type Scratch, type Way, writeInto } from './scratch.ts';

/** How an agent is started on a side, beyond its arguments. */
export interface RunOptions {
  /** Working folder; default the repository. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** One of the two ways of a scenario: a home, a repository, a provider, and the address that the agents are given. */
export class Side {
  readonly runs: AgentRun[] = [];

  constructor(
    readonly way: Way,
    readonly scratch: Scratch,
    readonly provider: Simulator,
    /** Base addresses for the agents: Claude Code's, and Codex's with its `/v1`. */
    readonly addresses: { readonly anthropic: string; readonly openai: string },
  ) {}

  /** Runs `claude -p` and returns the events that it showed. */
  async claude(args: readonly string[], options: RunOptions = {}): Promise<readonly Json[]> {
    return this.#run('claude-code', ['-p', '--output-format', 'stream-json', '--verbose', ...args], {
      ...options,
      env: {
        ANTHROPIC_BASE_URL: this.addresses.anthropic,
        ANTHROPIC_API_KEY: 'sk-test',
        IS_SANDBOX: '1',
        DISABLE_AUTOUPDATER: '1',
        ...options.env,
      },
    });
  }

  /** Runs `codex exec` and returns the events that it showed. `configureCodex` comes first. */
  async codex(args: readonly string[], options: RunOptions = {}): Promise<readonly Json[]> {
    return this.#run('codex', ['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', ...args], {
      ...options,
      env: { TEST_KEY: 'sk-test', OPENAI_API_KEY: 'sk-test', CODEX_API_KEY: 'sk-test', ...options.env },
    });
  }

  /**
   * Writes Codex's configuration: a provider of its own (`own`), or the built-in one with another address
   * (`builtin`). `more` are further top-level lines.
   */
  configureCodex(model: string, provider: 'own' | 'builtin', more: readonly string[] = []): void {
    const address = this.addresses.openai;
    const lines =
      provider === 'builtin'
        ? [`model = "${model}"`, `openai_base_url = "${address}"`, ...more]
        : [
            `model = "${model}"`,
            'model_provider = "scratch"',
            ...more,
            '[model_providers.scratch]',
            'name = "Scratch"',
            `base_url = "${address}"`,
            'wire_api = "responses"',
            'env_key = "TEST_KEY"',
          ];
    writeInto(this.scratch.home, join('.codex', 'config.toml'), `${lines.join('\n')}\n`);
  }

  /** Lets the provider fail. */
  fault(rule: FaultRule): void {
    this.provider.faults.add(rule);
  }

  /** Lets time pass at the provider. */
  pause(ms: number): void {
    this.provider.clock.advance(ms);
  }

  /** Adds a worktree on a branch of the same name and returns its folder. */
  worktree(name: string): string {
    return addWorktree(this.scratch, name);
  }

  async #run(agent: TestedAgent, args: readonly string[], options: RunOptions): Promise<readonly Json[]> {
    const run = await runAgent({
      agent,
      args,
      folder: options.folder ?? this.scratch.project,
      home: this.scratch.home,
      env: options.env ?? {},
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    });
    this.runs.push(run);
    return run.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Json);
  }
}
