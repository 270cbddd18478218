// Aedes, as far as it is used: sessions, CONNACK, SUBSCRIBE, PING, DISCONNECT and QoS 2. The only file that knows it; every hook of it
// is contained, since an exception in one would end the process (Fault T15). Nobody is sent anything through a subscription: clients speak
// to their handlers, which have what a client says when its publish is authorized, and what is said to it is written without aedes.
import type { Duplex } from 'node:stream';
import { Aedes, type AedesOptions, type Client, type ConnectPacket } from 'aedes';
import { writeToStream } from 'mqtt-packet';
import type { Log } from '../domain/part.ts';
import type { StatsRecorder } from './broker-stats.ts';
import type { ByteStream } from './byte-stream.ts';
import type { Connection } from './connection.ts';
import type { LoginRejections } from './login-rejections.ts';

export interface MqttServerOptions {
  /** Undefined when the stream has closed. */
  connectionOf(stream: Duplex): Connection | undefined;
  /** The CONNACK that accepts it has gone out. */
  onAdmitted(connection: Connection): void;
  readonly loginRejections: LoginRejections;
  readonly stats: StatsRecorder;
  readonly log: Log;
  /**
   * The client id under which this machine asks whether the broker answers. It is no login: aedes goes through it as through any other and
   * refuses it, and nothing of it is counted, logged or put off. From elsewhere it is a stranger's like any other.
   */
  readonly checkedBy: string;
}

export interface MqttServer {
  /** Reads the stream from its first packet on, which is whole. */
  handle(stream: Duplex): { close(): void };
  isClosed(): boolean;
  close(onClosed: () => void): void;
}

/** Starts aedes with the hooks of the broker. It accepts no connection by itself: the broker hands each one over. */
export async function startMqttServer(options: MqttServerOptions): Promise<MqttServer> {
  const { connectionOf, onAdmitted, log } = options;
  // Without the high concurrency one reader that does not read stalls everybody (Fault T14).
  const aedes = await Aedes.createBroker({ concurrency: 5_000, drainTimeout: 5_000, maxInflightInbound: 20, ...createHooks(options) });
  forwardNothing(aedes as Forwarder);
  const onError = (client: Client, error: Error): void => {
    if (client.id !== options.checkedBy) connectionOf(client.conn)?.breakOff(error.message);
  };
  aedes.on('clientError', onError);
  aedes.on('connectionError', onError);
  // Not before: all that aedes has of this client has been handled by then.
  aedes.on('clientReady', (client) => connectionOf(client.conn)?.openFastPath());
  aedes.on('connackSent', ({ returnCode }, client) => {
    const connection = connectionOf(client.conn);
    if (returnCode === 0 && connection !== undefined) onAdmitted(connection);
  });
  const contain = createContainment(options);
  const nothing = () => {};
  // The SUBACK has been written.
  aedes.on('subscribe', (subscriptions, client) => {
    const granted = subscriptions.filter(({ qos }) => qos <= 2);
    contain(client, 'subscribed', nothing, (connection) => () => {
      for (const { topic } of granted) connection.onSubscribed(topic);
    });
  });
  aedes.on('unsubscribe', (filters, client) => {
    contain(client, 'unsubscribe', nothing, (connection) => () => connection.onUnsubscribed(filters));
  });
  // An 'error' event without a listener would end the process.
  aedes.on('error' as 'closed', ((error: Error) => log.error({ code: 'bug', err: error }, 'The broker reports an error.')) as () => void);
  return {
    handle: (stream) => aedes.handle(stream),
    isClosed: () => aedes.closed,
    close: (onClosed) => aedes.close(onClosed),
  };
}

type Answer = () => void;

/** Makes what runs the answer that `decide` gives, or `otherwise` when there is no connection or it throws: one of them, once. */
function createContainment({ connectionOf, stats }: MqttServerOptions) {
  return (client: Client, hook: string, otherwise: Answer, decide: (connection: Connection) => Answer): void => {
    const connection = connectionOf(client.conn);
    const onFailed = (error: unknown): void => {
      stats.hookFailed(connection?.identity() ?? {}, hook, error);
      connection?.close('a step of the broker failed');
    };
    let answer = otherwise;
    try {
      if (connection !== undefined) answer = decide(connection);
    } catch (error) {
      onFailed(error);
    }
    try {
      answer();
    } catch (error) {
      onFailed(error);
    }
  };
}

