// What happened that an operator should be able to read: said by the domain, written down by whoever listens.
import type { AlarmKind } from './alarms/alarm.ts';
import type { DeviceId, LockId } from './locks/lock.ts';
import type { CommandId } from './locks/lock-command.ts';
import type { WebhookId } from './webhooks/webhook.ts';

export type Notice =
  | { readonly kind: 'lock-online'; readonly lockId: LockId }
  /** The process did not run for so long. */
  | { readonly kind: 'stood-still'; readonly ms: number }
  | { readonly kind: 'lock-offline'; readonly lockId: LockId; readonly reason: string }
  | { readonly kind: 'lock-disconnected'; readonly lockId: LockId; readonly reason: string }
  | {
      /** Own: the gateway's, for which nobody waits. */
      readonly kind: 'command-ended' | 'own-command-ended';
      readonly lockId: LockId;
      readonly commandId: CommandId;
      readonly op: string;
      readonly outcome: string;
      readonly ms: number;
    }
  | { readonly kind: 'clocks-set'; readonly set: number; readonly failed: number }
  | { readonly kind: 'events-lost'; readonly lockId: LockId; readonly epoch: string; readonly from: number; readonly to: number }
  | {
      /** The lock will not send them again; it is asked again in its next session. */
      readonly kind: 'resend-refused';
      readonly lockId: LockId;
      readonly epoch: string;
      readonly from: number;
      readonly to: number;
      readonly error: string;
    }
  | {
      readonly kind: 'alarm-began';
      readonly alarm: AlarmKind;
      readonly lockId: LockId | null;
      readonly since: number;
      readonly reason: string;
    }
  | {
      readonly kind: 'alarm-ended';
      readonly alarm: AlarmKind;
      readonly lockId: LockId | null;
      readonly since: number;
      /** Who ended it; absent: its cause is gone. */
      readonly by?: string;
    }
  | { readonly kind: 'events-quarantined'; readonly lockId: LockId; readonly epoch: string; readonly count: number }
  | { readonly kind: 'cards-unknown'; readonly lockId: LockId; readonly count: number }
  | { readonly kind: 'cards-differ'; readonly lockId: LockId; readonly onLock: number; readonly known: number }
  | { readonly kind: 'card-settled'; readonly lockId: LockId; readonly intent: string; readonly result: string }
  /** An add was not confirmed, and nobody knows whether the card was there before. */
  | { readonly kind: 'card-left-on-lock'; readonly lockId: LockId }
  | { readonly kind: 'pairing-opened'; readonly seconds: number; readonly by: string }
  | { readonly kind: 'pairing-closed'; readonly forgotten: number }
  | { readonly kind: 'device-pending' | 'device-contested'; readonly deviceId: DeviceId; readonly address: string }
  | { readonly kind: 'device-confirmed'; readonly deviceId: DeviceId; readonly lockId: LockId; readonly by: string }
  | { readonly kind: 'webhook-failing'; readonly webhookId: WebhookId; readonly status: number | null; readonly reason: string }
  | { readonly kind: 'webhook-works'; readonly webhookId: WebhookId }
  | { readonly kind: 'webhook-gone'; readonly webhookId: WebhookId }
  | { readonly kind: 'deliveries-failed'; readonly webhookId: WebhookId; readonly count: number }
  | { readonly kind: 'follow-up-failed'; readonly lockId: LockId; readonly step: string; readonly reason: string };

export type Notify = (notice: Notice) => void;
