// Every event of the bus, by name, with what it tells. Those of the first group are written to the log, each under its name.
import type { AccountId } from './accounts/account.ts';
import type { AlarmKind } from './alarms/alarm.ts';
import type { Card } from './credentials/card.ts';
import type { DeviceId, Lock, LockId, LockStatus, OpenState } from './locks/lock.ts';
import type { CommandId, CommandOutcome, DriverCommand, LockCommand } from './locks/lock-command.ts';
import type { StoredEvents } from './records/record-ports.ts';
import type { WebhookId } from './webhooks/webhook.ts';

/** A command has ended: `outcome` is `ok`, `lost`, `no-reply`, or the error that the lock gave. */
interface EndedCommand {
  readonly lockId: LockId;
  readonly commandId: CommandId;
  readonly op: string;
  readonly outcome: string;
  readonly ms: number;
}

/** What an operator can read in the log. */
export interface LoggedEvents {
  /** At each hello, so perhaps again. */
  'lock-online': { readonly lockId: LockId };
  'lock-offline': { readonly lockId: LockId; readonly reason: string };
  /** The gateway ends the connection. */
  'lock-disconnected': { readonly lockId: LockId; readonly reason: string };
  /** The process did not run for so long. */
  'stood-still': { readonly ms: number };
  'command-ended': EndedCommand;
  /** The gateway's own, for which nobody waits. */
  'own-command-ended': EndedCommand;
  'clocks-set': { readonly set: number; readonly failed: number };
  'events-lost': { readonly lockId: LockId; readonly epoch: string; readonly from: number; readonly to: number };
  /** The lock will not send them again; it is asked again in its next session. */
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
    /** Who ended it; absent: its cause is gone. */
    readonly by?: string;
  };
  'events-quarantined': { readonly lockId: LockId; readonly epoch: string; readonly count: number };
  'cards-unknown': { readonly lockId: LockId; readonly count: number };
  'cards-differ': { readonly lockId: LockId; readonly onLock: number; readonly known: number };
  'card-settled': { readonly lockId: LockId; readonly intent: string; readonly result: string };
  /** An add was not confirmed, and nobody knows whether the card was there before. */
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
  'follow-up-failed': { readonly lockId: LockId; readonly step: string; readonly reason: string };
}

/** What has changed in the stores, emitted by them as soon as readers see it: durable, but for a status. */
export interface StoreEvents {
  /** A lock came (`before` is undefined), changed or went. */
  'lock-changed': { readonly before: Lock | undefined; readonly after: Lock | undefined };
  'card-changed': { readonly lockId: LockId; readonly change: 'added' | 'changed' | 'removed'; readonly card: Card };
  'status-changed': { readonly lockId: LockId; readonly before: LockStatus; readonly after: LockStatus };
  /** In the order of recordIds. */
  'records-stored': StoredEvents;
  /** An account, or a token or sign-in of it, has ended: who came in by it is asked again. */
  'access-ended': { readonly accountId: AccountId };
  /** A change was refused because the disk does not take it. */
  'storage-failed': { readonly error: Error };
}

export interface DomainEvents extends LoggedEvents, StoreEvents {
  /** A lock has said hello; what it says with it follows. */
  'hello-reported': { readonly lockId: LockId };
  /** The lock has said its open state; `before` is what it had said until then. */
  'state-reported': { readonly lockId: LockId; readonly before: OpenState | null; readonly state: OpenState };
  'battery-reported': { readonly lockId: LockId; readonly batteryPercent: number };
  /** Whether the open state is shown as sure is another than before. */
  'certainty-changed': { readonly lockId: LockId; readonly sure: boolean };
  /** Before the lock can have received it. */
  'command-sent': { readonly lockId: LockId; readonly command: LockCommand | DriverCommand; readonly ttlMs: number };
  /** Before whoever has asked for the command knows how it ended. */
  'command-returned': { readonly lockId: LockId; readonly command: LockCommand | DriverCommand; readonly outcome: CommandOutcome };
  /** Events may be acknowledged, so long after they came. */
  'events-acknowledged': { readonly ms: number };
  'clock-right': { readonly lockId: LockId };
  /** The clock of a lock is wrong and stays so; `reason` is for the operator. */
  'clock-wrong': { readonly lockId: LockId; readonly reason: string };
  /** A backup of the running gateway; `failure`: why there is none. */
  'backup-ended': { readonly failure: string | undefined };
  /** A flush of the disk has ended. */
  'disk-flushed': { readonly ms: number };
  /** The disk works and has room; said again and again while it does. */
  'storage-works': Readonly<Record<string, never>>;
}