/** Takes from a CONNECT what aedes must not do. It holds the packet as long as the client. */
function restrict(packet: ConnectPacket): void {
  // Clean sessions only: nothing is queued for a client that is away, and no stored subscription gets round its handler (Faults T6 and T11).
  packet.clean = true;
  // All that a will can say is `offline`, and the end of the connection says that at once. Left to aedes, it
  // would be published of living connections too whenever the wall clock jumps (Fault T19).
  delete packet.will;
  // The key, and the memory that it lies in.
  delete packet.password;
  // Aedes does not see the packets of the fast path: it would take a client that uses only that for dead.
  packet.keepalive = 0;
}

/** It comes from an address of this machine. What came in elsewhere, such as a WebSocket, has no address here. */
function isOfThisMachine({ localAddress, remoteAddress }: ByteStream): boolean {
  return localAddress !== undefined && localAddress === remoteAddress;
}

function createHooks(options: MqttServerOptions): AedesOptions {
  const { connectionOf, loginRejections, stats, checkedBy } = options;
  const contain = createContainment(options);

  return {
    preConnect(client, packet, callback) {
      const yes = () => callback(null, true);
      const no = () => callback(null, false);
      contain(client, 'connect', no, (connection) => {
        // It is no client, so `authenticate` refuses it.
        if (packet.clientId === checkedBy && isOfThisMachine(connection.stream)) return yes;
        const answer = connection.login({ ...packet, bridgeMode: 'bridgeMode' in packet });
        restrict(packet);
        if (answer.allow) {
          packet.clientId = answer.client.clientId;
          return yes;
        }
        stats.connectRejected(answer.reason);
        // Never answered to aedes: it waits, without a session, until the rejection has closed the connection.
        return () => loginRejections.answer(answer, { stream: connection.stream, close: () => client.close() });
      });
    },

    authenticate(client, _username, _password, callback) {
      const deny = () => {
        // With true, aedes would wipe the inbound QoS 2 state of this client id (Fault T11).
        client.clean = false;
        callback(Object.assign(new Error('not authorized'), { returnCode: 5 }), false);
      };
      contain(client, 'login', deny, (connection) => (connection.isWelcome() ? () => callback(null, true) : deny));
    },

    authorizePublish(client, packet, callback) {
      const isHandshake = packet.qos === 2;
      const connection = client === null ? undefined : connectionOf(client.conn);
      const isTaken = connection?.takePublish(packet, callback) ?? false;
      if (!isTaken) callback(new Error('not allowed'));
      else if (!isHandshake) callback();
    },

    authorizeSubscribe(client, subscription, callback) {
      const fail = () => callback(new Error('not allowed'));
      contain(client, 'subscribe', fail, (connection) => {
        const { allow } = connection.authorizeSubscribe(subscription.topic, subscription.qos);
        return () => callback(null, allow ? subscription : null);
      });
    },

    authorizeForward() {
      stats.deliveryWithheld();
      return null;
    },
  };
}

type Done = (error?: Error) => void;

/** What aedes calls of itself. */
export interface Forwarder {
  publish(packet: object, client: object | Done | null | undefined, done?: Done): void;
  subscribe(topic: string, deliver: unknown, done?: Done): void;
  unsubscribe(topic: string, deliver: unknown, done?: Done): void;
}

/**
 * Nothing is passed on and nothing retained is stored, so that no subscription, however it came to be, hears anything (Fault T11). Nor
 * is one stored: SUBSCRIBEs are answered as they were decided.
 */
export function forwardNothing(aedes: Forwarder): void {
  aedes.publish = (_packet, client, done) => (typeof client === 'function' ? client : done)?.();
  aedes.subscribe = (_topic, _deliver, done) => done?.();
  aedes.unsubscribe = (_topic, _deliver, done) => done?.();
  // 65,536 buffers, one for each packet id, made with the first packet it writes: 7 MB, for a few SUBACKs.
  writeToStream.cacheNumbers = false;
}
