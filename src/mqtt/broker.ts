// The embedded MQTT broker: logins, presence, and what passes in and out. The only file that knows aedes, with forward-nothing.ts; every hook
// of it is contained, since an exception in one would end the process (T15).
import type { Duplex } from 'node:stream';
import { Aedes, type AedesOptions, type Client } from 'aedes';
import type { Part } from '../domain/part.ts';
import type { Clock } from '../domain/ports.ts';
import { type AdmissionOptions, createAdmission } from './admission.ts';
import { contained } from './containment.ts';
import { type BrokerFigures, createReasonCounts } from './figures.ts';
import { onFirstPacket } from './first-packet.ts';
import { type Forwarder, forwardNothing } from './forward-nothing.ts';
import { createGate, type GateOptions } from './frame-gate.ts';
import type { InboundPacket } from './inbound.ts';
import { createLimitedLog } from './limited-log.ts';
import { type Address, createListener, type ListenerOptions } from './listener.ts';
import type { LoggedIn, Transport } from './logged-in.ts';
import { originOf } from './origin.ts';
import { createOutbox } from './outbox.ts';
import { createPacing, type PacingLimits } from './pacing.ts';
import { publishPacket } from './packets.ts';
import { createRefusals } from './refusal.ts';

type Endpoint = Pick<ListenerOptions, 'host' | 'port' | 'identity'>;

/** Where to serve, by scheme; what is absent is off. */
interface BrokerEndpoints {
  readonly mqtt?: Endpoint | undefined;
  readonly mqtts?: Endpoint | undefined;
}

/** What a client says and is told; where it comes from, when that is known. */
type ByteStream = Duplex & { readonly remoteAddress?: string | undefined; readonly localAddress?: string | undefined };

export interface BrokerOptions extends AdmissionOptions {
  readonly endpoints: BrokerEndpoints;
  readonly clock: Clock;
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
  addresses(): { readonly [Scheme in keyof BrokerEndpoints]: Address };
  /** Serves a connection that came in elsewhere, such as a WebSocket, as if it had come to a listener. */
  accept(stream: ByteStream): void;
  figures(): BrokerFigures;
}

const stopTimeoutMs = 2_000;
/** [MQTT-2.3.1-1]; at most 16 commands wait for a lock, so that a number is free again long before it comes round. */
const maxMessageId = 0xffff;

