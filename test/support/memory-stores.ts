// Every store port in memory, for tests of the domain: the same promises as on the disk, but for durability.
import { type Account, type AccountId, hasFewerRights } from '../../src/domain/accounts/account.ts';
import { createAccountBook } from '../../src/domain/accounts/account-book.ts';
import type { AccountStore } from '../../src/domain/accounts/account-ports.ts';
import { type AccountSettings, type AccountSettingsStore, untouchedSettings } from '../../src/domain/accounts/account-settings.ts';
import type { Invitation, Passkey, StoredPassword } from '../../src/domain/accounts/sign-in.ts';
import { createSignInBook } from '../../src/domain/accounts/sign-in-book.ts';
import type { CredentialStore, SignInStore } from '../../src/domain/accounts/sign-in-ports.ts';
import type { AcceptedLoss, Alarm, AlarmKind } from '../../src/domain/alarms/alarm.ts';
import type { AlarmStore } from '../../src/domain/alarms/alarm-ports.ts';
import type { AuditEntry } from '../../src/domain/audit/audit-action.ts';
import type { AuditStore, AuditWanted } from '../../src/domain/audit/audit-ports.ts';
import type { CounterStore } from '../../src/domain/counters.ts';
import type { PauseStore } from '../../src/domain/credentials/access-pause.ts';
import type { EntryStore } from '../../src/domain/credentials/entry-ports.ts';
import { createEntries, entryEventsOf, type HeldEntries } from '../../src/domain/credentials/lock-entries.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { Emit } from '../../src/domain/event-bus.ts';
import type { HomeCodeStore } from '../../src/domain/home-assistant/home-code-service.ts';
import type { Hub } from '../../src/domain/locks/hub.ts';
import type { HubStore } from '../../src/domain/locks/hub-ports.ts';
import { type BatteryLevel, type DeviceId, type Lock, type LockId, type LockStatus, unknownStatus } from '../../src/domain/locks/lock.ts';
import type { BatteryStore, LockStore, RemovedLockStore, StatusStore } from '../../src/domain/locks/lock-ports.ts';
import type { RemovedLock } from '../../src/domain/locks/removed-lock.ts';
import { paginate } from '../../src/domain/page.ts';
import type { ImportStep, ImportStore, StoredImport } from '../../src/domain/people/import-ports.ts';
import { createPeopleBook } from '../../src/domain/people/people-book.ts';
import type { PersonStore, ScheduleStore } from '../../src/domain/people/people-ports.ts';
import type { Person, PersonId, Schedule, ScheduleId } from '../../src/domain/people/person.ts';
import type { LockRecord, RecordDraft } from '../../src/domain/records/record.ts';
import type { EpochProgress, Quarantine, RecordStore } from '../../src/domain/records/record-ports.ts';
import type { Revocation, RevocationId } from '../../src/domain/revocations/revocation.ts';
import type { RevocationStore } from '../../src/domain/revocations/revocation-ports.ts';
import type { TtlockLogin } from '../../src/domain/ttlock/ttlock-login.ts';
import type { TtlockLoginStore } from '../../src/domain/ttlock/ttlock-ports.ts';
import type { StoredWebhook, WebhookId } from '../../src/domain/webhooks/webhook.ts';
import type { WebhookStore } from '../../src/domain/webhooks/webhook-ports.ts';

export interface MemoryLocks {
  readonly locks: LockStore;
  readonly entries: EntryStore;
}

const noEntries = createEntries();

function nobodyHears(): void {}

