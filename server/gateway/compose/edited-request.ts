import type { PiecedBody } from '../pieced-body.ts';
import type { UpstreamRequest } from '../upstream.ts';

/** A request with a body that was put together: it goes as it is, and its answer has to be read as it comes. */
export function editedRequest(upstream: UpstreamRequest, body: PiecedBody): UpstreamRequest {
  return { ...upstream, headers: headersOfEdited(upstream.headers, body.byteLength), body };
}

function headersOfEdited(headers: readonly string[], length: number): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    const lower = name.toLowerCase();
    if (lower === 'content-length') kept.push(name, String(length));
    else if (lower === 'accept-encoding') kept.push(name, 'identity');
    else if (lower !== 'content-encoding') kept.push(name, value);
  }
  return kept;
}
