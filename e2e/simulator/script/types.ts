import type { Fault } from '../faults.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Protocol, TurnKind } from './kinds.ts';

/** A tool as the request offers it. `custom` tools of the Responses protocol take free text. */
export type OfferedTool = {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly kind: 'function' | 'custom' | 'hosted';
};

/** A tool's result as text (images and other parts are left out). */
export type ToolResult = { readonly callId: string; readonly text: string; readonly isError: boolean };

/** What the scripted model sees of a request. */
export type Turn = {
  readonly protocol: Protocol;
  readonly kind: TurnKind;
  readonly model: string;
  /** The last text that a person typed (or that a parent agent gave its sub-agent); '' when there is none. */
  readonly prompt: string;
  /** How many rounds of the model already followed that prompt: 0 for the first answer. */
  readonly round: number;
  /** Tool results per finished round, oldest round first, in the order in which they stand in the request. */
  readonly results: readonly (readonly ToolResult[])[];
  readonly tools: readonly OfferedTool[];
  /** The agent's working folder as the prompt tells it, or '' when it does not. */
  readonly cwd: string;
  /** All text of the prompt in order, for models that answer only from what they were sent. */
  readonly text: () => string;
  /** The texts that people typed, oldest first. */
  readonly typed: readonly string[];
  readonly body: JsonObject;
};

/**
 * One thing that the model does in a round.
 * - `say`: a text block. `chunks` cuts it into deltas: a number of code points each (default 24), or the very pieces.
 * - `think`: signed thinking (Anthropic) or a reasoning item (OpenAI); left out when the request turned thinking off.
 * - `call`: one tool call with exactly this name and input; a string input is sent as it is (custom tools, and
 *   deliberately broken JSON). Several calls in one round are parallel calls.
 * - `use`: a tool call in neutral words, turned into the tool that this request offers (Read, Bash, exec_command,
 *   apply_patch, spawn_agent and so on). Relative paths are taken from the agent's working folder.
 * - `recall`: a question that is answered only from text that was sent or fetched in this request.
 * - `search`: the provider's own search for deferred tools, call and result.
 * - `block`: a content block or output item sent as it stands, for shapes that the simulator does not know.
 * - `wait`: a pause by the simulator's clock. `gate`: a pause until that gate is opened from outside.
 * All strings in `say`, `input` and `use` may hold placeholders: see `fill` in placeholders.ts.
 */
export type Step =
  | { readonly say: string; readonly chunks?: number | readonly string[] }
  | { readonly think: string; readonly redacted?: boolean }
  | {
      readonly call: string;
      readonly input: JsonObject | string;
      readonly namespace?: string;
      readonly id?: string;
    }
  | NeutralUse
  | RecallStep
  | SearchStep
  | { readonly block: JsonObject }
  | { readonly wait: number }
  | { readonly gate: string };

/**
 * A tool call in neutral words. `await-agent` waits for the sub-agents that were started before, where the agent lets
 * them run on; where their result came with the call it is a command that does nothing.
 */
export type NeutralUse =
  | { readonly use: 'read'; readonly path: string }
  | { readonly use: 'write'; readonly path: string; readonly content: string }
  | { readonly use: 'edit'; readonly path: string; readonly old: string; readonly new: string }
  | { readonly use: 'shell'; readonly command: string }
  | { readonly use: 'agent'; readonly prompt: string; readonly description?: string }
  | { readonly use: 'await-agent' };

/**
 * A question that is answered only from text that the model was sent or fetched in this request. `form` is a regular
 * expression of the asked value (its first group, or the whole match).
 *
 * 1. A line of the prompt that holds the form and at least `shared` words of the question is answered from at once.
 * 2. Else `tool` is called: `by: 'q'` with words of the question and nothing else, `by: 'docid'` with a docid that
 *    stands in the prompt, taken from the line that shares most words with the question.
 * 3. From what the call gave, the first line that holds the form is taken. Nothing else is looked at.
 * 4. Without a hit the tool is called again up to `tries` times in all, each time with fewer words or the next docid;
 *    then `otherwise` is said.
 */
export type RecallStep = {
  readonly recall: {
    readonly tool: string;
    readonly namespace?: string;
    readonly form: string;
    readonly by: 'q' | 'docid';
    /** What a docid looks like; a name, a kind and hexadecimal digits if left out. */
    readonly docidForm?: string;
    /** Words that a line of the prompt must share with the question; 3 if left out. 0 never answers from the prompt. */
    readonly shared?: number;
    /** Calls at most; 1 if left out. */
    readonly tries?: number;
    /** What is said around the value, in the place of `{{value}}`; the value alone if left out. */
    readonly say?: string;
    /** What is said without a hit; "I do not know." if left out. */
    readonly otherwise?: string;
  };
};

/**
 * The provider's own search for deferred tools: a call and its result in one answer, with the deferred tools whose
 * name or description matches. Where the request offers no such search, nothing is done.
 */
export type SearchStep = { readonly search: string };

/**
 * The model's answer to one request. `stop` overrides the stop reason that follows from the steps; `usage` members
 * override the computed usage; `fault` breaks this answer (see faults.ts).
 */
export type Round = {
  readonly steps: readonly Step[];
  readonly stop?: string;
  readonly usage?: JsonObject;
  readonly fault?: Fault;
};

/** When a scenario answers: all members that are given must hold. Text members look at the typed prompt. */
export type Matcher = {
  readonly equals?: string;
  readonly startsWith?: string;
  readonly contains?: string;
  /** A regular expression; its groups are the placeholders `{{1}}`, `{{2}}` and so on. */
  readonly pattern?: string;
  readonly protocol?: Protocol;
  readonly kind?: TurnKind;
  readonly model?: string;
};

/**
 * A scripted conversation: the rounds that follow a prompt. After the last round, the last is given again unless it
 * calls tools: then a closing word is said, so that no agent loops for ever.
 */
export type Scenario = {
  readonly id: string;
  readonly when: Matcher;
  readonly rounds: readonly Round[];
};

/** A scenario as code: returns the answer, or `undefined` to leave the request to others. In process only. */
export type ScenarioFunction = (turn: Turn) => Round | undefined;

/** The parts of a finished plan, placeholders filled and neutral uses resolved. */
export type Part =
  | { readonly kind: 'text'; readonly chunks: readonly string[] }
  | { readonly kind: 'thinking'; readonly text: string; readonly redacted: boolean }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly namespace: string | undefined;
      readonly id: string | undefined;
      readonly input: JsonObject | string;
      readonly custom: boolean;
    }
  | { readonly kind: 'block'; readonly block: JsonObject }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'gate'; readonly name: string };

/** What the model will answer, before a protocol puts it into its own shape. */
export type Plan = {
  readonly parts: readonly Part[];
  readonly stop: string | undefined;
  readonly usage: JsonObject | undefined;
  readonly fault: Fault | undefined;
  /** The scenario's id, or the name of the built-in answer. */
  readonly scenario: string;
};

/** JSON text of a call's input, as it goes over the wire. */
export function inputText(input: Json): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
