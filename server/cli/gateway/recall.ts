import type { World } from '../world.ts';
import { ask, fieldOf, textAt } from './client.ts';

/** How long the gateway may take to answer. */
const CALL_MS = 5_000;

/** What the gateway says of Recall where it fails often: a sentence; null: it does well, or the gateway does not say. */
export async function recallNote(world: World, url: string): Promise<string | null> {
  const answer = await ask(world, url, '/api/v1/health', CALL_MS);
  return answer?.status === 200 ? textAt(fieldOf(answer.body, 'recall'), 'note') : null;
}
