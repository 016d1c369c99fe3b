/** Any JSON value, as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object; a missing member reads as `undefined`. */
export type JsonObject = { [key: string]: Json | undefined };

/** The value as an object, or `undefined` when it is anything else. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
}

/** The value as an array; an empty one when it is anything else. */
export function asArray(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of an array; entries of other types are left out. */
export function asObjects(value: Json | undefined): JsonObject[] {
  return asArray(value).filter((entry): entry is JsonObject => asObject(entry) !== undefined);
}

/** The value as a string, or `undefined` when it is anything else. */
export function asString(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as a number, or `undefined` when it is anything else. */
export function asNumber(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Parses JSON text; `undefined` when it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
