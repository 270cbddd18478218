import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  allCredentials,
  type Credential,
  credentialDigest,
  withCredential,
  withoutCredential,
} from '../../device-sim/credential-memory.ts';

const empty = { cards: [], passcodes: [] };
const example: readonly Credential[] = [
  { kind: 'passcode', number: '0042', startDate: 1_767_225_600_000, endDate: 1_767_312_000_000, once: true },
  { kind: 'card', number: '998877', startDate: 0, endDate: 0, hours: '12345:480-1080' },
  { kind: 'card', number: '1325672378', startDate: 0, endDate: 0 },
];

describe('what a lock with the feature credentials holds (Protocol 4.1)', () => {
  it('has the digest of the page, in whatever order it came', () => {
    for (const order of [example, [...example].reverse()])
      expect(credentialDigest(order.reduce(withCredential, empty))).toBe('af3940b65ba070e2');
    expect(credentialDigest(empty)).toBe('e3b0c44298fc1c14');
  });

  it('is the same after a put that is taken off again, and a put replaces the values whole', () => {
    const some = example.reduce(withCredential, empty);
    const other = { kind: 'card', number: '7', startDate: 5, endDate: 0 } as const;
    expect(credentialDigest(withoutCredential(withCredential(some, other), other))).toBe('af3940b65ba070e2');
    const plain = withCredential(some, { kind: 'card', number: '998877', startDate: 0, endDate: 0 });
    expect(allCredentials(plain).find(({ number }) => number === '998877')).toEqual({
      kind: 'card',
      number: '998877',
      startDate: 0,
      endDate: 0,
    });
  });

  it('takes a card and a passcode with the same digits for two things', () => {
    const both = ([{ kind: 'card' }, { kind: 'passcode' }] as const)
      .map(({ kind }) => ({ kind, number: '4711', startDate: 0, endDate: 0 }))
      .reduce(withCredential, empty);
    expect(allCredentials(both).map(({ kind }) => kind)).toEqual(['card', 'passcode']);
    expect(allCredentials(withoutCredential(both, { kind: 'card', number: '4711' })).map(({ kind }) => kind)).toEqual(['passcode']);
  });

  it('lists its lines in the order of the digest', () => {
    const some = fc.array(
      fc.record({ kind: fc.constantFrom('card', 'passcode'), number: fc.stringMatching(/^[1-9][0-9]{3,8}$/) }) as fc.Arbitrary<
        Pick<Credential, 'kind' | 'number'>
      >,
    );
    fc.assert(
      fc.property(some, (keys) => {
        const held = keys.map((key) => ({ ...key, startDate: 0, endDate: 0 })).reduce(withCredential, empty);
        const lines = allCredentials(held).map(({ kind, number }) => `${kind === 'card' ? 'c' : 'p'},${number},`);
        expect(lines).toEqual([...lines].sort());
      }),
    );
  });
});
