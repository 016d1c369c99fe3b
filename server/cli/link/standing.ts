import type { Agent, Note } from '../agents/agent.ts';
import { AGENTS, findAgents } from '../agents/find.ts';
import { EXIT } from '../failure.ts';
import { readConfigFile } from '../files/config-file.ts';
import { readLocalKey } from '../gateway/local-key.ts';
import { asFailure } from '../output.ts';
import type { World } from '../world.ts';
import { recordOf } from './apply.ts';

/** How one agent stands to a gateway. */
export interface Standing {
  readonly agent: Agent;
  /** Its configuration file. */
  readonly path: string;
  /**
   * `connected`: its file leads to the gateway. `elsewhere`: it leads to another address. `not-connected`: to the
   * provider. `changed`: it was connected, and its file was changed since so that it leads no longer to the
   * gateway. `unreadable`: the file cannot be read. `absent`: the agent is not on this machine.
   */
  readonly state: 'connected' | 'elsewhere' | 'not-connected' | 'changed' | 'unreadable' | 'absent';
  /** The address that its file names; null: none. */
  readonly url: string | null;
  readonly notes: readonly Note[];
  /** Why the file cannot be read. */
  readonly problem: string | null;
}

const KEY_MISSING: Note = {
  code: 'key-missing',
  text: 'its requests pass, and nothing of them is recorded: the file lacks the local key that this gateway needs. Connect it again: context-mode connect',
  blocks: true,
};

/**
 * How each known agent stands to a gateway.
 * @param keyNeeded true where the gateway records nothing of an agent that does not show the local key
 */
export async function standings(world: World, gateway: string, keyNeeded: boolean): Promise<Standing[]> {
  const found = await findAgents(world);
  const key = keyNeeded ? await readLocalKey(world) : null;
  return Promise.all(
    AGENTS.map(async (agent): Promise<Standing> => {
      const path = agent.file(world);
      const none = { agent, path, url: null, notes: [], problem: null };
      if (!found.includes(agent)) return { ...none, state: 'absent' };
      try {
        const file = await readConfigFile(path);
        agent.format.check(file.text);
        const urls = agent.routes.map(({ baseUrlPath }) => {
          const found = agent.format.find(file.text, baseUrlPath);
          return found === null ? null : (found.value ?? found.written);
        });
        const isDoor = (address: string | null) => address !== null && agent.isDoor(address, gateway);
        const [elsewhere] = agent.elsewhere(file.text, gateway);
        const url = urls.find((address) => address !== null) ?? null;
        if (urls.every(isDoor) && elsewhere === undefined) {
          const notes = await agent.notes(world, file.text, gateway);
          const unknown = key !== null && !agent.showsKey(file.text, key);
          return { ...none, state: 'connected', url, notes: unknown ? [KEY_MISSING, ...notes] : notes };
        }
        if ((await recordOf(world, file))?.gateway === gateway) return { ...none, state: 'changed', url };
        return { ...none, state: elsewhere ? 'elsewhere' : 'not-connected', url: elsewhere?.url ?? url };
      } catch (thrown) {
        const failure = asFailure(thrown);
        const problem = failure.exitCode === EXIT.file ? failure.message : `${path}: ${failure.message}`;
        return { ...none, state: 'unreadable', problem };
      }
    }),
  );
}
