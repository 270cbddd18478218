// Who may stay connected over HTTP (Fault T12).
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import { originOf } from '../../../src/domain/origin.ts';
import { type ConnectionSlot, createConnectionLimit, type Doing } from '../../../src/http/pipeline/connection-limit.ts';

/** Room for so few that a test can fill it. */
function world() {
  const gone: string[] = [];
  const limits = { strangers: 6, strangersOfNetwork: 3, known: 3, knownOfAccount: 2 };
  const places = createConnectionLimit(
    limits,
    () => undefined,
    (address) => address === '10.9.9.9',
  );
  function enter(name: string, address: string, doing: Doing): ConnectionSlot | undefined {
    return places.enter(originOf(address), { doing: () => doing, evict: () => void gone.push(name) });
  }
  return { enter, gone };
}

const [anna, bert] = [1 as AccountId, 2 as AccountId];

test('the gateway first closes half-sent requests, then connections that never sent one, then idle ones, then those that do not read their answer', () => {
  const { enter, gone } = world();
  for (const doing of ['taking', 'resting', 'nothing'] as const) enter(doing, '10.0.0.1', doing);
  for (const newest of ['sending', 'sending', 'asking', 'asking', 'asking'] as const) enter(`new ${newest}`, '10.0.0.1', newest);
  expect(gone).toEqual(['nothing', 'new sending', 'new sending', 'resting', 'taking']);
});

test('of equal connections the oldest is closed, and none that waits for an answer: then there is no room', () => {
  const { enter, gone } = world();
  enter('oldest', '10.0.0.1', 'sending');
  enter('younger', '10.0.0.1', 'sending');
  enter('waiting', '10.0.0.1', 'asking');
  enter('waiting, too', '10.0.0.1', 'asking');
  enter('and one more', '10.0.0.1', 'asking');
  expect(gone).toEqual(['oldest', 'younger']);
  expect(enter('too many', '10.0.0.1', 'asking')).toBeUndefined();
});

test.each([
  ['an IPv4 address, however it is spelt', ['10.0.0.1', '::ffff:10.0.0.1', '10.0.0.1', '10.0.0.1']],
  ['an IPv6 /64', ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3', '2001:db8::4']],
])('%s has places of its own, and what it fills keeps out nobody from elsewhere', (_what, addresses) => {
  const { enter, gone } = world();
  for (const [n, address] of addresses.entries()) enter(`hostile ${n}`, address, 'sending');
  expect(gone).toEqual(['hostile 0']);
  enter('from elsewhere', '2001:db8:0:1::1', 'nothing');
  expect(gone).toHaveLength(1);
});

test.each([
  ['this machine, where a reverse proxy may run,', ['127.0.0.1', '::1']],
  ['a trusted proxy', ['10.9.9.9', '::ffff:10.9.9.9']],
])('connections from %s have no limit of their own', (_what, addresses) => {
  const { enter, gone } = world();
  for (let n = 0; n < 3; n++) for (const address of addresses) enter('of the proxy', address, 'sending');
  expect(gone).toEqual([]);
  enter('one more', addresses[0] ?? '', 'nothing');
  expect(gone).toEqual(['of the proxy']);
});

test('connections that have sent a valid token are counted apart, and strangers push out none of them', () => {
  const { enter, gone } = world();
  enter('anna', '10.0.0.1', 'resting')?.keep(anna);
  for (let n = 0; n < 20; n++) enter('stranger', '10.0.0.1', 'asking');
  for (let n = 0; n < 20; n++) enter('stranger', `10.0.1.${n}`, 'sending');
  expect(new Set(gone)).toEqual(new Set(['stranger']));
});

test('one account takes the slots of no other', () => {
  const { enter, gone } = world();
  enter('bert', '10.0.0.2', 'resting')?.keep(bert);
  for (let n = 0; n < 4; n++) enter(`anna ${n}`, '127.0.0.1', 'resting')?.keep(anna);
  expect(gone).toEqual(['anna 0', 'anna 1']);
});

test('when all known connections wait for an answer, one more stays among the strangers', () => {
  const { enter, gone } = world();
  for (let n = 0; n < 3; n++) enter(`anna ${n}`, '127.0.0.1', 'asking')?.keep(anna);
  expect(gone).toEqual([]);
  // The third is still there, and is a stranger: six of those are too many with it.
  for (let n = 0; n < 5; n++) enter('stranger', '127.0.0.1', 'asking');
  expect(enter('too many', '127.0.0.1', 'asking')).toBeUndefined();
});

test('a connection that leaves makes room, once', () => {
  const { enter, gone } = world();
  const places = ['a', 'b', 'c'].map((name) => enter(name, '10.0.0.1', 'asking'));
  places[0]?.leave();
  places[0]?.leave();
  places[0]?.keep(anna);
  expect(enter('d', '10.0.0.1', 'asking')).toBeDefined();
  expect(enter('e', '10.0.0.1', 'asking')).toBeUndefined();
  expect(gone).toEqual([]);
});
