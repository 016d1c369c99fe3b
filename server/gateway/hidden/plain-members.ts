import { type JsonNode, member } from '../../conversation/index.ts';

/**
 * Some members of a read object as plain JavaScript values, for the small ones whose numbers are counts.
 * @param source the bytes that the node was read from, beginning at `at`
 */
export function plainMembers(
  node: JsonNode | undefined,
  names: readonly string[],
  source: Buffer,
  at = 0,
): Readonly<Record<string, unknown>> {
  const found = names.flatMap((name): [string, unknown][] => {
    const value = member(node, name);
    return value === undefined
      ? []
      : [[name, JSON.parse(source.toString('utf8', at + value.start, at + value.end))]];
  });
  return Object.fromEntries(found);
}
