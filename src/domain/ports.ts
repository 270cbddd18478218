// What the domain asks of the world: stores, locks, a clock, secrets. Adapters implement these; gateway.ts joins them.
// Every store's save is durable (written and flushed) when its promise resolves, and readers see a value only then.
// A store that cannot write rejects with `storage-unavailable` and keeps what it had.
import type { Account, AccountId, Token } from './accounts/account.ts';
import type { AccountReader } from './accounts/account-book.ts';
import type { AcceptedLoss, Alarm } from './alarms/alarm.ts';
import type { AuditEntry } from './audit/audit-action.ts';
import type { CardLookUp, CardsChange, LockCards } from './credentials/lock-cards.ts';
import type { DomainError } from './errors.ts';
import type { Hub } from './locks/hub.ts';
import type { BatteryLevel, DeviceId, Lock, LockId, LockStatus } from './locks/lock.ts';
import type { CommandId, CommandOutcome, LockCommand } from './locks/lock-command.ts';
import type { RemovedLock } from './locks/removed-lock.ts';
import type { Page, PageRequest } from './page.ts';
import type { LockRecord, RecordDraft } from './records/record.ts';
import type { Attempt, DeliveryType } from './webhooks/delivery.ts';
import type { StoredWebhook, WebhookId } from './webhooks/webhook.ts';

export interface Clock {
  /** Wall clock, epoch milliseconds. May jump. */
  now(): number;
  /** Milliseconds that only rise. */
  monotonic(): number;
  /** Calls `action` once after `delayMs`; the returned function cancels. */
  timer(delayMs: number, action: () => void): () => void;
}

/** No wall clock that shows less is right: there was no latchd then. */
export const earliestNow = Date.UTC(2026, 0, 1);

/** Whether somebody still waits for the answer. An AbortSignal is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(kind: 'abort', left: () => void): void;
  removeEventListener(kind: 'abort', left: () => void): void;
}

export interface LockStore {
  /** Every lock, by lockId ascending. The same array until something changes. */
  all(): readonly Lock[];
  get(lockId: LockId): Lock | undefined;
  byDevice(deviceId: DeviceId): Lock | undefined;
  /** A lock with this MAC address was registered, and its document is damaged: the address is not free. */
  isDisabled(deviceId: DeviceId): boolean;
  add(lock: Lock): Promise<void>;
  /** Applies `change` to the newest value, in turn; what `change` throws is rejected and nothing is written. `lock-not-found` when it is gone. */
  update(lockId: LockId, change: (lock: Lock) => Lock): Promise<Lock>;
  /**
   * Removes the lock with its cards, intents and roles. Rejects: it is there as before. Resolves with an error: the lock is gone, and the error says
   * what is left of it and what becomes of that.
   */
  remove(lockId: LockId): Promise<DomainError | undefined>;
}

/** What stays of locks that were removed, until their records may be gone. */
export interface RemovedLockStore {
  /** In the order of removal. The same array until something changes. */
  all(): readonly RemovedLock[];
  get(lockId: LockId): RemovedLock | undefined;
  /** Before the lock is removed. Of a lock that is there all the same, the next start forgets it; what is left of one that is gone it deletes. */
  add(removed: RemovedLock): Promise<void>;
  /** The lock was not removed after all. */
  forget(lockId: LockId): Promise<void>;
}

export interface CardStore {
  /** The cards of a lock, none for one that is not there; undefined: they have to be read first. */
  inMemory(lockId: LockId): LockCards | undefined;
  /** The same, read when they have to be. `storage-unavailable` when they cannot be read. */
  of(lockId: LockId): Promise<LockCards>;
  /** As LockStore.update: of the changes that `change` gives for the newest cards, all or none are made. It may be asked more than once. */
  update(lockId: LockId, change: (newest: CardLookUp) => CardsChange): Promise<void>;
}

/** Last state, battery, last seen: in memory at once, on the disk within seconds; the lock says them again. */
export interface StatusStore {
  get(lockId: LockId): LockStatus;
  patch(lockId: LockId, change: Partial<LockStatus>): void;
  remove(lockId: LockId): void;
}

/** The levels of batteries: durable within the hour and at a clean stop; who reads sees a change at once. */
export interface BatteryStore {
  /** Oldest first. `storage-unavailable`. */
  levels(lockId: LockId): Promise<readonly BatteryLevel[]>;
  /** Applies `change` to the newest levels of this lock, in turn. `storage-unavailable`. */
  update(lockId: LockId, change: (levels: readonly BatteryLevel[]) => readonly BatteryLevel[]): Promise<void>;
  remove(lockId: LockId): Promise<void>;
}

