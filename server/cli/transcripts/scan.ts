import { stat } from 'node:fs/promises';
import { type Line, linesOf } from './lines.ts';

/** The agents whose own files can be imported. */
export type TranscriptAgent = 'claude-code' | 'codex';

/** A file of an agent, as far as a look through it tells. */
export interface TranscriptFile {
  readonly file: string;
  readonly bytes: number;
  readonly agent: TranscriptAgent;
  /** The session as the agent names it; several files may hold parts of one. */
  readonly session: string;
  /** True for a sub-agent's. */
  readonly isPart: boolean;
  readonly folder: string | null;
  /** What it was about: the agent's title, or what was typed first. */
  readonly title: string;
  readonly messages: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** What a file is: one of an agent, an export of ours, or something else. */
export type Scanned =
  | { readonly kind: 'transcript'; readonly found: TranscriptFile }
  | { readonly kind: 'export' | 'other' };

/** Lines after which a file that looks like none of an agent is taken for something else. */
const LOOK_LINES = 50;
const TITLE_CHARS = 60;

/**
 * Looks through a file, line by line.
 * @throws the system's error where it cannot be read
 */
export async function scanFile(file: string): Promise<Scanned> {
  const about = new About();
  let lines = 0;
  for await (const line of linesOf(file)) {
    lines += 1;
    const value = objectOf(line);
    if (lines === 1 && isExportHeader(value)) return { kind: 'export' };
    about.take(line, value);
    if (lines > LOOK_LINES && about.agent === null) return { kind: 'other' };
  }
  const { agent, session } = about;
  if (agent === null || session === null) return { kind: 'other' };
  const { isPart, folder, title, messages } = about;
  const { size, mtimeMs } = await stat(file);
  return {
    kind: 'transcript',
    found: {
      file,
      bytes: size,
      agent,
      session,
      isPart,
      folder,
      title: titleOf(title),
      messages,
      changedAt: mtimeMs,
    },
  };
}

/** What the lines of a file tell, taken one by one. */
class About {
  agent: TranscriptAgent | null = null;
  session: string | null = null;
  isPart = false;
  folder: string | null = null;
  title = '';
  messages = 0;
  #typed = '';
  #named = '';

  take({ text, isWhole }: Line, value: Fields | null): void {
    if (value !== null) this.#takeWhole(value);
    else if (!isWhole && isLongMessage(text)) this.#takeLong(text);
    this.title = this.#named || this.#typed;
  }

  #takeWhole(value: Fields): void {
    const payload = fields(value.payload);
    if (value.type === 'session_meta' && payload !== null && this.agent === null) {
      this.agent = 'codex';
      this.session = text(payload.session_id) ?? text(payload.id);
      this.isPart = text(payload.parent_thread_id) !== null || payload.thread_source === 'subagent';
      this.folder = text(payload.cwd);
      return;
    }
    if (this.agent === 'codex') this.#takeItem(value.type, payload);
    else this.#takeLine(value);
  }

  #takeLine(value: Fields): void {
    const session = text(value.sessionId);
    if (session === null || typeof value.type !== 'string') return;
    this.agent = 'claude-code';
    this.session = session;
    this.#named = text(value.customTitle) ?? text(value.aiTitle) ?? this.#named;
    if (value.type !== 'user' && value.type !== 'assistant') return;
    this.messages += 1;
    this.isPart = value.isSidechain === true;
    this.folder ??= text(value.cwd);
    if (value.type === 'user') this.#typedIn(fields(value.message)?.content);
  }

  /** A long line is not parsed; its small fields stand at its beginning or its end. */
  #takeLong(line: string): void {
    this.messages += 1;
    const session = /"sessionId":"([^"\\]+)"/.exec(line)?.[1];
    if (this.agent === 'codex' || session === undefined) return;
    this.agent = 'claude-code';
    this.session = session;
    this.folder ??= /"cwd":"([^"\\]+)"/.exec(line)?.[1] ?? null;
  }

  #takeItem(type: unknown, payload: Fields | null): void {
    if (type !== 'response_item' || payload === null) return;
    this.messages += 1;
    if (payload.role === 'user') this.#typedIn(payload.content);
  }

  /** The first words that a person typed; what agents put in begins with a tag or a heading. */
  #typedIn(content: unknown): void {
    if (this.#typed !== '') return;
    const texts = typeof content === 'string' ? [content] : partsOf(content);
    this.#typed = texts.find((one) => one.trim() !== '' && !/^\s*[<#]/.test(one)) ?? '';
  }
}

type Fields = Readonly<Record<string, unknown>>;

function objectOf({ text: line, isWhole }: Line): Fields | null {
  if (!isWhole) return null;
  try {
    return fields(JSON.parse(line));
  } catch {
    return null;
  }
}

function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function partsOf(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => text(fields(part)?.text) ?? []);
}

/** A long line is not parsed: how it begins or ends says what it is. */
function isLongMessage(line: string): boolean {
  return /"type":"(?:user|assistant|response_item)"/.test(line);
}

/** What `export` writes begins with a header. */
function isExportHeader(value: Fields | null): boolean {
  return text(fields(value?.header)?.format) === 'context-mode-session';
}

function titleOf(title: string): string {
  const line = title.trim().split('\n', 1)[0] ?? '';
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1)}…` : line;
}
