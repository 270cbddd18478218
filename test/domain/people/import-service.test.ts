// From a dry run to people who are as the table says: by whom, once, and on to the end after a crash (HTTP API 12.5).
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { AccountId, Caller } from '../../../src/domain/accounts/account.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createImportRunner } from '../../../src/domain/people/import-runner.ts';
import { createImportService } from '../../../src/domain/people/import-service.ts';
import { createLocalDays } from '../../../src/domain/people/local-days.ts';
import { createGrantRules } from '../../../src/domain/people/new-grant.ts';
import type { CredentialId, GrantId, Person, PersonId } from '../../../src/domain/people/person.ts';
import { createWholePeople } from '../../../src/domain/people/whole-person.ts';
import { createMemoryImports, createMemoryPeople, createMemorySchedules } from '../../support/memory-stores.ts';
import { createNotedEvents } from '../../support/noted-events.ts';
import { berlinOffset, sampleLocks } from '../../support/sample-people.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

const anna: Caller = { accountId: 2 as AccountId, username: 'anna', gatewayAdministrator: false, accessManager: true, tokenId: 7 };
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An office with three people on the disk, and services that can be started anew over it. */
async function office() {
  const clock = createSettableClock();
  const people = createMemoryPeople();
  const schedules = createMemorySchedules();
  const imports = createMemoryImports();
  const noted = createNotedEvents();
  const state = {
    /** Where anna is manager. */
    manages: [1, 2, 3, 4] as number[],
    locks: [...sampleLocks],
    /** Called before each write; may throw. */
    onWrite: async (_count: number): Promise<void> => undefined,
    writes: 0,
    /** When a backup was restored; null: nobody has to compare. */
    pausedSince: null as number | null,
  };
  let lastId = 100;
  const ids = { credentialId: () => ++lastId as CredentialId, grantId: () => ++lastId as GrantId };
  async function beforeWrite(caller: Caller): Promise<void> {
    state.writes += 1;
    await state.onWrite(state.writes);
    if (caller.accountId !== anna.accountId) throw new DomainError('forbidden', 'not you');
  }
  const writes = {
    async change(caller: Caller, personId: PersonId, remake: (newest: Person, of: typeof ids) => Person) {
      await beforeWrite(caller);
      return people.update(personId, (newest) => remake(newest, ids));
    },
    async add(caller: Caller, remake: (of: typeof ids) => Omit<Person, 'personId'>) {
      await beforeWrite(caller);
      const made = remake(ids);
      if (made.externalId !== null && people.byExternalId(made.externalId)) throw new DomainError('conflict', 'is there');
      const person = { ...made, personId: ++lastId as PersonId };
      await people.add(person);
      return person;
    },
  };
  const whole = createWholePeople({
    ...{ clock, people, writes },
    rules: createGrantRules({ clock, schedules, locks: { get: () => ({}) as never }, groups: { of: () => new Set() } }),
  });
  function start() {
    const runner = createImportRunner({ clock, imports, people, whole, callerOf: () => anna, secrets: { hash }, emit: noted.emit });
    const service = createImportService({
      ...{ clock, imports, people, schedules, runner, days: createLocalDays(berlinOffset) },
      locks: { all: () => state.locks as never },
      secrets: { hash, newToken: () => `${++lastId}` },
      pause: { since: () => state.pausedSince },
      nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
      widening: {
        requireManaged(_caller, lockIds: Iterable<LockId>) {
          if ([...lockIds].some((lockId) => !state.manages.includes(lockId))) throw new DomainError('forbidden', 'not a manager there');
        },
      },
    });
    return { runner, service };
  }
  const made = { createdAt: 1, createdBy: 'admin' };
  for (const n of [1, 2, 3])
    await people.add({
      ...{ personId: n as PersonId, externalId: `HR-${n}`, name: `P ${n}`, note: 'n', suspended: false, removed: false, ...made },
      credentials: [
        {
          credentialId: n,
          kind: 'card',
          number: `${1000 + n}`,
          width: 4,
          name: 'fob',
          startDate: 0,
          endDate: 0,
          lost: null,
          once: false,
          ...made,
        },
      ] as unknown as Person['credentials'],
      grants: [
        {
          grantId: n,
          lockIds: [1, 3],
          groupIds: [],
          startDate: 0,
          endDate: 0,
          scheduleId: null,
          excluded: [{ lockId: 3, credentialId: n }],
          ...made,
        },
      ] as unknown as Person['grants'],
    });
  const ended = async (): Promise<void> => {
    for (let n = 0; n < 200 && imports.all().some((one) => one.state === 'applying'); n++)
      await new Promise((resolve) => setImmediate(resolve));
  };
  return { ...start(), start, clock, people, imports, state, events: noted.notices, ended, schedules };
}

