import { join } from 'node:path';
import type { FaultRule, Simulator } from '../../simulator/index.ts';
import { type AgentRun, openCodeKept, runAgent, type Talk, type TestedAgent } from './agents.ts';
import type { Json } from './normalise.ts';
import { addWorktree, type Scratch, type Way, writeInto } from './scratch.ts';

/** How an agent is started on a side, beyond its arguments. */
export interface RunOptions {
  /** Working folder; default the repository. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly talk?: Talk;
}

/**
 * Keys, and what keeps OpenCode from asking the network for anything but its model: a proxy that is not there. Its own list
 * of 225 providers takes it half of its computing time at each start; the file holds the tests' models out of that list.
 */
export const OPENCODE_ENVIRONMENT = {
  ANTHROPIC_API_KEY: 'sk-test',
  OPENAI_API_KEY: 'sk-test',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_MODELS_PATH: join(import.meta.dirname, 'opencode-models.json'),
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1',
} as const;

/** Keys, and what keeps Pi from asking the network. */
export const PI_ENVIRONMENT = {
  ANTHROPIC_API_KEY: 'sk-test',
  OPENAI_API_KEY: 'sk-test',
  PI_OFFLINE: '1',
} as const;

/** One of the two ways of a scenario: a home, a repository, a provider, and the address that the agents are given. */
export class Side {
  readonly runs: AgentRun[] = [];
  /** What OpenCode keeps of its conversations, as its own database gave it at the last `keepOpenCode`. */
  openCodeKept: readonly Json[] = [];

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

  /** Runs one process of Claude Code that several prompts are typed into, and returns the events that it showed. */
  async claudeTalk(
    args: readonly string[],
    prompts: readonly string[],
    options: RunOptions = {},
  ): Promise<readonly Json[]> {
    const lines = prompts.map((content) =>
      JSON.stringify({ type: 'user', message: { role: 'user', content } }),
    );
    const isAnswered = (line: string) => line.startsWith('{"type":"result"');
    return this.claude(['--input-format', 'stream-json', ...args], {
      ...options,
      talk: { lines, isAnswered },
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

  /** Runs `opencode run` with words that it joins to one prompt. `configureOpenCode` comes first. */
  async opencode(
    args: readonly string[],
    prompt: string,
    options: RunOptions = {},
  ): Promise<readonly Json[]> {
    // It puts an argument with blanks in quotation marks, which then belong to the prompt.
    return this.#run('opencode', ['run', '--format', 'json', ...args, '--', ...prompt.split(' ')], {
      ...options,
      env: { ...OPENCODE_ENVIRONMENT, ...options.env },
    });
  }

  /**
   * Writes OpenCode's configuration: both providers' addresses. `window`: what it takes for the window of its models
   * here, in tokens, so that it compacts early.
   */
  configureOpenCode(window?: number): void {
    const { anthropic, openai } = this.addresses;
    const limit = window === undefined ? {} : { limit: { context: window, output: 32_000 } };
    const config = {
      autoupdate: false,
      share: 'disabled',
      provider: {
        anthropic: { options: { baseURL: `${anthropic}/v1` }, models: { 'claude-sonnet-4-6': limit } },
        openai: { options: { baseURL: openai }, models: { 'gpt-5.4': limit } },
      },
    };
    writeInto(this.scratch.home, join('.config', 'opencode', 'opencode.json'), JSON.stringify(config));
  }

  /** Reads what OpenCode keeps of its conversations, in their order. */
  async keepOpenCode(): Promise<void> {
    this.openCodeKept = (await openCodeKept(this.scratch.home)) as readonly Json[];
  }

  /** Runs `pi -p` and returns the events that it showed. `configurePi` comes first. */
  async pi(args: readonly string[], options: RunOptions = {}): Promise<readonly Json[]> {
    return this.#run('pi', ['-p', '--mode', 'json', ...args], {
      ...options,
      env: { ...PI_ENVIRONMENT, ...options.env },
    });
  }

  /** Writes Pi's configuration: both providers' addresses, and its settings. */
  configurePi(settings: { readonly [name: string]: Json } = {}): void {
    const { anthropic, openai } = this.addresses;
    const models = { providers: { anthropic: { baseUrl: anthropic }, openai: { baseUrl: openai } } };
    writeInto(this.scratch.home, join('.pi', 'agent', 'models.json'), JSON.stringify(models));
    writeInto(this.scratch.home, join('.pi', 'agent', 'settings.json'), JSON.stringify(settings));
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
      ...(options.talk === undefined ? {} : { talk: options.talk }),
    });
    this.runs.push(run);
    return run.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Json);
  }
}
