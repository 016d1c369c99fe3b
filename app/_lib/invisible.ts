/** A run of text: as it stands, or a sign for characters that cannot be seen or would mislead the eye. */
export interface Run {
  readonly text: string;
  /** Name of what the sign stands for (`U+202E right-to-left override`); null: plain text. */
  readonly stands: string | null;
}

const CONTROL_NAMES: Readonly<Record<number, string>> = {
  0: 'NUL',
  7: 'bell',
  8: 'backspace',
  9: 'tab',
  10: 'line feed',
  13: 'carriage return',
  27: 'escape',
  127: 'delete',
  160: 'no-break space',
  173: 'soft hyphen',
  8203: 'zero-width space',
  8204: 'zero-width non-joiner',
  8205: 'zero-width joiner',
  8232: 'line separator',
  8233: 'paragraph separator',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'pop directional formatting',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'pop directional isolate',
  65279: 'byte order mark',
};

/** Signs of characters that are met often; all others show their number. */
const SIGNS: Readonly<Record<number, string>> = {
  0: 'NUL',
  9: '→\t',
  10: '↵',
  13: 'CR',
  27: 'ESC',
  127: 'DEL',
  160: '·',
};

/** A terminal's command for colour or cursor: escape, bracket, numbers, letter. */
const TERMINAL = /\[[0-9;:?]*[ -/]*[@-~]/y;

type Ranges = readonly (readonly [first: number, last: number])[];

/** What misleads a reader: controls but line feed and tab, and changes of direction. */
const MISLEADING: Ranges = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
];
/** What cannot be seen: all of these, and blanks of every kind. */
const UNSEEN: Ranges = [
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/**
 * Text for reading: what would mislead the eye is shown as a sign, a terminal's command as one dot, all else stands as
 * it is. A CR before LF is dropped from view.
 */
export function readableRuns(text: string): Run[] {
  return runsOf(text.replace(/\r\n/g, '\n'), MISLEADING, true);
}

/** Text for looking closely: every character that cannot be seen has a sign. */
export function exactRuns(text: string): Run[] {
  return runsOf(text, UNSEEN);
}

function runsOf(text: string, ranges: Ranges, foldsTerminal = false): Run[] {
  const runs: Run[] = [];
  let plainFrom = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (!isLoneSurrogate(text, at) && !ranges.some(([first, last]) => code >= first && code <= last))
      continue;
    if (at > plainFrom) runs.push({ text: text.slice(plainFrom, at), stands: null });
    const command = foldsTerminal && code === 0x1b ? terminalCommandAt(text, at + 1) : '';
    runs.push(command === '' ? signOf(code) : { text: '◦', stands: `terminal command ESC${command}` });
    at += command.length;
    plainFrom = at + 1;
  }
  if (plainFrom < text.length) runs.push({ text: text.slice(plainFrom), stands: null });
  return runs;
}

function terminalCommandAt(text: string, at: number): string {
  TERMINAL.lastIndex = at;
  return TERMINAL.exec(text)?.[0] ?? '';
}

function isLoneSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0xd800 || code > 0xdfff) return false;
  const isHigh = code < 0xdc00;
  const other = text.charCodeAt(isHigh ? at + 1 : at - 1);
  return isHigh ? !(other >= 0xdc00 && other <= 0xdfff) : !(other >= 0xd800 && other <= 0xdbff);
}

function signOf(code: number): Run {
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const name = CONTROL_NAMES[code];
  const stands = name === undefined ? hex : `${hex} ${name}`;
  const sign = SIGNS[code];
  if (sign !== undefined) return { text: sign, stands };
  return { text: `⟨${hex}⟩`, stands };
}
