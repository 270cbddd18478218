// Who may wait to be paired beside whom (Protocol 7).
import { describe, expect, it } from '@jest/globals';
import { placeFor, type Waiting } from '../../../src/drivers/native/pairing-slots.ts';

const from = (address: string, changes: Partial<Waiting> = {}): Waiting => ({ address, isConnected: true, confirming: false, ...changes });
const many = (length: number, address: (index: number) => string): Waiting[] => Array.from({ length }, (_, index) => from(address(index)));
const givesWay = (address: string, waiting: readonly Waiting[]) => {
  const place = placeFor(address, waiting);
  return typeof place === 'string' ? place : waiting.indexOf(place.givesWay);
};

describe('a place for a newcomer', () => {
  it('is free until 32 wait, or 4 from its own address', () => {
    const others = many(28, (index) => `10.0.0.${index}`);
    expect(placeFor('10.0.1.1', [...others, ...many(3, () => '10.0.1.1')])).toBe('free');
    expect(
      placeFor(
        '10.0.1.1',
        many(4, () => '10.0.1.1'),
      ),
    ).toBe('full');
    expect(
      placeFor(
        '10.0.1.1',
        many(32, (index) => `10.0.1.${10 + index}`),
      ),
    ).toBe('full');
  });

  it('is that of the first that has left, of its own address if that has 4', () => {
    const waiting = [...many(30, (index) => `10.0.0.${index}`), from('10.9.9.9', { isConnected: false })];
    expect(givesWay('10.0.1.1', [...waiting, from('10.9.9.8', { isConnected: false })])).toBe(30);
    const own = [...many(3, () => '10.0.1.1'), from('10.0.1.1', { isConnected: false })];
    expect(givesWay('10.0.1.1', [from('10.9.9.9', { isConnected: false }), ...own])).toBe(4);
  });

  it.each([
    ['a network of IPv4', (index: number) => `172.16.5.${index}`, '10.0.0.1', 0],
    ['a /64 of IPv6', (index: number) => `2001:db8:1:1::${index}`, '2001:db8:1:2::1', 0],
    ['nine networks', (index: number) => `172.16.${index % 9}.${index}`, '10.0.0.1', 0],
    ['nine addresses of its own network', (index: number) => `10.0.0.${100 + (index % 9)}`, '10.0.0.1', 0],
  ])('is one of those of %s that hold them all', (_title, address, newcomer, expected) => {
    expect(givesWay(newcomer, many(32, address))).toBe(expected);
  });

  it('of a crowded network is that of its most crowded address: a neighbour keeps his', () => {
    const waiting = [from('172.16.5.1'), ...many(28, (index) => `172.16.5.${100 + (index % 7)}`), ...many(3, (index) => `10.0.${index}.1`)];
    expect(givesWay('10.9.9.9', waiting)).toBe(1);
  });

  it('is nobody else’s when all have about as many: they would push each other out in turn', () => {
    expect(
      givesWay(
        '10.0.0.99',
        many(32, (index) => `10.0.0.${index}`),
      ),
    ).toBe('full');
    expect(
      givesWay(
        '10.0.33.1',
        many(32, (index) => `10.0.${index}.1`),
      ),
    ).toBe('full');
    expect(
      givesWay('10.0.1.9', [from('10.0.1.1'), ...many(2, (index) => `10.0.2.${index}`), ...many(29, (index) => `10.1.${index}.1`)]),
    ).toBe('full');
  });

  it('is never that of one to which a person is saying yes', () => {
    const busy = many(32, () => '172.16.5.1').map((one) => ({ ...one, isConnected: false, confirming: true }));
    expect(givesWay('10.0.0.1', busy)).toBe('full');
  });
});
