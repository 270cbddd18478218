// What systemd gets, and when (sd_notify(3), sd_watchdog_enabled(3)); the messages are caught before they are sent.
import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { checkListener } from '../../src/platform/listener-check.ts';
import { createSystemd } from '../../src/platform/systemd.ts';
import { createSettableClock } from '../support/settable-clock.ts';

const nothing = () => {};
const watched = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '30000000', WATCHDOG_PID: String(process.pid) };

function site(environment: Readonly<Record<string, string>> = watched) {
  const clock = createSettableClock();
  const sent: string[][] = [];
  const codes: string[] = [];
  const note = (fields: object) => void codes.push(String((fields as { code?: unknown }).code));
  const now = { health: 'ok', status: 'serving', failing: false };
  const systemd = createSystemd({
    clock,
    environment,
    log: { debug: nothing, info: note, warn: note, error: note, fatal: note },
    healthy: async () => now.health,
    status: () => now.status,
    notify: async (...assignments) => {
      if (now.failing) throw new Error('spawn systemd-notify ENOENT');
      sent.push([...assignments]);
    },
  });
  return { clock, sent, codes, now, systemd, fed: () => sent.flat().filter((text) => text === 'WATCHDOG=1').length };
}

describe('systemd', () => {
  test('gets nothing without NOTIFY_SOCKET, and no timer runs', async () => {
    const { clock, sent, systemd } = site({ WATCHDOG_USEC: '30000000' });
    await systemd.start();
    await clock.advance(120_000);
    await systemd.stop();
    expect(sent).toEqual([]);
    expect(clock.timers()).toBe(0);
  });

  test('gets READY with the status at the start and STOPPING once at the stop, and no timer is left', async () => {
    const { clock, sent, systemd } = site();
    await systemd.start();
    expect(sent).toEqual([['READY=1', 'STATUS=serving']]);
    await systemd.stop();
    await systemd.stop();
    expect(sent.slice(1)).toEqual([['STOPPING=1', 'STATUS=stopping']]);
    expect(clock.timers()).toBe(0);
  });

  test('gets no STOPPING from a part that was never started', async () => {
    const { sent, systemd } = site();
    await systemd.stop();
    await systemd.start();
    expect(sent).toEqual([]);
  });

  test('gets a watchdog ping at half of the time-out', async () => {
    const { clock, systemd, fed } = site();
    await systemd.start();
    await clock.advance(14_999);
    expect(fed()).toBe(0);
    await clock.advance(1);
    expect(fed()).toBe(1);
    await clock.advance(45_000);
    expect(fed()).toBe(4);
  });

  test('gets no ping while something does not answer, and the status and the log say what', async () => {
    const { clock, sent, codes, now, systemd, fed } = site();
    await systemd.start();
    now.health = 'mqtt does not answer: ECONNREFUSED';
    await clock.advance(60_000);
    expect(fed()).toBe(0);
    expect(sent.slice(1)).toEqual([['STATUS=mqtt does not answer: ECONNREFUSED']]);
    expect(codes).toEqual(['watchdog-hungry']);
  });

  test('gets a ping in time after a failed check, because the next check comes early', async () => {
    const { clock, sent, codes, now, systemd } = site();
    await systemd.start();
    now.health = 'http does not answer: no answer within 5 s';
    await clock.advance(15_000);
    now.health = 'ok';
    await clock.advance(3_000);
    expect(sent.at(-1)).toEqual(['WATCHDOG=1', 'STATUS=serving']);
    expect(codes).toEqual(['watchdog-hungry', 'watchdog-fed']);
  });

  test.each([
    ['there is none', { NOTIFY_SOCKET: 'x' }],
    ['it is that of another process', { ...watched, WATCHDOG_PID: '1' }],
    ['its time is no number', { ...watched, WATCHDOG_USEC: 'soon' }],
  ])('gets no ping when %s, and a changed status each minute', async (_, environment) => {
    const { clock, sent, now, systemd } = site(environment);
    await systemd.start();
    await clock.advance(60_000);
    now.status = 'serving;\n2 of 3 locks online';
    await clock.advance(120_000);
    expect(sent).toEqual([['READY=1', 'STATUS=serving'], ['STATUS=serving; 2 of 3 locks online']]);
  });

  test('gets the next message even if one could not be sent, which is logged', async () => {
    const { clock, codes, now, systemd, fed } = site();
    now.failing = true;
    await systemd.start();
    expect(codes).toEqual(['systemd-unreachable']);
    now.failing = false;
    await clock.advance(15_000);
    expect(fed()).toBe(1);
  });
});

describe('the check of a listener', () => {
  /** `answer`: what the listener answers to the first bytes; undefined: nothing; '': it hangs up. */
  async function check(scheme: 'http' | 'mqtt' | 'mqtts' | 'devices', answer: string | undefined): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', nothing);
      socket.once('data', () => answer !== undefined && socket.end(answer, 'latin1'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const result = await checkListener({ host: '0.0.0.0', port, scheme, timeoutMs: 100 });
    await new Promise((resolve) => server.close(resolve));
    expect(await checkListener({ host: '127.0.0.1', port, scheme })).toBe('ECONNREFUSED');
    return result;
  }

  test('requires a CONNACK from MQTT after a CONNECT, whatever it says', async () => {
    expect(await check('mqtt', '\x20\x02\0\x05')).toBe('ok');
    expect(await check('mqtt', '\xd0\0')).toBe('an unexpected answer');
    expect(await check('mqtt', '')).toBe('the connection was ended without an answer');
  });

  test('lets a listener that is not for this machine hang up, but not hang', async () => {
    expect(await check('devices', '\x20\x02\0\x05')).toBe('ok');
    expect(await check('devices', '')).toBe('ok');
    expect(await check('devices', undefined)).toBe('no answer within 0.1 s');
  });

  test('fails when a listener accepts and reads but says nothing', async () => {
    for (const scheme of ['mqtt', 'mqtts', 'http'] as const) expect(await check(scheme, undefined)).toBe('no answer within 0.1 s');
  });

  test('succeeds when a TLS listener gives the handshake up', async () => {
    expect(await check('mqtts', '')).toBe('ok');
  });

  test('requires 200 from HTTP', async () => {
    expect(await check('http', 'HTTP/1.1 200 OK\r\n\r\n')).toBe('ok');
    expect(await check('http', 'HTTP/1.1 500 No\r\n\r\n')).toBe('an unexpected answer');
    expect(await check('http', '')).toBe('the connection was ended without an answer');
  });
});
