import { createGateway, createListener, openGuard } from '../../server/gateway/index.ts';
import { systemClock } from '../../server/kernel/clock.ts';
import { readEnv } from '../../server/kernel/env.ts';
import { LOCAL_ACCOUNT } from '../../server/kernel/ids.ts';
import { createLogger } from '../../server/kernel/log.ts';
import { createMetrics } from '../../server/kernel/metrics.ts';

/** The gateway's transport with nothing behind it: bytes through, no archive. */
const env = readEnv({ ...process.env, ANTHROPIC_UPSTREAM_URL: process.argv[2], LOG_LEVEL: 'error' });
const gateway = createGateway({
  env,
  clock: systemClock,
  log: createLogger(env.logLevel, 'bench'),
  metrics: createMetrics(),
  accountId: LOCAL_ACCOUNT,
  tap: { requestReceived: () => undefined, answerEnded: () => undefined },
});
const server = createListener({
  gateway,
  guard: openGuard,
  clock: systemClock,
  fallback: (_request, response) => response.writeHead(404).end(),
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
