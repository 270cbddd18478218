// The embedded MQTT broker: logins, presence, and what passes in and out. The only file that knows aedes, with forward-nothing.ts; every hook
// of it is contained, since an exception in one would end the process (T15).
import { Aedes, type AedesOptions, type Client } from 'aedes';
import type { Part } from '../domain/part.ts';
import type { Clock } from '../domain/ports.ts';
import { createRateLimitedLog } from '../domain/rate-limited-log.ts';
import type { TickBatcher } from '../domain/tick-batcher.ts';
import { type AdmissionOptions, createAdmission } from './admission.ts';
import { createTrouble } from './broker-stats.ts';
import { type ByteStream, createVisitors, type Visit } from './connection-table.ts';
import { contained } from './containment.ts';
import { type Forwarder, forwardNothing } from './forward-nothing.ts';
import type { InboundPacket } from './inbound-pipeline.ts';
import { type BrokerAddresses, type BrokerEndpoints, createListeners } from './listeners.ts';
import { createGate, type GateOptions } from './packet-gate.ts';
import { createPacing, type PacingLimits } from './read-scheduler.ts';
import { createRefusals } from './rejection.ts';
import { createSilenceWatch } from './silence.ts';
import type { BrokerStats } from './stats.ts';
import type { Outbox } from './write-buffer.ts';

export interface BrokerOptions extends AdmissionOptions {
  readonly endpoints: BrokerEndpoints;
  readonly clock: Clock;
  readonly tickBatcher: TickBatcher;
  /**
   * The client id under which this machine asks whether the broker answers. It is no login: aedes goes through it as through any other and
   * refuses it, and nothing of it is counted, logged or put off. From elsewhere it is a stranger's like any other.
   */
  readonly checkedBy: string;
  /** A message that takes longer to handle costs its lock the connection. */
  readonly hookTimeoutMs?: number;
  /** What a client may send, and how many there may be. */
  readonly limits?: GateOptions['limits'];
  /** How they share the event loop. */
  readonly pacing?: Partial<PacingLimits>;
}

export interface Broker extends Part {
  /** Where it listens, once started. */
  addresses(): BrokerAddresses;
  /** Serves a connection that came in elsewhere, such as a WebSocket, as if it had come to a listener. */
  accept(stream: ByteStream): void;
  stats(): BrokerStats;
}

const stopTimeoutMs = 2_000;

