// The whole domain over stores in memory, a lock link that a test scripts, and a clock that it sets.
import { createHash } from 'node:crypto';
import { createAccessServices } from '../../src/app/access-services.ts';
import { createBoardServices } from '../../src/app/board-services.ts';
import { createServices, type ServicesOptions } from '../../src/app/services.ts';
import { createTtlockServices } from '../../src/app/ttlock-services.ts';
import type { Account, AccountId, Caller } from '../../src/domain/accounts/account.ts';
import type { DatabaseHealth } from '../../src/domain/alarms/database-alarms.ts';
import { createAuditTrail } from '../../src/domain/audit/audit.ts';
import type { Card, CardId } from '../../src/domain/credentials/card.ts';
import { DomainError, type ErrorCode } from '../../src/domain/errors.ts';
import { createDriverTable } from '../../src/domain/locks/driver-table.ts';
import { nativeDriver } from '../../src/domain/locks/hub.ts';
import type { HubLink } from '../../src/domain/locks/hub-ports.ts';
import { type DeviceId, type Lock, type LockId, unknownSettings } from '../../src/domain/locks/lock.ts';
import type { CommandId } from '../../src/domain/locks/lock-command.ts';
import type { CommandIds } from '../../src/domain/locks/lock-link.ts';
import type { LockEvent } from '../../src/domain/locks/lock-report.ts';
import { createMutex } from '../../src/domain/mutex.ts';
import { createNotificationService } from '../../src/domain/notifications/notification-service.ts';
import type { Secrets } from '../../src/domain/secrets.ts';
import { createTimeZone } from '../../src/domain/time-zone.ts';
import type { CallbackOfLogin } from '../../src/domain/webhooks/ttlock-callbacks.ts';
import type { WebhookBodies } from '../../src/domain/webhooks/webhook-ports.ts';
import { createWebhookService } from '../../src/domain/webhooks/webhook-service.ts';
import { createNativeDriver } from '../../src/drivers/native/driver.ts';
import { createCallbackBodies } from '../../src/http/ttlock/callback-body.ts';
import { createFakeLink, type FakeLink } from './fake-link.ts';
import { createFakeMessages } from './fake-messages.ts';
import { createFakeReceiver } from './fake-receiver.ts';
import { createMemoryAccessLog } from './memory-access-log.ts';
import {
  createMemoryAccounts,
  createMemoryAlarms,
  createMemoryAudit,
  createMemoryBatteries,
  createMemoryCounters,
  createMemoryHubs,
  createMemoryImports,
  createMemoryLocks,
  createMemoryPause,
  createMemoryPeople,
  createMemoryQuarantine,
  createMemoryRecords,
  createMemoryRemovedLocks,
  createMemoryRevocations,
  createMemorySchedules,
  createMemorySettings,
  createMemoryStatuses,
  createMemoryTtlockLogins,
  createMemoryWebhooks,
} from './memory-stores.ts';
import { createNotedEvents } from './noted-events.ts';
import { cardsAndOpen, entriesOfCards, type OpenChange } from './open-changes.ts';
import { createSettableClock } from './settable-clock.ts';

/** Writes that a test can make fail, or hold up: what was asked for first is still written first. */
export interface Storage {
  /** Asked before each write, by its name (`entries.update`): true makes it `storage-unavailable`. */
  fails: (write: string) => boolean;
  /** What is left of a lock that is removed. */
  left: DomainError | undefined;
  /** Every write that was tried. */
  readonly writes: string[];
  /** From now on writes, or those of this name, wait until the returned function is called. */
  hold(name?: string): () => void;
}

/** What the domain finds when it looks at its database. */
export type FakeDatabaseHealth = { -readonly [K in keyof DatabaseHealth]: ReturnType<DatabaseHealth[K]> };

function createStorage() {
  const writes: string[] = [];
  let holdEnd: Promise<void> | undefined;
  let held: string | undefined;
  const storage = {
    fails: (_write: string): boolean => false,
    left: undefined as DomainError | undefined,
    writes,
    hold(name?: string): () => void {
      held = name;
      let release = () => {};
      holdEnd = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        holdEnd = undefined;
        release();
      };
    },
    async write<T>(name: string, inner: () => Promise<T>): Promise<T> {
      writes.push(name);
      if (holdEnd !== undefined && (held === undefined || held === name)) await holdEnd;
      if (storage.fails(name)) throw new DomainError('storage-unavailable', 'the disk is full; nothing was changed');
      return inner();
    },
  };
  return storage;
}

export const lockId = 7 as LockId;
export const otherLockId = 8 as LockId;
export const noLockId = 99 as LockId;

