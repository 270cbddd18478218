// A node that waits and takes over has what the other one left, whatever it had read before.
import { expect, test } from '@jest/globals';
import type { Store } from '../../../src/stores/files/store.ts';
import { lockId, samplePerson } from '../files/support/samples.ts';
import { allOf, change, fill, token } from './support/everything.ts';
import { withTwoStores } from './support/two-stores.ts';

async function all({ ports, maintenance }: Store): Promise<object> {
  const facts = [...ports.access.topicsOf(lockId(1))].sort();
  return { ...(await allOf(ports)), facts, key: maintenance.commandKey().toString('hex') };
}

test('all is as the other one left it, what it changed while this one looked and what it changed last', () =>
  withTwoStores(fill, async (first, second, { takeOver }) => {
    await change(first.store);
    const left = await all(first.store);
    await takeOver();
    expect(await all(second.store)).toEqual(left);
    expect(second.store.ports.accounts.tokenByHash(token(2, 2).hash)).toBeUndefined();
    expect(second.store.ports.accounts.tokenByHash(token(4, 4).hash)).toMatchObject({ tokenId: 4 });
    expect(second.store.ports.locks.get(lockId(2))).toBeUndefined();
    // And it can go on from there.
    await second.store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'again' }));
    await second.store.ports.people.update(samplePerson(1).personId, (one) => ({ ...one, suspended: false }));
    expect(second.fatal).toEqual([]);
  }));

test('it ends when it knows more than the database, in whose place an older copy may be', () =>
  withTwoStores(fill, async (_first, second, { query, takeOver }) => {
    await query('TRUNCATE latchd.document, latchd.document_row; UPDATE latchd.head SET last = 0');
    await expect(takeOver()).rejects.toThrow('the database has lost what it had confirmed to this node');
    expect(() => second.store.maintenance.commandKey()).toThrow('not started');
  }));
