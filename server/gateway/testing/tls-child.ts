// A gateway in a process of its own, because certificates that are trusted besides the system's are read at its start.
// Arguments: upstream address, proxy address or an empty text. Prints the answer to one call as JSON.
import { call } from './call.ts';
import { testGateway } from './gateway.ts';

const [upstream = '', proxy = ''] = process.argv.slice(2);
const gateway = await testGateway({ upstream, proxies: { https: proxy || null, http: null, none: null } });
const answers = [];
for (const turn of [1, 2]) {
  const answer = await call(gateway.url, { path: `/anthropic/v1/${turn}`, body: Buffer.from('{"a":1}') });
  answers.push({ status: answer.status, body: answer.body.toString() });
}
process.stdout.write(JSON.stringify(answers));
process.exit(0);