function caller(accountId: number, username: string, gatewayAdministrator = false): Caller {
  return { accountId: accountId as AccountId, username, gatewayAdministrator };
}

/** `admin` is a gateway administrator without any role on a lock; the others are named after their role on lock 7. */
export const callers = {
  admin: caller(1, 'admin', true),
  administrator: caller(2, 'ada'),
  manager: caller(3, 'max'),
  operator: caller(4, 'ole'),
  stranger: caller(5, 'sam'),
} as const;

/** Lock 7 with an administrator, a manager and an operator; `changes` as wanted. */
export function someLock(changes: Partial<Lock> = {}): Lock {
  const id = changes.lockId ?? lockId;
  return {
    lockId: id,
    deviceId: `a4c1387f02e${id}` as DeviceId,
    name: `door ${id}`,
    alias: `Door ${id}`,
    superPasscode: '7531',
    lockData: 'opaque',
    groupId: 0,
    groupName: '',
    timezoneOffsetMs: 3_600_000,
    featureValue: '',
    modelNum: '',
    hardwareRevision: '',
    firmwareRevision: '',
    autoLockSeconds: 0,
    settings: unknownSettings,
    initialisedAt: 1,
    administrator: callers.administrator.accountId,
    roles: [
      { accountId: callers.manager.accountId, role: 'manager' },
      { accountId: callers.operator.accountId, role: 'operator' },
    ],
    driver: nativeDriver(`a4c1387f02e${id}` as DeviceId, null, '0'.repeat(64)),
    ...changes,
  };
}

/** Card 100 and on, always valid, on lock 7. */
export function someCard(changes: Partial<Card> = {}): Card {
  return {
    cardId: 100 as CardId,
    lockId,
    cardNumber: '1325672378',
    name: 'blue fob',
    startDate: 0,
    endDate: 0,
    createdAt: 1,
    createdBy: 'max',
    ...changes,
  };
}

/** A signal that never aborts. */
export function stays(): AbortSignal {
  return new AbortController().signal;
}

/** The code with which this was refused; anything that is no DomainError is thrown on. */
export async function codeOf(work: () => unknown): Promise<ErrorCode | 'done'> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

/** SHA-256 as the gateway's, tokens and keys that count. */
function createFakeSecrets(): Secrets {
  let count = 0;
  return {
    newToken: () => `token-${++count}`,
    newLinkSecret: () => `link-${++count}`,
    newName: () => `name${++count}`,
    newDeviceKey: () => `key-${++count}`,
    newDevicePassword: () => `password${String(++count).padStart(12, '0')}`,
    newHexSecret: () => (++count).toString(16).padStart(32, '0'),
    newWebhookSecret: () => `hook-${++count}`,
    newDigits: (digits) => String((++count * 7_368_787 + 482_913) % 10 ** digits).padStart(digits, '0'),
    hash: (secret) => createHash('sha256').update(secret).digest('hex'),
    md5: (text) => createHash('md5').update(text).digest('hex'),
    equal: (hashA, hashB) => hashA === hashB,
  };
}

/** Ids that say their lock and account in plain text, for whatever op. */
export function createFakeCommandIds(): CommandIds {
  let count = 0;
  return {
    issue: (lock, accountId) => `${++count}/${lock}/${accountId ?? 0}` as CommandId,
    read(lock, commandId) {
      const [number, issuedFor, account] = commandId.split('/').map(Number);
      if (number === undefined || issuedFor !== lock || account === undefined || !(account > 0)) return undefined;
      return { number, accountId: account as AccountId };
    },
  };
}

/** No hub is connected; writes down which connections were ended, and why. */
function createFakeHubLink(): HubLink & { readonly ended: (readonly [DeviceId, string])[] } {
  const ended: (readonly [DeviceId, string])[] = [];
  return { ended, online: () => false, disconnect: (deviceId, reason) => void ended.push([deviceId, reason]) };
}

