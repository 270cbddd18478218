// Looking on at what locks of other makes and the gateway say to each other.
import { expect, test } from '@jest/globals';
import type { LockId } from '../../src/domain/locks/lock.ts';
import { createCaptures } from '../../src/drivers/captures.ts';
import { createSettableClock } from '../support/settable-clock.ts';

const [one, two] = [1 as LockId, 2 as LockId];
const said = { from: 'device', topic: 'nuki/2BB28570/state', qos: 1, retain: true, payload: '1' } as const;

test('whoever looks on gets each line of that kind, or of that lock of it, with its time since then, until the end', async () => {
  const clock = createSettableClock();
  const captures = createCaptures({ clock });
  const [all, ofTwo]: [object[], object[]] = [[], []];
  expect(captures.isOn('nuki')).toBe(false);
  const stop = captures.listen('nuki', undefined, (line) => all.push(line));
  await clock.advance(125);
  captures.listen('nuki', two, (line) => ofTwo.push(line));
  captures.heard('nuki', one, said);
  captures.heard('shelly', one, said);
  captures.heard('nuki', null, said);
  await clock.advance(1_000);
  captures.heard('nuki', two, { from: 'gateway', topic: 'nuki/2BB28571/lockAction', qos: 0, retain: false, payload: '{"code":"12"}' });
  const line = { from: 'device', topic: 'nuki/2BB28570/state', qos: 1, retain: true, payload: '1' };
  const told = { from: 'gateway', topic: 'nuki/2BB28571/lockAction', qos: 0, retain: false, payload: '{"code":"##"}' };
  expect(all).toEqual([
    { t: 0.125, ...line },
    { t: 0.125, ...line },
    { t: 1.125, ...told },
  ]);
  expect(ofTwo).toEqual([{ t: 1, ...told }]);
  expect([captures.isOn('nuki'), captures.isOn('shelly')]).toEqual([true, false]);
  stop();
  captures.heard('nuki', one, said);
  expect(all).toHaveLength(3);
});

test('a login is a line with its client id, keep alive, clean flag and will, and nothing else', () => {
  const captures = createCaptures({ clock: createSettableClock() });
  const lines: object[] = [];
  captures.listen('nuki', undefined, (line) => lines.push(line));
  const connect = { clientId: 'SL3P_2BB28570', keepAlive: 0, clean: true };
  captures.heard('nuki', one, { from: 'device', connect: { ...connect, will: null, password: 'x' } as never });
  captures.heard('nuki', one, { from: 'device', connect: { ...connect, will: { topic: 'a', qos: 1, retain: true, payload: 'false' } } });
  expect(lines).toEqual([
    { t: 0, from: 'device', connect: { ...connect, will: null } },
    { t: 0, from: 'device', connect: { ...connect, will: { topic: 'a', qos: 1, retain: true, payload: 'false' } } },
  ]);
});