/** LockStore and EntryStore, which share their locks. */
export function createMemoryLocks(initial: readonly Lock[] = [], emit: Emit = nobodyHears): MemoryLocks {
  const byId = new Map<LockId, { lock: Lock; entries: HeldEntries }>(
    initial.map((lock) => [lock.lockId, { lock, entries: createEntries() }]),
  );
  let sorted: readonly Lock[] | undefined;
  const byDevice = (deviceId: DeviceId): Lock | undefined => [...byId.values()].find(({ lock }) => lock.deviceId === deviceId)?.lock;
  function present(lockId: LockId): { lock: Lock; entries: HeldEntries } {
    const entry = byId.get(lockId);
    if (!entry) throw new DomainError('lock-not-found', `there is no lock ${lockId}`);
    return entry;
  }
  const entries: EntryStore = {
    inMemory: (lockId) => byId.get(lockId)?.entries ?? noEntries,
    of: async (lockId) => byId.get(lockId)?.entries ?? noEntries,
    async update(lockId, change) {
      const { entries: there } = present(lockId);
      const made = change(there);
      const ids = [...(made.remove ?? []), ...(made.put ?? []).map(({ entryId }) => entryId)];
      const before = new Map(ids.map((entryId) => [entryId, there.byId(entryId)]));
      there.apply(made);
      const changes = Array.from(before, ([entryId, was]) => ({ before: was, after: there.byId(entryId) }));
      for (const one of entryEventsOf(changes, [made])) emit('entry-changed', { lockId, ...one });
    },
  };
  return {
    entries,
    locks: {
      all() {
        sorted ??= [...byId.values()].map(({ lock }) => lock).sort((a, b) => a.lockId - b.lockId);
        return sorted;
      },
      get: (lockId) => byId.get(lockId)?.lock,
      byDevice,
      isDisabled: () => false,
      async add(lock) {
        if (byId.has(lock.lockId) || byDevice(lock.deviceId)) throw new DomainError('conflict', 'That lock is registered already');
        byId.set(lock.lockId, { lock, entries: createEntries() });
        sorted = undefined;
        emit('lock-changed', { before: undefined, after: lock });
      },
      async update(lockId, change) {
        const entry = present(lockId);
        const before = entry.lock;
        entry.lock = change(before);
        sorted = undefined;
        if (entry.lock !== before) emit('lock-changed', { before, after: entry.lock });
        return entry.lock;
      },
      async remove(lockId) {
        const { lock: before } = present(lockId);
        byId.delete(lockId);
        sorted = undefined;
        emit('lock-changed', { before, after: undefined });
      },
    },
  };
}

/** A gateway that was not restored, until a test says that it was. */
export function createMemoryPause(): PauseStore & { begin(at: number): void } {
  let since: number | null = null;
  return {
    since: () => since,
    async end() {
      since = null;
    },
    begin(at) {
      since = at;
    },
  };
}

export function createMemoryRemovedLocks(): RemovedLockStore {
  let all: readonly RemovedLock[] = [];
  const without = (lockId: LockId) => all.filter((removed) => removed.lockId !== lockId);
  return {
    all: () => all,
    get: (lockId) => all.find((removed) => removed.lockId === lockId),
    async add(removed) {
      all = [...without(removed.lockId), removed].sort((a, b) => a.removedAt - b.removedAt);
    },
    async forget(lockId) {
      all = without(lockId);
    },
  };
}

export function createMemoryStatuses(emit: Emit = nobodyHears): StatusStore {
  const known = new Map<LockId, LockStatus>();
  return {
    get: (lockId) => known.get(lockId) ?? unknownStatus,
    patch(lockId, change) {
      const before = known.get(lockId) ?? unknownStatus;
      const after = { ...before, ...change };
      known.set(lockId, after);
      emit('status-changed', { lockId, before, after });
    },
    remove: async (lockId) => void known.delete(lockId),
  };
}

export function createMemoryBatteries(): BatteryStore {
  const known = new Map<LockId, readonly BatteryLevel[]>();
  return {
    levels: async (lockId) => known.get(lockId) ?? [],
    update: async (lockId, change) => void known.set(lockId, change(known.get(lockId) ?? [])),
    remove: async (lockId) => void known.delete(lockId),
  };
}

/** With the account `admin` (1, a gateway administrator) unless told otherwise. */
export function createMemoryAccounts(initial?: readonly Account[], emit: Emit = nobodyHears): AccountStore {
  const admin: Account = { accountId: 1 as AccountId, username: 'admin', gatewayAdministrator: true, accessManager: true, createdAt: 0 };
  const book = createAccountBook();
  for (const account of initial ?? [admin]) book.changed(undefined, account);
  const requireAccount = (accountId: AccountId): Account => {
    const account = book.get(accountId);
    if (account === undefined) throw new DomainError('not-found', 'There is no such account');
    return account;
  };
  return {
    ...book,
    async add(account) {
      book.refuseTaken(account.username);
      book.changed(undefined, account);
      emit('account-changed', { before: undefined, after: account });
    },
    async setRights(accountId, { gatewayAdministrator, accessManager }) {
      const before = requireAccount(accountId);
      const after = { ...before, gatewayAdministrator, accessManager };
      book.changed(before, after);
      emit('account-changed', { before, after });
      if (hasFewerRights(after, before)) emit('access-ended', { accountId });
      return after;
    },
    async remove(accountId, removedAt) {
      const before = requireAccount(accountId);
      book.changed(undefined, { accountId, username: before.username, removedAt });
      book.changed(before, undefined);
      for (const token of book.orphans()) book.changed(token, undefined);
      emit('account-changed', { before, after: undefined });
      emit('access-ended', { accountId });
    },
    async forgetRemoved(until) {
      for (const one of book.removed()) if (one.removedAt <= until) book.changed(one, undefined);
    },
    async addToken(token, replaced) {
      requireAccount(token.accountId);
      if (replaced !== undefined) {
        if (book.token(replaced.tokenId) !== replaced) throw new DomainError('not-found', 'There is no such token');
        book.changed(replaced, undefined);
      }
      book.changed(undefined, token);
    },
    async removeTokens(tokenIds) {
      const found = [...new Set(tokenIds)].flatMap((tokenId) => book.token(tokenId) ?? []);
      for (const token of found) book.changed(token, undefined);
      for (const accountId of new Set(found.map((token) => token.accountId))) emit('access-ended', { accountId });
      return found;
    },
  };
}

