// The connection to an outside broker, tried on a real one (mosquitto), and on one that knows version 3.1.1 alone (aedes).
import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Aedes } from 'aedes';
import { createOutboundMqtt, type OutboundMqtt, type OutboundMqttOptions } from '../../src/platform/mqtt-client.ts';
import type { BrokerCredentials } from '../../src/platform/mqtt-connection.ts';
import { tryBroker } from '../../src/platform/mqtt-trial.ts';
import { makeAuthority, makeKey, makeServerCertificate } from '../../src/platform/tls/x509.ts';
import { joinBroker, type MosquittoOptions, startMosquittoFor } from '../support/mosquitto.ts';
import { realClock } from '../support/mqtt-clock.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** What happens, one after the other: `next` waits for the first that begins with this and was not looked at yet. */
function createDiary() {
  const lines: string[] = [];
  const waiting: { readonly beginning: string; readonly resolve: (line: string) => void }[] = [];
  return {
    lines,
    write(line: string) {
      const at = waiting.findIndex(({ beginning }) => line.startsWith(beginning));
      if (at === -1) lines.push(line);
      else waiting.splice(at, 1)[0]?.resolve(line);
    },
    next(beginning: string): Promise<string> {
      const at = lines.findIndex((line) => line.startsWith(beginning));
      if (at !== -1) return Promise.resolve(lines.splice(0, at + 1).at(-1) ?? '');
      return new Promise((resolve) => waiting.push({ beginning, resolve }));
    },
  };
}

interface ClientSettings extends Partial<Pick<OutboundMqttOptions, 'isVersion5Needed' | 'refusedRetryMs' | 'will' | 'clock'>> {
  readonly scheme?: string;
  readonly credentials?: () => Promise<BrokerCredentials>;
}

function clientOf(port: number, { scheme = 'mqtt', ...more }: ClientSettings = {}) {
  const diary = createDiary();
  const client: OutboundMqtt = createOutboundMqtt({
    clock: realClock,
    random: () => 0,
    url: `${scheme}://127.0.0.1:${port}`,
    clientId: () => 'latchd-0badcafe',
    credentials: async () => ({}),
    ...more,
    onUp: () => diary.write('up'),
    onDown: (reason, isRefusal) => diary.write(`${isRefusal ? 'refused' : 'down'}: ${reason}`),
    onMessage: (topic, payload, isRetained) => diary.write(`${isRetained ? 'history' : 'news'} ${topic} ${payload}`),
    onRefused: (filters) => diary.write(`refused ${filters}`),
    onAnnounceRefused: (topic, reason) => diary.write(`not taken ${topic}: ${reason}`),
  });
  endings.push(() => client.stop());
  client.start();
  return { client, diary };
}

async function broker(options?: MosquittoOptions) {
  const running = await startMosquittoFor(options);
  endings.push(() => running.end());
  return running;
}

/** A certificate for 127.0.0.1, and the authority that has signed it. */
async function makeIdentity() {
  const key = makeKey();
  const validity = { from: Date.now() - 60_000, to: Date.now() + 3_600_000 };
  const ca = await makeAuthority({ key, name: 'authority', ...validity });
  const cert = await makeServerCertificate({ key, authority: { certificate: ca, key }, names: ['127.0.0.1'], ...validity });
  return { ca, identity: { key, cert } };
}

async function neighbour(port: number) {
  const joined = await joinBroker(port);
  endings.push(() => joined.leave());
  return joined;
}

/** Takes connections and never answers, or passes them on to `answer`. */
async function listening(answer: (socket: Socket) => void = () => undefined): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

