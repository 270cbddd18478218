// What a host, of devices that log in or of a bridge, gives to the session of one lock over one connection.
import type { Clock } from '../domain/clock.ts';
import type { LockId } from '../domain/locks/lock.ts';
import type { ReportService } from '../domain/locks/report-service.ts';
import type { DeviceProtocol, Effect } from './device-protocol.ts';
import type { EventRecords } from './event-records.ts';

export interface ProtocolSessionOptions {
  readonly lockId: LockId;
  readonly clock: Clock;
  readonly reports: Pick<ReportService, 'hello' | 'properties' | 'state' | 'battery' | 'batteryCritical' | 'reply' | 'offline'>;
  readonly records: EventRecords;
  /** Of this lock: that of a bridge speaks for many. */
  readonly protocol: Pick<DeviceProtocol, 'command' | 'expire' | 'wake' | 'ended'>;
  /** Not retained; `expiresInMs`: what is left of the command under way, for a broker that lets messages expire. */
  publish(topic: string, payload: string, expiresInMs: number | undefined): void;
  /** Why it may not be there to take a command; undefined: it was heard lately. Absent: nobody can tell. */
  isSilent?(): string | undefined;
  /** A command that moves or changes something was not answered in time: a host that can takes back now what the device has not got. */
  onDeadline(): void;
  /** As the effect. */
  capabilities(changed: Extract<Effect, { kind: 'capabilities' }>['changed']): void;
  /** The protocol has thrown: the connection must end. */
  onBug(error: unknown): void;
}