export function createMemoryTtlockLogins(): TtlockLoginStore {
  const logins = new Map<number, TtlockLogin>();
  const uses = new Map<number, number>();
  const all = () => [...logins.values()].sort((one, other) => one.loginId - other.loginId);
  return {
    get: (loginId) => logins.get(loginId),
    byClientId: (clientId) => all().find((one) => one.clientId === clientId),
    all,
    lastUsedAt: (loginId) => uses.get(loginId) ?? null,
    put: async (login) => void logins.set(login.loginId, login),
    async remove(loginIds) {
      for (const loginId of loginIds) {
        logins.delete(loginId);
        uses.delete(loginId);
      }
    },
    async noteUses(some) {
      for (const { loginId, lastUsedAt } of some) if (logins.has(loginId)) uses.set(loginId, lastUsedAt);
    },
  };
}

export function createMemorySignIns(): SignInStore {
  const book = createSignInBook();
  const invitations = new Map<AccountId, Invitation>();
  return {
    ...book,
    begin: async (signIn) => book.begin(signIn),
    async end(hashes) {
      book.end(hashes);
      for (const hash of hashes) book.stored(hash, undefined);
    },
    async noteUses(uses) {
      for (const { hash, lastUsedAt } of uses) {
        const one = book.get(hash);
        if (one !== undefined) book.begin({ ...one, lastUsedAt: Math.max(one.lastUsedAt, lastUsedAt) });
      }
    },
    invitation: (hash) => [...invitations.values()].find((one) => one.hash === hash),
    invitations: () => [...invitations.values()],
    invite: async (invitation) => void invitations.set(invitation.accountId, invitation),
    endInvitation: async (accountId) => void invitations.delete(accountId),
  };
}

export function createMemorySettings(): AccountSettingsStore {
  const settings = new Map<AccountId, AccountSettings>();
  const of = (accountId: AccountId): AccountSettings => settings.get(accountId) ?? untouchedSettings(accountId);
  return {
    of,
    all: () => [...settings.values()],
    update: async (accountId, change) => void settings.set(accountId, change(of(accountId))),
    remove: async (accountId) => void settings.delete(accountId),
  };
}

export function createMemoryCredentials(): CredentialStore {
  const passwords = new Map<AccountId, StoredPassword>();
  const passkeys = new Map<number, Passkey>();
  const all = () => [...passkeys.values()].sort((one, other) => one.passkeyId - other.passkeyId);
  return {
    password: (accountId) => passwords.get(accountId),
    passkeys: (accountId) => all().filter((one) => one.accountId === accountId),
    passkey: (passkeyId) => passkeys.get(passkeyId),
    passkeyByCredential: (credentialId) => all().find((one) => one.credentialId === credentialId),
    setPassword: async (password) => void passwords.set(password.accountId, password),
    putPasskey: async (passkey) => void passkeys.set(passkey.passkeyId, passkey),
    removePasskey: async (passkeyId) => void passkeys.delete(passkeyId),
    async forget(exists) {
      for (const accountId of passwords.keys()) if (!exists(accountId)) passwords.delete(accountId);
      for (const { passkeyId, accountId } of all()) if (!exists(accountId)) passkeys.delete(passkeyId);
    },
  };
}

