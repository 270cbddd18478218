// What connections do that they must not, and what fails while they are served: counted, logged within limits, and the connection ended.

import { originOf } from '../domain/origin.ts';
import type { RateLimitedLog } from '../domain/rate-limited-log.ts';
import type { Intake, LoggedIn } from './client.ts';
import type { Visit } from './connection-table.ts';
import { createReasonCounts, type TroubleStats } from './stats.ts';

export interface Trouble extends Pick<Intake, 'onRefused' | 'onStuck' | 'onFailed'> {
  handshakeFailed(remoteAddress: string | undefined, reason: string): void;
  /** A step of the broker threw. */
  hookFailed(visit: Visit | undefined, hook: string, error: unknown): void;
  subscriptionRefused(connection: LoggedIn | undefined, reason: string): void;
  connectionRefused(reason: string): void;
  deliveryWithheld(): void;
  brokeOff(reason: string): void;
  stats(): TroubleStats;
}

export function createTrouble(limited: RateLimitedLog): Trouble {
  const refusedConnections = createReasonCounts();
  const refusedPublishes = createReasonCounts();
  const refusedSubscriptions = createReasonCounts();
  const counts = { withheldDeliveries: 0, protocolErrors: 0, stuckReaders: 0, failedHandshakes: 0, hookFailures: 0 };

  return {
    handshakeFailed(remoteAddress, reason) {
      counts.failedHandshakes++;
      const { address, network } = originOf(remoteAddress);
      limited.warn(
        `handshake ${network}`,
        { code: 'tls-handshake-failed', address, reason },
        'A TLS handshake failed: a lock that does not trust the authority, or no TLS.',
      );
    },

    onRefused(connection, reason) {
      const { lockId, deviceId } = connection;
      refusedPublishes.add(reason);
      limited.warn(
        `publish ${deviceId}`,
        { code: 'publish-refused', lockId, deviceId, reason },
        'A publish was refused and the connection closed.',
      );
      connection.close(`illegal publish: ${reason}`);
    },

    onStuck(connection) {
      const { lockId, deviceId } = connection;
      counts.stuckReaders++;
      limited.warn(
        `stuck ${deviceId}`,
        { code: 'client-stuck', lockId, deviceId },
        'A client does not read what it is sent; its connection was closed.',
      );
      connection.close('it does not read');
    },

    onFailed(connection, error) {
      const { lockId, deviceId } = connection;
      counts.hookFailures++;
      limited.warn(
        `inbound ${deviceId}`,
        { code: 'bug', lockId, deviceId, err: error },
        'A message could not be handled; the connection was closed.',
      );
      connection.close('a message could not be handled');
    },

    hookFailed(visit, hook, error) {
      counts.hookFailures++;
      limited.warn(`hook ${hook}`, { code: 'bug', hook, err: error, lockId: visit?.connection?.lockId }, 'A step of the broker failed.');
      visit?.end('a step of the broker failed');
    },

    subscriptionRefused(connection, reason) {
      const { lockId, deviceId } = connection ?? {};
      refusedSubscriptions.add(reason);
      limited.warn(`subscribe ${deviceId}`, { code: 'subscription-refused', lockId, deviceId, reason }, 'A subscription was refused.');
    },

    connectionRefused: refusedConnections.add,

    deliveryWithheld() {
      counts.withheldDeliveries++;
    },

    brokeOff(reason) {
      // What aedes calls it when a client has not taken for 5 s what aedes itself has written.
      if (reason === 'drain timeout') counts.stuckReaders++;
      else counts.protocolErrors++;
    },

    stats: () => ({
      ...counts,
      refusedConnections: refusedConnections.all(),
      refusedPublishes: refusedPublishes.all(),
      refusedSubscriptions: refusedSubscriptions.all(),
    }),
  };
}
