// Follows what was reported lost until it is surely dead at every lock: an alarm for each lock where it is not, and news for who listens.
import type { AlarmService } from '../alarms/alarm-service.ts';
import type { Clock } from '../clock.ts';
import type { Entry } from '../credentials/entry.ts';
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { Part } from '../part.ts';
import type { LostNumbers } from './lost-numbers.ts';
import { isDead, type LockRevocation, type Revocation, type RevocationId } from './revocation.ts';
import type { RevocationStore } from './revocation-ports.ts';
import { type RevocationReports, summaryOf } from './revocation-reports.ts';
import type { RevocationRecovery } from './revocation-service.ts';

/** What changes together is looked at once. */
const debounceMs = 200;
const lookMs = 30_000;
/** How long a lock may take to remove a lost credential before somebody should look at it. */
const openForMs = 900_000;

export function createRevocationWatch(options: {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly store: RevocationStore;
  readonly lost: LostNumbers;
  readonly reports: RevocationReports;
  readonly alarms: Pick<AlarmService, 'raise' | 'clear' | 'ofKind'>;
  readonly recovery: RevocationRecovery;
}): Part {
  const { clock, events, store, lost, reports, alarms, recovery } = options;
  /** Of those that are not surely dead everywhere: the locks that may open, and the summary that was last emitted. */
  const open = new Map<RevocationId, { readonly lockIds: ReadonlySet<LockId>; readonly said: string }>();
  const unseen = new Set<RevocationId>();
  let cancel: (() => void) | undefined;
  let cancelLook: (() => void) | undefined;
  let looking = false;
  let stopped = true;

  function see(revocationId: RevocationId): void {
    unseen.add(revocationId);
    if (!stopped && !looking) cancel ??= clock.timer(debounceMs, () => void lookAtUnseen());
  }
  async function lookAtUnseen(): Promise<void> {
    cancel = undefined;
    looking = true;
    for (const revocationId of unseen) {
      unseen.delete(revocationId);
      const revocation = store.get(revocationId);
      // What cannot be read or written now is looked at again.
      if (revocation !== undefined && revocation.foundDate === null) await lookAt(revocation).catch(() => undefined);
      else open.delete(revocationId);
      if (stopped) break;
    }
    looking = false;
    updateAlarms();
  }

  async function lookAt(revocation: Revocation): Promise<void> {
    const { revocationId, certainDate } = revocation;
    const locks = await reports.locksOf(revocation);
    const { certain, doors } = summaryOf(locks);
    const said = JSON.stringify(doors);
    if (open.get(revocationId)?.said !== said && (!certain || certainDate === null || open.has(revocationId)))
      events.emit('revocation-reported', { revocation, certain, doors });
    if (certain) open.delete(revocationId);
    else open.set(revocationId, { lockIds: new Set(locks.filter(isOpen).map(({ lockId }) => lockId)), said });
    const date = certain ? (certainDate ?? clock.now()) : null;
    const newest = store.get(revocationId);
    if (date !== certainDate && newest === revocation) await store.put({ ...revocation, certainDate: date });
  }

  function updateAlarms(): void {
    const late = new Set<LockId>();
    for (const [revocationId, { lockIds }] of open) {
      const lostDate = store.get(revocationId)?.lostDate ?? clock.now();
      if (clock.now() - lostDate >= openForMs) for (const lockId of lockIds) late.add(lockId);
    }
    for (const lockId of late) alarms.raise('revocation-open', lockId, { reason: 'a lost credential may still open it' });
    for (const { lockId } of alarms.ofKind('revocation-open'))
      if (lockId !== null && !late.has(lockId)) alarms.clear('revocation-open', lockId);
  }

  function seeAllOpen(): void {
    for (const { revocationId, certainDate, foundDate } of store.all()) if (certainDate === null && foundDate === null) see(revocationId);
  }
  function look(): void {
    seeAllOpen();
    updateAlarms();
    cancelLook = clock.timer(lookMs, look);
  }
  function entryChanged({ kind, number, credentialId }: Entry): void {
    const ofNumber = kind === 'card' ? lost.lossOf(number) : undefined;
    if (ofNumber !== undefined) see(ofNumber.revocationId);
    else if (credentialId !== null) seeCredential(credentialId);
  }
  /** Only passcodes get here, which have no numbers. */
  function seeCredential(credentialId: number): void {
    for (const revocationId of open.keys()) if (store.get(revocationId)?.credentialId === credentialId) see(revocationId);
  }
  function lockChanged(lockId: LockId): void {
    for (const [revocationId, { lockIds }] of open) if (lockIds.has(lockId)) see(revocationId);
  }

  events.subscribe('revocation-changed', ({ before, after }) => {
    if (after !== undefined && (before === undefined || before.foundDate !== after.foundDate)) see(after.revocationId);
  });
  events.subscribe('entry-changed', ({ before, after }) => {
    const entry = after ?? before;
    if (entry !== undefined) entryChanged(entry);
  });
  events.subscribe('lock-online', ({ lockId }) => lockChanged(lockId));
  events.subscribe('lock-offline', ({ lockId }) => lockChanged(lockId));

  return {
    name: 'revocations',
    async start() {
      stopped = false;
      await recovery.recover();
      look();
    },
    async stop() {
      stopped = true;
      cancel?.();
      cancelLook?.();
    },
  };
}

/** A person can do something about it at the lock. */
function isOpen(lock: LockRevocation): boolean {
  return !isDead(lock) && lock.state !== 'unknown';
}
