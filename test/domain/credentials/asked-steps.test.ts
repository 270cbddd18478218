// What somebody asks for just now, on a lock whose replies say what it holds: an ok counts when the lock holds it.
import { expect, it } from '@jest/globals';
import { createCredentialMemory } from '../../support/credential-memory.ts';
import { callers, codeOf, createDomain, lockId, stays } from '../../support/domain.ts';
import { bareCapabilities } from '../../support/fake-driver.ts';
import { refusal } from '../../support/fake-link.ts';

const { manager } = callers;
const gone = stays();
const fob = { cardNumber: '0042', byteOrder: 'regular', name: 'fob', startDate: 0, endDate: 0 } as const;

async function setUp() {
  const domain = await createDomain();
  const { drivers, locks, link } = domain;
  const capabilities = { ...bareCapabilities, cards: true, passcodes: true, hours: true, once: true };
  Object.assign(drivers.ofKind('native') ?? {}, { capabilities: () => capabilities });
  await locks.update(lockId, (lock) => ({ ...lock, features: { features: ['credentials'], limits: {} } }));
  const memory = createCredentialMemory();
  link.connect(lockId, memory.replier);
  const add = () => domain.cardService.add(manager, lockId, fob, 'gateway', gone);
  const listed = async () => (await domain.cardService.list(manager, lockId, { pageNo: 1, pageSize: 10 })).list;
  return { ...domain, memory, add, listed };
}

it('puts a card on such a lock, gives it other dates and takes it off by the ops that say what it holds', async () => {
  const { add, cardService, link, memory, listed } = await setUp();
  const cardId = await add();
  await cardService.changeValidity(manager, lockId, cardId, { startDate: 5, endDate: 9 }, 'gateway', gone);
  expect(memory.all()).toMatchObject([{ kind: 'card', number: '42', startDate: 5, endDate: 9 }]);
  expect(await listed()).toMatchObject([{ cardNumber: '0042', startDate: 5, endDate: 9 }]);
  await cardService.remove(manager, lockId, cardId, 'gateway', gone);
  expect([memory.all(), await listed()]).toEqual([[], []]);
  expect(link.ops()).toEqual(['put-credentials', 'put-credentials', 'remove-credentials']);
});

it('is no success when the lock says ok and has not stored it; nothing of it stays, and it can be added again', async () => {
  const { add, memory, listed, entries } = await setUp();
  memory.fault = ({ op }) => (op === 'put-credentials' ? 'forgets' : undefined);
  await expect(add()).rejects.toMatchObject({ code: 'lock-refused', lockError: 'not-done' });
  expect([await listed(), (await entries.of(lockId)).entries]).toEqual([[], []]);
  memory.fault = () => undefined;
  await add();
  expect(memory.all()).toHaveLength(1);
});

it('is a success though somebody changed something else at the lock meanwhile, which a person hears of', async () => {
  const { add, memory, listed, passcodes, entries } = await setUp();
  memory.put({ kind: 'card', number: '77' });
  await add();
  const code = await passcodes.add(manager, lockId, { type: 'permanent', name: '', startDate: 0, endDate: 0 }, 'gateway', gone);
  memory.put({ kind: 'card', number: '78' });
  const second = await passcodes.add(manager, lockId, { type: 'permanent', name: '', startDate: 0, endDate: 0 }, 'gateway', gone);
  expect(memory.all().map(({ number }) => number)).toEqual(expect.arrayContaining(['42', '77', '78', code.code, second.code]));
  expect(await listed()).toMatchObject([{ cardNumber: '0042', name: 'fob' }]);
  const strangers = (await entries.of(lockId)).entries.filter(({ direct }) => direct === null);
  expect(strangers.map(({ number }) => number)).toEqual(['77', '78']);
});

it('stays open when the lock says ok, says that it holds something else, and does not show it', async () => {
  const { add, memory, entries } = await setUp();
  memory.put({ kind: 'card', number: '77' });
  memory.fault = ({ op }) => (op === 'list-credentials' ? refusal('failed') : undefined);
  expect(await codeOf(add)).toBe('lock-timeout');
  expect((await entries.of(lockId)).byNumber('card', '42')).toMatchObject({ held: { sure: false } });
});

it('is refused in the words of the lock', async () => {
  const { add, link } = await setUp();
  link.reply(lockId, () => refusal('no-space', 'it is full'));
  await expect(add()).rejects.toMatchObject({ lockError: 'no-space', message: 'the lock refused: it is full' });
  link.reply(lockId, () => ({ kind: 'ok', credentials: { count: 0, digest: '', failed: [{ index: 0, error: 'clock-not-set' }] } }));
  await expect(add()).rejects.toMatchObject({ lockError: 'clock-not-set', message: 'the lock refused: clock-not-set' });
});
