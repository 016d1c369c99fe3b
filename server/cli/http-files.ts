import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpAnswer, HttpHeaders } from './world.ts';

/** Silence after which the other side counts as gone. */
const SILENT_MS = 600_000;
/** An answer that is no file is not larger than this. */
const MAX_ANSWER_BYTES = 16_000_000;

/**
 * Fetches an address into a file that only its owner reads: a new one, or with `append` behind what it holds. Only a 200
 * is written; of any other answer the body is given. Null if nothing answers, or the answer breaks off.
 * @throws the system's error where the file cannot be written, `EEXIST` where a new one is there already
 */
export async function download(
  url: string,
  file: string,
  options: { readonly append: boolean },
  headers: HttpHeaders = {},
): Promise<HttpAnswer | null> {
  const request = start('GET', url, headers);
  const answered = answerOf(request);
  request.end();
  const response = await answered;
  if (response === null) return null;
  if (response.statusCode !== 200) return readAnswer(response);
  const target = createWriteStream(file, { flags: options.append ? 'a' : 'wx', mode: 0o600 });
  try {
    await pipeline(response, target);
  } catch (thrown) {
    if (isFileFault(thrown)) throw thrown;
    return null;
  }
  return { status: 200, headers: headersOf(response), body: null };
}

/**
 * Posts a file without holding it in memory. Null if nothing answers.
 * @throws the system's error where the file cannot be read
 */
export async function upload(
  url: string,
  file: string,
  mime: string,
  headers: HttpHeaders = {},
): Promise<HttpAnswer | null> {
  const { size } = await stat(file);
  const request = start('POST', url, {
    ...headers,
    'content-type': mime,
    'content-length': String(size),
  });
  const answered = answerOf(request);
  // An answer may come before the whole file was taken: a refusal. Then the rest has no reader.
  const sent = pipeline(createReadStream(file), request).catch((thrown: unknown) => {
    if (isFileFault(thrown)) throw thrown;
  });
  const [response] = await Promise.all([answered, Promise.race([sent, answered])]);
  return response === null ? null : readAnswer(response);
}

/**
 * Posts what comes in pieces, as much at a time as the other side takes. Null if nothing answers.
 * @throws the system's error where a file that the pieces come from cannot be read
 */
export async function uploadPieces(
  url: string,
  pieces: AsyncIterable<Uint8Array>,
  mime: string,
  headers: HttpHeaders = {},
): Promise<HttpAnswer | null> {
  const request = start('POST', url, { ...headers, 'content-type': mime });
  const answered = answerOf(request);
  let fault: unknown = null;
  const sent = pipeline(Readable.from(pieces), request).catch((thrown: unknown) => {
    if (isFileFault(thrown)) fault = thrown;
  });
  const [response] = await Promise.all([answered, Promise.race([sent, answered])]);
  if (fault !== null) throw fault;
  return response === null ? null : readAnswer(response);
}

function start(method: 'GET' | 'POST', url: string, more: HttpHeaders): ClientRequest {
  const open = url.startsWith('https:') ? requestHttps : requestHttp;
  const request = open(url, { method, headers: { accept: '*/*', ...more }, agent: false });
  request.setTimeout(SILENT_MS, () => request.destroy());
  return request;
}

function answerOf(request: ClientRequest): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    request.on('response', resolve);
    request.on('error', () => resolve(null));
    request.on('close', () => resolve(null));
  });
}

async function readAnswer(response: IncomingMessage): Promise<HttpAnswer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return { status: response.statusCode ?? 0, headers: headersOf(response), body: parsed(chunks) };
}

function headersOf(response: IncomingMessage): ReadonlyMap<string, string> {
  return new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
}

function parsed(chunks: readonly Buffer[]): unknown {
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
}

/** True for a fault of the file, which names a path; faults of the connection name none. */
function isFileFault(thrown: unknown): boolean {
  return (
    thrown instanceof Error && ('path' in thrown || /^(?:ENOSPC|EIO|EDQUOT|EFBIG)$/.test(codeOf(thrown)))
  );
}

function codeOf(thrown: Error): string {
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}