export function createBroker(options: BrokerOptions): Broker {
  const { receiver, clock, log, checkedBy, hookTimeoutMs = 15_000, limits } = options;
  const limited = createLimitedLog({ clock, log });
  const pacing = createPacing({ clock, limits: options.pacing });
  const gate = createGate({ clock, limited, limits, pacing });
  const refusals = createRefusals({ clock, limited });
  const connections = new WeakMap<Client, LoggedIn>();
  /** Everybody who has come in; a client once the first packet is there. */
  const visitors = new Map<ByteStream, Client | undefined>();
  const refusedConnections = createReasonCounts();
  const refusedPublishes = createReasonCounts();
  const refusedSubscriptions = createReasonCounts();
  const counts = { withheldDeliveries: 0, protocolErrors: 0, stuckReaders: 0, failedHandshakes: 0, hookFailures: 0 };
  let aedes: Aedes | undefined;

  function accept(stream: ByteStream): void {
    if (aedes === undefined || aedes.closed) return void stream.destroy();
    let client: Client | undefined;
    const connection = () => client && connections.get(client);
    if (!gate.enter(stream, { identity: () => identityOf(client), isUrgent: () => connection()?.isUrgent() ?? false })) return;
    visitors.set(stream, undefined);
    stream.on('close', () => visitors.delete(stream));
    onFirstPacket(stream, () => {
      client = aedes?.handle(stream);
      visitors.set(stream, client);
    });
  }

  function onHandshakeFailed(remoteAddress: string | undefined, reason: string): void {
    counts.failedHandshakes++;
    const { address, network } = originOf(remoteAddress);
    limited.warn(
      `handshake ${network}`,
      { code: 'tls-handshake-failed', address, reason },
      'A TLS handshake failed: a lock that does not trust the authority, or no TLS.',
    );
  }

  const listeners = (['mqtt', 'mqtts'] as const).flatMap((scheme) => {
    const endpoint = options.endpoints[scheme];
    return endpoint ? [{ scheme, ...createListener({ ...endpoint, log, accept, onHandshakeFailed }) }] : [];
  });

  const admission = createAdmission(options, {
    ...{ clock, limited, timeoutMs: hookTimeoutMs, hold: pacing.hold },
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
  });

  /** For the log. */
  function identityOf(client: Client | undefined): object {
    const { lockId, deviceId } = (client && connections.get(client)) ?? {};
    return { lockId, deviceId };
  }

  function close(client: Client, reason: string): void {
    const connection = connections.get(client);
    if (connection === undefined) client.close();
    else connection.close(reason);
  }

  function guard(client: Client, hook: string, otherwise: () => void, decide: () => () => void): void {
    contained((error) => hookFailed(client, hook, error), otherwise, decide);
  }

  function hookFailed(client: Client, hook: string, error: unknown): void {
    counts.hookFailures++;
    limited.warn(
      `hook ${hook}`,
      { code: 'bug', hook, err: error, lockId: connections.get(client)?.lockId },
      'A step of the broker failed.',
    );
    close(client, 'a step of the broker failed');
  }

  /** Commands and PUBACKs go out past aedes, which needs several writes and turns of the event loop for each. */
  function transportOf(client: Client): Transport {
    const outbox = createOutbox(client.conn);
    let messageId = 0;
    return {
      publish(topic, payload) {
        // The second look at delivery, as authorizeForward has it for what aedes delivers (T11).
        const connection = connections.get(client);
        if (!connection?.isCurrent() || !connection.mayReceive(topic)) return void counts.withheldDeliveries++;
        gate.hurry(client.conn);
        messageId = (messageId % maxMessageId) + 1;
        outbox.send(publishPacket(topic, payload, messageId));
      },
      write: outbox.send,
      unreadBytes: outbox.unreadBytes,
      close: () => client.close(),
    };
  }

  function takePublish(client: Client, packet: InboundPacket, callback: (error?: Error) => void): void {
    const connection = connections.get(client);
    // What an ended connection still had in its buffers counts no more: the lock may be connected anew.
    if (connection === undefined || !connection.isCurrent()) {
      callback(new Error('not allowed'));
      return;
    }
    // As `guard` does it, without its four functions for each event.
    try {
      connection.take(packet, callback);
    } catch (error) {
      hookFailed(client, 'publish', error);
    }
  }

  /** Of a client that is served: what it publishes with QoS 0 or 1 needs nothing of aedes, which is for all else. */
  function divert(client: Client): void {
    let over = false;
    const callback = (error?: Error) => {
      if (error === undefined) return;
      over = true;
      client.close();
    };
    gate.divert(client.conn, (packet) => {
      takePublish(client, packet, callback);
      return !over;
    });
  }

  const hooks: AedesOptions = {
    preConnect(client, packet, callback) {
      const no = () => callback(null, false);
      guard(client, 'connect', no, () => {
        const stream: ByteStream = client.conn;
        // No connection is made for it, so `authenticate` refuses it.
        if (packet.clientId === checkedBy && isOfThisMachine(stream)) return () => callback(null, true);
        const request = { ...packet, bridgeMode: 'bridgeMode' in packet };
        const admitted = admission.admit(request, stream.remoteAddress ?? 'unknown', transportOf(client));
        // Clean sessions only: nothing is queued for a lock that is away, and no stored subscription gets round access.ts (T6, T11).
        packet.clean = true;
        // All that a will can say is `offline`, and the end of the connection says that at once. Left to aedes, it
        // would be published of living connections too whenever the wall clock jumps (T19).
        delete packet.will;
        if (admitted.allow) {
          const { connection, clientId } = admitted;
          packet.clientId = clientId;
          connections.set(client, connection);
          client.conn.on('close', () => connection.ended('the connection was closed'));
          return () => callback(null, true);
        }
        refusedConnections.add(admitted.reason);
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
      guard(client, 'login', deny, () => {
        const connection = connections.get(client);
        if (connection === undefined || !admission.isWelcome(connection)) return deny;
        return () => callback(null, true);
      });
    },

    authorizePublish(client, packet, callback) {
      if (client === null) callback(new Error('not allowed'));
      else takePublish(client, packet, callback);
    },

    authorizeSubscribe(client, subscription, callback) {
      guard(
        client,
        'subscribe',
        () => callback(new Error('not allowed')),
        () => {
          const connection = connections.get(client);
          const decision = connection?.maySubscribe(subscription.topic);
          if (decision?.allow) return () => callback(null, subscription);
          const reason = decision?.reason ?? 'not connected';
          refusedSubscriptions.add(reason);
          limited.warn(
            `subscribe ${connection?.deviceId}`,
            { code: 'subscription-refused', ...identityOf(client), reason },
            'A subscription was refused.',
          );
          return () => callback(null, null);
        },
      );
    },

    authorizeForward(client, packet) {
      const connection = connections.get(client);
      if (connection?.isCurrent() && connection.mayReceive(packet.topic)) return packet;
      counts.withheldDeliveries++;
      return null;
    },
  };

  function noteProtocolError(client: Client, error: Error): void {
    const connection = connections.get(client);
    if (client.id === checkedBy) return;
    // The echo of a connection that was closed from here.
    if (connection !== undefined && !connection.isCurrent()) return;
    // What aedes calls it when a client has not taken for 5 s what aedes itself has written.
    if (error.message === 'drain timeout') counts.stuckReaders++;
    else counts.protocolErrors++;
    log.debug({ ...identityOf(client), reason: error.message }, 'A connection broke off.');
    connection?.ended(error.message);
  }

  function addresses(): ReturnType<Broker['addresses']> {
    return Object.fromEntries(listeners.map(({ scheme, address }) => [scheme, address()]));
  }

  /** The listeners first, so that nobody comes in while the others go. */
  async function stop(): Promise<void> {
    const broker = aedes;
    aedes = undefined;
    for (const listener of listeners) listener.close();
    for (const [stream, client] of [...visitors]) {
      if (client === undefined) stream.destroy();
      else close(client, 'the gateway stops');
    }
    if (broker !== undefined) {
      await new Promise<void>((resolve) => {
        const cancel = clock.timer(stopTimeoutMs, resolve);
        broker.close(() => {
          cancel();
          resolve();
        });
      });
    }
    for (const listener of listeners) listener.destroySockets();
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
      broker.on('clientReady', divert);
      broker.on('connackSent', ({ returnCode }, client) => returnCode === 0 && gate.admit(client.conn));
      // An 'error' event without a listener would end the process.
      broker.on(
        'error' as 'closed',
        ((error: Error) => log.error({ code: 'bug', err: error }, 'The broker reports an error.')) as () => void,
      );
      try {
        for (const listener of listeners) await listener.start();
      } catch (error) {
        await stop();
        throw error;
      }
      log.info(addresses(), 'Listening for locks (MQTT).');
    },
    stop,
    addresses,
    accept,
    figures: () => ({
      ...receiver.figures(),
      ...gate.figures(),
      ...counts,
      openConnections: visitors.size,
      connectedLocks: admission.connectedLocks(),
      connectedHubs: admission.connectedHubs(),
      takeovers: admission.takeovers(),
      refusalsWaiting: refusals.waiting(),
      slowedNetworks: refusals.slowed(),
      handshakesUnderWay: sum(listeners.map(({ handshakes }) => handshakes().underWay)),
      handshakesGaveWay: sum(listeners.map(({ handshakes }) => handshakes().gaveWay)),
      refusedConnections: refusedConnections.all(),
      refusedPublishes: refusedPublishes.all(),
      refusedSubscriptions: refusedSubscriptions.all(),
    }),
  };
}

/** Whoever is at an address of ours. What came in elsewhere, such as a WebSocket, has none here. */
function isOfThisMachine({ localAddress, remoteAddress }: ByteStream): boolean {
  return localAddress !== undefined && localAddress === remoteAddress;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
