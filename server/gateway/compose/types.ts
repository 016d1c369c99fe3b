import type { PlaceClaim } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type {
  FrozenChoices,
  Generation,
  HiddenRecord,
  MomentState,
  RecallStore,
  RecallSwitches,
  ThreadName,
} from '../../recall/index.ts';
import type { ProtocolAdapter, ReadRequest } from '../adapter.ts';
import type { Calibration } from '../estimate/index.ts';
import type { PiecedBody } from '../pieced-body.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';
import type { ChainSource } from './archived.ts';
import type { Conversation } from './conversation.ts';
import type { SentResult } from './kept-results.ts';
import type { BodyPlan, OlderPart, PlannedLayout, ViewRun } from './plan.ts';
import type { RequestRules } from './protocol-rules.ts';
import type { IndexTexts } from './standing-layout.ts';

/** Sizes of a request, in estimated tokens. */
export interface Sizes {
  /** Outside the elements: system prompt, tools, and what of ours stands before the recent part. */
  readonly fixed: number;
  /** The prompt as its client sent it, and under the layout in force. */
  readonly client: number;
  readonly current: number;
  /** Of what stands under the layout in force, by the estimate alone, before the thread's factor. */
  readonly estimated: number;
  /** The context limit; null: the window is unknown. */
  readonly limit: number | null;
}

/** What the provider counted of a thread's newest answered request. */
export interface Counted {
  /** Elements that the request had. */
  readonly elements: number;
  /** The generation that it was sent under, by its mark in hex; null: the first. */
  readonly madeAt: string | null;
  /** Tokens of its prompt, cached ones too, and of its answer. */
  readonly prompt: number;
  readonly answer: number;
}

/** What a gateway remembers of a thread between its requests. All of it can be found again in store and request. */
export interface ThreadMemory {
  readonly name: ThreadName;
  /** The newest request; null: none has come to this process. */
  conversation: Conversation | null;
  /** What the conversation is sent with from its beginning; null: it began elsewhere. Undefined: not looked up. */
  choices: FrozenChoices | null | undefined;
  /** What was kept of the thread's beginnings, and of those that its chain goes on from, by their marks in hex. */
  readonly beginnings: Map<string, FrozenChoices>;
  /** The first answer at which the beginning is kept too, by its mark in hex; null: it is not yet. */
  answered: string | null;
  /** By the mark at which they were made, in hex. */
  generations: Map<string, Generation>;
  /** Hidden rounds by the record's id. */
  readonly hidden: Map<string, HiddenRecord>;
  /** Results that stood in the newest request, by their ids: what was not trimmed then goes whole for ever. */
  met: ReadonlySet<string>;
  /** What is sent of results, by their ids: made again where it is not here. */
  readonly sentResults: Map<string, SentResult | null>;
  /** The store's version at which these were read. */
  version: string | null;
  moment: MomentState;
  /** Moment of the newest request, in milliseconds; null: none. */
  lastAt: number | null;
  counted: Counted | null;
  /** How the provider counts, by what it said; null: it has said nothing yet. */
  calibration: Calibration | null;
  /** Estimated tokens outside the elements of a body with so many bytes there, and of the head of so many elements. */
  outside: { readonly bytes: number; readonly tokens: number } | null;
  head: { readonly elements: number; readonly tokens: number } | null;
  /** What the layout in force keeps of the older part, and what it is of; null: not read. */
  older: { readonly of: string; readonly part: OlderPart } | null;
  /** An answer was given under bytes that no generation describes: the next request begins one. */
  isUnseen: boolean;
  /** The provider refused what was put together: nothing new is made in this thread any more. */
  isResting: boolean;
  /** The newest turn's request as it was read, for a look at what would be made of it; null: none. */
  latest: RequestToCompose | null;
  /** A person wants the layout in force taken back at the next request. */
  isUnwanted: boolean;
  /** Requests of the thread are put together one after another. */
  turn: Promise<unknown>;
}

