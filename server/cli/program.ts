import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { AgentName } from './agents/agent.ts';
import { AGENTS } from './agents/find.ts';
import { connect } from './commands/connect.ts';
import { disconnect } from './commands/disconnect.ts';
import { doctor } from './commands/doctor.ts';
import { facts, remember, reopen } from './commands/facts.ts';
import { importAny } from './commands/import.ts';
import { open } from './commands/open.ts';
import { pause, resume } from './commands/pause.ts';
import { read } from './commands/read.ts';
import { search } from './commands/search.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { stop } from './commands/stop.ts';
import { exportSessions } from './commands/transfer.ts';
import { CliFailure, EXIT, type ExitCode } from './failure.ts';
import { createOutput, type Output, reportFault } from './output.ts';
import type { World } from './world.ts';

const EXIT_CODES = `
Exit codes:
  0  done, or nothing to do (status: the gateway runs)
  1  a fault that the command does not know
  2  the command line was not understood
  3  no gateway answers
  4  no agent was found on this machine
  5  a file could not be changed or must not be; nothing was changed in it
  6  agreement is needed: run it with --yes
  7  doctor found something that does not work
  8  the gateway could not be started or stopped
  9  the gateway refused what it was given`;

type Options = Readonly<Record<string, unknown>>;

