// The gateway's side of the links: our broker with devices that know nothing of sessions and expiries, as a process that can be killed. Its one
// argument says how it is built; then it takes a line of JSON for each order and writes one for each thing that happens.
import { createInterface } from 'node:readline';
import { createBroker } from '../../src/broker/broker.ts';
import type { ClientConnection, ClientHandler } from '../../src/broker/client-handlers.ts';
import { createClock } from '../../src/platform/clock.ts';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';
import { makeAuthority, makeKey, makeServerCertificate } from '../../src/platform/tls/x509.ts';

/** `end`: how a connection ends when the answer is late. */
interface Built {
  readonly port: number;
  readonly tls: boolean;
  readonly end: 'reset' | 'destroy';
}

/** `freshMs`: a device that has been silent for longer is asked first, and has a second; Infinity or absent: never. */
interface Order {
  readonly device: string;
  readonly id: number;
  readonly ttlMs: number;
  readonly freshMs?: number;
}

interface Line {
  readonly connection: ClientConnection;
  /** The unlock under way. */
  order: Order | undefined;
  cancel: () => void;
  /** It has said that it is there, as it was asked. */
  onAlive: (() => void) | undefined;
}

const { port, tls, end } = JSON.parse(process.argv[2] ?? '{}') as Built;
const patienceMs = 1_000;
const clock = createClock();
const lines = new Map<string, Line>();

/** Milliseconds on the clock that all processes of this machine share. */
function say(what: object): void {
  process.stdout.write(`${JSON.stringify({ at: Number(process.hrtime.bigint()) / 1e6, ...what })}\n`);
}

function ends(line: Line, outcome: string): void {
  const { order } = line;
  if (order === undefined) return;
  line.cancel();
  line.order = undefined;
  say({ is: 'ended', device: order.device, id: order.id, outcome });
}

function write(line: Line, { device, id, ttlMs }: Order): void {
  line.connection.publish(`${device}/command`, `unlock ${id}`);
  line.cancel = clock.timer(ttlMs, () => {
    // Before anybody is told.
    if (end === 'reset') line.connection.reset('it did not answer in time');
    else line.connection.close('it did not answer in time');
    ends(line, 'no-reply');
  });
}

function unlock(order: Order): void {
  const line = lines.get(order.device);
  if (line === undefined || line.order !== undefined) {
    say({ is: 'ended', device: order.device, id: order.id, outcome: 'offline' });
    return;
  }
  line.order = order;
  if (line.connection.silentMs() <= (order.freshMs ?? Number.POSITIVE_INFINITY)) {
    write(line, order);
    return;
  }
  line.cancel = clock.timer(patienceMs, () => ends(line, 'unsent'));
  line.onAlive = () => {
    line.cancel();
    if (line.order === order) write(line, order);
  };
  line.connection.publish(`${order.device}/command`, 'are you there?');
}

function clientOf(device: string, connection: ClientConnection): ClientHandler {
  const line: Line = { connection, order: undefined, cancel: () => {}, onAlive: undefined };
  lines.get(device)?.connection.close('it has logged in again');
  lines.set(device, line);
  return {
    clientId: `device/${device}`,
    identity: () => ({ deviceId: device }),
    isWelcome: () => true,
    isUrgent: () => line.order !== undefined,
    usesTcpKeepAlive: true,
    endsByReset: end === 'reset',
    authorizeSubscribe: () => ({ allow: true }),
    mayReceive: () => true,
    onSubscribed: () => say({ is: 'online', device }),
    onPublish(_topic, payload) {
      const text = payload.toString();
      if (text === `done ${line.order?.id}`) ends(line, 'ok');
      if (text === 'here') line.onAlive?.();
      line.onAlive = undefined;
      return 'acknowledge';
    },
    onClose() {
      if (lines.get(device) === line) lines.delete(device);
      say({ is: 'offline', device });
    },
  };
}

const validity = { from: Date.UTC(2020, 0, 1), to: Date.UTC(2040, 0, 1) };
const key = makeKey();
const authority = { certificate: await makeAuthority({ key, name: 'links', ...validity }), key };
const cert = await makeServerCertificate({ key, authority, names: ['10.78.0.1'], ...validity });
const quiet = () => {};
const broker = createBroker({
  endpoints: {
    [tls ? 'mqtts' : 'mqtt']: { host: '0.0.0.0', port, ...(tls && { identity: { current: () => ({ key, cert }), onChange: quiet } }) },
  },
  handlers: { authenticate: ({ username = '' }, connection) => ({ allow: true, client: clientOf(username, connection) }) },
  ...{ clock, tickBatcher: createTickBatcher(), checkedBy: '', limits: { maxPerAddress: 12_000 } },
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet },
});
await broker.start();
say({ is: 'ready' });
createInterface({ input: process.stdin })
  .on('line', (text) => unlock(JSON.parse(text) as Order))
  .on('close', () => process.exit(0));