/** A generation, and the element at which it was made. */
export interface InForce {
  readonly generation: Generation;
  readonly element: number;
}

/** What requests are put together with. */
export interface ComposeParts {
  readonly recall: RecallStore;
  readonly archive: ChainSource & { accountKey(accountId: Uuid): Promise<Uint8Array> };
  readonly indices: IndexTexts;
  /** No other gateway works on the same store. */
  readonly isAlone: boolean;
  /** How the provider counts, by the model: what the newest answer to any thread taught. */
  readonly calibrations: Map<string, Calibration>;
  /** The store's version, and what a person switched on, as fresh as they have to be. */
  readonly versionOf: (accountId: Uuid) => Promise<string>;
  readonly switchesOf: (accountId: Uuid, memory: ThreadMemory) => Promise<RecallSwitches>;
  /** What is known of a place that fits what is typed there. */
  readonly facts: FactsForPrompts;
}

/** What memory gives the prompts. */
export interface FactsForPrompts {
  /** The block of a conversation that begins, by what is typed and where; null: no fact fits. Never longer than its time. */
  block(accountId: Uuid, place: PlaceClaim, typed: string, at: Millis): Promise<PromptBlock | null>;
  /** Whether the account has any fact. */
  hasFacts(accountId: Uuid): Promise<boolean>;
}

/** The memory part of a prompt: its text, and the facts that stand in it. */
export interface PromptBlock {
  readonly text: string;
  readonly facts: readonly Uuid[];
}

/** A request that may be changed. */
export interface RequestToCompose extends RequestRules {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly at: Millis;
  readonly adapter: ProtocolAdapter;
  readonly read: ReadRequest;
  /** Decoded. */
  readonly body: Buffer;
  readonly memory: ThreadMemory;
  /** It carries the thread's history and is none of its turns: it gets the layout in force and never makes one. */
  readonly isSide: boolean;
  /** It came in a pause: what stands in its conversation is sent as before, and nothing is begun. */
  readonly isPaused: boolean;
  /** Archives the request before it is sent: true once all of it was read back; false where that takes too long. Never rejects. */
  readonly archiveNow: () => Promise<boolean>;
}

/** A request as it goes out. */
export interface Composed {
  readonly conversation: Conversation;
  readonly memory: ThreadMemory;
  /** The client's own buffer alone where nothing was changed. */
  readonly body: PiecedBody;
  readonly named: readonly NamedEdit[];
  readonly runs: readonly ViewRun[];
  /** What it was put together by; null: it is as its client sent it. */
  readonly plan: BodyPlan | null;
  readonly choices: FrozenChoices;
  readonly force: InForce | null;
  /** Whether this request made the generation in force, and why nothing was made where it did not. */
  readonly made: boolean;
  readonly because: string | null;
  readonly unedited: { readonly reason: string; readonly detail: string } | null;
  readonly sizes: Sizes;
  readonly sent: number;
  /** How the request was read, for what follows from its answer. */
  readonly request: RequestToCompose;
  readonly timeZone: string;
}

/** Says that the time for the preparation is over: nothing may be committed any more. */
export interface Deadline {
  isOver: boolean;
  /** What goes out then: the request under what stands; null: as its client sent it. */
  standing: Composed | null;
  /** Whether layouts or hidden rounds of ours stand in the conversation, which is refused without them; null: not known yet. */
  isBound: boolean | null;
  /** Whether a generation was committed for the request: it describes no other form than its own. */
  hasCommitted: boolean;
}

/** The time for the preparation is over: what was to be committed was not. */
export class Late extends Error {
  override readonly name = 'Late';
}

/** What of ours stands in a request: the generation in force and its layout there. */
export interface Standing {
  readonly force: InForce | null;
  readonly planned: PlannedLayout | null;
  readonly choices: FrozenChoices;
}