export function createMemoryHubs(emit: Emit = nobodyHears): HubStore {
  let all: readonly Hub[] = [];
  const get = (deviceId: DeviceId): Hub | undefined => all.find((hub) => hub.deviceId === deviceId);
  function present(deviceId: DeviceId): Hub {
    const hub = get(deviceId);
    if (hub === undefined) throw new DomainError('not-found', `there is no hub ${deviceId}`);
    return hub;
  }
  return {
    all: () => all,
    get,
    async add(hub) {
      if (get(hub.deviceId) !== undefined) throw new DomainError('conflict', 'That hub is registered already');
      all = [...all, hub];
      emit('hub-changed', { before: undefined, after: hub });
    },
    async update(deviceId, change) {
      const before = present(deviceId);
      const after = change(before);
      all = all.map((hub) => (hub === before ? after : hub));
      if (after !== before) emit('hub-changed', { before, after });
      return after;
    },
    async remove(deviceId) {
      const gone = present(deviceId);
      all = all.filter((hub) => hub !== gone);
      emit('hub-changed', { before: gone, after: undefined });
    },
  };
}

export function createMemoryAlarms(emit: Emit = nobodyHears): AlarmStore {
  const active = new Map<string, Alarm>();
  const losses = new Map<LockId, AcceptedLoss>();
  const stored = {
    get: (kind: AlarmKind, lockId: LockId | null) => active.get(`${kind} ${lockId}`),
    accepted: (lockId: LockId) => losses.get(lockId)?.lost ?? [],
  };
  return {
    ...stored,
    all: () => [...active.values()],
    acceptedLosses: () => losses.values(),
    async update(change) {
      const changes = change(stored);
      for (const loss of changes.acceptedLosses ?? []) {
        if (loss.lost.length > 0) losses.set(loss.lockId, loss);
        else losses.delete(loss.lockId);
      }
      for (const alarm of changes.active ?? []) {
        const before = stored.get(alarm.kind, alarm.lockId);
        active.set(`${alarm.kind} ${alarm.lockId}`, alarm);
        emit('alarm-changed', { before, after: alarm });
      }
      for (const { kind, lockId } of changes.ended ?? []) {
        const before = stored.get(kind, lockId);
        if (active.delete(`${kind} ${lockId}`)) emit('alarm-changed', { before, after: undefined });
      }
    },
  };
}

export function createMemoryWebhooks(emit: Emit = nobodyHears): WebhookStore {
  const byId = new Map<WebhookId, StoredWebhook>();
  function present(webhookId: WebhookId): StoredWebhook {
    const stored = byId.get(webhookId);
    if (stored === undefined) throw new DomainError('not-found', `there is no webhook ${webhookId}`);
    return stored;
  }
  return {
    all: async () => [...byId.values()],
    get: async (webhookId) => byId.get(webhookId),
    async add(stored) {
      byId.set(stored.webhook.webhookId, stored);
      emit('webhook-changed', { before: undefined, after: stored.webhook });
    },
    async update(webhookId, change) {
      const before = present(webhookId);
      const after = change(before);
      byId.set(webhookId, after);
      if (after.webhook !== before.webhook) emit('webhook-changed', { before: before.webhook, after: after.webhook });
      return after;
    },
    async remove(webhookId) {
      const { webhook } = present(webhookId);
      byId.delete(webhookId);
      emit('webhook-changed', { before: webhook, after: undefined });
    },
  };
}

export function createMemoryPeople(emit: Emit = nobodyHears): PersonStore {
  const book = createPeopleBook();
  function change(before: Person | undefined, after: Person | undefined): void {
    book.changed(before, after);
    emit('person-changed', { before, after });
  }
  function present(personId: PersonId): Person {
    const found = book.get(personId);
    if (found === undefined) throw new DomainError('not-found', `there is no person ${personId}`);
    return found;
  }
  return {
    ...book,
    add: async (person) => change(undefined, person),
    async update(personId, make) {
      const before = present(personId);
      const after = make(before);
      if (after !== before) change(before, after);
      return after;
    },
    remove: async (personId) => change(present(personId), undefined),
  };
}

export function createMemoryRevocations(emit: Emit = nobodyHears): RevocationStore {
  const rows = new Map<RevocationId, Revocation>();
  let all: readonly Revocation[] = [];
  function changed(revocationId: RevocationId, before: Revocation | undefined): void {
    all = [...rows.values()].sort((one, other) => one.revocationId - other.revocationId);
    emit('revocation-changed', { before, after: rows.get(revocationId) });
  }
  return {
    all: () => all,
    get: (revocationId) => rows.get(revocationId),
    async put(revocation) {
      const before = rows.get(revocation.revocationId);
      rows.set(revocation.revocationId, revocation);
      changed(revocation.revocationId, before);
    },
    async remove(revocationId) {
      const before = rows.get(revocationId);
      rows.delete(revocationId);
      changed(revocationId, before);
    },
  };
}

