// From a CONNECT to a connection that has logged in: whose it is, and what that makes of it (Protocol 2 and 7).
import { type Identity, identityOf, type Registered } from '../domain/identity.ts';
import type { DeviceId } from '../domain/lock.ts';
import type { PairingService } from '../domain/pairing-service.ts';
import type { Log } from '../domain/part.ts';
import type { Secrets } from '../domain/ports.ts';
import { type ConnectDecision, type ConnectRequest, decideConnect } from './access.ts';
import type { Connection } from './connection.ts';
import { createHubConnection } from './hub-connection.ts';
import type { HubPresence } from './hub-presence.ts';
import { createLockConnection } from './lock-connection.ts';
import type { Intake, LoggedIn, Transport } from './logged-in.ts';
import { createPendingConnection } from './pending-connection.ts';
import { createPresence } from './presence.ts';
import type { ReportReceiver } from './report-receiver.ts';
import type { Topics } from './topics.ts';

export interface AdmissionOptions extends Registered {
  readonly topics: Topics;
  readonly hubPresence: HubPresence;
  readonly pairing: Pick<PairingService, 'isOpen' | 'arrive'>;
  readonly secrets: Pick<Secrets, 'hash' | 'equal'>;
  readonly receiver: ReportReceiver;
  readonly log: Log;
}

export type Refused = Extract<ConnectDecision, { allow: false }>;
export type Admitted = { readonly allow: true; readonly connection: LoggedIn; readonly clientId: string } | Refused;

export interface Admission {
  /**
   * Decides, and when it is a yes makes the connection. `clientId` is under which the broker is to know it: that of a pending
   * device is one of ours, since with its own it would take over the session of the lock that is registered under it (T11).
   */
  admit(request: ConnectRequest, address: string, transport: Transport): Admitted;
  /** False when the lock or hub was removed, bound, registered anew or given another key since its CONNECT was read. */
  isWelcome(connection: LoggedIn): boolean;
  connectedLocks(): number;
  connectedHubs(): number;
}

export function createAdmission(options: AdmissionOptions, intake: Intake): Admission {
  const { topics, locks, hubPresence, pairing, secrets, receiver, log } = options;
  const presence = createPresence<Connection>({ listener: receiver, log });
  const identities = new WeakMap<LoggedIn, Identity>();
  let pendingDevices = 0;

  const credentialsOf = (deviceId: DeviceId): Identity | undefined => identityOf(options, deviceId);

  function make(identity: Identity, transport: Transport): LoggedIn {
    const shared = { topics, presence, receiver, intake };
    const connection =
      identity.kind === 'lock'
        ? createLockConnection(identity, transport, shared)
        : createHubConnection(identity, transport, { ...shared, locks, hubPresence });
    identities.set(connection, identity);
    return connection;
  }

  return {
    admit(request, address, transport) {
      const decision = decideConnect(request, { topics, secrets, credentialsOf, isPairingOpen: pairing.isOpen });
      if (!decision.allow) return decision;
      if ('credentials' in decision) {
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

    connectedLocks: presence.size,
    connectedHubs: hubPresence.size,
  };
}
