#!/usr/bin/env node
// The process: arguments, signals, exit codes. 0: done or stopped as asked; 1: could not start or go on; 78: the configuration is wrong.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Config, ConfigError, loadConfig, settings } from './config.ts';
import { createGateway } from './gateway.ts';
import { exportFormats, exportLock, verifyDirectory } from './offline.ts';
import { askControl } from './ops/control.ts';
import { createLogger } from './ops/logger.ts';

const exitConfig = 78;
// Two folders up from dist/src, where the build puts this file.
const packageRoot = new URL('../../', import.meta.url);
const defaultConfigFile = fileURLToPath(new URL('config/latchd.yaml', packageRoot));

process.setSourceMapsEnabled(true);

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The configuration as the command line asks for it; ends the process, with every problem, when it is wrong. */
function configured(options: Readonly<Record<string, string>>): Config {
  const file = options['config'] ?? (process.env['LATCHD_CONFIG'] || defaultConfigFile);
  // commander names the value of --http-port httpPort.
  const optionOf = (flag: string) => flag.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const flags = settings.flatMap(({ flag }) => {
    const value = options[optionOf(flag)];
    return value === undefined ? [] : [[flag, value] as const];
  });
  try {
    return loadConfig({ file, environment: process.env, flags: Object.fromEntries(flags) });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) say(`latchd: ${problem}`);
    process.exit(exitConfig);
  }
}

async function serve(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  const failed = (error: unknown): never => {
    logger.fatal({ err: error }, 'latchd cannot go on and ends');
    process.exit(1);
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);

  const gateway = createGateway(config, { log: logger, version: version(), onFatal: failed });
  let signals = 0;
  const stop = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(1);
    logger.info({ signal }, 'stopping');
    gateway.stop().then(() => process.exit(0), failed);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => {
    logger.info({ signal: 'SIGHUP' }, 'reloading');
    gateway.reload().catch(failed);
  });
  try {
    await gateway.start();
  } catch (error) {
    await gateway.stop();
    // A signal during the start is a stop, not a failure.
    if (signals > 0) return;
    say(`latchd: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string };
  return version;
}

/** Runs a command that ends by itself: with its exit code, or with one sentence and 1. */
async function orSay(run: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    say(`latchd: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('it must be a positive integer.');
  return Number(text);
}

/** Epoch milliseconds of a date that is written as ISO 8601 (UTC when no zone is given) or in milliseconds. */
function instant(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text);
  const at = Date.parse(/T.*(Z|[+-]\d{2}:\d{2})$|^[^T]*$/.test(text) ? text : `${text}Z`);
  if (!isDate || Number.isNaN(at))
    throw new InvalidArgumentError('it must be a date such as 2026-11-01 or 2026-11-01T08:00Z, or epoch milliseconds.');
  return at;
}

/** For commands that only want to know where the data is: the other settings would be noise in their help. */
function withDataDir(command: Command): Command {
  return command
    .option('--config <file>', 'the configuration file (LATCHD_CONFIG)')
    .option('--data-dir <folder>', 'dataDir in the file (LATCHD_DATA_DIR)');
}

function withSettings(command: Command): Command {
  command.option('--config <file>', 'the configuration file (LATCHD_CONFIG)');
  for (const { flag, hint, variable, path } of settings) command.option(`${flag} ${hint}`, `${path.join('.')} in the file (${variable})`);
  return command;
}

const program = new Command('latchd')
  .description("A gateway for a building's door locks: a local HTTP API in front, MQTT to the locks behind.")
  .version(version())
  .showHelpAfterError('(latchd --help shows what there is)');
withSettings(program.command('serve'))
  .description('serve until SIGTERM or SIGINT')
  .action((options) => serve(configured(options)));
withSettings(program.command('check-config'))
  .description('check the configuration and show what is in force')
  .action((options) => {
    process.stdout.write(`${JSON.stringify(configured(options), null, 2)}\n`);
  });
withDataDir(program.command('verify'))
  .description('read the whole data directory of a stopped daemon and say what is wrong, file by file; 0 when nothing is')
  .action((options) => orSay(async () => verifyDirectory(configured(options).dataDir, (line) => process.stdout.write(`${line}\n`))));
withDataDir(program.command('export'))
  .description('write the records of a lock to standard output, oldest first; the daemon may be running')
  .requiredOption('--lock <lockId>', 'whose records', positiveInteger)
  .option('--from <date>', 'from this time of operation on: 2026-11-01, 2026-11-01T08:00Z or epoch milliseconds', instant)
  .option('--to <date>', 'up to and including this time of operation', instant)
  .addOption(new Option('--format <format>', 'how').choices(exportFormats).default('csv'))
  .action(({ lock, from = 0, to = Number.MAX_SAFE_INTEGER, format, ...options }) =>
    orSay(async () => {
      const terminal = process.stderr.isTTY ? process.stderr : undefined;
      const directory = configured(options).dataDir;
      await exportLock({ directory, lockId: lock, from, to, format, output: process.stdout, terminal });
      return 0;
    }),
  );
withDataDir(program.command('clock').argument('<action>', 'accept'))
  .description("accept: tell the running daemon that this machine's clock is right, so that old records are deleted again")
  .action((action, options) =>
    orSay(async () => {
      if (action !== 'accept') throw new Error(`there is no "clock ${action}"; there is "clock accept"`);
      await askControl(configured(options).dataDir, 'accept-clock');
      say('the clock counts as right from now on');
      return 0;
    }),
  );
await program.parseAsync();
