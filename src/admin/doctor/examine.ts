// Runs every check, in the order of the report. Changes nothing, apart from a temporary file that measures flushes.
import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../../app/config.ts';
import type { Clock } from '../../domain/clock.ts';
import { createClock } from '../../platform/clock.ts';
import { userName } from '../../platform/control/control-client.ts';
import { kernelClockState } from '../../stores/files/clock-trust.ts';
import { hasSpareAdminToken } from '../../stores/files/documents/admin-token.ts';
import { codeOf, type FileLayer, nodeFiles } from '../../stores/files/files.ts';
import { readMoveNote, sayMoved, tryMoveAgain } from '../../stores/files/move-note.ts';
import { type Inspection, inspect } from '../../stores/files/verify/inspect.ts';
import { checkBackups } from './backups.ts';
import type { AddressesOf } from './certificate-names.ts';
import { checkCertificates } from './certificates.ts';
import { checkClock } from './clock.ts';
import { checkDaemon, isOnDatabase, isWaiting, lookForDaemon } from './daemon.ts';
import { checkDiscovery } from './discovery.ts';
import { checkFlush, checkSpace } from './disk.ts';
import { checkHomeAssistant } from './home-assistant.ts';
import { checkBridges, checkDevices, checkLocks } from './makes.ts';
import { checkMessages } from './messages.ts';
import { checkOwnership } from './ownership.ts';
import { checkPlaces } from './places.ts';
import { checkPorts } from './ports.ts';
import { checkReach } from './reach.ts';
import { checkUpdates } from './updates.ts';
import { cannotTell, fail, type Verdict, warn } from './verdict.ts';
import { checkData, checkProgram } from './versions.ts';

export interface Finding extends Verdict {
  readonly check: string;
}

export interface Examined {
  readonly config: Config;
  /** The version of this latchd. */
  readonly version: string;
  /** The version of Node, such as `20.19.2`. */
  readonly node?: string;
  readonly files?: FileLayer;
  readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
  /** Replaces the network's name service in tests. */
  readonly addressesOf?: AddressesOf;
}

/** Never rejects: a check that cannot be made is reported as failed. */
export async function examine({ config, version, ...given }: Examined): Promise<readonly Finding[]> {
  const { node = process.versions.node, files = nodeFiles(), clock = createClock(), addressesOf } = given;
  const { dataDir, backup } = config;
  const findings: Finding[] = [];
  const look = async (check: string, at: () => Verdict | readonly Verdict[] | Promise<Verdict | readonly Verdict[]>): Promise<void> => {
    try {
      findings.push(...[await at()].flat().map((verdict) => ({ check, ...verdict })));
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      const isClosed = isOutsider && ['EACCES', 'EPERM'].includes(codeOf(error));
      findings.push({ check, ...(isClosed ? cannotTell(message) : fail(message, 'nothing more can be said of it before that is mended')) });
    }
  };

  const owner = await lstat(dataDir).then(
    ({ uid }) => uid,
    () => undefined,
  );
  const isOutsider = process.getuid?.() !== 0 && process.getuid?.() !== owner;
  const daemon = await lookForDaemon(files, dataDir);
  const isThere = await files.readdir(dataDir).then(
    () => true,
    (error: unknown) => (codeOf(error) === 'ENOENT' ? false : codeOf(error)),
  );
  const isInDatabase = config.store !== 'files';
  const moved = isInDatabase ? undefined : await readMoveNote(files, dataDir).catch(() => undefined);
  let found: Inspection | undefined;

  await look('program', () => checkProgram(version, node));
  await look('updates', () => checkUpdates(config, version));
  await look('daemon', () => checkDaemon(daemon, { version, isOutsider, isMoved: moved !== undefined }));
  await look('ports', () => checkPorts(config, daemon, owner));
  await look('reach', () => checkReach(config));
  await look('places', () => checkPlaces(config, daemon));
  await look('devices', () => checkDevices(config));
  await look('bridges', () => checkBridges(config, daemon));
  await look('home-assistant', () => checkHomeAssistant(config, daemon, isOutsider));
  await look('locks', () => checkLocks(daemon));
  await look('discovery', () => checkDiscovery(config, daemon));
  await look('messages', () => checkMessages(config, { isOutsider, owner }));
  if (isThere === true) await look('permissions', () => checkOwnership(dataDir, daemon));
  if (isInDatabase) {
    const { authorityIn, checkDatabase } = await import('./database.ts');
    await look('database', () => checkDatabase(config, files, isOutsider));
    const { checkNodes } = await import('./nodes.ts');
    await look('nodes', () => checkNodes(config, { daemon, owner, authority: () => authorityIn(config), addressesOf }));
  }
  await look('data', async () => {
    if (isInDatabase) return [];
    if (isOnDatabase(daemon))
      return fail(
        'the daemon keeps its data in a database, and store is files here',
        'give doctor the configuration of the daemon (--config or --store)',
      );
    if (isThere === false) return noDirectory(dataDir);
    if (isOutsider) return cannotTell(`${dataDir} belongs to ${owner === undefined ? 'another user' : await userName(owner)}`);
    if (isThere !== true) return fail(`${dataDir} cannot be used (${isThere})`, 'is --data-dir, or dataDir in the configuration, right?');
    if (moved !== undefined)
      return fail(sayMoved(dataDir, moved), moved.state === 'gone' ? 'name that in store: this directory is closed' : tryMoveAgain);
    found = await inspect(files, dataDir);
    const verdicts = checkData(dataDir, found);
    return (await hasSpareAdminToken(files, dataDir, clock.now())) ? [...verdicts, spareToken(dataDir)] : verdicts;
  });
  if (isThere !== false) await look('backups', () => checkBackups(config, files, clock.now(), isWaiting(daemon)));
  await look('disk', () => checkSpace(files, 'data', dataDir));
  if (backup.at !== 'off') await look('disk', () => checkSpace(files, 'backups', resolve(dataDir, backup.folder)));
  if (isThere === true && !isOutsider && !isInDatabase) await look('disk', () => checkFlush(files, clock.monotonic, dataDir));
  await look('clock', async () => checkClock(clock.now(), found, await kernelClockState()));
  await look('certificates', () => checkCertificates(config, { files, now: clock.now(), owner, isOutsider, addressesOf }));
  return findings;
}

function noDirectory(directory: string): Verdict {
  const remedy = 'the first "latchd serve" makes it; else: is --data-dir, or dataDir in the configuration, right?';
  return warn(`there is no data directory ${directory} yet`, remedy);
}

function spareToken(directory: string): Verdict {
  const seen = `${directory}/admin.token opens everything in plain words, and another administrator's token holds`;
  return warn(seen, `when nothing uses it: sudo rm ${directory}/admin.token (its token goes on; latchd token revoke ends it)`);
}