export function createMemoryImports(): ImportStore {
  const all = new Map<string, { readonly head: StoredImport; readonly steps: readonly ImportStep[] }>();
  function present(importId: string) {
    const one = all.get(importId);
    if (one === undefined) throw new DomainError('not-found', `there is no import ${importId}`);
    return one;
  }
  return {
    all: () => [...all.values()].map(({ head }) => head),
    get: (importId) => all.get(importId)?.head,
    async add(head, steps) {
      all.set(head.importId, { head, steps: [...steps] });
    },
    async update(importId, change) {
      const { head, steps } = present(importId);
      const after = change(head);
      all.set(importId, { head: after, steps });
      return after;
    },
    steps: async (importId) => present(importId).steps,
    async remove(importId) {
      all.delete(importId);
    },
  };
}

export function createMemorySchedules(emit: Emit = nobodyHears): ScheduleStore {
  let all: readonly Schedule[] = [];
  let holidays: readonly string[] = [];
  const without = (scheduleId: ScheduleId) => all.filter((one) => one.scheduleId !== scheduleId);
  return {
    all: () => all,
    get: (scheduleId) => all.find((one) => one.scheduleId === scheduleId),
    holidays: () => holidays,
    async put(schedule) {
      all = [...without(schedule.scheduleId), schedule].sort((a, b) => a.scheduleId - b.scheduleId);
      emit('schedules-changed', {});
    },
    async remove(scheduleId) {
      const others = without(scheduleId);
      if (others.length === all.length) throw new DomainError('not-found', `there is no schedule ${scheduleId}`);
      all = others;
      emit('schedules-changed', {});
    },
    async setHolidays(dates) {
      holidays = dates;
      emit('schedules-changed', {});
    },
  };
}

export function createMemoryAudit(): AuditStore & { readonly entries: ReadonlyMap<number, AuditEntry> } {
  const entries = new Map<number, AuditEntry>();
  let highest = 0;
  return {
    entries,
    nextId: async () => ++highest,
    async append(entry) {
      entries.set(entry.id, entry);
    },
    async appendAttempt(entry) {
      entries.set(entry.id, entry);
    },
    async page({ from, to, oldestFirst = false, pageNo, pageSize, ...wanted }) {
      const found = [...entries.values()].filter((entry) => from <= entry.at && entry.at <= to && isWantedEntry(entry, wanted));
      const inOrder = found.toSorted((a, b) => (oldestFirst ? a.id - b.id : b.id - a.id));
      return paginate(inOrder, { pageNo, pageSize });
    },
  };
}

function isWantedEntry(entry: AuditEntry, { username, action, success, object, search = '' }: AuditWanted): boolean {
  const isAbout = object === undefined || entry.object === object || entry.object.endsWith(` of ${object}`);
  const texts = [entry.username, entry.address, entry.object, entry.detail];
  return (
    (username === undefined || entry.username === username) &&
    (action === undefined || entry.action === action) &&
    (success === undefined || (entry.outcome === 'ok') === success) &&
    isAbout &&
    texts.some((text) => text.toLowerCase().includes(search.toLowerCase()))
  );
}

export function createMemoryHomeCode(emit: Emit = nobodyHears): HomeCodeStore {
  let hash: string | null = null;
  return {
    hash: () => hash,
    async put(next) {
      hash = next;
      emit('home-code-changed', { isSet: hash !== null });
    },
  };
}

/** The numbers after the given floors: 1 for accounts and tokens, as after a first start. */
export function createMemoryCounters(): CounterStore {
  const last = {
    ...{ lockId: 0, cardId: 0, accountId: 1, tokenId: 1, webhookId: 0 },
    ...{ personId: 0, credentialId: 0, grantId: 0, scheduleId: 0, revocationId: 0, suggestionId: 0, passkeyId: 0, ttlockLoginId: 0 },
  };
  const groups: string[] = [];
  let inOrder: readonly string[] = [];
  return {
    async next(kind) {
      last[kind] += 1;
      return last[kind];
    },
    async groupId(name) {
      if (name === '') return 0;
      if (!groups.includes(name)) groups.push(name);
      if (!inOrder.includes(name)) inOrder = [...inOrder, name];
      return groups.indexOf(name) + 1;
    },
    groupIds: () => inOrder.map((name) => groups.indexOf(name) + 1),
    async orderGroups(groupIds) {
      const first = groupIds.map((groupId) => {
        const name = groups[groupId - 1];
        if (name === undefined) throw new DomainError('not-found', `there is no group ${groupId}`);
        return name;
      });
      inOrder = [...first, ...inOrder.filter((name) => !first.includes(name))];
    },
  };
}

