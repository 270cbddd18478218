// A device of another make and its connection.
import { createLine, type LineConnection, type LineOptions } from '../mqtt-line.ts';
import type { SimulatedDevice } from './device.ts';
import { beRude, rudeFaultsOf } from './device-faults.ts';
import type { DeviceWire } from './device-wire.ts';

export interface RunningDeviceOptions extends Pick<LineOptions, 'url' | 'reconnect' | 'random' | 'time' | 'tell' | 'onTurnedAway'> {
  readonly device: SimulatedDevice;
  /** Absent: a broker that lets everybody in. */
  readonly username?: string;
  readonly password?: string;
}

export interface RunningDevice {
  readonly device: SimulatedDevice;
  /** Connected and subscribed. */
  readonly online: boolean;
  /** The last problem; undefined while there is none. */
  readonly trouble: string | undefined;
  start(): void;
  /** The network breaks at once and stays away until `start`. */
  cut(): void;
  /** Half-open, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Disconnects politely, in at most 2 s. */
  stop(): Promise<void>;
  /** Resolves when it is online, now or later. */
  whenOnline(): Promise<void>;
}

export function createRunningDevice({ device, username, password, ...options }: RunningDeviceOptions): RunningDevice {
  let online = false;
  let wire: DeviceWire | undefined;
  const whenOnline: (() => void)[] = [];

  function wireOf(connection: LineConnection): DeviceWire {
    return {
      publish(topic, payload, { retain = false, qos = 1 } = {}) {
        // Lost with the connection, as with the device itself.
        connection.publish(topic, payload, retain, qos).catch(() => undefined);
      },
    };
  }

  async function begin(connection: LineConnection): Promise<void> {
    const mine = wireOf(connection);
    wire = mine;
    device.begin(mine);
    for (const { faults } of device.doors) for (const name of rudeFaultsOf(faults)) beRude(mine, name, device.rudeTopics);
    const asked = device.subscriptions();
    const granted = await Promise.all(asked.map(({ topic, qos }) => connection.subscribe(topic, qos)));
    if (wire !== mine) return;
    const refused = asked.filter((_, n) => granted[n] === false).map(({ topic }) => topic);
    if (refused.length > 0) options.tell(`it may not hear ${refused.join(', ')}`);
    line.settled();
    online = true;
    for (const resolve of whenOnline.splice(0)) resolve();
  }

  const line = createLine({
    ...options,
    login: () => ({ ...device.login(), ...(username !== undefined && { username }), ...(password !== undefined && { password }) }),
    onUp: (connection) => void begin(connection),
    onMessage: (_connection, topic, text) => device.hear(topic, text),
    onDown() {
      wire = undefined;
      online = false;
      device.end();
    },
  });

  for (const { faults } of device.doors)
    faults.onChange((name, on) => {
      if (on && wire !== undefined) beRude(wire, name, device.rudeTopics);
    });

  return {
    device,
    get online() {
      return online;
    },
    get trouble() {
      return line.trouble;
    },
    start: line.start,
    cut: line.cut,
    freeze: line.freeze,
    thaw: line.thaw,
    stop: () => line.stop(() => Promise.resolve()),
    whenOnline: () => (online ? Promise.resolve() : new Promise((resolve) => whenOnline.push(resolve))),
  };
}
