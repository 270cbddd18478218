// Room for connections: in all, from one address, and who gives way (T12).
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPlaces, type Place } from '../../src/mqtt/connection-limits.ts';

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

test('whoever comes and goes, the limits hold and nobody who has logged in is put out', () => {
  const step = fc.record({ what: fc.constantFrom('enter', 'keep', 'leave'), address: fc.constantFrom('a', 'b', 'c'), which: fc.nat() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const limits = { maxConnections: 6, maxPerAddress: 3 };
      const places = createPlaces(limits);
      const inside = new Map<Place, { address: string; kept: boolean }>();
      for (const { what, address, which } of steps) {
        const place = [...inside.keys()][which % Math.max(1, inside.size)];
        if (what === 'enter') {
          const entered: Place | string = places.enter(address, () => {
            expect(inside.get(entered as Place)?.kept).toBe(false);
            inside.delete(entered as Place);
          });
          if (typeof entered !== 'string') inside.set(entered, { address, kept: false });
          else expect([...inside.values()].some(({ kept }) => !kept) && inside.size === limits.maxConnections).toBe(false);
        } else if (place !== undefined && what === 'keep') {
          place.keep();
          inside.set(place, { address: inside.get(place)?.address ?? '', kept: true });
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
