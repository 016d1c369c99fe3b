/**
 * What the command's exit codes mean. They are part of its public face and stand in its README.
 * 0 done, or nothing to do; `status`: the gateway runs.
 */
export const EXIT = {
  /** Something went wrong that the command does not know. */
  fault: 1,
  /** The command line was not understood. */
  usage: 2,
  /** No gateway answers, or what answers is not one. */
  noGateway: 3,
  /** No agent was found on this machine. */
  noAgent: 4,
  /** A file could not be changed, or must not be; nothing was changed in it. */
  file: 5,
  /** Agreement is needed: there is no terminal to ask at, or the answer was no. */
  notAgreed: 6,
  /** `doctor` found something that does not work. */
  unwell: 7,
  /** The gateway could not be started or stopped. */
  process: 8,
  /** The gateway refused what it was given: there is no such session, or a file is not what it must be. */
  refused: 9,
} as const;

/** One of the exit codes other than 0. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A fault that a person can mend: what was wrong and where (`message`), what to do (`hint`), how to leave. */
export class CliFailure extends Error {
  readonly exitCode: ExitCode;
  readonly hint: string;

  constructor(exitCode: ExitCode, message: string, hint: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CliFailure';
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** The code of a failed system call (`ENOENT`, `EACCES`, …), or an empty text. */
export function systemCodeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return '';
  return typeof thrown.code === 'string' ? thrown.code : '';
}
