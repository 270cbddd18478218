// Keeps a connection to an outside broker: tries again when it ends, later and later, and in version 3.1.1 with a broker that knows no other.
import type { Clock } from '../domain/clock.ts';
import {
  type BrokerCredentials,
  type ConnectionEnd,
  type ConnectToBroker,
  loadConnector,
  type MqttConnection,
  type MqttListener,
} from './mqtt-connection.ts';
import type { Publication } from './mqtt-send-window.ts';
import { brokerAddress } from './mqtt-socket.ts';

export interface OutboundMqttOptions extends MqttListener {
  readonly clock: Clock;
  /** 0 to below 1: spreads the attempts of many gateways. */
  readonly random: () => number;
  /** `mqtt://host:port` or `mqtts://host:port`; 1883 or 8883 when there is no port. */
  readonly url: string;
  readonly clientId: () => string;
  /** Called at each attempt. Rejects with a sentence for the operator. */
  readonly credentials: () => Promise<BrokerCredentials>;
  /** A broker that does not know version 5 has refused; absent: it is spoken to in version 3.1.1. */
  readonly isVersion5Needed?: true;
  /** How long the next attempt waits after the broker has refused the login or the version; absent: as after every other failure. */
  readonly refusedRetryMs?: number;
  /** What the broker publishes, retained and with quality of service 1, when the connection ends, however it does. */
  readonly will?: { readonly topic: string; readonly payload: string };
  /** The connection, or an attempt, has ended; the next attempt is scheduled. `isRefusal`: the broker refused the login or the version. */
  onDown(reason: string, isRefusal: boolean): void;
}

export interface OutboundMqtt {
  start(): void;
  /** Says goodbye to the broker, in at most 2 s, or resets the connection when a command was not taken; ends everything. Idempotent. */
  stop(): Promise<void>;
  /**
   * Hands a message to the broker, with quality of service 0 and not retained; false: there is no connection, and nothing was sent. With
   * `ttlMs` it is a command: a broker of version 5 drops it after that time, in whole seconds, at least one. When the broker has not taken
   * it by then, the connection is reset, so that it never comes out of this machine later.
   */
  publish(topic: string, payload: string, ttlMs?: number): boolean;
  /**
   * Hands over what is no command. While the connection lasts, it waits for its place in what the broker takes at once: of a retained topic the
   * newest alone. False: there is no connection, or too much waits; nothing is sent.
   */
  announce(publication: Publication): boolean;
  /** Resolves when little waits of what was announced, or the connection is gone. */
  room(): Promise<void>;
  isUp(): boolean;
  /**
   * Filters that are subscribed already are asked for again, which brings their retained messages again. With `stored` (version 5) a message
   * tells whether it was published to be retained, and our own do not come back; `never`: nothing comes from the store of the broker.
   */
  subscribe(filters: readonly string[], stored?: 'send' | 'never'): void;
  unsubscribe(filters: readonly string[]): void;
}

const firstRetryMs = 1_000;
const lastRetryMs = 60_000;
/** A connection that lived shorter counts as a failed attempt. */
const stableMs = 30_000;

export function createOutboundMqtt(options: OutboundMqttOptions): OutboundMqtt {
  const { clock, random } = options;
  const address = brokerAddress(options.url);
  let state: 'idle' | 'running' | 'stopped' = 'idle';
  let current: MqttConnection | undefined;
  let cancelRetry: (() => void) | undefined;
  let failures = 0;

  async function connect(version: 4 | 5): Promise<void> {
    cancelRetry = undefined;
    let open: ConnectToBroker;
    let credentials: BrokerCredentials;
    try {
      open = await loadConnector();
      credentials = await options.credentials();
    } catch (error) {
      if (state === 'running') failed((error as Error).message, false);
      return;
    }
    if (state !== 'running') return;
    const { will } = options;
    current = open({ clock, address, version, clientId: options.clientId(), credentials, will, listener: options, onEnd: ended });
  }

  function ended({ reason, upMs, isVersionRefused, isLoginRefused }: ConnectionEnd): void {
    current = undefined;
    if (state !== 'running') return;
    if (isVersionRefused && options.isVersion5Needed !== true) {
      void connect(4);
      return;
    }
    if (upMs !== undefined && upMs >= stableMs) failures = 0;
    failed(reason, isVersionRefused || isLoginRefused);
  }

  function failed(reason: string, isRefusal: boolean): void {
    const ceilingMs = Math.min(lastRetryMs, firstRetryMs * 2 ** failures);
    failures = Math.min(failures + 1, 10);
    const afterRefusalMs = isRefusal ? options.refusedRetryMs : undefined;
    cancelRetry = clock.timer(afterRefusalMs ?? ceilingMs * (0.5 + random() / 2), () => void connect(5));
    options.onDown(reason, isRefusal);
  }

  const up = (): MqttConnection | undefined => (current?.isUp() === true ? current : undefined);

  return {
    start() {
      if (state !== 'idle') return;
      state = 'running';
      void connect(5);
    },
    async stop() {
      state = 'stopped';
      cancelRetry?.();
      await current?.leave();
    },
    publish(topic, payload, ttlMs) {
      const connection = state === 'running' ? up() : undefined;
      connection?.publish(topic, payload, ttlMs);
      return connection !== undefined;
    },
    announce: (publication) => state === 'running' && current?.announce(publication) === true,
    room: () => current?.room() ?? Promise.resolve(),
    isUp: () => up() !== undefined && state === 'running',
    subscribe(filters, stored) {
      if (filters.length > 0) up()?.subscribe(filters, stored);
    },
    unsubscribe(filters) {
      if (filters.length > 0) up()?.unsubscribe(filters);
    },
  };
}
