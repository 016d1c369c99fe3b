import type { RunningProcess } from './processes.ts';

/** Answer of an HTTP request: its status, its headers in lower case, its body parsed as JSON or null. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** Headers to send, by name. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** How a program that was started in the background does. */
export interface Started {
  readonly pid: number;
  /** Its exit code once it ended (128 for a signal), null while it runs. */
  exitCode(): number | null;
}

/**
 * Everything that the command takes from outside itself but files: variables, terminal, time, network, processes.
 * Tests give their own; the program gives {@link realWorld}.
 */
export interface World {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The person's home folder, absolute. */
  readonly home: string;
  /** The folder in which the command was called, absolute. */
  readonly folder: string;
  /** The folder of this package, absolute. */
  readonly packageFolder: string;
  /** True if a person can be asked. */
  readonly terminal: boolean;
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  complain(text: string): void;
  /** Asks a question that is answered with yes or no; no is the default. */
  ask(question: string): Promise<boolean>;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** A short random name for a temporary file. */
  randomName(): string;
  /** A GET without redirects and proxies; null if nothing answers within the time. */
  get(url: string, timeoutMs: number, headers?: HttpHeaders): Promise<HttpAnswer | null>;
  /** A POST without a body, in the same way. */
  post(url: string, timeoutMs: number, headers?: HttpHeaders): Promise<HttpAnswer | null>;
  /**
   * A GET into a file that only its owner reads: a new one, or with `append` behind what it holds. Only a 200 is written.
   * Null if nothing answers, or the answer breaks off. @throws the system's error where the file cannot be written
   */
  download(
    url: string,
    file: string,
    options: { readonly append: boolean },
    headers?: HttpHeaders,
  ): Promise<HttpAnswer | null>;
  /** A POST of a file. Null if nothing answers. @throws the system's error where the file cannot be read */
  upload(url: string, file: string, mime: string, headers?: HttpHeaders): Promise<HttpAnswer | null>;
  /** A POST of what comes in pieces. Null if nothing answers. @throws the system's error where a file cannot be read */
  uploadPieces(
    url: string,
    pieces: AsyncIterable<Uint8Array>,
    mime: string,
    headers?: HttpHeaders,
  ): Promise<HttpAnswer | null>;
  /** True if a TCP connection can be made within the time. */
  reaches(host: string, port: number, timeoutMs: number): Promise<boolean>;
  /** The processes of this machine that may be seen, without their environments. */
  processes(): Promise<readonly RunningProcess[]>;
  /** True if the process lives. */
  lives(pid: number): boolean;
  /** Sends a signal; false if there is no such process. @throws if it may not. */
  signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean;
  /** What a program prints and its exit code; null if it cannot be run or takes longer. */
  run(
    command: string,
    args: readonly string[],
    timeoutMs: number,
  ): Promise<{ code: number; output: string } | null>;
  /** Starts a Node script in the background, its output appended to a file. */
  startNode(script: string, options: { folder: string; logFile: string }): Started;
}
