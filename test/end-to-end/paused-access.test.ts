// After the restore of an older backup: nothing is put on a lock or taken off it until a person has looked and resumed (HTTP API 12.1).
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const access = '/api/v1/access';
const [kept, left, newer, late] = ['1325672378', '5550001', '5550002', '5550003'];
const runs = createRuns();
let site: Site;

beforeAll(async () => {
  site = await openSite({ locks: [{ features: ['credentials', 'hours', 'once'] }, {}] });
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
});

const locks = [1, 2] as const;
const heldBy = (n: number) =>
  site
    .lock(n)
    .memory.cards.map(({ cardNumber }) => cardNumber)
    .sort();
const changes = () =>
  ['put-credentials', 'remove-credentials', 'add-card', 'update-card', 'remove-card'].map((op) => site.wire.sent(`"op":"${op}"`));

/** Whether the gateway knows that the lock holds this card. */
async function onLock(n: number, cardNumber: string): Promise<boolean> {
  const { body } = await site.api('GET', `${access}/locks/${site.lockId(n)}/entries`);
  return body.list.some(({ number, status }) => number === cardNumber && status === 'on-lock');
}

async function personWith(externalId: string, cardNumber: string): Promise<void> {
  const body = {
    name: externalId,
    credentials: [{ kind: 'card', cardNumber }],
    grants: [{ lockIds: locks.map((n) => site.lockId(n)) }],
  };
  expect((await site.api('PUT', `${access}/people/external/${externalId}`, { body })).status).toBe(201);
  await until(
    async () => (await onLock(1, cardNumber)) && (await onLock(2, cardNumber)),
    `both locks are known to hold the card of ${externalId}`,
  );
}

const compared = async () => (await site.api('GET', `${access}/compare`)).body.list;

test('an older backup moves no card at a lock; a loss is heard meanwhile; after the resume what is decided counts', async () => {
  await personWith('R-1', kept);
  await personWith('R-2', left);
  // A card that waits for a lock which is away.
  site.lock(2).cutNetwork();
  await site.whenOnline(2, false);
  const latecomer = { name: 'R-4', credentials: [{ kind: 'card', cardNumber: late }], grants: [{ lockIds: [site.lockId(2)] }] };
  expect((await site.api('PUT', `${access}/people/external/R-4`, { body: latecomer })).status).toBe(201);
  const archive = join(site.folder, 'older.tar.gz');
  expect((await runs.finish(['backup', '--data-dir', site.dataDir, '--to', archive])).exitCode).toBe(0);
  // Since the backup the lock has come back, two have left, and somebody has come.
  site.lock(2).restoreNetwork();
  await until(() => heldBy(2).includes(late), 'the card that waited is there');
  expect((await site.api('PUT', `${access}/people/external/R-4`, { body: { name: 'R-4', credentials: [], grants: [] } })).status).toBe(200);
  await until(() => !heldBy(2).includes(late), 'it is off again');
  expect((await site.api('PUT', `${access}/people/external/R-2`, { body: { name: 'R-2', credentials: [], grants: [] } })).status).toBe(200);
  await until(() => locks.every((n) => !heldBy(n).includes(left)), 'who has left has no card there');
  await personWith('R-3', newer);

  await site.kill9();
  await site.wipe();
  expect((await runs.finish(['restore', archive, '--data-dir', site.dataDir])).exitCode).toBe(0);
  const before = changes();
  await site.start();
  for (const n of locks) await site.whenOnline(n);
  // The gateway has asked each lock what it holds, and knows all that differs.
  for (const n of locks) expect((await site.api('POST', `${access}/locks/${site.lockId(n)}/check`)).status).toBe(200);
  await until(
    async () => (await compared()).every(({ extraneous, paused }) => extraneous === 1 && paused === true),
    'what differs is known',
  );
  for (const n of locks) site.lock(n).cutNetwork();
  for (const n of locks) await site.whenOnline(n, false);
  for (const n of locks) site.lock(n).restoreNetwork();
  for (const n of locks) await site.whenOnline(n);
  for (const n of locks) expect((await site.api('POST', `${access}/locks/${site.lockId(n)}/check`)).status).toBe(200);
  expect(changes()).toEqual(before);
  for (const n of locks) expect(heldBy(n)).toEqual([kept, newer].sort());

  // A loss does not wait for anybody who resumes.
  expect((await site.api('POST', `${access}/cards/lost`, { body: { cardNumber: kept, reason: 'in town' } })).status).toBe(200);
  await until(() => locks.every((n) => !heldBy(n).includes(kept)), 'the lost card is dead at both doors');
  for (const n of locks) expect(heldBy(n)).toEqual([newer]);

  expect((await site.api('POST', `${access}/resume`)).status).toBe(200);
  await until(() => heldBy(2).includes(late), 'what was decided at the backup, and never done there, is done');
  // What was surely there at the backup is gone without this gateway: a person decides, and about the stranger, too.
  for (const n of locks) expect((await site.api('POST', `${access}/locks/${site.lockId(n)}/check`)).status).toBe(200);
  expect(locks.map(heldBy)).toEqual([[newer], [newer, late].sort()]);
});
