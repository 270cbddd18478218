// Whether a broker lets strangers subscribe, asked of real ones.
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { admitsStrangers } from '../../src/platform/mqtt-stranger.ts';
import { type MosquittoOptions, startMosquittoFor } from '../support/mosquitto.ts';
import { realClock } from '../support/mqtt-clock.ts';
import { createSettableClock } from '../support/settable-clock.ts';

const ask = (port: number, clock = realClock) =>
  admitsStrangers({ url: `mqtt://127.0.0.1:${port}`, ca: undefined, filter: 'zigbee2mqtt/#', clock });

test.each<[string, MosquittoOptions, boolean]>([
  ['that asks nobody for a password', {}, true],
  ['that asks for one', { login: { username: 'latchd', password: 'secret' } }, false],
])('a broker %s', async (_what, options, admits) => {
  const running = await startMosquittoFor(options);
  try {
    expect(await ask(running.port)).toBe(admits);
  } finally {
    await running.end();
  }
});

test('a broker that is not there, or says nothing, leaves it open', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  const clock = createSettableClock();
  const connected = new Promise((resolve) => server.once('connection', resolve));
  const answer = ask(port, clock);
  await connected;
  await clock.advance(5_000);
  expect(await answer).toBeUndefined();
  await new Promise((resolve) => server.close(resolve));
  expect(await ask(port)).toBeUndefined();
});