describe('the connection to an outside broker', () => {
  test('a command carries its expiry, is not retained, and is sent with quality of service 0', async () => {
    const { port } = await broker();
    const other = await neighbour(port);
    const heard = new Promise<object>((resolve) => void other.hear('a/set', (_topic, _payload, packet) => resolve(packet)));
    const { client, diary } = clientOf(port);
    await diary.next('up');
    await other.say('ready', '');
    expect(client.publish('a/set', 'UNLOCK', 9_900)).toBe(true);
    expect(await heard).toMatchObject({ qos: 0, retain: false, properties: { messageExpiryInterval: 9 } });
  });

  test('what comes from the store of the broker is history, what is said now is news', async () => {
    const { port } = await broker();
    const other = await neighbour(port);
    await other.say('a/state', 'old', { retain: true });
    const { client, diary } = clientOf(port);
    await diary.next('up');
    client.subscribe(['a/state', 'a/+/config']);
    expect(await diary.next('history')).toBe('history a/state old');
    await other.say('a/state', 'new', { retain: true });
    await other.say('a/b/config', '{}');
    expect(await diary.next('news')).toBe('news a/state new');
    expect(await diary.next('news')).toBe('news a/b/config {}');
  });

  test('nothing is sent without a connection, and nothing of it comes out after the next one', async () => {
    const running = await broker();
    const { client, diary } = clientOf(running.port);
    expect(client.publish('a/set', 'UNLOCK', 5_000)).toBe(false);
    await diary.next('up');
    await running.kill();
    expect(await diary.next('down')).toMatch(/^down: it (broke|ended)/);
    expect(client.publish('a/set', 'UNLOCK', 5_000)).toBe(false);
    await running.start();
    const other = await neighbour(running.port);
    const seen: string[] = [];
    await other.hear('#', (topic) => seen.push(topic));
    await diary.next('up');
    client.publish('mark', '');
    const { client: second, diary: secondDiary } = clientOf(running.port);
    await secondDiary.next('up');
    second.subscribe(['round']);
    await other.say('round', '');
    await secondDiary.next('news round');
    expect(seen.filter((topic) => topic === 'a/set')).toEqual([]);
  });

  test('a broker that has frozen loses the connection at the deadline of a command, and gets the next connection when it thaws', async () => {
    const running = await broker();
    const { client, diary } = clientOf(running.port);
    await diary.next('up');
    running.freeze();
    expect(client.publish('a/set', 'UNLOCK', 300)).toBe(true);
    expect(await diary.next('down')).toBe('down: the broker did not take a command in time');
    running.thaw();
    await diary.next('up');
  });

  test.each([
    ['mqtt', 'at its deadline'],
    ['mqtts', 'at its deadline'],
    ['mqtt', 'when the gateway stops'],
    ['mqtts', 'when the gateway stops'],
  ])('over %s a command that the broker has not taken is taken back by a reset, %s', async (scheme, when) => {
    const { identity, ca } = await makeIdentity();
    const ending = new Promise<unknown>((resolve) => {
      const answer = (socket: Socket) => {
        // CONNACK of version 5, and nothing more.
        socket.once('data', () => socket.write(Buffer.from([0x20, 3, 0, 0, 0])));
        socket.on('error', (error) => resolve((error as NodeJS.ErrnoException).code));
        socket.on('end', () => resolve('FIN'));
      };
      void listening((raw) => {
        if (scheme === 'mqtt') return answer(raw);
        raw.on('error', (error) => resolve((error as NodeJS.ErrnoException).code));
        answer(new TLSSocket(raw, { isServer: true, ...identity }));
      }).then((port) => {
        const { client, diary } = clientOf(port, { scheme, credentials: async () => ({ ca }) });
        void diary.next('up').then(() => {
          client.publish('a/set', 'UNLOCK', when === 'at its deadline' ? 50 : 60_000);
          if (when !== 'at its deadline') void client.stop();
        });
      });
    });
    expect(await ending).toBe('ECONNRESET');
  });

  test('a broker whose certificate no given authority has signed is not spoken to', async () => {
    const { identity } = await makeIdentity();
    const { ca } = await makeIdentity();
    let heard = 0;
    const port = await listening((raw) => {
      new TLSSocket(raw, { isServer: true, ...identity }).on('data', () => (heard += 1)).on('error', () => undefined);
    });
    const { diary } = clientOf(port, { scheme: 'mqtts', credentials: async () => ({ username: 'a', password: 'b', ca }) });
    expect(await diary.next('down')).toMatch(/^down: its certificate or TLS is not accepted/);
    expect(heard).toBe(0);
  });

  test('a broker that knows no version 5 is spoken to in version 3.1.1, without expiry', async () => {
    const aedes = await Aedes.createBroker();
    const versions: unknown[] = [];
    aedes.on('client', (client) => versions.push((client as unknown as { version: number }).version));
    const heard = new Promise<string>((resolve) => {
      aedes.on('publish', ({ topic, payload }) => topic === 'a/set' && resolve(String(payload)));
    });
    const port = await listening((socket) => void aedes.handle(socket));
    endings.push(() => new Promise<void>((resolve) => aedes.close(resolve)));
    const { client, diary } = clientOf(port);
    await diary.next('up');
    client.publish('a/set', 'LOCK', 4_000);
    expect(await heard).toBe('LOCK');
    expect(versions).toEqual([4]);
  });

  test('a login is read from its file at each attempt, and a refused one is said', async () => {
    const running = await broker({ login: { username: 'latchd', password: 'right' } });
    let password = 'wrong';
    const { diary } = clientOf(running.port, { credentials: async () => ({ username: 'latchd', password }) });
    expect(await diary.next('refused')).toBe('refused: it refuses the user name or the password');
    password = 'right';
    await diary.next('up');
  });

  test('credentials that cannot be read are the reason, and nobody is called', async () => {
    let calls = 0;
    const port = await listening(() => {
      calls += 1;
    });
    const { diary } = clientOf(port, { credentials: () => Promise.reject(new Error('/etc/house.password cannot be read (ENOENT)')) });
    expect(await diary.next('down')).toBe('down: /etc/house.password cannot be read (ENOENT)');
    expect(calls).toBe(0);
  });

  test('a port where nothing listens, and one that hangs up, are told apart', async () => {
    const port = await listening((socket) => socket.destroy());
    const { diary } = clientOf(port);
    expect(await diary.next('down')).toMatch(/^down: it (closed the connection before it answered|broke the connection off)/);
    const { diary: nowhere } = clientOf(1);
    expect(await nowhere.next('down')).toBe('down: nothing answers at its host and port');
  });

  test('what is announced is retained with quality of service 1, and nothing is while there is no connection', async () => {
    const { port } = await broker();
    const { client, diary } = clientOf(port);
    expect(client.announce({ topic: 'a/state', payload: 'early', retain: true, qos: 1 })).toBe(false);
    await diary.next('up');
    expect(client.announce({ topic: 'a/state', payload: 'new', retain: true, qos: 1 })).toBe(true);
    await client.room();
    const other = await neighbour(port);
    const heard = new Promise<unknown>((resolve) => {
      void other.hear('a/state', (_topic, payload, { retain }) => resolve([payload, retain]));
    });
    expect(await heard).toEqual(['new', true]);
  });

  test('with stored never, what the broker has is not delivered, and a live message shows that it was to be retained', async () => {
    const { port } = await broker();
    const other = await neighbour(port);
    await other.say('a/set', 'old', { retain: true });
    const { client, diary } = clientOf(port);
    await diary.next('up');
    client.subscribe(['a/set', 'b/set'], 'never');
    client.announce({ topic: 'b/set', payload: 'own', retain: false, qos: 1 });
    client.subscribe(['ready']);
    client.publish('ready', '');
    await diary.next('news ready');
    await other.say('a/set', 'UNLOCK', { retain: true });
    await other.say('b/set', 'LOCK');
    expect(await diary.next('')).toBe('history a/set UNLOCK');
    expect(await diary.next('')).toBe('news b/set LOCK');
  });

  test.each(['stops', 'dies'])('the will is retained when the gateway %s', async (how) => {
    const { port } = await broker();
    const other = await neighbour(port);
    const will = { topic: 'latchd/status', payload: 'offline' };
    const { client, diary } = clientOf(port, { will, isVersion5Needed: true });
    await diary.next('up');
    client.announce({ topic: will.topic, payload: 'online', retain: true, qos: 1 });
    const heard = createDiary();
    await other.hear(will.topic, (_topic, payload) => heard.write(payload));
    await heard.next('online');
    if (how === 'stops') await client.stop();
    // Another connection under its client id, which the broker takes for the same client.
    else clientOf(port);
    await heard.next('offline');
    const later = await neighbour(port);
    const stored = createDiary();
    await later.hear(will.topic, (_topic, payload, { retain }) => stored.write(`${payload} ${retain}`));
    expect(await stored.next('')).toBe('offline true');
  });

  test('a broker that knows no version 5 is not spoken to where version 5 is needed, and is tried again after its own time', async () => {
    const aedes = await Aedes.createBroker();
    const port = await listening((socket) => void aedes.handle(socket));
    endings.push(() => new Promise<void>((resolve) => aedes.close(resolve)));
    const waits: number[] = [];
    const timer: OutboundMqttOptions['clock']['timer'] = (ms, action) => {
      waits.push(ms);
      return realClock.timer(ms, action);
    };
    const { diary } = clientOf(port, { isVersion5Needed: true, refusedRetryMs: 300_000, clock: { ...realClock, timer } });
    expect(await diary.next('refused')).toBe('refused: it does not know version 5 of MQTT');
    expect(waits).toEqual([300_000]);
    expect(await tryBroker({ url: `mqtt://127.0.0.1:${port}`, files: {}, clock: realClock })).toBe('it does not know version 5 of MQTT');
    const { port: good } = await broker();
    expect(await tryBroker({ url: `mqtt://127.0.0.1:${good}`, files: {}, clock: realClock })).toBeUndefined();
  });

  test('there is one connection at most, and none after the stop', async () => {
    const running = await broker();
    const { client, diary } = clientOf(running.port);
    await diary.next('up');
    await client.stop();
    expect(client.publish('a/set', 'UNLOCK', 1_000)).toBe(false);
    expect(diary.lines).toEqual([]);
  });
});
