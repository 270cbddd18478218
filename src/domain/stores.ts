// The stores that the domain uses, whatever they are kept in.
// Every promise of a store to have written something is kept when it resolves: durable, unless the port says otherwise, and readers see a value
// only then. A store that cannot write rejects with `storage-unavailable` and keeps what it had. What can be asked without a promise is a local
// view: it holds what has been committed, follows every change, its own or another's, and the store emits each (StoreEvents).
import type { AccountStore, SignInStore } from './accounts/account-ports.ts';
import type { AlarmStore } from './alarms/alarm-ports.ts';
import type { AuditStore } from './audit/audit-ports.ts';
import type { CounterStore } from './counters.ts';
import type { CardStore } from './credentials/card-ports.ts';
import type { HubStore } from './locks/hub-ports.ts';
import type { BatteryStore, LockStore, RemovedLockStore, StatusStore } from './locks/lock-ports.ts';
import type { Quarantine, RecordStore } from './records/record-ports.ts';
import type { WebhookStore } from './webhooks/webhook-ports.ts';

export interface Stores {
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly removedLocks: RemovedLockStore;
  readonly hubs: HubStore;
  readonly statuses: StatusStore;
  readonly batteries: BatteryStore;
  readonly accounts: AccountStore;
  readonly signIns: SignInStore;
  readonly alarms: AlarmStore;
  readonly audit: AuditStore;
  readonly webhooks: WebhookStore;
  readonly counters: CounterStore;
  readonly records: RecordStore;
  readonly quarantine: Quarantine;
}

/** Whether the wall clock can be believed, by what is stored of earlier times. */
export interface WallClockTrust {
  /** Whether it may be wrong (Fault T19). */
  clockIsSuspect(): boolean;
  /** Asks the machine as well, while it is suspect. */
  clockIsTrusted(): Promise<boolean>;
  /** A person says that it is right. `storage-unavailable`. */
  acceptClock(): Promise<void>;
}
