import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import type { AuditEntry } from '../../../src/domain/audit/audit-action.ts';
import type { AuditStore } from '../../../src/domain/audit/audit-ports.ts';
import { createUnlockAttempts } from '../../../src/domain/audit/unlock-attempts.ts';
import { callers, codeOf, createDomain, lockId, noLockId, otherLockId, stays } from '../../support/domain.ts';
import { ok, refusal } from '../../support/fake-link.ts';
import { createMemoryAudit } from '../../support/memory-stores.ts';
import { settled } from '../../support/settable-clock.ts';

const minute = 60_000;
const { operator, stranger, manager } = callers;

/** Lines as they are on the disk; `disk.isFull` refuses them, `writes` counts the tries. */
async function createAttempts() {
  const domain = await createDomain();
  const { clock, lockService } = domain;
  const memory = createMemoryAudit();
  const lines = new Map<number, AuditEntry>();
  const disk = { isFull: false, writes: 0 };
  const audit: AuditStore = {
    ...memory,
    async append() {
      throw new Error('an attempt is no deed');
    },
    async appendAttempt(entry) {
      disk.writes += 1;
      if (disk.isFull) throw new Error('no room');
      lines.set(entry.id, entry);
    },
  };
  const attempts = createUnlockAttempts({ clock, audit });
  const locks = attempts.around(lockService);
  const unlock = (caller: Caller, id = lockId) => codeOf(() => locks.setBolt(caller, id, 'unlocked', stays()));
  const written = () =>
    [...lines.values()].map(({ username, object, outcome, count, missed }) => [username, object, outcome, count, missed]);
  return { ...domain, attempts, locks, unlock, lines, written, disk };
}

describe('an unlock that has no record', () => {
  it('is an entry with who, from where, on which lock and why', async () => {
    const { unlock, lines, clock, link, locks, reports } = await createAttempts();
    expect(await unlock({ ...stranger, address: '10.0.0.5' })).toBe('forbidden');
    expect(await unlock(operator, noLockId)).toBe('lock-not-found');
    link.reply(lockId, () => refusal('jammed'));
    expect(await locks.setBolt(operator, lockId, 'unlocked', stays())).toEqual({ success: false, reason: 'jammed' });
    reports.hello(lockId, { date: clock.now(), state: 'unlocked' });
    expect(await locks.setBolt(operator, lockId, 'unlocked', stays())).toMatchObject({ success: true });
    link.lose(lockId);
    link.connect(lockId);
    link.reply(lockId, () => undefined);
    const unanswered = unlock(manager);
    await clock.advance(10_000);
    expect(await unanswered).toBe('lock-timeout');
    link.lose(lockId);
    expect(await unlock(operator)).toBe('lock-offline');
    await clock.advance(1_000);
    const line = { at: expect.any(Number), address: '', action: 'unlock', object: 'lock 7', detail: '' };
    expect([...lines.values()]).toEqual([
      { ...line, id: 1, username: 'sam', address: '10.0.0.5', outcome: 'forbidden' },
      { ...line, id: 2, username: 'ole', object: `lock ${noLockId}`, outcome: 'lock-not-found' },
      { ...line, id: 3, username: 'ole', outcome: 'lock-refused', detail: 'jammed' },
      { ...line, id: 4, username: 'ole', outcome: 'nothing-to-do' },
      { ...line, id: 5, username: 'max', outcome: 'lock-timeout' },
      { ...line, id: 6, username: 'ole', outcome: 'lock-offline' },
    ]);
  });

  it('is no entry when it was done, nor is any lock command: those have their records, or open no door', async () => {
    const { locks, link, clock, disk, unlock } = await createAttempts();
    link.reply(lockId, () => ok);
    expect(await locks.setBolt(operator, lockId, 'unlocked', stays())).toEqual({ success: true });
    await codeOf(() => locks.setBolt(stranger, lockId, 'locked', stays()));
    await codeOf(() => locks.setBolt(operator, otherLockId, 'locked', stays()));
    await clock.advance(2 * minute);
    expect([disk.writes, clock.timers()]).toEqual([0, 0]);
    await unlock(stranger);
    await clock.advance(2 * minute);
    expect([disk.writes, clock.timers()]).toEqual([1, 0]);
  });

  it('is written after its answer, and one line a minute stands for all of one account, lock and outcome', async () => {
    const { unlock, clock, written, disk } = await createAttempts();
    for (let n = 0; n < 20; n++) await unlock(stranger);
    expect(disk.writes).toBe(0);
    await clock.advance(200);
    expect(written()).toEqual([['sam', 'lock 7', 'forbidden', 20, undefined]]);
    for (let n = 0; n < 30; n++) await unlock(stranger);
    await clock.advance(1_000);
    expect(disk.writes).toBe(1);
    await unlock(operator, otherLockId);
    await clock.advance(minute);
    expect(written()).toEqual([
      ['sam', 'lock 7', 'forbidden', 50, undefined],
      ['ole', `lock ${otherLockId}`, 'forbidden', undefined, undefined],
    ]);
    await unlock(stranger);
    await clock.advance(minute);
    expect(written()).toHaveLength(3);
    expect(disk.writes).toBe(4);
  });

  it('is only counted when a minute has too many entries, of one account or of all', async () => {
    const { unlock, clock, lines } = await createAttempts();
    for (let id = 1_000; id < 1_120; id++) await unlock(stranger, id as typeof lockId);
    expect(await unlock(operator, otherLockId)).toBe('forbidden');
    await clock.advance(minute);
    expect(lines.size).toBe(101);
    await unlock(stranger);
    await clock.advance(minute);
    expect([...lines.values()].at(-1)).toMatchObject({ username: 'sam', missed: 20 });
    for (let account = 100; account < 120; account++) {
      const caller = { ...stranger, accountId: account as Caller['accountId'] };
      for (let id = 1_000; id < 1_060; id++) await unlock(caller, id as typeof lockId);
    }
    await clock.advance(minute);
    expect(lines.size).toBe(102 + 1_000);
  });

  it('that the disk does not accept delays nothing, is tried again, and then counted in the next entry', async () => {
    const { unlock, clock, written, disk } = await createAttempts();
    disk.isFull = true;
    expect(await unlock(stranger)).toBe('forbidden');
    await clock.advance(200);
    expect(await unlock(stranger)).toBe('forbidden');
    await clock.advance(30_000);
    disk.isFull = false;
    await clock.advance(minute);
    expect(written()).toEqual([['sam', 'lock 7', 'forbidden', 2, undefined]]);
    disk.isFull = true;
    for (let n = 0; n < 5; n++) await unlock(stranger);
    await clock.advance(2 * minute);
    disk.isFull = false;
    await unlock(stranger, noLockId);
    await clock.advance(minute);
    expect(written().at(-1)).toEqual(['sam', `lock ${noLockId}`, 'lock-not-found', undefined, 5]);
  });

  it('is on the disk when the gateway has stopped', async () => {
    const { unlock, attempts, written, clock } = await createAttempts();
    for (let n = 0; n < 3; n++) await unlock(stranger);
    await attempts.stop();
    await attempts.stop();
    expect([written(), clock.timers()]).toEqual([[['sam', 'lock 7', 'forbidden', 3, undefined]], 0]);
    await settled();
  });
});
