import { Agent, createServer, request as send } from 'node:http';

/** The yardstick: the shortest honest Node proxy. It gathers the body, sends it on, and pipes the answer back. */
const upstream = new URL(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const headers = { ...request.headers, host: upstream.host, 'content-length': String(body.length) };
    const onward = send(
      {
        agent,
        host: upstream.hostname,
        port: upstream.port,
        path: request.url,
        method: request.method,
        headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    onward.end(body);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
