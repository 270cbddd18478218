// Checks the database in which the data is: whether it answers, keeps what it acknowledges, and which nodes share it.
import type { Config } from '../../app/config.ts';
import { databaseAddress } from '../../app/config-store.ts';
import { clockDiffersMs, clockMayDifferMs, sayMissing } from '../../domain/alarms/database-alarms.ts';
import { readBrokerCredentials } from '../../platform/broker-credentials.ts';
import { createClock } from '../../platform/clock.ts';
import type { FileLayer } from '../../stores/files/files.ts';
import { type DatabaseFacts, inspectAuthority, inspectDatabase } from '../../stores/postgres/inspection.ts';
import { checkSpace } from './disk.ts';
import { cannotTell, fail, good, type Verdict, warn } from './verdict.ts';

const oldestVersion = 15;
/** Some minutes of a very busy building. */
const behindBytes = 64_000_000;

/** Nothing when the data is in files. `isOutsider`: the current user may not read the files of the daemon. */
export async function checkDatabase(
  config: Pick<Config, 'store' | 'storePasswordFile'>,
  files: FileLayer,
  isOutsider: boolean,
): Promise<readonly Verdict[]> {
  const address = databaseAddress(config.store);
  if (address === undefined) return [];
  const { storePasswordFile: passwordFile } = config;
  let secret: string | undefined;
  let facts: DatabaseFacts;
  try {
    secret = (await readBrokerCredentials({ passwordFile })).password;
  } catch (error) {
    const seen = (error as Error).message;
    return [isOutsider ? cannotTell(seen) : fail(seen, 'write the password on its first line, and let the user of the gateway read it')];
  }
  try {
    facts = await inspectDatabase({ address, password: async () => secret, clock: createClock() });
  } catch (error) {
    const remedy =
      'is PostgreSQL up there, may this machine reach it (its pg_hba.conf, a firewall), and is store in the configuration right? Until it answers nothing can be changed and locks keep their events';
    return [fail(`it does not answer: ${(error as Error).message}`, remedy)];
  }
  const isHere = address.hosts.some(({ host }) => ['localhost', '::1'].includes(host) || host.startsWith('127.'));
  return [...judgeDatabase(facts, { ...address, isHere }), ...(await checkSize(facts, isHere ? files : undefined))];
}

/** The certificate authority of the nodes that share the database; rejects when it cannot be asked. */
export async function authorityIn({ store, storePasswordFile: passwordFile }: Pick<Config, 'store' | 'storePasswordFile'>) {
  const address = databaseAddress(store);
  if (address === undefined) return undefined;
  const { password } = await readBrokerCredentials({ passwordFile });
  return inspectAuthority({ address, password: async () => password, clock: createClock() });
}

/** `isHere`: the server is on this machine. */
export function judgeDatabase(
  facts: DatabaseFacts,
  { tls, database, isHere }: { readonly tls: boolean; readonly database: string; readonly isHere: boolean },
): readonly Verdict[] {
  return [
    reached(facts, tls, isHere),
    ...checkMaking(facts, database),
    ...checkDurability(facts),
    ...checkStandbys(facts),
    ...checkClocks(facts),
    ...checkNodes(facts),
  ];
}

function reached({ version, user, tls }: DatabaseFacts, isVerified: boolean, isHere: boolean): Verdict {
  const seen = `PostgreSQL ${version} answers ${user}`;
  if (isVerified) return good(`${seen}, encrypted (${tls}), and its certificate is verified`);
  if (isHere) return good(`${seen} on this machine`);
  return warn(
    `${seen} in the clear: whoever is on the way reads every key`,
    'leave ?sslmode=disable out of store, and give the server a certificate',
  );
}

function checkMaking({ version, majorVersion, encoding, isOwner, owner, user, steps, closedFor }: DatabaseFacts, database: string) {
  const verdicts: Verdict[] = [];
  if (majorVersion < oldestVersion)
    verdicts.push(
      fail(`PostgreSQL ${version} is too old`, `latchd needs ${oldestVersion} or newer: upgrade the server (pg_upgradecluster)`),
    );
  if (encoding !== 'UTF8') {
    const remedy = `make another one, CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and move the data: latchd migrate to a directory, then from there`;
    verdicts.push(fail(`its encoding is ${encoding}: names would not fit in`, remedy));
  }
  if (!isOwner)
    verdicts.push(fail(`it belongs to ${owner}, not to ${user}`, `as its administrator: ALTER DATABASE ${database} OWNER TO ${user}`));
  if (closedFor !== undefined) verdicts.push(fail(`its data was moved to ${closedFor}`, 'name that in store; this database is closed'));
  if (steps === undefined) verdicts.push(warn('there is no data of latchd in it yet', 'the first "latchd serve" makes it'));
  else if (steps.unknown.length > 0) {
    const seen = `a newer latchd has used it (its schema has the step "${steps.unknown[0]}")`;
    verdicts.push(fail(seen, 'install that version on this machine, too'));
  } else if (steps.missing.length > 0) {
    const seen = `its schema is of an older latchd: ${steps.missing.join(', ')} will be added`;
    verdicts.push(warn(seen, 'the next start does it: sudo systemctl restart latchd'));
  }
  return verdicts;
}