const table = 'Person,Name,Card Number,Front door,Side door\nHR-1,P 1,1001,Y,Y\nHR-2,,2002,N,\nHR-9,Nina,9009,Y,N\n';

async function planned(of: Awaited<ReturnType<typeof office>>, text = table, absent: 'keep' | 'revoke' = 'keep') {
  const { stored, plan } = await of.service.dryRun(anna, text, absent);
  if (stored === null) throw new Error(JSON.stringify(plan.errors));
  return { ...stored, said: plan };
}

describe('an import', () => {
  test('changes nothing in its dry run, and just what it said when it is applied', async () => {
    const it = await office();
    const before = it.people.all();
    const { importId, plan, said } = await planned(it);
    expect(said.counts).toEqual({ added: 1, updated: 2, unchanged: 0, extraneous: 1 });
    expect(it.people.all()).toBe(before);
    expect(it.service.progress(anna, importId)).toMatchObject({ done: 0, of: 3, stored: { state: 'planned' } });

    await it.service.apply(anna, importId, plan);
    await it.ended();
    expect(it.service.progress(anna, importId)).toMatchObject({ done: 3, of: 3, stored: { state: 'applied', conflictCount: 0 } });
    const [one, two, three, nina] = it.people.all();
    expect(one?.grants).toMatchObject([{ grantId: 1, lockIds: [1, 2, 3], excluded: [{ lockId: 3, credentialId: 1 }], createdBy: 'admin' }]);
    expect(two).toMatchObject({ name: 'P 2', note: 'n', credentials: [{ number: '2002', createdBy: 'anna' }], grants: [{ lockIds: [3] }] });
    expect(three).toBe(before[2]);
    expect(nina).toMatchObject({
      externalId: 'HR-9',
      name: 'Nina',
      credentials: [{ number: '9009' }],
      grants: [{ lockIds: [1], excluded: [] }],
    });
    expect((await it.service.dryRun(anna, table, 'keep')).plan.counts).toEqual({ added: 0, updated: 0, unchanged: 3, extraneous: 1 });
  });

  test('with one wrong line can not be applied', async () => {
    const it = await office();
    const { stored, plan } = await it.service.dryRun(anna, `${table}HR-3,P 3,x,Y,Y\n`, 'keep');
    expect([stored, plan.errorCount, it.imports.all()]).toEqual([null, 1, []]);
  });

  test('takes from absent people first, and only when asked to', async () => {
    const it = await office();
    const { importId, plan } = await planned(it, table, 'revoke');
    const order: string[] = [];
    it.state.onWrite = async () => void order.push(JSON.stringify(it.people.all().map(({ grants }) => grants.length)));
    await it.service.apply(anna, importId, plan);
    await it.ended();
    expect(it.people.get(3 as PersonId)?.grants).toMatchObject([{ lockIds: [3] }]);
  });

  test('needs the role manager wherever it lets somebody in, again when it is applied', async () => {
    const it = await office();
    it.state.manages = [1];
    await expect(it.service.dryRun(anna, table, 'keep')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(it.service.dryRun(anna, 'Person,Archive\nHR-1,N\n', 'keep')).resolves.toMatchObject({ stored: expect.anything() });
    it.state.manages = [1, 2, 3];
    const { importId, plan } = await planned(it);
    it.state.manages = [1];
    await expect(it.service.apply(anna, importId, plan)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(
      it.service.dryRun({ ...anna, accessManager: false }, table, 'keep').catch((error) => Promise.reject(error)),
    ).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('a plan', () => {
  const changes: Record<string, (it: Awaited<ReturnType<typeof office>>) => Promise<unknown>> = {
    'a person of the table': ({ people }) => people.update(1 as PersonId, (one) => ({ ...one, note: 'other' })),
    'a person who was to be new': ({ people }) =>
      people.add({ ...(people.get(1 as PersonId) as Person), personId: 50 as PersonId, externalId: 'HR-9', credentials: [], grants: [] }),
    'a schedule': ({ schedules }) => schedules.put({ scheduleId: 1, name: 'Office', hours: [] } as never),
    'the name of a door': async ({ state }) => {
      state.locks = state.locks.map((lock) =>
        lock.lockId === 1 ? { ...lock, alias: 'Back door' } : lock.lockId === 6 ? { ...lock, alias: 'Front door' } : lock,
      );
    },
  };
  for (const [what, change] of Object.entries(changes))
    test(`is not applied when this has changed since: ${what}`, async () => {
      const it = await office();
      const { importId, plan } = await planned(it);
      await change(it);
      await expect(it.service.apply(anna, importId, plan)).rejects.toMatchObject({ code: 'conflict' });
      expect(it.state.writes).toBe(0);
    });

  test('that takes from the absent is not applied when there are others than before', async () => {
    const it = await office();
    const { importId, plan } = await planned(it, table, 'revoke');
    await it.people.add({ ...(it.people.get(1 as PersonId) as Person), personId: 51 as PersonId, externalId: 'HR-51', credentials: [] });
    await expect(it.service.apply(anna, importId, plan)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is applied once, under its own hash, within an hour, and never two at a time', async () => {
    const it = await office();
    const one = await planned(it);
    const other = await planned(it, 'Person,Front door\nHR-3,N\n');
    await expect(it.service.apply(anna, one.importId, other.plan)).rejects.toMatchObject({ code: 'conflict' });
    let release = (): void => undefined;
    it.state.onWrite = () => new Promise((resolve) => (release = resolve));
    await it.service.apply(anna, one.importId, one.plan);
    await expect(it.service.apply(anna, one.importId, one.plan)).rejects.toMatchObject({ code: 'conflict' });
    await expect(it.service.apply(anna, other.importId, other.plan)).rejects.toMatchObject({ code: 'conflict' });
    it.state.onWrite = async () => undefined;
    for (let n = 0; n < 10; n++) {
      release();
      await it.ended();
    }
    await it.clock.advance(3_600_000);
    await expect(it.service.apply(anna, other.importId, other.plan)).rejects.toMatchObject({ code: 'not-found' });
    expect(it.service.progress(anna, one.importId)).toMatchObject({ stored: { state: expect.stringMatching(/appl/) } });
  });

  test('gives way to newer ones, and goes with its time', async () => {
    const it = await office();
    const first = await planned(it);
    for (let n = 0; n < 5; n++) await planned(it);
    expect(it.imports.all()).toHaveLength(5);
    expect(() => it.service.progress(anna, first.importId)).toThrow('there is no import');
    await it.clock.advance(3_600_000);
    await planned(it);
    expect(it.imports.all()).toHaveLength(1);
  });
});

describe('an import that is being applied', () => {
  test('goes on after a crash at any write, and does nothing twice', async () => {
    for (let crashAt = 1; crashAt <= 4; crashAt++) {
      const it = await office();
      const { importId, plan } = await planned(it);
      it.state.onWrite = async (count) => {
        if (count >= crashAt) await new Promise(() => undefined);
      };
      await it.service.apply(anna, importId, plan);
      await new Promise((resolve) => setTimeout(resolve, 5));
      // The process is gone: its writes never end. Another begins on what is stored.
      it.state.onWrite = async () => undefined;
      const { service } = it.start();
      await service.start();
      await it.ended();
      expect(service.progress(anna, importId)).toMatchObject({ stored: { state: 'applied', conflictCount: 0 } });
      expect(it.people.all()).toHaveLength(4);
      expect((await service.dryRun(anna, table, 'keep')).plan.counts).toEqual({ added: 0, updated: 0, unchanged: 3, extraneous: 1 });
    }
  });

  test('does not go on by itself after a restore, and one that was applied since the restore does', async () => {
    const it = await office();
    const before = it.people.all();
    const { importId } = await planned(it);
    const appliedBy = { accountId: anna.accountId, username: 'anna', tokenId: null };
    const applying = (changedAt: number) =>
      it.imports.update(importId, (newest) => ({ ...newest, state: 'applying', appliedBy, changedAt }));
    await applying(it.clock.now() - 60_000);
    it.state.pausedSince = it.clock.now();
    const restored = it.start();
    await restored.service.start();
    await it.ended();
    expect(it.people.all()).toEqual(before);
    const { stored } = restored.service.progress(anna, importId);
    expect(stored).toMatchObject({ state: 'stopped', reason: expect.stringContaining('restored'), changes: 3 });
    await applying(it.clock.now() + 1);
    await it.start().service.start();
    await it.ended();
    expect(it.imports.get(importId)).toMatchObject({ state: 'applied' });
  });

  test('leaves whoever is changed meanwhile alone, and says so', async () => {
    const it = await office();
    const { importId, plan } = await planned(it);
    it.state.onWrite = async (count) => {
      if (count === 1) await it.people.update(2 as PersonId, (one) => ({ ...one, grants: [] }));
    };
    await it.service.apply(anna, importId, plan);
    await it.ended();
    expect(it.service.progress(anna, importId).stored).toMatchObject({
      state: 'applied',
      conflictCount: 1,
      conflicts: [{ line: 3, personId: 2, message: 'the person has changed meanwhile' }],
    });
    expect(it.people.get(2 as PersonId)?.credentials).toMatchObject([{ number: '1002' }]);
    expect(it.events).toContainEqual(expect.objectContaining({ kind: 'import-ended', state: 'applied', conflicts: 1 }));
  });

  test('stops when whoever applies it may not any more', async () => {
    const it = await office();
    const { importId, plan } = await planned(it);
    it.state.onWrite = async () => {
      throw new DomainError('forbidden', 'this needs the role manager on lock 1');
    };
    await it.service.apply(anna, importId, plan);
    await it.ended();
    expect(it.service.progress(anna, importId).stored).toMatchObject({ state: 'stopped', reason: 'this needs the role manager on lock 1' });
  });

  test('waits for a full disk', async () => {
    const it = await office();
    const { importId, plan } = await planned(it);
    let isFull = true;
    it.state.onWrite = async () => {
      if (isFull) throw new DomainError('storage-unavailable', 'the disk is full');
    };
    await it.service.apply(anna, importId, plan);
    await it.clock.advance(30_000);
    expect(it.imports.get(importId)?.state).toBe('applying');
    isFull = false;
    await it.clock.advance(10_000);
    await it.ended();
    expect(it.service.progress(anna, importId).stored).toMatchObject({ state: 'applied', conflictCount: 0 });
  });

  test('ends at a stop without being done', async () => {
    const it = await office();
    const { importId, plan } = await planned(it);
    it.state.onWrite = async () => {
      throw new DomainError('storage-unavailable', 'the disk is full');
    };
    await it.service.apply(anna, importId, plan);
    await it.service.stop();
    expect([it.imports.get(importId)?.state, it.clock.timers()]).toEqual(['applying', 0]);
  });
});