export function createBroker(options: BrokerOptions): Broker {
  const { receiver, clock, tickBatcher, log, checkedBy, hookTimeoutMs = 15_000, limits } = options;
  const limited = createRateLimitedLog({ clock, log });
  const pacing = createPacing({ clock, catchUp: tickBatcher.drain, limits: options.pacing });
  const gate = createGate({ clock, limited, limits, pacing });
  const refusals = createRefusals({ clock, limited });
  const trouble = createTrouble(limited);
  const admission = createAdmission(options, { clock, limited, timeoutMs: hookTimeoutMs, hold: pacing.hold, ...trouble });
  let aedes: Aedes | undefined;
  const visitors = createVisitors({
    gate,
    begin: (stream) => aedes?.handle(stream),
    takePublish,
    flushSoon: tickBatcher.batch('packets', (outbox: Outbox) => outbox.flush()),
    onWithheld: trouble.deliveryWithheld,
    silence: createSilenceWatch({ clock }),
    onSilent(visit) {
      noteEnd(visit, 'keep alive timeout');
      visit.end('keep alive timeout');
    },
  });
  const visitOf = (client: Client): Visit | undefined => visitors.of(client.conn);

  function accept(stream: ByteStream): void {
    if (aedes === undefined || aedes.closed) stream.destroy();
    else visitors.enter(stream);
  }

  const listeners = createListeners(options.endpoints, { log, accept, onHandshakeFailed: trouble.handshakeFailed });

  function guard(client: Client, hook: string, otherwise: () => void, decide: (visit: Visit) => () => void): void {
    const visit = visitOf(client);
    contained(
      (error) => trouble.hookFailed(visit, hook, error),
      otherwise,
      () => (visit === undefined ? otherwise : decide(visit)),
    );
  }

  function takePublish(visit: Visit | undefined, packet: InboundPacket, callback: (error?: Error) => void): void {
    // What an ended connection still had in its buffers counts no more: the lock may be connected anew.
    if (visit?.connection === undefined || !visit.isCurrent()) {
      callback(new Error('not allowed'));
      return;
    }
    // As `guard` does it, without its four functions for each event.
    try {
      visit.connection.take(packet, callback);
    } catch (error) {
      trouble.hookFailed(visit, 'publish', error);
    }
  }

  const hooks: AedesOptions = {
    preConnect(client, packet, callback) {
      const no = () => callback(null, false);
      guard(client, 'connect', no, (visit) => {
        const { stream } = visit;
        // No connection is made for it, so `authenticate` refuses it.
        if (packet.clientId === checkedBy && isOfThisMachine(stream)) return () => callback(null, true);
        const request = { ...packet, bridgeMode: 'bridgeMode' in packet };
        const admitted = admission.admit(request, stream.remoteAddress ?? 'unknown', visit);
        // Clean sessions only: nothing is queued for a lock that is away, and no stored subscription gets round access.ts (T6, T11).
        packet.clean = true;
        // All that a will can say is `offline`, and the end of the connection says that at once. Left to aedes, it
        // would be published of living connections too whenever the wall clock jumps (T19).
        delete packet.will;
        // The packet is kept as long as the client: without its key, and without the memory that the key lies in.
        delete packet.password;
        if (admitted.allow) {
          packet.clientId = admitted.clientId;
          visit.connection = admitted.connection;
          visit.listen(packet.keepalive ?? 0);
          // Aedes would not see that who goes the short way lives.
          packet.keepalive = 0;
          return () => callback(null, true);
        }
        trouble.connectionRefused(admitted.reason);
        // Never answered to aedes: it waits, without a session, until the refusal has closed the connection.
        return () => refusals.refuse(admitted, { stream, claimed: packet.username, close: () => client.close() });
      });
    },

    authenticate(client, _username, _password, callback) {
      const deny = () => {
        // With true, aedes would wipe the inbound QoS 2 state of this client id (T11).
        client.clean = false;
        callback(Object.assign(new Error('not authorized'), { returnCode: 5 }), false);
      };
      guard(client, 'login', deny, ({ connection }) => {
        if (connection === undefined || !admission.isWelcome(connection)) return deny;
        return () => callback(null, true);
      });
    },

    authorizePublish(client, packet, callback) {
      if (client === null) callback(new Error('not allowed'));
      else takePublish(visitOf(client), packet, callback);
    },

    authorizeSubscribe(client, subscription, callback) {
      const no = () => callback(new Error('not allowed'));
      guard(client, 'subscribe', no, ({ connection }) => {
        const decision = connection?.maySubscribe(subscription.topic);
        if (decision?.allow) return () => callback(null, subscription);
        trouble.subscriptionRefused(connection, decision?.reason ?? 'not connected');
        return () => callback(null, null);
      });
    },

    authorizeForward(client, packet) {
      const visit = visitOf(client);
      if (visit?.isCurrent() && visit.connection?.mayReceive(packet.topic)) return packet;
      trouble.deliveryWithheld();
      return null;
    },
  };

  function noteProtocolError(client: Client, error: Error): void {
    const visit = visitOf(client);
    if (client.id === checkedBy) return;
    // The echo of a connection that has ended, or was closed from here.
    if (visit === undefined || (visit.connection !== undefined && !visit.isCurrent())) return;
    noteEnd(visit, error.message);
    visit.connection?.ended(error.message);
  }

  function noteEnd(visit: Visit, reason: string): void {
    trouble.brokeOff(reason);
    log.debug({ ...visit.identity(), reason }, 'A connection broke off.');
  }

  /** The listeners first, so that nobody comes in while the others go. */
  async function stop(): Promise<void> {
    const broker = aedes;
    aedes = undefined;
    listeners.close();
    for (const visit of visitors.all()) visit.end('the gateway stops');
    if (broker !== undefined) {
      await new Promise<void>((resolve) => {
        const cancel = clock.timer(stopTimeoutMs, resolve);
        broker.close(() => {
          cancel();
          resolve();
        });
      });
    }
    listeners.endHandshakes();
    for (const { stream } of visitors.all()) stream.destroy();
  }

  return {
    name: 'mqtt',
    async start() {
      // Without the high concurrency one reader that does not read stalls everybody (T14).
      const broker = await Aedes.createBroker({ concurrency: 5_000, drainTimeout: 5_000, maxInflightInbound: 20, ...hooks });
      aedes = broker;
      forwardNothing(broker as Forwarder);
      broker.on('clientError', noteProtocolError);
      broker.on('connectionError', noteProtocolError);
      // Not before: all that aedes has of this client has been handled by then.
      broker.on('clientReady', (client) => visitOf(client)?.divert());
      broker.on('connackSent', ({ returnCode }, client) => returnCode === 0 && visitOf(client)?.entered?.admit());
      // An 'error' event without a listener would end the process.
      broker.on(
        'error' as 'closed',
        ((error: Error) => log.error({ code: 'bug', err: error }, 'The broker reports an error.')) as () => void,
      );
      try {
        await listeners.start();
      } catch (error) {
        await stop();
        throw error;
      }
      log.info(listeners.addresses(), 'Listening for locks (MQTT).');
    },
    stop,
    addresses: listeners.addresses,
    accept,
    stats: () => ({
      ...receiver.stats(),
      ...gate.stats(),
      ...trouble.stats(),
      openConnections: visitors.size(),
      connectedLocks: admission.connectedLocks(),
      connectedHubs: admission.connectedHubs(),
      takeovers: admission.takeovers(),
      refusalsWaiting: refusals.waiting(),
      slowedNetworks: refusals.slowed(),
      ...listeners.stats(),
    }),
  };
}

/** Whoever is at an address of ours. What came in elsewhere, such as a WebSocket, has none here. */
function isOfThisMachine({ localAddress, remoteAddress }: ByteStream): boolean {
  return localAddress !== undefined && localAddress === remoteAddress;
}
