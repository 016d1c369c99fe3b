// `run.mjs [--build] FILE arguments…`: makes what is missing, then runs a TypeScript file in this process.
// `--build`: the file starts the product, which must be built.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { generate } from './generate.mjs';
import { install } from './install.mjs';
import { main, SetupError } from './project.mjs';

await main(async () => {
  const given = process.argv.slice(2);
  const needsBuild = given[0] === '--build';
  const [file, ...args] = needsBuild ? given.slice(1) : given;
  if (file === undefined) throw new SetupError('Usage: node server/setup/run.mjs [--build] FILE [arguments]');
  await install();
  await generate();
  if (needsBuild) await build();
  process.argv = [process.execPath, resolve(file), ...args];
  const { register } = await import('tsx/esm/api');
  register();
  await import(pathToFileURL(resolve(file)).href);
});
