// The stores that the domain uses, whatever holds the data.
// When the promise of a change resolves, the change is durable, unless the port says otherwise, and only then do readers see it. A store
// that cannot write rejects with `storage-unavailable` and changes nothing. Methods without a promise read a local view: it holds what is
// committed, follows every change, its own or another's, and the store emits each change (StoreEvents).
import type { AccessLog } from './access/access-log.ts';
import type { AccountStore } from './accounts/account-ports.ts';
import type { AccountSettingsStore } from './accounts/account-settings.ts';
import type { CredentialStore, SignInStore } from './accounts/sign-in-ports.ts';
import type { AlarmStore } from './alarms/alarm-ports.ts';
import type { AuditStore } from './audit/audit-ports.ts';
import type { CounterStore } from './counters.ts';
import type { PauseStore } from './credentials/access-pause.ts';
import type { EntryStore } from './credentials/entry-ports.ts';
import type { HomeCodeStore } from './home-assistant/home-code-service.ts';
import type { HubStore } from './locks/hub-ports.ts';
import type { BatteryStore, LockStore, RemovedLockStore, StatusStore } from './locks/lock-ports.ts';
import type { ImportStore } from './people/import-ports.ts';
import type { PersonStore, ScheduleStore } from './people/people-ports.ts';
import type { Quarantine, RecordStore } from './records/record-ports.ts';
import type { RevocationStore } from './revocations/revocation-ports.ts';
import type { TtlockLoginStore } from './ttlock/ttlock-ports.ts';
import type { WebhookStore } from './webhooks/webhook-ports.ts';

export interface Stores {
  readonly locks: LockStore;
  readonly entries: EntryStore;
  readonly removedLocks: RemovedLockStore;
  readonly hubs: HubStore;
  readonly statuses: StatusStore;
  readonly batteries: BatteryStore;
  readonly accounts: AccountStore;
  readonly signIns: SignInStore;
  readonly signInCredentials: CredentialStore;
  readonly ttlockLogins: TtlockLoginStore;
  readonly settings: AccountSettingsStore;
  readonly alarms: AlarmStore;
  readonly audit: AuditStore;
  readonly access: AccessLog;
  readonly webhooks: WebhookStore;
  readonly people: PersonStore;
  readonly schedules: ScheduleStore;
  readonly revocations: RevocationStore;
  readonly imports: ImportStore;
  readonly pause: PauseStore;
  readonly homeCode: HomeCodeStore;
  readonly counters: CounterStore;
  readonly records: RecordStore;
  readonly quarantine: Quarantine;
}

/** Whether the wall clock is plausible, compared with stored dates. */
export interface WallClockTrust {
  /** Whether the clock may be wrong (Fault T19). */
  clockIsSuspect(): boolean;
  /** Whether the clock is trusted; while it is suspect, this asks the machine as well. */
  clockIsTrusted(): Promise<boolean>;
  /** A person confirms that the clock is right. Rejects with `storage-unavailable`. */
  acceptClock(): Promise<void>;
}
