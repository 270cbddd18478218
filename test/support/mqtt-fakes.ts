// Stand-ins for what the mqtt adapter asks of the domain: each writes down what it was told.

import { createHash } from 'node:crypto';
import { DomainError } from '../../src/domain/errors.ts';
import type { Hub } from '../../src/domain/locks/hub.ts';
import { nativeDriver } from '../../src/domain/locks/hub.ts';
import type { HubStore } from '../../src/domain/locks/hub-ports.ts';
import { type DeviceId, type Lock, type LockId, unknownSettings } from '../../src/domain/locks/lock.ts';
import type { LockStore } from '../../src/domain/locks/lock-ports.ts';
import type { ReportService } from '../../src/domain/locks/report-service.ts';
import type { Log } from '../../src/domain/part.ts';
import type { Quarantine } from '../../src/domain/records/record-ports.ts';
import type { Secrets } from '../../src/domain/secrets.ts';
import type { LockLine } from '../../src/drivers/native/lock-line.ts';

export const secrets: Pick<Secrets, 'hash' | 'equal'> = {
  hash: (secret) => createHash('sha256').update(secret).digest('hex'),
  equal: (a, b) => a === b,
};

export const lockA = { lockId: 7 as LockId, deviceId: 'a4c1387f02e9' as DeviceId, key: 'key-of-lock-a-0123456789' };
export const lockB = { lockId: 8 as LockId, deviceId: 'a4c1387f02ea' as DeviceId, key: 'key-of-lock-b-0123456789' };
export type TestLock = typeof lockA;

export function registered({ lockId, deviceId, key }: TestLock): Lock {
  return {
    ...{ lockId, deviceId, name: deviceId, alias: '', superPasscode: '', lockData: '', groupId: 0, groupName: '' },
    ...{ timezoneOffsetMs: 0, featureValue: '', modelNum: '', hardwareRevision: '', firmwareRevision: '', autoLockSeconds: 0 },
    ...{
      settings: unknownSettings,
      initialisedAt: 0,
      administrator: 1 as Lock['administrator'],
      roles: [],
      driver: nativeDriver(deviceId, null, secrets.hash(key)),
    },
  };
}

/** The same lock, bound to a hub. */
export function behind({ deviceId: hubId }: Pick<TestLock, 'deviceId'>, lock: TestLock): Lock {
  return { ...registered(lock), driver: nativeDriver(lock.deviceId, hubId, secrets.hash(lock.key)) };
}

export interface FakeLocks extends Pick<LockStore, 'byDevice'> {
  byDevice: LockStore['byDevice'];
  readonly locks: Map<string, Lock>;
}

export function createFakeLocks(...all: TestLock[]): FakeLocks {
  const locks = new Map<string, Lock>(all.map((lock) => [lock.deviceId, registered(lock)]));
  return { locks, byDevice: (deviceId) => locks.get(deviceId) };
}

export const hub = { deviceId: 'a4c1387f02f0' as DeviceId, key: 'key-of-the-hub-0123456789' };

export interface FakeHubs extends HubStore {
  get: HubStore['get'];
  hubs: Hub[];
}

export function createFakeHubs(): FakeHubs {
  const known: Hub = { deviceId: hub.deviceId, name: 'hub', createdAt: 0, keyHash: secrets.hash(hub.key) };
  const refuse = () => Promise.reject(new Error('not here'));
  const fake: FakeHubs = {
    ...{ hubs: [known], add: refuse, update: refuse, remove: refuse },
    all: () => fake.hubs,
    get: (deviceId) => fake.hubs.find((one) => one.deviceId === deviceId),
  };
  return fake;
}

/** What the report service was told, in order: `['hello', 7, {…}]`. */
export type Told = readonly [what: string, lockId: LockId, report?: unknown];

export interface FakeReports extends ReportService {
  hello: ReportService['hello'];
  state: ReportService['state'];
  battery: ReportService['battery'];
  reply: ReportService['reply'];
  events: ReportService['events'];
  offline: ReportService['offline'];
  readonly told: Told[];
}

/** What the report service says of events that it did not know yet. */
export const allNew = { duplicates: 0 };

export function createFakeReports(): FakeReports {
  const told: Told[] = [];
  return {
    told,
    hello: (lockId, report) => void told.push(['hello', lockId, report]),
    properties: (lockId, report) => void told.push(['properties', lockId, report]),
    state: (lockId, report) => void told.push(['state', lockId, report]),
    battery: (lockId, report) => void told.push(['battery', lockId, report]),
    batteryCritical: (lockId, isCritical) => void told.push(['batteryCritical', lockId, isCritical]),
    reply: (lockId, _command, outcome, report) => void told.push(['reply', lockId, { outcome, ...report }]),
    async events(lockId, report) {
      told.push(['events', lockId, report]);
      return allNew;
    },
    offline: (lockId) => void told.push(['offline', lockId]),
  };
}

export interface FakeQuarantine extends Quarantine {
  keep: Quarantine['keep'];
  readonly kept: { deviceId: DeviceId; reason: string; payload: string }[];
}

export function createFakeQuarantine(): FakeQuarantine {
  const kept: FakeQuarantine['kept'] = [];
  return {
    kept,
    async keep(deviceId, reason, payload) {
      kept.push({ deviceId, reason, payload });
    },
  };
}

export interface FakeLog extends Log {
  readonly lines: { level: string; fields: object; message: string }[];
}

export function createFakeLog(): FakeLog {
  const lines: FakeLog['lines'] = [];
  const level = (name: string) => (fields: object, message: string) => void lines.push({ level: name, fields, message });
  return { lines, debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error'), fatal: level('fatal') };
}

export interface FakeConnection extends LockLine {
  readonly published: { topic: string; payload: string }[];
  readonly closed: string[];
}

export function createFakeConnection({ lockId, deviceId }: Pick<TestLock, 'lockId' | 'deviceId'>): FakeConnection {
  const published: FakeConnection['published'] = [];
  const closed: string[] = [];
  return {
    ...{ lockId, deviceId, isEncrypted: false, published, closed },
    publish: (topic, payload) => void published.push({ topic, payload }),
    close: (reason) => void closed.push(reason),
    reconnect: (reason) => void closed.push(reason),
    isUrgent: () => false,
  };
}

export function storageUnavailable(): DomainError {
  return new DomainError('storage-unavailable', 'the disk is full');
}

/** A promise that the test settles. */
export function createGate(): { readonly promise: Promise<void>; open(): void; fail(error: unknown): void } {
  let open = () => {};
  let fail = (_error: unknown) => {};
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** Waits until the condition holds: no fixed sleep, and a clear failure when it never does. */
export async function until(what: string, condition: () => boolean, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    // A short rest, so that whoever waits for seconds leaves the machine to the others.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