const maxEpochs = 8;
const maxGaps = 1_000;

export function createMemoryRecords(emit: Emit = nobodyHears): RecordStore {
  const records: LockRecord[] = [];
  const of = (lockId: LockId): LockRecord[] => records.filter((record) => record.lockId === lockId);

  function progress(lockId: LockId, epoch: string): EpochProgress {
    const seqs = of(lockId)
      .filter((record) => record.epoch === epoch)
      .map(({ seq }) => seq)
      .sort((a, b) => a - b);
    const gaps = seqs.slice(1).flatMap((seq, n): [number, number][] => {
      const before = seqs[n] as number;
      return seq - before > 1 ? [[before + 1, seq - 1]] : [];
    });
    return { highest: seqs.at(-1) ?? 0, gaps, isBeginning: of(lockId).length === 0 };
  }
  function isBeyondLimits(lockId: LockId): boolean {
    const epochs = [...new Set(of(lockId).map(({ epoch }) => epoch))];
    const gaps = epochs.reduce((sum, epoch) => sum + progress(lockId, epoch).gaps.length, 0);
    return epochs.length > maxEpochs || gaps > maxGaps;
  }

  return {
    async append(lockId, epoch, events) {
      const fresh: RecordDraft[] = [];
      const outcome = { stored: 0, duplicates: 0, refused: [...events].slice(0, 0) };
      for (const event of events) {
        if (of(lockId).some((record) => record.epoch === epoch && record.seq === event.seq)) outcome.duplicates += 1;
        else {
          const { command, ...rest } = event;
          const isUsed = command !== undefined && of(lockId).some((record) => record.command === command);
          const once = isUsed ? { ...rest, username: '' } : event;
          records.push({ ...once, recordId: (records.at(-1)?.recordId ?? 0) + 1, lockId, epoch });
          if (isBeyondLimits(lockId)) {
            records.pop();
            outcome.refused.push(event);
          } else {
            outcome.stored += 1;
            fresh.push(once);
          }
        }
      }
      const newest = records.at(-1)?.recordId ?? 0;
      if (fresh.length > 0) emit('records-stored', { lockId, epoch, drafts: fresh, firstRecordId: newest - fresh.length + 1 });
      return outcome;
    },
    async page({ lockId, from, to, pageNo, pageSize }) {
      const matching = of(lockId).filter(({ lockDate }) => from <= lockDate && lockDate <= to);
      return paginate(matching.toReversed(), { pageNo, pageSize });
    },
    newestOf: async (lockIds) => lockIds.flatMap((lockId) => of(lockId).at(-1) ?? []),
    newest: () => records.at(-1)?.recordId ?? 0,
    async *newestFirst({ before, locks, from, to }) {
      const matches = ({ recordId, lockId, lockDate }: LockRecord): boolean =>
        recordId < before && locks.has(lockId) && from <= lockDate && lockDate <= to;
      for (const record of records.filter(matches).reverse()) yield { records: [record], lowest: record.recordId, looked: 1 };
    },
    async *since(recordId, wants) {
      yield records.filter((record) => record.recordId > recordId && wants(record.lockId));
    },
    epochs: (lockId) =>
      [...new Set(of(lockId).map(({ epoch }) => epoch))].map((epoch) => ({
        epoch,
        newestAt: of(lockId).findLast((record) => record.epoch === epoch)?.serverDate ?? 0,
      })),
    progress,
    count: () => records.length,
  };
}

export interface KeptMessage {
  readonly deviceId: DeviceId;
  readonly reason: string;
  readonly payload: string;
}

/** `kept` grows with what is put into quarantine. */
export function createMemoryQuarantine(): Quarantine & { readonly kept: readonly KeptMessage[] } {
  const kept: KeptMessage[] = [];
  return {
    kept,
    async keep(deviceId, reason, payload) {
      kept.push({ deviceId, reason, payload });
    },
  };
}
