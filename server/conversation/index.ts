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
  fieldNamed,
  fieldsOf,
  type Scan,
  type ScanFault,
  type ScannedField,
  scanBody,
  type ValueKind,
} from './scan.ts';
