// Every event of the bus, by name, with its payload. The gateway writes those of the first group to the log, each under its name.
import type { Account, AccountId } from './accounts/account.ts';
import type { Alarm, AlarmKind } from './alarms/alarm.ts';
import type { Change } from './change.ts';
import type { Card } from './credentials/card.ts';
import type { EntryNews } from './credentials/entry.ts';
import type { EntryEvent } from './credentials/lock-entries.ts';
import type { Hub } from './locks/hub.ts';
import type { DeviceId, Lock, LockId, LockStatus, OpenState } from './locks/lock.ts';
import type { CommandId, CommandOutcome, DriverCommand, LockCommand } from './locks/lock-command.ts';
import type { HelloReport } from './locks/lock-report.ts';
import type { NotificationChannel } from './notifications/notification.ts';
import type { Person } from './people/person.ts';
import type { Suggestion } from './readers/suggestion.ts';
import type { StoredEvents } from './records/record-ports.ts';
import type { Revocation, RevocationReport } from './revocations/revocation.ts';
import type { Webhook, WebhookId } from './webhooks/webhook.ts';

/** A command has ended: `outcome` is `ok`, `lost`, `no-reply`, `unsent`, or the error that the lock gave. */
interface EndedCommand {
  readonly lockId: LockId;
  readonly commandId: CommandId;
  readonly op: string;
  readonly outcome: string;
  /** Why a lock or unlock was refused, in the words of the lock or its driver; absent: it said none. */
  readonly message?: string;
  readonly ms: number;
}

/** Events that an operator can read in the log. */
export interface LoggedEvents {
  /** Emitted at each hello, so perhaps for a lock that is online already. */
  'lock-online': { readonly lockId: LockId };
  'lock-offline': { readonly lockId: LockId; readonly reason: string };
  /** The gateway ends the connection. */
  'lock-disconnected': { readonly lockId: LockId; readonly reason: string };
  /** The process did not run for so long. */
  'stood-still': { readonly ms: number };
  'command-ended': EndedCommand;
  /** A command of the gateway itself, for which no caller waits, has ended. */
  'own-command-ended': EndedCommand;
  'clocks-set': { readonly set: number; readonly failed: number };
  'events-lost': { readonly lockId: LockId; readonly epoch: string; readonly from: number; readonly to: number };
  /** The lock refused to send events again; the gateway asks again in its next session. */
  'resend-refused': {
    readonly lockId: LockId;
    readonly epoch: string;
    readonly from: number;
    readonly to: number;
    readonly error: string;
  };
  'alarm-began': { readonly alarm: AlarmKind; readonly lockId: LockId | null; readonly since: number; readonly reason: string };
  'alarm-ended': {
    readonly alarm: AlarmKind;
    readonly lockId: LockId | null;
    readonly since: number;
    /** The account that ended it; absent: its cause is gone. */
    readonly by?: string;
  };
  'events-quarantined': { readonly lockId: LockId; readonly epoch: string; readonly count: number };
  'cards-unknown': { readonly lockId: LockId; readonly count: number };
  'cards-differ': { readonly lockId: LockId; readonly onLock: number; readonly known: number };
  'card-settled': { readonly lockId: LockId; readonly intent: string; readonly result: string };
  /** The lock did not confirm that it added a card, and the gateway does not know whether it held the card before. */
  'card-left-on-lock': { readonly lockId: LockId };
  'pairing-opened': { readonly seconds: number; readonly by: string };
  'pairing-closed': { readonly forgotten: number };
  'device-pending': { readonly deviceId: DeviceId; readonly address: string };
  'device-contested': { readonly deviceId: DeviceId; readonly address: string };
  'device-confirmed': { readonly deviceId: DeviceId; readonly lockId: LockId; readonly by: string };
  'webhook-failing': { readonly webhookId: WebhookId; readonly status: number | null; readonly reason: string };
  'webhook-works': { readonly webhookId: WebhookId };
  'webhook-gone': { readonly webhookId: WebhookId };
  'deliveries-failed': { readonly webhookId: WebhookId; readonly count: number };
  'notifications-failing': { readonly account: string; readonly channel: NotificationChannel; readonly reason: string };
  'notifications-work': { readonly account: string; readonly channel: NotificationChannel };
  /** Messages to an account were given up after 24 hours. */
  'notifications-failed': { readonly account: string; readonly channel: NotificationChannel };
  /** An import was applied, but for `conflicts` people; or it stopped, for `reason`. */
  'import-ended': {
    readonly importId: string;
    readonly state: 'applied' | 'stopped';
    readonly reason: string;
    readonly people: number;
    readonly conflicts: number;
  };
  /** A refresh token was used for the second time, so one of two who have it stole it: the session has ended. */
  'ttlock-session-stolen': { readonly loginId: number; readonly name: string; readonly account: string };
  'follow-up-failed': { readonly lockId: LockId; readonly step: string; readonly reason: string };
}

