import type { AgentName } from '../../conversation/index.ts';

/** What is known of an element beside its bytes, where an agent's own words must be told from a person's. */
export interface ElementHints {
  /** Who sent it; left out where that is not known. */
  readonly agent: AgentName;
  /** True for the first message behind the system prompt. */
  readonly first: boolean;
}

/** How texts of one agent begin that it puts into a user message by itself. */
interface OwnWords {
  readonly beginnings: readonly string[];
  /** Whole texts. */
  readonly texts: readonly string[];
  /** Whole texts that are the agent's only in the first message: a person may well type them later. */
  readonly firstTexts: readonly string[];
  /** Beginnings of texts behind which the next text of the message is the agent's too. */
  readonly introductions: readonly string[];
}

const READ_INTRODUCTION = 'Called the Read tool with the following input:';

/** OpenCode 1.18.33: recorded requests, and what it marks as not typed when it makes such a text. */
const OPENCODE: OwnWords = {
  beginnings: [
    READ_INTRODUCTION,
    'Read tool failed to read ',
    'Reading MCP resource: ',
    'Failed to read MCP resource ',
    '[Binary MCP resource omitted',
    'Use the above message and context to generate a prompt and call the task tool with subagent:',
    'Here is the conversation so far:',
    '<task id="',
  ],
  texts: [
    'The following tool was executed by the user',
    'Summarize the task tool output above and continue with your task.',
    'Generate a title for this conversation:',
  ],
  firstTexts: ['What did we do so far?'],
  introductions: [READ_INTRODUCTION],
};
/** What OpenCode says for the person after a compaction, at times behind a sentence that gives the reason. */
const OPENCODE_CONTINUATION =
  'Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.';

/** Pi 0.73.1: recorded requests and its public source. */
const PI: OwnWords = {
  beginnings: [
    'The conversation history before this point was compacted into the following summary:',
    'The following is a summary of a branch that this conversation came back from:',
    '<conversation>',
  ],
  texts: [],
  firstTexts: [],
  introductions: [],
};
/** A command that the person ran with `!`, with what it printed. */
const PI_COMMAND = /^Ran `[\s\S]*`\n(?:```\n|\(no output\))/;

/** A reminder that OpenCode adds to what it sends, and leaves out when it sends the message again. */
export function isPassingReminder(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith('<system-reminder>') && trimmed.endsWith('</system-reminder>');
}

/**
 * Tells the texts of one user message of OpenCode or Pi apart, in their order: true for what the agent wrote. A person
 * could type the same; nothing in the request tells these apart. Null for agents whose words other rules know.
 */
export function agentsOwnTexts(hints: ElementHints): ((text: string) => boolean) | null {
  if (hints.agent !== 'opencode' && hints.agent !== 'pi') return null;
  const words = hints.agent === 'opencode' ? OPENCODE : PI;
  const also = hints.agent === 'opencode' ? isOpenCodes : isPis;
  let introduced = false;
  return (text) => {
    const start = text.trimStart();
    if (introduced) {
      introduced = false;
      return true;
    }
    introduced = words.introductions.some((beginning) => start.startsWith(beginning));
    return (
      words.beginnings.some((beginning) => start.startsWith(beginning)) ||
      words.texts.includes(start.trimEnd()) ||
      (hints.first && words.firstTexts.includes(start.trimEnd())) ||
      also(text)
    );
  };
}

function isOpenCodes(text: string): boolean {
  return isPassingReminder(text) || text.endsWith(OPENCODE_CONTINUATION);
}

function isPis(text: string): boolean {
  return PI_COMMAND.test(text);
}
