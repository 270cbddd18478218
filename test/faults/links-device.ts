// The devices at the other ends of the links: each obeys what it hears, whenever that is, and never notices by itself that a link is dead. Its
// one argument says which devices there are; then it takes a line of text for each device that shall say something.
import { createInterface } from 'node:readline';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { DeviceWire } from '../../device-sim/devices/device-wire.ts';
import { createSystemTime } from '../../device-sim/time-source.ts';
import { type MakeName, makes } from './links-makes.ts';

/** `url`: of the gateway. Without a make it obeys the broker alone (`links-gateway.ts`). */
interface Device {
  readonly name: string;
  readonly link: number;
  readonly url: string;
  readonly make?: MakeName;
  readonly username?: string;
  readonly password?: string;
}

/** What a device is to its connection. */
interface Soul {
  readonly options: IClientOptions;
  begin(client: MqttClient): void;
  hear(client: MqttClient, topic: string, text: string): void;
  end(): void;
}

const clients = new Map<string, MqttClient>();
const againMs = 200;
const aliveMs = 1_000;
const aliveTopic = 'homeassistant/links/alive';

function say(what: object): void {
  process.stdout.write(`${JSON.stringify({ at: Number(process.hrtime.bigint()) / 1e6, ...what })}\n`);
}

const heard = (device: string, topic: string, text: string, id?: number) =>
  say({ is: 'heard', device, id, bytes: Buffer.byteLength(topic) + Buffer.byteLength(text) });

function plainSoul({ name }: Device): Soul {
  return {
    options: { username: name, clientId: 'SL3P_AABBCC99', clean: false, keepalive: 0 },
    begin: (client) => void client.subscribe(`${name}/command`, { qos: 1 }),
    hear(client, topic, text) {
      if (text === 'are you there?') client.publish(`${name}/state`, 'here');
      else {
        heard(name, topic, text, Number(text.split(' ')[1]));
        client.publish(`${name}/state`, text.replace('unlock', 'done'));
      }
    },
    end: () => {},
  };
}

/** Says something each second: so it lives for the gateway by its keep alive of 2 s, and does not look itself whether it is answered. */
function soulOf(device: Device, make: MakeName): Soul {
  const { name, link, username = '', password = '' } = device;
  const { create, address, isUnlock } = makes[make];
  const own = create({ address: address(link), time: createSystemTime(), tell: () => {}, travelMs: 20 });
  const { clientId, clean, will } = own.login();
  let alive: NodeJS.Timeout | undefined;
  return {
    options: { username, password, clientId, clean, keepalive: 2, ...(will && { will: { ...will, payload: Buffer.from(will.payload) } }) },
    begin(client) {
      const wire: DeviceWire = {
        publish: (topic, payload, { retain = false, qos = 1 } = {}) => void client.publish(topic, payload, { retain, qos }),
      };
      own.begin(wire);
      for (const { topic, qos } of own.subscriptions()) client.subscribe(topic, { qos });
      alive = setInterval(() => client.publish(aliveTopic, ''), aliveMs);
    },
    hear(_client, topic, text) {
      if (isUnlock(topic, text)) heard(name, topic, text);
      own.hear(topic, text);
    },
    end() {
      clearInterval(alive);
      own.end();
    },
  };
}

function live(device: Device, soul: Soul): void {
  const client = connect(device.url, { ...soul.options, reconnectPeriod: 0, connectTimeout: 2_000, rejectUnauthorized: false });
  clients.set(device.name, client);
  client.once('connect', () => soul.begin(client));
  client.on('message', (topic, payload) => soul.hear(client, topic, payload.toString()));
  client.on('error', () => {});
  client.once('close', () => {
    client.end(true);
    soul.end();
    setTimeout(live, againMs, device, soul);
  });
}

for (const device of JSON.parse(process.argv[2] ?? '[]') as readonly Device[])
  live(device, device.make === undefined ? plainSoul(device) : soulOf(device, device.make));
createInterface({ input: process.stdin })
  .on('line', (name) => clients.get(name)?.publish(aliveTopic, ''))
  .on('close', () => process.exit(0));