/** Runs the command line. Never throws. @returns the exit code. */
export async function runProgram(
  world: World,
  argv: readonly string[],
  version: string,
): Promise<0 | ExitCode> {
  const json = argv.includes('--json');
  const output = createOutput(world, json);
  let code: 0 | ExitCode = 0;
  const program = createProgram(world, output, version, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(withCommand(argv), { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : usageFault(world, json, thrown);
    return reportFault(world, json, thrown);
  }
}

/** Without a command the agents are connected; help and version stay the program's own. */
function withCommand(argv: readonly string[]): string[] {
  const [first] = argv;
  const own = ['-h', '--help', '-V', '--version'];
  const bare = first === undefined || (first.startsWith('-') && !own.includes(first));
  if (bare) return ['connect', ...argv];
  return first === 'search' && !argv.includes('--') ? withExclusions(argv) : [...argv];
}

/** Words of a search that begin with one dash are words to leave out, and no options: they go behind the rest. */
function withExclusions(argv: readonly string[]): string[] {
  const excluded = argv.filter((word) => /^-[^-]/.test(word) && word !== '-h');
  return excluded.length === 0
    ? [...argv]
    : [...argv.filter((w) => !excluded.includes(w)), '--', ...excluded];
}

/** Commander has told a person already what it did not understand; a script is told here. */
function usageFault(world: World, json: boolean, fault: CommanderError): ExitCode {
  const message = fault.message.replace(/^error: /, '');
  if (json) reportFault(world, true, new CliFailure(EXIT.usage, message, 'See --help.'));
  return EXIT.usage;
}

function createProgram(
  world: World,
  output: Output,
  version: string,
  done: (code: 0 | ExitCode) => void,
): Command {
  const program = new Command('context-mode')
    .description('Connects the coding agents on this machine to a Context Mode gateway.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.write(text),
      writeErr: (text) => (output.json ? undefined : world.complain(text)),
    })
    .showHelpAfterError('See --help.')
    .addHelpText('after', EXIT_CODES);

  const command = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option('--json', 'print one JSON value')
      .addHelpText('after', EXIT_CODES);
  const gateway = () =>
    new Option('--gateway <url>', 'the gateway (or CONTEXT_MODE_URL; else the local one)');
  const agents = () =>
    new Option('--agent <name...>', 'only these agents').choices(AGENTS.map((agent) => agent.name));

  command('connect', 'connect the agents: one edit of one file each (also without a command)')
    .addOption(gateway())
    .addOption(agents())
    .option('--yes', 'agree to the change')
    .option('--replace', 'an address that leads elsewhere gives way; disconnect puts it back')
    .option('--start', 'start the local gateway where none answers')
    .option('--dry-run', 'show the change and write nothing')
    .action(async (given: Options) => {
      const { yes, replace, dryRun, start: startIt } = flags(given);
      done(
        await connect(world, output, {
          gateway: text(given.gateway),
          agents: names(given),
          yes,
          replace,
          dryRun,
          start: startIt,
        }),
      );
    });

  command('disconnect', 'put the files back as they were, to the byte where nobody touched them since')
    .addOption(gateway())
    .addOption(agents())
    .option('--yes', 'agree to the change')
    .option('--dry-run', 'show the change and write nothing')
    .action(async (given: Options) => {
      const { yes, dryRun } = flags(given);
      done(
        await disconnect(world, output, { gateway: text(given.gateway), agents: names(given), yes, dryRun }),
      );
    });

  command('status', 'show the gateway, the agents, their last requests')
    .addOption(gateway())
    .action(async (given: Options) => done(await status(world, output, { gateway: text(given.gateway) })));

  command('open', 'print the address that opens the console in a browser')
    .addOption(gateway())
    .action(async (given: Options) => done(await open(world, output, { gateway: text(given.gateway) })));

  command('pause', 'record nothing for a while: bytes pass, nothing new is begun')
    .argument('[time]', 'how long: 30m, 1h, 2d (else until "resume")', duration)
    .addOption(gateway())
    .action(async (time: unknown, given: Options) =>
      done(await pause(world, output, { seconds: number(time), gateway: text(given.gateway) })),
    );

  command('resume', 'end the pause')
    .addOption(gateway())
    .action(async (given: Options) => done(await resume(world, output, { gateway: text(given.gateway) })));

  command('start', 'start the local gateway in the background')
    .option('--product <folder>', 'the clone of Context Mode, where this command lies elsewhere')
    .option('--wait <seconds>', 'how long to wait until it answers', seconds)
    .action(async (given: Options) =>
      done(await start(world, output, { product: text(given.product), wait: number(given.wait) })),
    );

  command('stop', 'stop the local gateway')
    .option('--disconnect', 'disconnect the agents first')
    .option('--wait <seconds>', 'how long answers on their way may take to finish', seconds)
    .action(async (given: Options) =>
      done(await stop(world, output, { disconnect: flags(given).disconnect, wait: number(given.wait) })),
    );

  command('search', 'look through everything that is archived, best first')
    .argument('<query...>', 'words, "a phrase" (in the quotation marks of your shell), -not, prefix*')
    .option('--session <id>', 'in one session')
    .option('--kind <kinds>', 'only these kinds, such as input,answer,tool_result')
    .option('--path <path>', "only of this file: its path, or the path's end")
    .option('--limit <hits>', 'how many hits', count)
    .addOption(gateway())
    .action(async (query: unknown, given: Options) =>
      done(
        await search(world, output, {
          query: Array.isArray(query) ? query.join(' ') : '',
          session: text(given.session),
          kind: text(given.kind),
          path: text(given.path),
          limit: number(given.limit),
          gateway: text(given.gateway),
        }),
      ),
    );

  command('facts', 'show what memory knows, of what holds now')
    .argument('[query...]', 'words of subject, predicate or value')
    .option('--all', 'closed ones too')
    .option('--at <time>', 'what was true then, such as 2026-11-30T12:00:00Z')
    .option('--project <name>', 'only of this project: its name or id')
    .option('--limit <slots>', 'how many', count)
    .addOption(gateway())
    .action(async (query: unknown, given: Options) =>
      done(
        await facts(world, output, {
          query: Array.isArray(query) ? query.join(' ') : '',
          all: given.all === true,
          at: text(given.at),
          project: text(given.project),
          limit: number(given.limit),
          gateway: text(given.gateway),
        }),
      ),
    );

  command('remember', 'state a fact: subject, predicate, object')
    .argument('<words...>', 'such as: production deployed_to "Render, Oregon region"')
    .option('--project <name>', 'whose it is: name or id (else the only one)')
    .addOption(gateway())
    .action(async (words: unknown, given: Options) =>
      done(
        await remember(world, output, {
          words: Array.isArray(words) ? words.map(String) : [],
          project: text(given.project),
          gateway: text(given.gateway),
        }),
      ),
    );

  command('reopen', 'make a closed fact true again, from its close until now and on')
    .argument('<fact>', 'its id, as "facts --all" shows it')
    .option('--yes', 'agree to what it takes back')
    .addOption(gateway())
    .action(async (fact: unknown, given: Options) =>
      done(
        await reopen(world, output, {
          fact: text(fact) ?? '',
          yes: given.yes === true,
          gateway: text(given.gateway),
        }),
      ),
    );

  command('read', 'print a document: an id that a search gave, or the beginning of one')
    .argument('<docid>', 'the id')
    .option('--offset <characters>', 'where to begin', count)
    .option('--length <characters>', 'how much to print', count)
    .addOption(gateway())
    .action(async (docid: unknown, given: Options) =>
      done(
        await read(world, output, {
          docid: text(docid) ?? '',
          offset: number(given.offset),
          length: number(given.length),
          gateway: text(given.gateway),
        }),
      ),
    );

  command('export', 'write a session to a file, whole, as JSON Lines')
    .argument('[session]', 'id of the session, as its address in the console has it')
    .argument('[file]', 'a new file (else session-ID.jsonl, or sessions.jsonl)')
    .option('--all', 'every session; the one argument is the file')
    .option('--keys <file>', 'also write the key that an empty archive elsewhere needs: secret')
    .addOption(gateway())
    .action(async (first: unknown, second: unknown, given: Options) =>
      done(
        await exportSessions(world, output, {
          all: given.all === true,
          session: text(first),
          file: text(second),
          keys: text(given.keys),
          gateway: text(given.gateway),
        }),
      ),
    );

  command('import', "take in the agents' own transcripts, or the sessions of an exported file with their ids")
    .argument('[path]', 'a file or a folder (else what Claude Code and Codex keep on this machine)')
    .option('--yes', 'agree to the list')
    .option('--dry-run', 'show the list and import nothing')
    .option('--keys <file>', 'the key that belongs to it, for an archive that holds nothing yet')
    .option('--foreign', 'take sessions of another key as they are: to be read, not to be gone on with')
    .addOption(gateway())
    .action(async (path: unknown, given: Options) =>
      done(
        await importAny(world, output, {
          path: text(path),
          yes: given.yes === true,
          dryRun: given.dryRun === true,
          keys: text(given.keys),
          foreign: given.foreign === true,
          gateway: text(given.gateway),
        }),
      ),
    );

  command('doctor', 'look at the whole way: files, variables, gateway, providers, proxies')
    .addOption(gateway())
    .option('--bundle <file>', 'write versions, settings and counters to a file; no content')
    .action(async (given: Options) =>
      done(
        await doctor(world, output, { gateway: text(given.gateway), bundle: text(given.bundle) }, version),
      ),
    );
  return program;
}

function flags(given: Options) {
  const is = (name: string) => given[name] === true;
  return {
    yes: is('yes'),
    replace: is('replace'),
    dryRun: is('dryRun'),
    start: is('start'),
    disconnect: is('disconnect'),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function names(given: Options): AgentName[] | undefined {
  if (!Array.isArray(given.agent)) return undefined;
  const wanted: readonly unknown[] = given.agent;
  return AGENTS.map((agent) => agent.name).filter((name) => wanted.includes(name));
}

function count(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Not a whole number.');
  return Number(value);
}

/** Seconds of a time such as `90s`, `30m`, `1h` or `2d`. */
function duration(value: string): number {
  const [, figure, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  const inSeconds = Number(figure) * (UNIT_SECONDS[unit ?? ''] ?? Number.NaN);
  if (!(inSeconds > 0)) throw new InvalidArgumentError('Give a time such as 30m, 1h or 2d.');
  return inSeconds;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function seconds(value: string): number {
  const parsed = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value) || !Number.isFinite(parsed))
    throw new InvalidArgumentError('Not a number of seconds.');
  return parsed;
}
