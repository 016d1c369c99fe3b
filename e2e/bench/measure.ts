import { Agent, request as send } from 'node:http';

/** One timed request: milliseconds from the first byte written to the first byte of the answer's body. */
export function timeToFirstByte(
  base: URL,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  agent: Agent,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let first = 0;
    const onward = send(
      {
        agent,
        host: base.hostname,
        port: base.port,
        path: `${base.pathname.replace(/\/$/, '')}${path}`,
        method: 'POST',
        headers: { ...headers, 'content-length': String(body.length) },
      },
      (answer) => {
        answer.on('data', () => {
          if (first === 0) first = performance.now();
        });
        answer.on('end', () => {
          if (answer.statusCode === 200) resolve(first - started);
          else reject(new Error(`${base.href} answered ${answer.statusCode}`));
        });
        answer.on('error', reject);
      },
    );
    onward.on('error', reject);
    onward.end(body);
  });
}

/** The value below which `share` of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** An agent that keeps `sockets` connections open. */
export function connections(sockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: sockets });
}
