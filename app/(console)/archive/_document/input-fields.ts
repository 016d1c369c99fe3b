/** A tool call's input as a reader wants it: field by field, texts without escapes. Null: it is not an object. */
export function inputFields(json: string): readonly (readonly [name: string, value: string])[] | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, field]) => [
      name,
      typeof field === 'string' ? field : JSON.stringify(field, null, 2),
    ]);
  } catch {
    return null;
  }
}
