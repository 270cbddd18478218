// From a CONNECT to a connection that has logged in: whose it is, and what that makes of it (Protocol 2 and 7).

import { type Identity, identityOf, type Registered } from '../domain/locks/identity.ts';
import type { DeviceId } from '../domain/locks/lock.ts';
import type { PairingService } from '../domain/locks/pairing-service.ts';
import { originOf } from '../domain/origin.ts';
import type { Log } from '../domain/part.ts';
import type { Secrets } from '../domain/ports.ts';
import type { RateLimitedLog } from '../domain/rate-limited-log.ts';
import { createKeyedRateLimiter } from '../domain/rate-limiter.ts';
import { decideConnect, type RefusedConnect } from '../drivers/native/access.ts';
import { createHubConnection } from '../drivers/native/hub-connection.ts';
import type { HubPresence } from '../drivers/native/hub-presence.ts';
import { createLockConnection } from '../drivers/native/lock-connection.ts';
import { createPendingConnection } from '../drivers/native/pending-device.ts';
import { createPresence } from '../drivers/native/presence.ts';
import type { ReportReceiver } from '../drivers/native/report-receiver.ts';
import type { Topics } from '../drivers/native/topics.ts';
import type { Intake, LoggedIn, Transport } from './client.ts';
import type { Connection } from './client-handler.ts';
import type { ConnectRequest } from './client-handlers.ts';

export interface AdmissionOptions extends Registered {
  readonly topics: Topics;
  readonly hubPresence: HubPresence;
  readonly pairing: Pick<PairingService, 'isOpen' | 'arrive'>;
  readonly secrets: Pick<Secrets, 'hash' | 'equal'>;
  readonly receiver: ReportReceiver;
  readonly log: Log;
}

export type Admitted = { readonly allow: true; readonly connection: LoggedIn; readonly clientId: string } | RefusedConnect;

export interface Admission {
  /**
   * Decides, and when it is a yes makes the connection. `clientId` is under which the broker is to know it: that of a pending
   * device is one of ours, since with its own it would take over the session of the lock that is registered under it (T11).
   */
  admit(request: ConnectRequest, address: string, transport: Transport): Admitted;
  /** False when the lock or hub was removed, bound, registered anew or given another key since its CONNECT was read. */
  isWelcome(connection: LoggedIn): boolean;
  /** Logins that ended another connection of the same lock or hub. */
  takeovers(): number;
  connectedLocks(): number;
  connectedHubs(): number;
}

/** A lock that loses its network for a moment comes back at once; one that comes back every second is broken, or two. */
const loginRate = { perSecond: 1, burst: 60, maxKeys: 100_000 };
/** Of those who have not proved to be anybody, by the name they claim and where they come from: apart, so that they use up nothing of whoever bears it. */
const newcomerRate = { ...loginRate, maxKeys: 10_000 };
/** More than two within a minute: the end of a connection can be lost, but not that often. */
const takeoverRate = { perSecond: 2 / 60, burst: 2, maxKeys: 10_000 };

export function createAdmission(options: AdmissionOptions, intake: Intake & { readonly limited: RateLimitedLog }): Admission {
  const { topics, locks, hubPresence, pairing, secrets, receiver, log } = options;
  const presence = createPresence<Connection>({ listener: receiver, log });
  const ofLocks = { topics, presence, receiver, intake };
  const ofHubs = { ...ofLocks, locks, hubPresence };
  const identities = new WeakMap<LoggedIn, Identity>();
  const { clock, limited } = intake;
  const logins = createKeyedRateLimiter<DeviceId>({ clock, ...loginRate });
  const newcomers = createKeyedRateLimiter<string>({ clock, ...newcomerRate });
  const usualTakeovers = createKeyedRateLimiter<DeviceId>({ clock, ...takeoverRate });
  let pendingDevices = 0;
  let takeovers = 0;

  const credentialsOf = (deviceId: DeviceId): Identity | undefined => identityOf(options, deviceId);

  function make(identity: Identity, transport: Transport): LoggedIn {
    const connection =
      identity.kind === 'lock' ? createLockConnection(identity, transport, ofLocks) : createHubConnection(identity, transport, ofHubs);
    identities.set(connection, identity);
    return connection;
  }

  /** Two devices with one identity take it from each other for ever: no lock of a building opens like that. */
  function noteTakeover({ deviceId }: Identity, address: string): void {
    if ((presence.current(deviceId) ?? hubPresence.current(deviceId)) === undefined) return;
    takeovers++;
    if (usualTakeovers.take(deviceId)) return;
    const { lockId } = locks.byDevice(deviceId) ?? {};
    limited.warn(
      `takeover ${deviceId}`,
      { code: 'connection-taken-over', lockId, deviceId, address },
      'A connection is taken over all the time: two devices with one identity?',
    );
  }

  return {
    admit(request, remoteAddress, transport) {
      const { address } = originOf(remoteAddress);
      const decision = decideConnect(request, { topics, secrets, credentialsOf, isPairingOpen: pairing.isOpen });
      if (!decision.allow) return decision;
      // Before the connection that is there is touched.
      if (
        !('credentials' in decision
          ? logins.take(decision.credentials.deviceId)
          : newcomers.take(`${address} ${decision.newcomer.deviceId}`))
      )
        return { allow: false, code: 3, reason: 'too-many-logins', failedLogin: false };
      if ('credentials' in decision) {
        noteTakeover(decision.credentials, address);
        return { allow: true, connection: make(decision.credentials, transport), clientId: decision.credentials.deviceId };
      }
      const pending = createPendingConnection(decision.newcomer, address, transport, { topics, pairing, intake });
      if (typeof pending === 'string') return { allow: false, code: 5, reason: pending, failedLogin: true };
      pendingDevices++;
      return { allow: true, connection: pending, clientId: `pending/${pendingDevices}` };
    },

    isWelcome(connection) {
      const then = identities.get(connection);
      if (then === undefined) return connection.isCurrent();
      const now = credentialsOf(then.deviceId);
      if (now === undefined || now.kind !== then.kind || now.keyHash !== then.keyHash) return false;
      return now.kind === 'hub' || (then.kind === 'lock' && now.lockId === then.lockId);
    },

    takeovers: () => takeovers,
    connectedLocks: presence.size,
    connectedHubs: hubPresence.size,
  };
}
