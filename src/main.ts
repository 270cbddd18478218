#!/usr/bin/env node
// The process: arguments, signals, exit codes. 0: done or stopped as asked; 1: could not start or go on; 78: the configuration is wrong.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { type Config, ConfigError, loadConfig, settings } from './config.ts';
import { createGateway } from './gateway.ts';
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
await program.parseAsync();
