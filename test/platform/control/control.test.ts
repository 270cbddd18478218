// The control socket: who may use it, its limits, and what it does with hostile input.
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { invalidParameter } from '../../../src/domain/errors.ts';
import type { Part } from '../../../src/domain/part.ts';
import { type ControlActions, type ControlCounts, createControl, createControlCounts } from '../../../src/platform/control/control.ts';
import { askControl, NobodyThere } from '../../../src/platform/control/control-client.ts';
import { createFakeLog } from '../../support/mqtt-fakes.ts';
import { createSettableClock } from '../../support/settable-clock.ts';
import { until } from '../../support/site.ts';

let directory: string;
let control: Part;
let counts: ControlCounts;
const clock = createSettableClock();
const log = createFakeLog();
const sockets: Socket[] = [];
/** Of each request for lines, whether its client had left at the end. */
const leftAt: boolean[] = [];

const actions: ControlActions = {
  'GET /echo': async ({ action: _, ...rest }) => rest,
  refuse: async () => {
    throw invalidParameter('lockName', 'is required');
  },
  fail: async () => {
    throw new Error('no room in the attic');
  },
  wait: () => new Promise(() => undefined),
  'GET /slowly': async (_request, { progress }) => {
    for (const done of [1, 2, 3]) {
      await clock.advance(done === 2 ? 10 : 250);
      progress(done);
    }
    return {};
  },
  'GET /lines': async ({ bytes }, { line, gone }) => {
    const left = gone();
    for (let n = 1; n <= 3 || (typeof bytes === 'number' && !left.aborted); n++) {
      line({ n, ...(typeof bytes === 'number' && { text: 'x'.repeat(bytes) }) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    leftAt.push(left.aborted);
    return { whole: true };
  },
  long: async () => ({ text: 'x'.repeat(3_000_000) }),
};

beforeEach(async () => {
  leftAt.length = 0;
  directory = await mkdtemp(join(tmpdir(), 'latchd-control-'));
  counts = createControlCounts();
  control = createControl({ directory, actions, clock, log, counts });
  await control.start();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await control.stop();
  await rm(directory, { recursive: true, force: true });
});

/** A client of the socket: resolves `ended` with the answer once the daemon has closed. */
async function open(...texts: readonly (string | Buffer)[]): Promise<{ readonly socket: Socket; readonly ended: Promise<string> }> {
  const socket = connect(join(directory, 'control.sock'));
  sockets.push(socket);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += String(bytes);
  });
  const ended = new Promise<string>((resolve) => {
    socket.once('error', () => undefined);
    socket.once('close', () => resolve(answer));
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  for (const text of texts) socket.write(text);
  return { socket, ended };
}

describe('the control socket', () => {
  test('is for its owner alone, and removed when the daemon has stopped', async () => {
    expect((await stat(join(directory, 'control.sock'))).mode & 0o777).toBe(0o600);
    await control.stop();
    await expect(askControl(directory, { action: 'GET /echo' })).rejects.toThrow(/^no latchd is running on /);
  });

  test('answers an action with its members, whatever is in them', async () => {
    const odd = { name: 'Tür "Süd" \n\u2028 🚪', nested: { ok: [1, null] } };
    expect(await askControl(directory, { action: 'GET /echo', odd })).toEqual({ odd });
    expect((await askControl(directory, { action: 'long' }))['text']).toHaveLength(3_000_000);
  });

  test('sends progress while a client waits, not more than five times a second', async () => {
    const said: number[] = [];
    expect(await askControl(directory, { action: 'GET /slowly' }, { onProgress: (done) => said.push(done) })).toEqual({});
    expect(said).toEqual([1, 3]);
  });

  test('sends a result line by line before the answer, and notices a client that leaves or does not read', async () => {
    const lines: object[] = [];
    expect(await askControl(directory, { action: 'GET /lines' }, { onLine: (line) => lines.push(line) })).toEqual({ whole: true });
    expect(lines).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const leaving = new AbortController();
    const asked = askControl(directory, { action: 'GET /lines', bytes: 1 }, { onLine: () => leaving.abort(), signal: leaving.signal });
    await expect(asked).rejects.toThrow();
    await until(() => leftAt.length === 2, 'the action has ended');
    const deaf = await open();
    deaf.socket.pause();
    deaf.socket.write('{"action":"GET /lines","bytes":100000}\n');
    await until(() => leftAt.length === 3, 'the action has ended');
    expect(leftAt).toEqual([false, true, true]);
  });

  test('a refusal keeps its code and its parameters; a failure is a sentence and in the log; both are counted', async () => {
    await expect(askControl(directory, { action: 'refuse' })).rejects.toMatchObject({
      code: 'invalid-parameter',
      parameters: [{ parameter: 'lockName', message: 'is required' }],
    });
    await expect(askControl(directory, { action: 'fail' })).rejects.toThrow('no room in the attic');
    for (const action of ['dance', '__proto__', 'constructor', ''])
      await expect(askControl(directory, { action })).rejects.toThrow('this latchd knows no such action');
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ code: 'control-failed' }) }),
    );
    expect(counts.stats()).toEqual({ asked: 6, failed: 6, dropped: 0 });
  });

  test('drops a line that is not one JSON object with an action without an answer, and counts it', async () => {
    const hostile = [
      '\n',
      'null\n',
      '[]\n',
      '{}\n',
      '{"action":7}\n',
      '{"action":"GET /echo"\n',
      Buffer.from([0, 255, 10]),
      'GET / HTTP/1.1\r\n',
    ];
    for (const text of hostile) expect(await (await open(text)).ended).toBe('');
    const early = await open('{"action":');
    early.socket.destroy();
    await until(() => counts.stats().dropped === hostile.length + 1, 'all are counted');
    expect(await askControl(directory, { action: 'GET /echo', still: 'here' })).toEqual({ still: 'here' });
  });

  test('drops a line that is too long or never ends, and gives up an answer that nobody reads', async () => {
    expect(await (await open('x'.repeat(10_000_000))).ended).toBe('');
    const slow = await open('{"action"');
    await clock.advance(9_000);
    slow.socket.write(':');
    await clock.advance(2_000);
    expect(await slow.ended).toBe('');
    const deaf = await open();
    deaf.socket.pause();
    deaf.socket.write('{"action":"long"}\n');
    await until(() => clock.timers() === 1, 'its answer waits');
    await until(() => counts.stats().asked === 1, 'it was asked');
    await clock.advance(11_000);
    deaf.socket.resume();
    expect((await deaf.ended).length).toBeLessThan(3_000_000);
    expect(counts.stats()).toEqual({ asked: 1, failed: 0, dropped: 2 });
  });

  test('does not read behind the first line, and lets sixteen long requests run at once', async () => {
    const twice = await open('{"action":"GET /echo"}\n{"action":"fail"}\n');
    expect(await twice.ended).toBe('{"ok":true}\n');
    const waiting = await Promise.all(Array.from({ length: 16 }, () => open('{"action":"wait"}\n')));
    await until(() => counts.stats().asked === 17, 'all wait');
    await clock.advance(60_000);
    const one = await open('{"action":"GET /echo"}\n');
    expect(await one.ended).toBe('');
    expect(counts.stats()).toEqual({ asked: 17, failed: 0, dropped: 1 });
    // A stop waits for none of them.
    await control.stop();
    for (const { ended } of waiting) expect(await ended).toBe('');
  });

  test('replaces what a killed daemon left behind', async () => {
    await control.stop();
    await writeFile(join(directory, 'control.sock'), 'not a socket');
    await expect(askControl(directory, { action: 'GET /echo' })).rejects.toBeInstanceOf(NobodyThere);
    await control.start();
    expect(await askControl(directory, { action: 'GET /echo' })).toEqual({});
  });

  test('tells another user whose it is, and how to run the command as that user', async () => {
    const isRoot = process.getuid?.() === 0;
    await chmod(directory, isRoot ? 0o700 : 0o000);
    try {
      if (isRoot) process.seteuid?.(65_534);
      await expect(askControl(directory, { action: 'GET /echo' })).rejects.toThrow(
        /^\S+ belongs to the user (\S+): say it as that user \(sudo -u \1 latchd …\) or as root \(sudo latchd …\)$/,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(directory, 0o700);
    }
  });
});
