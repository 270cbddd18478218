// Room for connections: in all, from one address, and which of them give way (Fault T12).
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ConnectionLimits, ConnectionTable } from '../../src/broker/connection-table.ts';
import { originOf } from '../../src/domain/origin.ts';

interface Place {
  keep(): void;
  leave(): void;
}

/** A table whose connections are known by their addresses; one that gives way has closed its stream when that returns. */
function createPlaces(limits: Partial<ConnectionLimits>) {
  const table = new ConnectionTable({ maxConnections: 100, maxPerAddress: 100, maxWaiting: 100, maxWaitingPerNetwork: 100, ...limits });
  return {
    size: () => table.size(),
    enter(address: string, evict: () => void): Place | string {
      const connection = {
        stream: new PassThrough(),
        origin: originOf(address),
        hasPlace: false,
        reject() {
          table.leave(connection);
          evict();
        },
      };
      const noRoom = table.enter(connection);
      return noRoom ?? { keep: () => table.keep(connection), leave: () => table.leave(connection) };
    },
  };
}

test('from one address the oldest connection without a login gives way to a newer one', () => {
  const places = createPlaces({ maxConnections: 10, maxPerAddress: 2 });
  const gone: string[] = [];
  places.enter('10.0.0.1', () => gone.push('first'));
  places.enter('10.0.0.1', () => gone.push('second'));
  places.enter('10.0.0.2', () => gone.push('other'));
  places.enter('10.0.0.1', () => gone.push('third'));
  expect(gone).toEqual(['first']);
  expect(places.size()).toBe(3);
});

test('of those without a login there are only so many, wherever they come from; a login makes room for another', () => {
  const places = createPlaces({ maxWaiting: 2 });
  const gone: string[] = [];
  const enter = (address: string) => places.enter(address, () => gone.push(address)) as Place;
  enter('10.0.0.1').keep();
  enter('10.0.0.2');
  enter('10.0.0.3').keep();
  enter('10.0.0.4');
  expect(gone).toEqual([]);
  enter('10.0.0.5');
  expect([gone, places.size()]).toEqual([['10.0.0.2'], 4]);
});

test('a connection that has logged in gives way to nobody: then the newer one is refused', () => {
  const places = createPlaces({ maxConnections: 3, maxPerAddress: 2 });
  const enter = (address: string) => places.enter(address, () => {}) as Place;
  const first = enter('10.0.0.1');
  first.keep();
  enter('10.0.0.1').keep();
  expect(places.enter('10.0.0.1', () => {})).toBe('too-many-from-address');
  enter('10.0.0.2').keep();
  expect(places.enter('10.0.0.3', () => {})).toBe('too-many-connections');
  first.leave();
  first.leave();
  expect(places.enter('10.0.0.3', () => {})).toHaveProperty('keep');
  expect(places.size()).toBe(3);
});

test('whatever connections come and go, the limits hold and none that has logged in is ended', () => {
  const step = fc.record({ what: fc.constantFrom('enter', 'keep', 'leave'), address: fc.constantFrom('a', 'b', 'c'), which: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const limits = { maxConnections: 6, maxPerAddress: 3 };
      const places = createPlaces(limits);
      const inside = new Map<Place, { address: string; isStored: boolean }>();
      for (const { what, address, which } of steps) {
        const place = [...inside.keys()][which % Math.max(1, inside.size)];
        if (what === 'enter') {
          const entered: Place | string = places.enter(address, () => {
            expect(inside.get(entered as Place)?.isStored).toBe(false);
            inside.delete(entered as Place);
          });
          if (typeof entered !== 'string') inside.set(entered, { address, isStored: false });
          else expect([...inside.values()].some(({ isStored }) => !isStored) && inside.size === limits.maxConnections).toBe(false);
        } else if (place !== undefined && what === 'keep') {
          place.keep();
          inside.set(place, { address: inside.get(place)?.address ?? '', isStored: true });
        } else if (place !== undefined) {
          place.leave();
          inside.delete(place);
        }
        expect(places.size()).toBe(inside.size);
        expect(inside.size).toBeLessThanOrEqual(limits.maxConnections);
        for (const each of ['a', 'b', 'c']) {
          expect([...inside.values()].filter((one) => one.address === each).length).toBeLessThanOrEqual(limits.maxPerAddress);
        }
      }
    }),
  );
});

test('from one IPv6 network the oldest without a login gives way, whatever address it took; those with a login are not counted (Fault T12)', () => {
  const places = createPlaces({ maxWaitingPerNetwork: 3 });
  const gone: number[] = [];
  const enter = (address: string, number: number) => places.enter(address, () => gone.push(number)) as Place;
  for (let number = 0; number < 5; number++) enter(`2001:db8::${number}`, number).keep();
  const strangers = Array.from({ length: 6 }, (_, index) => enter(`2001:db8::1:${index}`, 10 + index));
  enter('2001:db8:0:1::1', 20);
  enter('10.0.0.1', 21);
  expect(gone).toEqual([10, 11, 12]);
  for (const one of strangers) one.leave();
  for (let number = 30; number < 34; number++) enter(`2001:db8::2:${number}`, number);
  expect(gone).toEqual([10, 11, 12, 30]);
});

test('where somebody comes from: an IPv4 address, or the /64 of an IPv6 one with its zone', () => {
  expect(['10.0.0.1', '::ffff:10.0.0.1', '2001:DB8:1:2:3:4:5:6', '2001:db8::1', '::1', 'fe80::1%eth0', undefined].map(originOf)).toEqual([
    { address: '10.0.0.1', network: '10.0.0.1' },
    { address: '10.0.0.1', network: '10.0.0.1' },
    { address: '2001:DB8:1:2:3:4:5:6', network: '2001:db8:1:2::/64' },
    { address: '2001:db8::1', network: '2001:db8:0:0::/64' },
    { address: '::1', network: '0:0:0:0::/64' },
    { address: 'fe80::1%eth0', network: 'fe80:0:0:0::/64%eth0' },
    { address: 'unknown', network: 'unknown' },
  ]);
});
