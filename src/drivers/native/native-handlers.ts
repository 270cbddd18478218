// From a CONNECT to a client of the broker: whose it is, and what that makes of it (Protocol 2 and 7).
import type { Authentication, ClientConnection, ClientHandler, ClientHandlers, Rejection } from '../../broker/client-handlers.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceId } from '../../domain/locks/lock.ts';
import type { Log } from '../../domain/part.ts';
import { createRateLimitedLog } from '../../domain/rate-limited-log.ts';
import { createKeyedRateLimiter } from '../../domain/rate-limiter.ts';
import type { Secrets } from '../../domain/secrets.ts';
import { decideConnect, type UnknownDevice } from './access.ts';
import { createHubClient } from './hub-client.ts';
import type { HubPresence } from './hub-presence.ts';
import { type Identity, identityOf, type Registered } from './identity.ts';
import { LockClient } from './lock-client.ts';
import type { LockLine } from './lock-line.ts';
import type { NativePairing } from './pairing-service.ts';
import { createPendingDevice } from './pending-device.ts';
import { createPresence } from './presence.ts';
import type { ReceiverStats, ReportReceiver } from './report-receiver.ts';
import type { Topics } from './topics.ts';

export interface NativeHandlersOptions extends Registered {
  readonly topics: Topics;
  readonly hubPresence: HubPresence;
  readonly pairing: Pick<NativePairing, 'isOpen' | 'arrive'>;
  readonly secrets: Pick<Secrets, 'hash' | 'equal'>;
  readonly receiver: ReportReceiver;
  readonly clock: Clock;
  readonly log: Log;
}

export interface NativeStats extends ReceiverStats {
  /** Logged in; whether a lock is online is another matter (Protocol 6). */
  readonly connectedLocks: number;
  readonly connectedHubs: number;
  /** Logins that ended another connection of the same lock or hub. */
  readonly takeovers: number;
}

export interface NativeHandlers extends ClientHandlers {
  stats(): NativeStats;
}

/** A lock that loses its network for a moment comes back at once; one that comes back every second is broken, or two. */
const loginRate = { perSecond: 1, burst: 60, maxKeys: 100_000 };
/** Of devices that have not proved to be anybody, by the name they claim and where they come from: apart, so that they use up nothing of the lock with that name. */
const unknownRate = { ...loginRate, maxKeys: 10_000 };
/** More than two within a minute: the end of a connection can be lost, but not that often. */
const takeoverRate = { perSecond: 2 / 60, burst: 2, maxKeys: 10_000 };

/** The client handlers of locks, hubs and pending devices, with the limits on their logins. */
export function createNativeHandlers(options: NativeHandlersOptions): NativeHandlers {
  const { topics, locks, hubPresence, pairing, secrets, receiver, clock, log } = options;
  const limited = createRateLimitedLog({ clock, log });
  const presence = createPresence<LockLine>({ listener: receiver, log });
  const ofLocks = { topics, presence, receiver, isStill };
  const ofHubs = { ...ofLocks, locks, hubPresence };
  const logins = createKeyedRateLimiter<DeviceId>({ clock, ...loginRate });
  const unknownLogins = createKeyedRateLimiter<string>({ clock, ...unknownRate });
  const usualTakeovers = createKeyedRateLimiter<DeviceId>({ clock, ...takeoverRate });
  let pendingDevices = 0;
  let takeovers = 0;

  const credentialsOf = (deviceId: DeviceId): Identity | undefined => identityOf(options, deviceId);

  /** False when the lock or hub was removed, bound, registered anew or given another key since its CONNECT was read. */
  function isStill(then: Identity): boolean {
    const now = credentialsOf(then.deviceId);
    if (now === undefined || now.kind !== then.kind || now.keyHash !== then.keyHash) return false;
    return now.kind === 'hub' || (then.kind === 'lock' && now.lockId === then.lockId);
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

  /** From here on it can be disconnected, also while its login is still under way. */
  function known(identity: Identity, connection: ClientConnection): ClientHandler | Rejection {
    if (!logins.take(identity.deviceId)) return tooManyLogins;
    noteTakeover(identity, connection.origin.address);
    if (identity.kind === 'hub') {
      const hub = createHubClient(identity, connection, ofHubs);
      hubPresence.register(hub);
      return hub;
    }
    const lock = new LockClient(identity, connection, ofLocks);
    presence.register(lock);
    return lock;
  }

  function pending(device: UnknownDevice, connection: ClientConnection): ClientHandler | Rejection {
    if (!unknownLogins.take(`${connection.origin.address} ${device.deviceId}`)) return tooManyLogins;
    const clientId = `pending/${pendingDevices + 1}`;
    const client = createPendingDevice(device, connection, { topics, pairing, clientId });
    if (typeof client === 'string') return { allow: false, code: 5, reason: client, failedLogin: true };
    pendingDevices++;
    return client;
  }

  return {
    authenticate(request, connection): Authentication {
      const decision = decideConnect(request, { topics, secrets, credentialsOf, isPairingOpen: pairing.isOpen });
      if (!decision.allow) return { ...decision, identity: claimedBy(request.username) };
      const client = 'credentials' in decision ? known(decision.credentials, connection) : pending(decision.unknown, connection);
      return 'allow' in client ? { ...client, identity: claimedBy(request.username) } : { allow: true, client };
    },
    stats: () => ({ ...receiver.stats(), connectedLocks: presence.size(), connectedHubs: hubPresence.size(), takeovers }),
  };
}

const tooManyLogins: Rejection = { allow: false, code: 3, reason: 'too-many-logins', failedLogin: false };

/** For the log. Only what looks like a deviceId is written down: people put keys into the wrong field. */
function claimedBy(username: string | undefined): { readonly deviceId?: string } {
  return username !== undefined && /^[0-9a-f]{12}$/.test(username) ? { deviceId: username } : {};
}
