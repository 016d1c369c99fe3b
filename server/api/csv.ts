/** A value of a table's cell. */
export type Cell = string | number | null;

/**
 * A row as a line of CSV (RFC 4180, without its line end). Texts come out of conversations, so that one which a
 * spreadsheet would take for a formula gets an apostrophe before it; JSON Lines carry it as it stands.
 */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map(csvCell).join(',');
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