function checkDurability({ fsync, fullPageWrites, synchronousCommit, demandedStandbys }: DatabaseFacts): readonly Verdict[] {
  const set = (setting: string, value = 'on') =>
    `in postgresql.conf ${setting} = ${value}, then SELECT pg_reload_conf() (ALTER SYSTEM and ALTER ROLE may have set it, too)`;
  const isOff = [
    ...(fsync === 'off' ? [fail('fsync is off: a power cut of the server damages everything', set('fsync'))] : []),
    ...(fullPageWrites === 'off'
      ? [fail('full_page_writes is off: a power cut of the server may damage everything', set('full_page_writes'))]
      : []),
    ...(synchronousCommit === 'off'
      ? [fail('synchronous_commit is off: a crash of the server takes what was acknowledged', set('synchronous_commit'))]
      : []),
  ];
  if (isOff.length > 0) return isOff;
  if (synchronousCommit !== 'local' || demandedStandbys === 0) return [good('what it acknowledges is on its disk')];
  const seen = 'synchronous_commit is local: what is acknowledged may not be at the standby yet';
  return [warn(seen, set('synchronous_commit'))];
}

function checkStandbys({ demandedStandbys: demanded, standbys, user }: DatabaseFacts): readonly Verdict[] {
  if (standbys === null) {
    const seen = `${user} may not see whether its standbys are connected, so there is no alarm when one is missing`;
    return [warn(seen, `as its administrator: GRANT pg_read_all_stats TO ${user}`)];
  }
  const there = standbys.filter(({ isSynchronous }) => isSynchronous);
  const late = standbys
    .filter((one) => (one.behindBytes ?? 0) > behindBytes)
    .map(({ name, behindBytes: bytes }) =>
      warn(`the standby ${name} is ${megabytes(bytes ?? 0)} behind`, 'look at its disk, its processor and the network between them'),
    );
  if (demanded === 0) {
    const seen = 'it has no synchronous standby (synchronous_standby_names is empty): what is acknowledged is on one disk';
    return [
      warn(seen, 'give it one, so that no broken disk takes anything; else what was stored since the last backup goes with it'),
      ...late,
    ];
  }
  if (there.length < demanded) {
    const seen = `it ${sayMissing(demanded, there.length)}: nothing can be stored`;
    return [fail(seen, 'start the standby again; or, knowing that one disk then has all, set synchronous_standby_names to empty'), ...late];
  }
  return [good(`what it acknowledges is at ${there.map(({ name }) => name).join(', ')} as well`), ...late];
}

function checkClocks({ clockAheadMs }: DatabaseFacts): readonly Verdict[] {
  const ms = Math.abs(clockAheadMs);
  const seen = `its clock is ${Math.round(ms / 1_000)} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} that of this machine`;
  const remedy = 'let NTP set both: sudo timedatectl set-ntp true';
  if (ms > clockMayDifferMs) return [fail(`${seen}: this node is not ready`, remedy)];
  return ms >= clockDiffersMs ? [warn(seen, remedy)] : [];
}

/** `files`: of the machine of the server; undefined: it is another one. */
async function checkSize({ bytes, dataDirectory, user }: DatabaseFacts, files: FileLayer | undefined): Promise<readonly Verdict[]> {
  const seen = `it holds ${megabytes(bytes)}`;
  if (files === undefined) return [good(`${seen}; how much room is left, its administrator sees on that machine`)];
  if (dataDirectory === null) return [good(`${seen}; the room that is left is shown after GRANT pg_read_all_settings TO ${user}`)];
  return [good(seen), ...(await checkSpace(files, 'the database', dataDirectory))];
}

function checkNodes({ nodes, lostNodes, steps }: DatabaseFacts): readonly Verdict[] {
  const alive = nodes.filter(({ isAlive }) => isAlive);
  const names = alive.map(({ name, serving }) => `${name} ${serving ? 'leads' : 'does not lead'}`);
  const silent = nodes
    .filter(({ isAlive }) => !isAlive)
    .map(({ name, serving, leaseMs }) => {
      const seen = `${name} ${serving ? 'leads, by its lease, and' : 'does not lead, and'} gives no sign`;
      return warn(seen, `look at that machine; after ${leaseMs / 1_000} s of silence another node puts it out of service`);
    });
  const lost = lostNodes.map((name) =>
    warn(
      `${name} was put out of service, because it gave no sign, and has not come back`,
      'look at that machine, and start latchd there again',
    ),
  );
  if (steps === undefined) return [];
  const serves = nodes.some(({ serving }) => serving)
    ? [good(`${names.join(', ') || 'no node lives'}`)]
    : [warn(`no node leads${names.length > 0 ? ` (${names.join(', ')})` : ''}`, 'sudo systemctl start latchd on one of the machines')];
  return [...serves, ...silent, ...lost];
}

function megabytes(bytes: number): string {
  return bytes < 10_000_000_000 ? `${Math.ceil(bytes / 1_000_000)} MB` : `${Math.floor(bytes / 1_000_000_000)} GB`;
}
