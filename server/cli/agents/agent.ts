import type { ConfigFormat, Entry } from '../edits/config-format.ts';
import type { World } from '../world.ts';

/** The agents that the command knows. */
export type AgentName = 'claude-code' | 'codex' | 'opencode' | 'pi';

/** One value that connecting sets, and why. */
export interface Setting extends Entry {
  readonly why: string;
  /**
   * `base-url`: where requests go. `key`: shows the gateway who its owner is. `extra`: keeps the agent as good as
   * before; a value that is there stays.
   */
  readonly role: 'base-url' | 'key' | 'extra';
}

/** Something that a person should know about a connected agent. `code` is for scripts and does not change. */
export interface Note {
  readonly code: string;
  readonly text: string;
  /** True if the agent does not reach the gateway because of it. */
  readonly blocks: boolean;
}

/** An address that an agent uses now and that is not the gateway's. */
export interface Elsewhere {
  readonly url: string;
  /** False: it is not set by the key that we would change, so it cannot be replaced by us. */
  readonly replaceable: boolean;
  /** Where it is set. */
  readonly where: string;
  readonly upstreamVariable: UpstreamVariable;
}

/** The gateway's variables that name where its requests go. */
export type UpstreamVariable = 'ANTHROPIC_UPSTREAM_URL' | 'OPENAI_UPSTREAM_URL';

/** One of the ways by which an agent asks a provider. */
export interface Route {
  /** Where in its file the base URL stands. */
  readonly baseUrlPath: readonly string[];
  readonly upstreamVariable: UpstreamVariable;
  /**
   * Where the local key stands: a text of header lines (`lines`), or a header's own value. Null: the file has no such
   * place.
   */
  readonly key: { readonly path: readonly string[]; readonly lines: boolean } | null;
}

/** What the command knows of one kind of agent. */
export interface Agent {
  readonly name: AgentName;
  readonly title: string;
  /** Name of its program. */
  readonly program: string;
  /** Names of its processes. */
  readonly processNames: readonly string[];
  readonly format: ConfigFormat;
  /** Its ways to providers, one at least; it is connected when all lead to the gateway. */
  readonly routes: readonly Route[];
  /** False where a program of that name on the PATH may well be another one. */
  readonly programTells: boolean;
  /** Its own folder, absolute. */
  folder(world: World): string;
  /** The one file that connecting edits, absolute. */
  file(world: World): string;
  /**
   * What connecting sets for a gateway (an address without a slash at its end).
   * @param key the local key, where the gateway needs it
   */
  settings(world: World, gateway: string, key: string | null): Promise<readonly Setting[]>;
  /** True if the agent shows this key to the gateway by its file. */
  showsKey(text: string, key: string): boolean;
  /** True if a value of the base URL key is a door of this gateway. */
  isDoor(url: string, gateway: string): boolean;
  /** Where the agent's requests go by its file, as far as that is neither the gateway nor the provider by default. */
  elsewhere(text: string, gateway: string): readonly Elsewhere[];
  /** What outranks the file or keeps it from being read. `text` is the file as it would be. */
  notes(world: World, text: string, gateway: string): Promise<readonly Note[]>;
}
