// Management on a data directory or a database that no daemon uses, with the services of the daemon.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createAccountService } from '../../domain/accounts/account-service.ts';
import { createRoleService } from '../../domain/accounts/role-service.ts';
import { createSignInServices } from '../../domain/accounts/sign-in-services.ts';
import { createAuditTrail } from '../../domain/audit/audit.ts';
import { auditedAccounts, auditedHubs, auditedRegistrations, auditedRoles } from '../../domain/audit/audited-services.ts';
import type { CardService } from '../../domain/credentials/card-service.ts';
import { DomainError } from '../../domain/errors.ts';
import { createEventBus } from '../../domain/event-bus.ts';
import { recordBatteries } from '../../domain/locks/battery-history.ts';
import { createDriverTable } from '../../domain/locks/driver-table.ts';
import { createLockLists } from '../../domain/locks/lock-lists.ts';
import { createLockNames } from '../../domain/locks/lock-names.ts';
import { createRegistrationService } from '../../domain/locks/registration-service.ts';
import { createLongLists } from '../../domain/long-lists.ts';
import { createMutex } from '../../domain/mutex.ts';
import type { Log } from '../../domain/part.ts';
import { createGroupChanges } from '../../domain/people/group-changes.ts';
import { nativeRegistration } from '../../drivers/native/driver.ts';
import { createHubService } from '../../drivers/native/hub-service.ts';
import { createManagement, type Management } from '../../http/api/management.ts';
import { createClock } from '../../platform/clock.ts';
import { notOurs } from '../../platform/control/control-client.ts';
import { createFrequentPasswords } from '../../platform/frequent-passwords.ts';
import { logFailedSubscriber } from '../../platform/logger.ts';
import { becomeOwner } from '../../platform/owner.ts';
import { createPasswordHashing } from '../../platform/password-hash.ts';
import { qrImage } from '../../platform/qr-code.ts';
import { createWebauthn } from '../../platform/webauthn.ts';
import { createSecrets } from '../../stores/files/documents/secrets.ts';
import { createStore, type Store, type StoreOptions } from '../../stores/files/store.ts';
import type { PostgresStore, PostgresStoreOptions } from '../../stores/postgres/store.ts';
import type { DatabasePlace } from './database.ts';

interface OfflineSurroundings {
  readonly log: Log;
  /** Called when nothing more can be promised (a failed flush, another node that has taken over): the process must end. */
  readonly onFatal: (error: Error) => void;
}

/** What is done with the management API. */
export type ManagementWork<T> = (management: Management) => Promise<T>;

/**
 * Runs `work` with the management API on a data directory, and locks the directory meanwhile. It uses the same store and services as the
 * daemon, so the same rules and flushes apply. Rejects with a sentence when a daemon uses the directory, or when it has no data.
 */
export async function manageDirectory<T>(directory: string, surroundings: OfflineSurroundings, work: ManagementWork<T>): Promise<T> {
  await requireFiles(directory);
  await becomeOwner(directory);
  return manageStore((shared) => createStore({ directory, ...shared }), surroundings, work);
}

/** As `manageDirectory`, on a database: while it runs, this process is the leader. Rejects with a sentence when another one lives. */
export async function manageDatabase<T>(
  { database, node, directory }: Pick<PostgresStoreOptions, 'node' | 'directory'> & { readonly database: DatabasePlace },
  surroundings: OfflineSurroundings,
  work: ManagementWork<T>,
): Promise<T> {
  if (!existsSync(directory)) throw noData(directory);
  await becomeOwner(directory);
  // Who keeps files needs no client of a database.
  const { passwordOf, requireServable } = await import('./database.ts');
  await requireServable(database, ({ name, bootId }) => name === node.name && bootId === node.bootId);
  const { createPostgresStore } = await import('../../stores/postgres/store.ts');
  const { address } = database;
  return manageStore(
    (shared) => onItsOwn(createPostgresStore({ ...shared, address, password: passwordOf(database), node, directory })),
    surroundings,
    work,
  );
}

/** How long another node may take to serve, or to end, that came in between. */
const leaseWaitMs = 10_000;

