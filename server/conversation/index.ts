export { answerNeeds, chainAnswer } from './answers.ts';
export { hexOf, sameBytes, viewOf } from './bytes.ts';
export { canonicalBytes, canonicalText, isSupersetText, sameNumber } from './canonical.ts';
export {
  DOC_ID_PREFIX,
  type DocId,
  docIdOf,
  type MessageHash,
  messageHash,
  rootHash,
  type SliceHash,
  saidHash,
  sliceGroupHash,
  sliceHash,
} from './chain.ts';
export {
  itemsOf,
  type JsonArray,
  type JsonEntry,
  type JsonNode,
  type JsonObject,
  jsonArray,
  jsonObject,
  jsonString,
  member,
  numberMember,
  readJson,
  stringMember,
} from './json.ts';
export type * from './model.ts';
export {
  type AgentForms,
  type ComparableItem,
  type ComparableMessage,
  type FormQuestion,
  type FormVerdict,
  matchForm,
  NO_FORMS,
  type StoredMessage,
} from './moves.ts';
export type {
  ChainedMessage,
  ResolvedChain,
  ResolveInput,
  ResolveNeed,
  ResolveReplies,
  SaidPart,
  SliceMapping,
} from './resolution.ts';
export { resolveChain } from './resolve.ts';
export {
  entriesOf,
  fieldNamed,
  fieldStart,
  fieldsOf,
  firstEntry,
  nextEntry,
  type Scan,
  type ScanFault,
  type ScannedField,
  scanBody,
  stringIn,
  type ValueKind,
  valueEnd,
} from './scan.ts';
export { isSideRequest, SIDE_THREAD, sideThread } from './threads.ts';
export { isTyped, type Round, type Turn, type TurnMessage, turnsOf } from './turns.ts';