/** Changes that the stores emit as soon as readers see them. All are durable, except that of a status. */
export interface StoreEvents {
  'lock-changed': Change<Lock>;
  'account-changed': Change<Account>;
  'hub-changed': Change<Hub>;
  /** A webhook itself; not how far its deliveries have come. */
  'webhook-changed': Change<Webhook>;
  'card-changed': { readonly lockId: LockId; readonly change: 'added' | 'changed' | 'removed'; readonly card: Card };
  'entry-changed': { readonly lockId: LockId } & EntryEvent;
  'person-changed': Change<Person>;
  /** Schedules or holidays. */
  'schedules-changed': Readonly<Record<string, never>>;
  'revocation-changed': Change<Revocation>;
  'alarm-changed': Change<Alarm>;
  /** Commands from Home Assistant need a code from now on, another one, or none. */
  'home-code-changed': { readonly isSet: boolean };
  'status-changed': { readonly lockId: LockId; readonly before: LockStatus; readonly after: LockStatus };
  /** In the order of recordIds. */
  'records-stored': StoredEvents;
  /** An account, or a token or sign-in of it, has ended: connections that used it must authenticate again. */
  'access-ended': { readonly accountId: AccountId };
  /** A change was refused because the disk is full or failing. */
  'storage-failed': { readonly error: Error };
  /** The database answers again. */
  'database-back': Readonly<Record<string, never>>;
  /** This gateway may serve no longer, though it may again: whoever is connected is sent away. */
  'lease-lost': Readonly<Record<string, never>>;
}

export interface DomainEvents extends LoggedEvents, StoreEvents {
  /** A lock has said hello; the events for the content of the hello follow. */
  'hello-reported': { readonly lockId: LockId; readonly newestEvent?: HelloReport['newestEvent'] };
  /** The lock has reported its open state; `before` is the state that it had reported before. */
  'state-reported': { readonly lockId: LockId; readonly before: OpenState | null; readonly state: OpenState };
  'battery-reported': { readonly lockId: LockId; readonly batteryPercent: number };
  /** The lock says itself whether its battery is low, whatever its level. */
  'battery-critical-reported': { readonly lockId: LockId; readonly isCritical: boolean };
  /** What holds for the lock, or what it can do, is known better, or has changed. */
  'capabilities-changed': { readonly lockId: LockId };
  /** The certainty of the open state, as clients see it, has changed. */
  'certainty-changed': { readonly lockId: LockId; readonly sure: boolean };
  /** Emitted before the lock can have received the command. */
  'command-sent': { readonly lockId: LockId; readonly command: LockCommand | DriverCommand; readonly ttlMs: number };
  /** Emitted before the caller of the command gets the outcome. */
  'command-returned': { readonly lockId: LockId; readonly command: LockCommand | DriverCommand; readonly outcome: CommandOutcome };
  /** What grants want on these locks may be something else now. */
  'wanted-changed': { readonly lockIds: readonly LockId[] };
  /** What the lock holds was compared with what is wanted; `isOther`: there were other numbers of entries of some status before. */
  'entries-looked-at': { readonly lockId: LockId; readonly isOther: boolean };
  /** An entry is another one, or has another status. Emitted only for locks to which somebody listens. */
  'entry-reported': { readonly lockId: LockId; readonly entry: EntryNews };
  /** More, or less, is known of what was reported lost. */
  'revocation-reported': Pick<RevocationReport, 'revocation' | 'certain' | 'doors'>;
  /** A refused card speaks for it that the reader of this lock gives the bytes in the other order. */
  'suggestion-made': Suggestion;
  /** Events are flushed and may be acknowledged, `ms` after they arrived. */
  'events-acknowledged': { readonly ms: number };
  'clock-right': { readonly lockId: LockId };
  /** The clock of a lock is wrong and cannot be set; `reason` is for the operator. */
  'clock-wrong': { readonly lockId: LockId; readonly reason: string };
  /** A backup of the running gateway has ended; `failure`: why it failed. */
  'backup-ended': { readonly failure: string | undefined };
  /** A change waited so long until every other node that answers from memory knew it. */
  'change-waited': { readonly ms: number };
  /** So many events were stored in the database by one statement. */
  'batch-stored': { readonly events: number; readonly ms: number };
  /**
   * A request was sent on to the leader: it was answered; that node could not be reached, so nothing was done; nobody knows what it
   * did; or the client has left.
   */
  'request-forwarded': { readonly outcome: 'answered' | 'unreachable' | 'unknown' | 'left' };
  /** A flush of the disk has ended. */
  'disk-flushed': { readonly ms: number };
  /** The disk works and has room; emitted repeatedly while that is so. */
  'storage-works': Readonly<Record<string, never>>;
}
