#!/usr/bin/env node
// The process: runs the command line, and handles the daemon's signals and its end.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printLink } from './admin/cli/account-sign-in.ts';
import { commandTable } from './admin/cli/commands.ts';
import { say } from './admin/cli/output.ts';
import { runProgram } from './admin/cli/program.ts';
import { type Config, ConfigError } from './app/config.ts';
import type { Logger } from './platform/logger.ts';

// Two folders up from dist/src, where the build puts this file.
const packageRoot = new URL('../../', import.meta.url);
const shippedConfigFile = fileURLToPath(new URL('config/latchd.yaml', packageRoot));
// If a package made it a link, the operator knows the file by the target of the link.
const defaultConfigFile = existsSync(shippedConfigFile) ? realpathSync(shippedConfigFile) : shippedConfigFile;
const { version } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string };

/** Under `npm start` one Ctrl-C arrives twice: the terminal sends it, and npm passes it on. */
const sameCtrlCMs = 2_000;

/** `read` returns the present configuration, for the start and for each SIGHUP. */
async function serve(read: () => Config): Promise<void> {
  const config = read();
  // This import and the next ones wait until they are needed: the other commands begin much faster without them.
  const { createLogger } = await import('./platform/logger.ts');
  const logger = createLogger(config.logLevel);
  const failed = (error: unknown): never => {
    logger.fatal({ code: 'ended', err: error }, 'latchd cannot go on and ends');
    process.exit(1);
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  const { isRootOfMachine } = await import('./platform/superuser.ts');
  if (isRootOfMachine({ uid: process.getuid?.(), pid: process.pid, environment: process.env, root: '/' }))
    logger.warn({ code: 'runs-as-root' }, 'latchd runs as root, and needs no right of it: let it run as a user of its own');

  const { createGateway } = await import('./app/gateway.ts');
  const gateway = await createGateway(config, { log: logger, version, onFatal: failed });
  let stopping: { readonly signal: NodeJS.Signals; readonly since: number } | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping !== undefined) {
      if (signal === 'SIGINT' && stopping.signal === 'SIGINT' && performance.now() - stopping.since < sameCtrlCMs) return;
      process.exit(1);
    }
    stopping = { signal, since: performance.now() };
    logger.info({ signal }, 'stopping');
    gateway.stop().then(() => process.exit(0), failed);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => {
    logger.info({ signal: 'SIGHUP' }, 'reloading');
    const settings = reloadSettings(config, read, logger);
    gateway.reload(settings).catch(failed);
  });
  try {
    await gateway.start();
    // On a terminal alone: what is not one keeps what is written to it, as the journal does.
    const link = process.stdout.isTTY ? await gateway.firstLink() : undefined;
    if (link !== undefined) {
      say('whoever opens this link chooses the password of the account admin, once, within a day:');
      printLink(link);
    }
  } catch (error) {
    await gateway.stop();
    // A signal during the start is a stop, not a failure.
    if (stopping !== undefined) return;
    say(`latchd: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

/** Applies the log level; logs that every other change needs a restart. A file with problems changes nothing. */
function reloadSettings(running: Config, read: () => Config, logger: Logger): 'taken' | 'refused' {
  let now: Config;
  try {
    now = read();
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [String(error)];
    logger.error({ code: 'reload-refused', problems }, 'the configuration has problems: everything stays as it is');
    return 'refused';
  }
  logger.setLevel(now.logLevel);
  const later = (Object.keys(now) as (keyof Config)[]).filter(
    (name) => name !== 'logLevel' && JSON.stringify(now[name]) !== JSON.stringify(running[name]),
  );
  if (later.length > 0) logger.warn({ code: 'restart-needed', settings: later }, 'these settings have changed and take a restart');
  return 'taken';
}

await runProgram({ table: commandTable(serve), version, defaultConfigFile });
