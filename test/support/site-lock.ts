// A lock made by hand, for what the simulator is too polite to do: nothing is said and nothing is answered that the test
// does not ask for. Its payloads are written out here and not taken from the gateway's schemas.
import { connect, type IClientOptions, type MqttClient } from 'mqtt';

interface ReceivedCommand {
  readonly id: string;
  readonly session: string;
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface HandLock {
  readonly client: MqttClient;
  /** Every command so far. */
  readonly commands: readonly ReceivedCommand[];
  readonly connected: boolean;
  /** Whether the broker said that it had kept a session. */
  readonly sessionPresent: boolean;
  /** Resolves with the PUBACK; rejects when the connection ends before it. */
  publish(channel: string, payload: string | object, flags?: { readonly dup?: boolean }): Promise<void>;
  /** Resolves with the PUBACK of the hello. */
  hello(members?: object): Promise<void>;
  /** Return codes of the SUBACK, one for each filter. */
  subscribe(...filters: readonly string[]): Promise<number[]>;
  /** Resolves when the connection has ended, whoever ended it. */
  readonly ended: Promise<void>;
  end(): Promise<void>;
}

export interface HandLockOptions {
  readonly mqttUrl: string;
  readonly deviceId: string;
  readonly deviceKey: string;
  readonly session?: string;
  readonly options?: IClientOptions;
}

/** Logs in and subscribes to its own commands; rejects with what the broker said when it is refused. */
export async function connectHandLock({ mqttUrl, deviceId, deviceKey, session, options }: HandLockOptions): Promise<HandLock> {
  const client = connect(mqttUrl, {
    protocolVersion: 4,
    clean: true,
    clientId: deviceId,
    username: deviceId,
    password: deviceKey,
    keepalive: 60,
    reconnectPeriod: 0,
    connectTimeout: 5_000,
    ...options,
  });
  const commands: ReceivedCommand[] = [];
  client.on('message', (_topic, payload) => void commands.push(JSON.parse(payload.toString()) as ReceivedCommand));
  const ended = new Promise<void>((resolve) => void client.once('close', () => resolve()));
  let sessionPresent = false;
  await new Promise<void>((resolve, reject) => {
    client.once('connect', (connack) => {
      sessionPresent = connack.sessionPresent;
      resolve();
    });
    client.once('error', (error) => {
      client.end(true);
      reject(error);
    });
    client.once('close', () => reject(new Error('the connection was closed')));
  });
  client.on('error', () => undefined);

  const lock: HandLock = {
    client,
    commands,
    get connected() {
      return client.connected;
    },
    get sessionPresent() {
      return sessionPresent;
    },
    publish(channel, payload, flags = {}) {
      const topic = channel.includes('/') ? channel : `latchd/v1/${deviceId}/${channel}`;
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      return new Promise((resolve, reject) => {
        client.publish(topic, text, { qos: 1, ...flags }, (error) => (error ? reject(error) : resolve()));
        void ended.then(() => reject(new Error('the connection has ended')));
      });
    },
    hello: (members = {}) =>
      lock.publish('hello', { protocol: 1, session: session ?? 'handmade1', uptime: 1_000, date: Date.now(), state: 'locked', ...members }),
    subscribe(...filters) {
      return new Promise((resolve, reject) => {
        // The codes are taken from the packet: mqtt.js makes an error of a refusal.
        client.on('packetreceive', (packet) => {
          if (packet.cmd === 'suback') resolve(packet.granted as number[]);
        });
        client.subscribe([...filters], { qos: 1 }, () => undefined);
        void ended.then(() => reject(new Error('the connection has ended')));
      });
    },
    ended,
    end: () => new Promise((resolve) => void client.end(true, {}, () => resolve())),
  };
  await lock.subscribe(`latchd/v1/${deviceId}/command`);
  return lock;
}