/** The store with its directory, where nobody else is waited for. */
function onItsOwn(store: PostgresStore): Store {
  async function stop(): Promise<void> {
    await store.stop();
    await store.directory.stop();
  }
  return {
    ...store,
    async start() {
      const timer = setTimeout(store.lease.abandon, leaseWaitMs);
      try {
        await store.directory.start();
        await store.start();
        if (store.lease.leftMs() === 0) throw new Error('another node serves: give the command there');
      } catch (error) {
        await stop();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    stop,
  };
}

async function manageStore<T>(
  open: (shared: Pick<StoreOptions, 'clock' | 'log' | 'secrets' | 'onFatal' | 'emit'>) => Store,
  { log, onFatal }: OfflineSurroundings,
  work: ManagementWork<T>,
): Promise<T> {
  const clock = createClock();
  const secrets = createSecrets();
  const administration = createMutex();
  const events = createEventBus(logFailedSubscriber(log));
  const store = open({ clock, log, secrets, onFatal, emit: events.emit });
  const { locks, removedLocks, entries, hubs, statuses, accounts, counters, people } = store.ports;
  const groupChanges = createGroupChanges({ people, locks });
  const lists = createLockLists(locks);
  events.subscribe('lock-changed', ({ before, after }) => lists.changed(before, after));
  recordBatteries({ events, batteries: store.ports.batteries, clock });
  // No device is connected.
  const link = { session: () => undefined, online: () => false, disconnect() {} };
  const drivers = createDriverTable({ locks });
  drivers.add({ ...nativeRegistration({ hubs }), ...link });
  const cardService: Pick<CardService, 'beforeRemoval'> = {
    async beforeRemoval(_lockId, clearing, remove) {
      if (clearing !== undefined) throw new DomainError('lock-offline', 'no gateway runs, so the lock is not connected; nothing was sent');
      return remove();
    },
  };
  const shared = {
    ...{ clock, locks, removedLocks, entries, cardService, hubs, statuses, accounts, counters, secrets, link, administration },
    // The daemon writes what the log of who may what lacks when it starts.
    changeStored: async () => undefined,
    longLists: createLongLists({ clock, nextTurn: () => new Promise((resolve) => setImmediate(resolve)) }),
  };
  const trail = createAuditTrail({ clock, audit: store.ports.audit });
  const accountService = createAccountService({ ...shared, ttlockLogins: store.ports.ttlockLogins });
  const signIn = createSignInServices({
    ...{ clock, secrets, events, stores: store.ports, accounts: accountService, audit: trail },
    ...{ hashing: createPasswordHashing(), isFrequent: createFrequentPasswords(), webauthn: createWebauthn() },
    // Nobody signs in here.
    administratorsNeedPasskey: false,
  });
  await store.start();
  for (const part of signIn.parts) await part.start();
  try {
    return await work(
      createManagement({
        // Their drivers, which know how they log in, are the daemon's.
        makes: [],
        registrations: auditedRegistrations(
          createRegistrationService({ ...shared, drivers, lists, names: createLockNames(locks), groupChanges }),
          trail,
        ),
        roles: auditedRoles(createRoleService(shared), trail),
        accounts: auditedAccounts(accountService, trail),
        signIn: signIn.services,
        drawQr: qrImage,
        hubs: auditedHubs(createHubService(shared), trail),
        audit: trail,
        address: 'command line',
        gatewayStatus: () => ({ locks: locks.all().length, storage: store.maintenance.stats() }),
      }),
    );
  } finally {
    for (const part of signIn.parts) await part.stop();
    await store.stop();
  }
}

/** A mistyped path must not become a new gateway. */
async function requireFiles(directory: string): Promise<void> {
  try {
    // The accounts file is the last one that a first start creates; accounts.json is that of an older program.
    const names = await readdir(directory);
    if (names.includes('accounts.jsonl') || names.includes('accounts.json')) return;
    throw new Error(`${directory} holds no accounts`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') throw await notOurs(directory, error);
    throw noData(directory, error);
  }
}

function noData(directory: string, cause?: unknown): Error {
  return new Error(`${directory} is no data directory of latchd: is --data-dir right? The first "latchd serve" makes one`, { cause });
}
