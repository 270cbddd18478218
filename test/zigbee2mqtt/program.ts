// Zigbee2MQTT as a process of its own, on a fake radio (radio.cjs) and a real broker, with locks that a test has in its hand.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A lock on the radio: what Zigbee2MQTT calls it, and its addresses. */
export interface RadioLock {
  readonly name: string;
  readonly ieee: string;
  readonly address: number;
  /** It sleeps and asks for what waits for it; cluster genPollCtrl. */
  readonly sleeps: boolean;
}

export const frontDoor: RadioLock = { name: 'Front Door', ieee: '0x000d6f0012bc896e', address: 4660, sleeps: false };
export const cellar: RadioLock = { name: 'Cellar/Left', ieee: '0x000d6f0012bc8970', address: 4661, sleeps: true };

/**
 * ok; refused: answers with a failure; away: out of reach; silent: says yes, and its bolt stays where it is; hanging: the radio has it on
 * its way, and it never arrives.
 */
type Behaviour = 'ok' | 'refused' | 'away' | 'silent' | 'hanging';

/** What the radio says: a command that was sent to a lock, or a bolt that has moved. */
export interface RadioEvent {
  readonly address: number;
  readonly sent?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly reached?: boolean;
  readonly bolt?: 'locked' | 'unlocked';
}

export interface Zigbee2MqttOptions {
  readonly brokerPort: number;
  readonly cacheState: boolean;
  readonly lastSeen: 'disable' | 'epoch';
  readonly homeAssistant?: boolean;
}

export interface Zigbee2Mqtt {
  /** The bolts that have moved, such as `4660 unlocked`, since the last `forget`. */
  moves(): string[];
  /** The commands that have reached a lock since the last `forget`, such as `4660 unlockDoor`. */
  arrived(): string[];
  forget(): void;
  /** Resolves when the radio has said such a thing since the last `forget`. */
  until(fits: (event: RadioEvent) => boolean): Promise<void>;
  behave(lock: RadioLock, behaviour: Behaviour): Promise<void>;
  /** At the door, by hand. */
  turn(lock: RadioLock, bolt: 'locked' | 'unlocked'): Promise<void>;
  /** At the keypad: the code of this user. */
  enterCode(lock: RadioLock, user: number): Promise<void>;
  /** It wakes and asks for what waits for it. */
  checkIn(lock: RadioLock): Promise<void>;
  start(): Promise<void>;
  /** As a power cut of its box. */
  kill(): Promise<void>;
  /** Politely: it says that it is offline, and stores what it has cached. */
  end(): Promise<void>;
  stop(): Promise<void>;
}

/** Where Zigbee2MQTT is installed; .ci/zigbee2mqtt puts it there. */
const installed = process.env['LATCHD_ZIGBEE2MQTT'] ?? '';