export interface AccountStore extends AccountReader {
  /** `conflict` when the name is taken. */
  add(account: Account): Promise<void>;
  /** With its tokens. Its name is remembered from this moment on; of 10,000 names the oldest gives way. `not-found`. */
  remove(accountId: AccountId, removedAt: number): Promise<void>;
  /** Forgets the names of those that were removed until then. */
  forgetRemoved(until: number): Promise<void>;
  /** `not-found` when its account is not there. */
  addToken(token: Token): Promise<void>;
  /** Resolves with those that were still there. */
  removeTokens(tokenIds: readonly number[]): Promise<readonly Token[]>;
}

/** A browser that stays signed in to the console. */
export interface SignIn {
  /** SHA-256 of its secret, which nobody else has. */
  readonly hash: string;
  /** Of the token that it stands for. */
  readonly tokenId: number;
  readonly accountId: AccountId;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface SignInStore {
  /** Those that are stored, the oldest first. `storage-unavailable`. */
  all(): Promise<readonly SignIn[]>;
  /** `storage-unavailable`. */
  keep(signIn: SignIn): Promise<void>;
  /** Those that are not there have ended already. `storage-unavailable`: they are still kept. */
  end(hashes: readonly string[]): Promise<void>;
}

/** A local view of all hubs, which follows every change: each login of a lock asks it. */
export interface HubView {
  /** In the order of registration. The same array until something changes. */
  all(): readonly Hub[];
  get(deviceId: DeviceId): Hub | undefined;
}

export interface HubStore extends HubView {
  /** `conflict` when there is a hub with this deviceId. */
  add(hub: Hub): Promise<void>;
  /** As LockStore.update; `not-found` when it is gone. */
  update(deviceId: DeviceId, change: (hub: Hub) => Hub): Promise<Hub>;
  /** `not-found`. */
  remove(deviceId: DeviceId): Promise<void>;
}

/** Numbers that are never given twice, not even after a crash. Durable before they are given. */
export interface CounterStore {
  next(kind: 'lockId' | 'cardId' | 'accountId' | 'tokenId' | 'webhookId'): Promise<number>;
  /** The id that belongs to this group name for ever (a new one at first); 0 for "". */
  groupId(name: string): Promise<number>;
}

export interface AlarmState {
  readonly alarms: readonly Alarm[];
  readonly acceptedLosses: readonly AcceptedLoss[];
}

export interface AlarmChanges {
  /** They stand, as they are now. */
  readonly standing: readonly Alarm[];
  /** They stand no more. */
  readonly ended: readonly Pick<Alarm, 'kind' | 'lockId'>[];
  /** All that is known to be lost of a lock now; nothing of one without any. */
  readonly acceptedLosses: readonly AcceptedLoss[];
}

export interface AlarmStore {
  /** All that is stored. `storage-unavailable`. */
  load(): Promise<AlarmState>;
  /** All of it or nothing. */
  keep(changes: AlarmChanges): Promise<void>;
}

export interface WebhookStore {
  /** By webhookId. */
  all(): readonly StoredWebhook[];
  get(webhookId: WebhookId): StoredWebhook | undefined;
  add(stored: StoredWebhook): Promise<void>;
  /** As LockStore.update; `not-found` when it is gone. */
  update(webhookId: WebhookId, change: (stored: StoredWebhook) => StoredWebhook): Promise<StoredWebhook>;
  /** With all that is kept of its deliveries. */
  remove(webhookId: WebhookId): Promise<void>;
}

/** One request to a webhook's receiver. */
export interface WebhookPost {
  readonly webhookId: WebhookId;
  readonly url: string;
  /** What it is signed with. */
  readonly secret: string;
  readonly deliveryId: string;
  readonly type: DeliveryType | 'test';
  /** Counted from 1. */
  readonly attempt: number;
  /** JSON. */
  readonly body: string;
}

export interface WebhookSender {
  /** Why nothing can ever be sent to this URL, as what it must be; undefined: perhaps something can. */
  refusal(url: string): string | undefined;
  /** Sends it once, only to where it may be sent, and only so long. Never rejects. */
  send(post: WebhookPost): Promise<Attempt>;
  /** Ends what is under way. */
  stop(): void;
}

export interface AuditQuery extends PageRequest {
  /** Lowest and highest time, both included. */
  readonly from: number;
  readonly to: number;
}

export interface AuditStore {
  /** Rising, never given twice for a line that was written. */
  nextId(): Promise<number>;
  /** Durable when it resolves; in place of an earlier line with this id. `storage-unavailable`: the line is not there. */
  append(entry: AuditEntry): Promise<void>;
  /** The same for what changed nothing: it pushes out nothing else. */
  appendAttempt(entry: AuditEntry): Promise<void>;
  /** By id, the newest first. */
  page(query: AuditQuery): Promise<{ readonly list: readonly AuditEntry[]; readonly total: number }>;
}

export interface RecordQuery extends PageRequest {
  readonly lockId: LockId;
  /** Lowest and highest lockDate, both included. */
  readonly from: number;
  readonly to: number;
}

export interface AppendOutcome {
  readonly stored: number;
  readonly duplicates: number;
  /** Events beyond what is remembered of a lock (8 epochs, 1,000 gaps): not stored, for the quarantine. */
  readonly refused: readonly RecordDraft[];
}

/** Events of one lock that have just become records: the first is `firstRecordId`, the others follow it. */
export interface StoredEvents {
  readonly lockId: LockId;
  readonly epoch: string;
  readonly drafts: readonly RecordDraft[];
  readonly firstRecordId: number;
}

/**
 * What is stored of one epoch of a lock: the highest seq (0: nothing) and the ranges missing below it, lowest first. Where the device was registered
 * before, what is stored of it under an earlier lockId counts as stored, and nothing is missing up to the first event under this one.
 */
export interface EpochProgress {
  readonly highest: number;
  readonly gaps: readonly (readonly [from: number, to: number])[];
  /** Nothing is stored under this lockId yet that could say where its history begins: what is missing can be from before its registration. */
  readonly isBeginning: boolean;
}

export interface RecordStore {
  /**
   * Stores events once each, in order, and resolves when all of them, duplicates included, are flushed. An event of a command that stands in
   * another record of its lock is stored without its name.
   * Rejects with `storage-unavailable` when they could not be kept: then none of them was stored by this call.
   */
  append(lockId: LockId, epoch: string, events: readonly RecordDraft[]): Promise<AppendOutcome>;
  /** Newest first by recordId, exact totals; shows a record only after its flush. */
  page(query: RecordQuery): Promise<Page<LockRecord>>;
  /** The highest recordId that is flushed; 0: none. Records are flushed in the order of their ids. */
  newest(): number;
  /**
   * The records above `recordId` of the locks that are wanted, by recordId, some at a time or none: all that were flushed when it is first
   * asked, and perhaps newer ones. `storage-unavailable`.
   */
  since(recordId: number, wants: (lockId: LockId) => boolean): AsyncIterable<readonly LockRecord[]>;
  /** Counts flushed events and those whose flush is under way. */
  progress(lockId: LockId, epoch: string): EpochProgress;
  /** Records in the log, of all locks. */
  count(): number;
}

/** Messages and events that cannot be records, kept in a file of bounded size. */
export interface Quarantine {
  /** Durable when it resolves. Never rejects for lack of room in its own bound: the oldest give way. */
  keep(deviceId: DeviceId, reason: string, payload: string): Promise<void>;
}

/** One connection of a lock from its hello on; a new hello or connection is another session. */
export interface LockSession {
  readonly lockId: LockId;
  /**
   * Sends one command to this very connection and waits for its reply, at most `ttlMs`.
   * Resolves with how it ended, never rejects; the reply's state and battery have been reported before.
   */
  send(command: LockCommand, commandId: CommandId, ttlMs: number): Promise<CommandOutcome>;
}

export interface LockLink {
  /** The session of a lock that is online; undefined when it is not. */
  session(lockId: LockId): LockSession | undefined;
  /** Ends the lock's connection, if any, whatever its session. A lock behind a hub is offline until its next hello; the hub stays. */
  disconnect(lockId: LockId, reason: string): void;
}

export interface HubLink {
  /** It is connected, and has not said that it is offline. */
  online(deviceId: DeviceId): boolean;
  /** Ends the hub's connection, if any, and with it the sessions of its locks. */
  disconnect(deviceId: DeviceId, reason: string): void;
}

/** What a command id says that was issued here. */
export interface IssuedCommand {
  readonly accountId: AccountId;
  /** As in RecordDraft. */
  readonly number: number;
}

export interface CommandIds {
  /** A new id. For lock and unlock it names the account (null: the gateway's own, and nobody) and is signed for this lock and op; any other names nobody. */
  issue(lockId: LockId, accountId: AccountId | null, op: string): CommandId;
  /** Undefined when it names nobody or was not issued here for this lock and op. */
  read(lockId: LockId, commandId: string, op: 'lock' | 'unlock'): IssuedCommand | undefined;
}

export interface Secrets {
  /** At least 256 random bits, printable. */
  newToken(): string;
  /** At least 128 random bits, printable. */
  newDeviceKey(): string;
  /** At least 256 random bits, printable: what a webhook's deliveries are signed with. */
  newWebhookSecret(): string;
  /** SHA-256, 64 hex digits. */
  hash(secret: string): string;
  /** Compares two hashes in constant time. */
  equal(hashA: string, hashB: string): boolean;
}