/** Everything joined as in the gateway; lock 7 is online unless `online` is false, lock 8 never. */
export async function createDomain(
  options: { readonly online?: boolean; readonly cards?: readonly Card[]; readonly open?: readonly OpenChange[] } = {},
) {
  const clock = createSettableClock();
  const storage = createStorage();
  const { write } = storage;
  const { events, emit, notices } = createNotedEvents();

  const memory = createMemoryLocks([someLock(), someLock({ lockId: otherLockId, alias: 'Back door', roles: [] })], emit);
  /** Locks whose document is damaged. */
  const damagedLocks = new Set<DeviceId>();
  const storedLocks: typeof memory.locks = {
    ...memory.locks,
    isDisabled: (deviceId) => damagedLocks.has(deviceId),
    add: (lock) => write('locks.add', () => memory.locks.add(lock)),
    update: (id, change) => write('locks.update', () => memory.locks.update(id, change)),
    remove: (id) => write('locks.remove', async () => (await memory.locks.remove(id)) ?? storage.left),
  };
  const storedEntries: typeof memory.entries = {
    ...memory.entries,
    update: (id, change) => write('entries.update', () => memory.entries.update(id, change)),
  };
  const memoryAccounts = createMemoryAccounts(
    Object.values(callers).map((known): Account => ({ accessManager: false, ...known, createdAt: 0 })),
    emit,
  );
  const storedAccounts: typeof memoryAccounts = {
    ...memoryAccounts,
    add: (account) => write('accounts.add', () => memoryAccounts.add(account)),
    remove: (accountId, removedAt) => write('accounts.remove', () => memoryAccounts.remove(accountId, removedAt)),
    addToken: (token, replaced) => write('accounts.addToken', () => memoryAccounts.addToken(token, replaced)),
    removeTokens: (tokenIds) => write('accounts.removeTokens', () => memoryAccounts.removeTokens(tokenIds)),
  };
  const memoryCounters = createMemoryCounters();
  const counters: typeof memoryCounters = {
    next: (kind) => write(`counters.${kind}`, async () => 1_000 + (await memoryCounters.next(kind))),
    groupId: (name) => write('counters.groupId', () => memoryCounters.groupId(name)),
    groupIds: memoryCounters.groupIds,
    orderGroups: (groupIds) => write('counters.orderGroups', () => memoryCounters.orderGroups(groupIds)),
  };
  const memoryRecords = createMemoryRecords(emit);
  const records: typeof memoryRecords = {
    ...memoryRecords,
    async *since(recordId, wants) {
      if (storage.fails('records.since')) throw new DomainError('storage-unavailable', 'the disk cannot be read');
      yield* memoryRecords.since(recordId, wants);
    },
    append: (id, epoch, drafts) => write('records.append', () => memoryRecords.append(id, epoch, drafts)),
  };
  const memoryQuarantine = createMemoryQuarantine();
  const quarantine: typeof memoryQuarantine = {
    kept: memoryQuarantine.kept,
    keep: (device, reason, payload) => write('quarantine.keep', () => memoryQuarantine.keep(device, reason, payload)),
  };
  const memoryRemoved = createMemoryRemovedLocks();
  const removedLocks: typeof memoryRemoved = {
    ...memoryRemoved,
    add: (removed) => write('removedLocks.add', () => memoryRemoved.add(removed)),
  };
  const memoryPeople = createMemoryPeople(emit);
  const people: typeof memoryPeople = {
    ...memoryPeople,
    add: (person) => write('people.add', () => memoryPeople.add(person)),
    update: (id, change) => write('people.update', () => memoryPeople.update(id, change)),
    remove: (id) => write('people.remove', () => memoryPeople.remove(id)),
  };
  const pause = createMemoryPause();
  const revocations = createMemoryRevocations(emit);
  const access = createMemoryAccessLog(clock.now);
  const memorySchedules = createMemorySchedules(emit);
  const schedules: typeof memorySchedules = {
    ...memorySchedules,
    put: (schedule) => write('schedules.put', () => memorySchedules.put(schedule)),
    remove: (id) => write('schedules.remove', () => memorySchedules.remove(id)),
    setHolidays: (dates) => write('schedules.setHolidays', () => memorySchedules.setHolidays(dates)),
  };
  const memoryStatuses = createMemoryStatuses(emit);
  const secrets = createFakeSecrets();
  const commandIds = createFakeCommandIds();

  const link: FakeLink = createFakeLink({
    clock,
    onOutcome(id, command, outcome) {
      if (outcome.kind === 'ok') reports.reply(id, command, outcome, { ...(outcome.state && { state: outcome.state }) });
      if (outcome.kind === 'refused') reports.reply(id, command, outcome, {});
    },
  });
  const drivers = createDriverTable({ locks: storedLocks });
  const gatewayClock = { isSuspect: false, isSynchronised: false };
  const gatewayStorage = { health: 'ok' };
  const gatewayLease = { leftMs: Number.POSITIVE_INFINITY, isAlone: true };
  const gatewayDatabase: FakeDatabaseHealth = { away: undefined, clockAheadMs: 0, standbys: undefined, lostNodes: [] };
  const batteries = createMemoryBatteries();
  const memoryHubs = createMemoryHubs(emit);
  const hubs: typeof memoryHubs = {
    ...memoryHubs,
    add: (hub) => write('hubs.add', () => memoryHubs.add(hub)),
    update: (deviceId, change) => write('hubs.update', () => memoryHubs.update(deviceId, change)),
    remove: (deviceId) => write('hubs.remove', () => memoryHubs.remove(deviceId)),
  };
  const hubLink = createFakeHubLink();
  const memoryAlarms = createMemoryAlarms(emit);
  const receiver = createFakeReceiver();
  const memoryWebhooks = createMemoryWebhooks(emit);
  const webhookStore: typeof memoryWebhooks = {
    ...memoryWebhooks,
    add: (kept) => write('webhooks.add', () => memoryWebhooks.add(kept)),
    update: (id, change) => write('webhooks.update', () => memoryWebhooks.update(id, change)),
    remove: (id) => write('webhooks.remove', () => memoryWebhooks.remove(id)),
  };
  const memoryTtlockLogins = createMemoryTtlockLogins();
  const ttlockLogins: typeof memoryTtlockLogins = {
    ...memoryTtlockLogins,
    put: (login) => write('ttlockLogins.put', () => memoryTtlockLogins.put(login)),
    remove: (loginIds) => write('ttlockLogins.remove', () => memoryTtlockLogins.remove(loginIds)),
    noteUses: (uses) => write('ttlockLogins.noteUses', () => memoryTtlockLogins.noteUses(uses)),
  };
  const plainBodies: WebhookBodies = {
    atOnce: 1,
    event: ({ type, lockId: of }, { id, at }) => JSON.stringify({ id, type, lockId: of, at }),
    test: ({ id }) => JSON.stringify({ id, type: 'test' }),
    request: ([one]) => one?.body ?? '',
  };
  const webhookBodies = {
    plain: plainBodies,
    ttlock: createCallbackBodies({ locks: storedLocks, removedLocks, statuses: memoryStatuses }),
  };
  /** TTLock logins besides those that are stored, as far as their callbacks go. */
  const logins: CallbackOfLogin[] = [];
  const clockIsSuspect = () => gatewayClock.isSuspect;
  const clockIsTrusted = async () => {
    if (gatewayClock.isSynchronised) gatewayClock.isSuspect = false;
    return !gatewayClock.isSuspect;
  };
  const random = () => 0.5;

  const stores: ServicesOptions['stores'] = {
    ...{
      batteries,
      counters,
      records,
      removedLocks,
      quarantine,
      people,
      schedules,
      revocations,
      access,
      imports: createMemoryImports(),
      pause,
    },
    ...{
      locks: storedLocks,
      entries: storedEntries,
      accounts: storedAccounts,
      statuses: memoryStatuses,
      webhooks: webhookStore,
      ttlockLogins,
    },
    settings: createMemorySettings(),
    alarms: { ...memoryAlarms, update: (change) => write('alarms.update', () => memoryAlarms.update(change)) },
  };
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const messages = createFakeMessages();
  const services = createServices({
    lease: { leftMs: () => gatewayLease.leftMs },
    ...{
      clock,
      secrets,
      events,
      storedEvents: events,
      storesNothing: () => false,
      isAlone: () => gatewayLease.isAlone,
      drivers,
      commandIds,
      webhookBodies,
      random,
      clockIsSuspect,
    },
    stores,
    commandTimeoutMs: 10_000,
    recordDays: 184,
    alarmDetector: {
      offlineAfterMs: 60_000,
      endAfterMs: 60_000,
      silentAfterMs: 26 * 3_600_000,
      lowBatteryPercent: 20,
      openAfterMs: 3_600_000,
    },
    webhookSender: receiver.sender,
    logins: () => [...logins, ...ttlockLogins.all()],
    notificationSenders: { email: messages.sender, ntfy: messages.sender },
    confirmationLink: (secret) => `https://gateway.local/#/notifications/${secret}`,
    timeZone: 'Europe/Berlin',
    storageHealth: () => gatewayStorage.health,
    database: {
      away: () => gatewayDatabase.away,
      clockAheadMs: () => gatewayDatabase.clockAheadMs,
      standbys: () => gatewayDatabase.standbys,
      lostNodes: () => gatewayDatabase.lostNodes,
    },
    nextTurn: () => Promise.resolve(),
  });
  const accessServices = createAccessServices({
    nextTurn,
    ...{ clock, clockIsSuspect, timeZone: createTimeZone('Europe/Berlin'), secrets, events, drivers, services, stores },
  });
  const boardServices = createBoardServices({
    ...{ clock, clockIsSuspect, recordDays: 184, secrets, events, drivers, services, stores, nextTurn },
  });
  const ttlock = createTtlockServices({ clock, secrets, events, stores, ...services });
  const { live, commands, alarms, alarmDetector, webhooks } = services;
  const native = createNativeDriver({
    ...{ clock, link, locks: storedLocks, records, commands, reports: services.reports, events, emit },
    ...{ timeZone: createTimeZone('Europe/Berlin'), holidays: schedules.holidays },
    ...{ clockIsSuspect, clockIsTrusted, secrets, hubs, hubLink },
    ...{ registrations: services.registrations, administration: services.administration },
  });
  drivers.add(native);
  const { reports, clockSync, pairing } = native;
  const { locks, statuses, accounts } = {
    locks: storedLocks,
    statuses: memoryStatuses,
    accounts: storedAccounts,
  };
  /** As a new process would make it, over the same stores. */
  const createWebhooks = () =>
    createWebhookService({
      ...{ clock, events, live, accounts, locks, counters, secrets, random, clockIsSuspect },
      administration: createMutex(),
      webhooks: webhookStore,
      sender: receiver.sender,
      bodies: webhookBodies,
      logins: () => [...logins, ...ttlockLogins.all()],
    });

  /** As a new process would make it, over the same stores. */
  const createNotifications = (nextTurn = () => Promise.resolve()) =>
    createNotificationService({
      ...{ clock, events, live, accounts, secrets, random, clockIsSuspect, locks, settings: stores.settings, nextTurn },
      ...{ senders: { email: messages.sender, ntfy: messages.sender }, timeZone: 'Europe/Berlin' },
      confirmationLink: (secret) => `https://gateway.local/#/notifications/${secret}`,
    });

  const memoryAudit = createMemoryAudit();
  const audit = createAuditTrail({
    clock,
    audit: { ...memoryAudit, append: (entry) => write('audit.append', () => memoryAudit.append(entry)) },
  });

  const { cards: initialCards = [], open = [] } = options;
  await memory.entries.update(lockId, () => ({ put: entriesOfCards(initialCards, open) }));
  /** What a test compares. */
  const cardsNow = (id: LockId) => cardsAndOpen(memory.entries.inMemory(id), clock.now());
  if (options.online !== false) link.connect(lockId);
  return {
    clock,
    events,
    emit,
    storage: storage as Storage,
    notices,
    locks,
    cards: { now: cardsNow },
    accounts,
    counters,
    records,
    quarantine,
    statuses,
    removedLocks,
    people,
    peopleServices: accessServices,
    entries: storedEntries,
    access,
    revocations,
    secrets,
    commandIds,
    link,
    commands,
    certainty: services.certainty,
    lists: services.lists,
    lockService: services.locks,
    cardService: services.cards,
    passcodes: services.passcodes,
    reconciler: services.reconciler,
    wantedViews: services.wantedViews,
    granted: services.granted,
    evidence: services.evidence,
    recordService: services.records,
    accountService: services.accounts,
    registrationService: services.registrations,
    roleService: services.roles,
    leftRoles: services.leftRoles,
    leftSettings: services.leftSettings,
    ttlock,
    ttlockStore: ttlockLogins,
    settings: stores.settings,
    hubs,
    hubLink,
    hubService: native.hubs,
    pairing,
    damagedLocks,
    gatewayClock,
    gatewayStorage,
    gatewayLease,
    gatewayDatabase,
    drivers,
    clockSync,
    calendarSync: native.calendarSync,
    schedules,
    clockEvidence: services.clockEvidence,
    deeds: memoryAudit.entries,
    audit,
    alarms,
    alarmDetector,
    reports,
    live,
    receiver,
    webhookStore,
    createWebhooks,
    webhooks,
    logins,
    messages,
    notifications: services.notifications,
    createNotifications,
    accessServices,
    ...boardServices,
    pause,
  };
}

export type Domain = Awaited<ReturnType<typeof createDomain>>;

/** The records of a lock, newest first. */
export async function recordsOf({ records }: Domain, id: LockId = lockId) {
  return (await records.page({ lockId: id, from: 0, to: Number.MAX_SAFE_INTEGER, pageNo: 1, pageSize: 1_000 })).list;
}

/** The record that this event of a lock becomes, when it is the lock's first. */
export async function recordOf(domain: Domain, event: Partial<LockEvent>) {
  await domain.reports.events(lockId, { epoch: 'e', events: [{ seq: 1, type: 'card-unlock', ...event }] });
  return (await recordsOf(domain))[0];
}
