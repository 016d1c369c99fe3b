import type { ArchiveWriter } from '../../archive/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { ClaudeReader } from './claude-code.ts';
import { CodexReader } from './codex.ts';
import { FrameReader } from './frames.ts';
import { importTranscript } from './import-transcript.ts';
import type { ImportedTranscript, TranscriptAgent, TranscriptReader } from './types.ts';

/** Bytes of messages of one session that are held while it is read. */
const HELD_BYTES = 512 * 1024 * 1024;
/** Items that are read back at once. */
const CONFIRM_BATCH = 500;

/** Reads the files of one session piece by piece, then archives it. */
export class SessionReader {
  readonly #frames = new FrameReader();
  readonly #reader: TranscriptReader;
  readonly #mostBytes: number;

  constructor(agent: TranscriptAgent, mostBytes = HELD_BYTES) {
    this.#reader = agent === 'codex' ? new CodexReader() : new ClaudeReader();
    this.#mostBytes = mostBytes;
  }

  /** @throws ContextModeError `bad_request` where this is no file as the command sends it, `too_large` */
  push(piece: Uint8Array): void {
    for (const line of this.#frames.push(piece)) this.#reader.take(line);
    if (this.#reader.heldBytes <= this.#mostBytes) return;
    throw new ContextModeError(
      'too_large',
      `The messages of this session are larger than ${Math.floor(this.#mostBytes / 1024 / 1024)} MB.`,
      { hint: 'The other sessions can be imported; this one stays in its file.' },
    );
  }

  /** Archives what was read; null where no line names a session. @throws ContextModeError as for `push` */
  async archive(writer: ArchiveWriter, clock: Clock, accountId: Uuid): Promise<ImportedTranscript | null> {
    this.#frames.end();
    const transcript = this.#reader.end();
    if (transcript === null) return null;
    const imported = await importTranscript(writer, clock, accountId, transcript);
    if (imported.added > 0) while ((await writer.confirm(accountId, CONFIRM_BATCH)) === CONFIRM_BATCH);
    return imported;
  }
}