export async function startZigbee2Mqtt(options: Zigbee2MqttOptions): Promise<Zigbee2Mqtt> {
  if (installed === '') throw new Error('LATCHD_ZIGBEE2MQTT names no folder with Zigbee2MQTT: npm run test:zigbee2mqtt');
  const folder = mkdtempSync(join(tmpdir(), 'latchd-zigbee2mqtt-'));
  writeFileSync(join(folder, 'configuration.yaml'), configuration(options));
  writeFileSync(join(folder, 'database.db'), `${database.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const heard: RadioEvent[] = [];
  let forgotten = 0;
  let child: ChildProcess | undefined;
  let asked = 0;
  const looking = new Set<() => void>();
  const answers = new Map<number, () => void>();

  async function start(): Promise<void> {
    const mine = fork(join(import.meta.dirname, 'radio.cjs'), [installed], {
      env: { ...process.env, ZIGBEE2MQTT_DATA: folder, NODE_OPTIONS: '' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child = mine;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      mine.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-4_000);
      });
      mine.once('error', reject);
      mine.once('exit', () => reject(new Error(`Zigbee2MQTT has ended: ${said}`)));
      mine.on('message', (message: RadioEvent & { readonly started?: boolean; readonly done?: number }) => {
        if (message.started) resolve();
        else if (message.done !== undefined) answers.get(message.done)?.();
        else hear(message);
      });
    });
  }

  function hear(event: RadioEvent): void {
    heard.push(event);
    for (const look of [...looking]) look();
  }

  async function ended(signal: NodeJS.Signals): Promise<void> {
    const mine = child;
    child = undefined;
    if (mine === undefined || mine.exitCode !== null || mine.signalCode !== null) return;
    const gone = new Promise((resolve) => mine.once('exit', resolve));
    mine.kill(signal);
    await gone;
  }

  function say(lock: RadioLock, what: object): Promise<void> {
    const done = ++asked;
    return new Promise((resolve) => {
      answers.set(done, resolve);
      child?.send({ address: lock.address, ...what, done });
    });
  }

  await start();
  return {
    moves: () => heard.slice(forgotten).flatMap(({ address, bolt }) => (bolt === undefined ? [] : [`${address} ${bolt}`])),
    arrived: () =>
      heard.slice(forgotten).flatMap(({ address, sent, reached }) => (sent !== undefined && reached ? [`${address} ${sent}`] : [])),
    forget() {
      forgotten = heard.length;
    },
    until: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!heard.slice(forgotten).some(fits)) return;
          looking.delete(look);
          resolve();
        };
        looking.add(look);
        look();
      }),
    behave: (lock, behaviour) => say(lock, { behaviour }),
    turn: (lock, bolt) => say(lock, { turn: bolt }),
    enterCode: (lock, user) => say(lock, { code: user }),
    checkIn: (lock) => say(lock, { checkin: true }),
    start,
    kill: () => ended('SIGKILL'),
    end: () => ended('SIGTERM'),
    async stop() {
      await ended('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As a person writes it; the keys of the network are those of a first start. */
function configuration({ brokerPort, cacheState, lastSeen, homeAssistant = false }: Zigbee2MqttOptions): string {
  const devices = [frontDoor, cellar].map(({ ieee, name }) => `  '${ieee}': { friendly_name: '${name}' }`);
  return [
    'version: 5',
    `mqtt: { base_topic: zigbee2mqtt, server: 'mqtt://127.0.0.1:${brokerPort}' }`,
    'serial: { adapter: ember, port: /dev/null }',
    'frontend: { enabled: false }',
    `homeassistant: { enabled: ${homeAssistant} }`,
    'advanced:',
    `  cache_state: ${cacheState}`,
    `  last_seen: ${lastSeen}`,
    '  log_output: []',
    '  network_key: [1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 13]',
    '  pan_id: 6754',
    '  ext_pan_id: [221, 221, 221, 221, 221, 221, 221, 221]',
    'devices:',
    ...devices,
    '',
  ].join('\n');
}

function endpoint(devId: number, inClusterList: readonly number[]): object {
  const nothing = { outClusterList: [], clusters: {}, binds: [], configuredReportings: [], meta: {} };
  return { 1: { profId: 260, epId: 1, devId, inClusterList, ...nothing } };
}

const interviewed = { epList: [1], interviewState: 'SUCCESSFUL', interviewCompleted: true };

/** What Zigbee2MQTT remembers of its network: its own radio, and locks of the make Yale that are paired and configured. */
const database: readonly object[] = [
  {
    id: 1,
    type: 'Coordinator',
    ieeeAddr: '0x00124b0012345678',
    nwkAddr: 0,
    manufId: 0,
    endpoints: endpoint(5, []),
    ...interviewed,
    meta: {},
  },
  ...[frontDoor, cellar].map(({ ieee, address, sleeps }, index) => ({
    ...{ id: index + 2, type: 'EndDevice', ieeeAddr: ieee, nwkAddr: address, manufId: 4125, manufName: 'Yale' },
    ...{ modelId: 'YRD226 TSDB', powerSource: 'Battery', ...interviewed, meta: { configured: 0 } },
    endpoints: endpoint(10, sleeps ? [0, 1, 3, 9, 10, 32, 257] : [0, 1, 3, 9, 10, 257]),
    ...(sleeps && { checkinInterval: 3_600 }),
  })),
];
