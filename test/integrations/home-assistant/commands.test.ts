import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import { createUnlockAttempts } from '../../../src/domain/audit/unlock-attempts.ts';
import { createHomeCodeService } from '../../../src/domain/home-assistant/home-code-service.ts';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { createHomeCommands } from '../../../src/integrations/home-assistant/commands.ts';
import type { Refused } from '../../../src/integrations/home-assistant/fences.ts';
import { homeTopics } from '../../../src/integrations/home-assistant/topics.ts';
import { createSecrets } from '../../../src/stores/files/documents/secrets.ts';
import { callers, createDomain, lockId, otherLockId } from '../../support/domain.ts';
import { ok, refusal } from '../../support/fake-link.ts';
import { createMemoryAudit, createMemoryHomeCode } from '../../support/memory-stores.ts';
import { createPlainHashing } from '../../support/sample-sign-ins.ts';
import { settled } from '../../support/settable-clock.ts';

const maxAgeMs = 5_000;
const topics = homeTopics({ prefix: 'latchd', discoveryPrefix: 'homeassistant', gatewayId: '3f9c0a17' });

interface Sending {
  readonly lock?: LockId;
  readonly kind?: string;
  readonly isRetained?: boolean;
}

/** Commands of an account on the services of the domain; the bolt of each lock obeys at once. */
async function createHouse({
  caller = callers.administrator as Caller | null,
  announced = [lockId, otherLockId],
  hasRunForLong = true,
} = {}) {
  const domain = await createDomain();
  const { clock, lockService, link } = domain;
  const stall = { requestTime: () => clock.monotonic() };
  const stored = createMemoryHomeCode();
  const hashing = createPlainHashing();
  const hashes = { verified: 0, verifyMs: 0 };
  const code = createHomeCodeService({
    ...{ clock, secrets: createSecrets() },
    store: stored,
    hashing: {
      ...hashing,
      async verify(password, hash) {
        hashes.verified += 1;
        expect(hash).toMatch(/^plain/);
        clock.block(hashes.verifyMs);
        return hashing.verify(password, hash);
      },
    },
  });
  const cleared: string[] = [];
  const refused: [LockId, Refused][] = [];
  const lines: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_: object, line: string) => void lines.push(line),
    error: (fields: object) => Promise.reject(fields),
    fatal() {},
  };
  const audit = createMemoryAudit();
  const attempts = createUnlockAttempts({ clock, audit });
  const commands = createHomeCommands({
    ...{ clock, log, maxAgeMs, code, attempts },
    stallDetector: { requestTime: () => stall.requestTime() },
    clockIsSuspect: () => domain.gatewayClock.isSuspect,
    caller: () => (caller === null ? undefined : { ...caller, address: 'home-assistant' }),
    locks: attempts.around(lockService),
    alarms: domain.alarms,
    alarmsOf: domain.alarms.ofLock,
    topics,
    announcer: {
      says: (lock) => (announced.includes(lock) ? { role: caller === callers.operator ? 'operator' : 'manager' } : undefined),
      refused: (lock, why) => void refused.push([lock, why]),
    },
    broker: {
      publish(topic, payload, { retain }) {
        expect([payload, retain]).toEqual(['', true]);
        cleared.push(topic);
        return true;
      },
    },
  });
  for (const lock of [lockId, otherLockId]) link.connect(lock, () => ok);
  if (hasRunForLong) clock.block(2 * maxAgeMs);

  let newest = clock.now();
  /** A date that was not there before. */
  const fresh = (): number => {
    newest = Math.max(clock.now(), newest + 1);
    return newest;
  };
  function send(message: object | string | Buffer, { lock = lockId, kind = 'set', isRetained = false }: Sending = {}): Promise<void> {
    const text = typeof message === 'object' && !Buffer.isBuffer(message) ? JSON.stringify(message) : message;
    commands.onMessage({ topic: `latchd/3f9c0a17/${lock}/${kind}`, payload: Buffer.from(text as string), isRetained });
    return settled();
  }
  const reasons = (): string[] => refused.map(([, { reason }]) => reason);
  const unlock = (more: object = {}): Promise<void> => send({ do: 'UNLOCK', at: fresh(), ...more });
  /** Codes are compared beside the event loop. */
  const when = async (isSo: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 1_000 && !isSo(); turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const whenRefused = (count: number): Promise<void> => when(() => refused.length >= count);
  const whenSent = (count: number): Promise<void> => when(() => link.sent.length >= count);
  return {
    ...domain,
    commands,
    send,
    unlock,
    fresh,
    refused,
    reasons,
    cleared,
    lines,
    stall,
    code,
    hashes,
    stored,
    audit,
    when,
    whenRefused,
    whenSent,
  };
}

describe('a command of Home Assistant', () => {
  it('is that of the account, once: UNLOCK opens, LOCK closes, and what is so already is a success that sends nothing', async () => {
    const { unlock, send, fresh, link, reports, clock, refused } = await createHouse({ caller: callers.operator });
    reports.hello(lockId, { date: clock.now(), state: 'unlocked' });
    await unlock();
    expect(link.ops()).toEqual([]);
    await send({ do: 'LOCK', at: fresh() });
    await unlock();
    expect(link.ops()).toEqual(['lock', 'unlock']);
    expect(refused).toEqual([]);
  });

  const at = Date.UTC(2026, 10, 21, 9);
  it.each<[string, string | object, Sending]>([
    ['text', 'UNLOCK', {}],
    ['nothing', '', {}],
    ['a list', [{ do: 'UNLOCK', at }], {}],
    ['null', 'null', {}],
    ['more than 1 KiB', { do: 'UNLOCK', at, code: '1'.repeat(1_024) }, {}],
    ['a member too many', { do: 'UNLOCK', at, force: true }, {}],
    ['a prototype', `{"do":"UNLOCK","at":${at},"__proto__":{}}`, {}],
    ['a member that stands twice', `{"do":"LOCK","at":${at},"do":"UNLOCK"}`, {}],
    ['a member that stands twice, once in disguise', `{"do":"LOCK","at":${at},"\\u0064o":"UNLOCK"}`, {}],
    ['a date as text', { do: 'UNLOCK', at: String(at) }, {}],
    ['a date of null', { do: 'UNLOCK', at: null }, {}],
    ['a code as a number', { do: 'UNLOCK', at, code: 1234 }, {}],
    ['no do', { at }, {}],
    ['another do', { do: 'OPEN', at }, {}],
    ['do in small letters', { do: 'unlock', at }, {}],
    ['do of another topic', { do: 'UNLOCK', at }, { kind: 'alarm/set' }],
    ['seconds below none', { seconds: -1, at }, { kind: 'auto-lock/set' }],
    ['half seconds', { seconds: 1.5, at }, { kind: 'auto-lock/set' }],
    ['a byte order mark', `\uFEFF{"do":"UNLOCK","at":${at}}`, {}],
    ['two objects', `{"do":"UNLOCK","at":${at}}{}`, {}],
  ])('that has %s is malformed', async (_what, message, sending) => {
    const { send, link, reasons, commands } = await createHouse();
    await send(message, sending);
    expect([link.ops(), reasons(), commands.refusedCounts()]).toEqual([[], ['malformed'], { malformed: 1 }]);
  });

  it('that is no UTF-8 is malformed', async () => {
    const { send, link, reasons } = await createHouse();
    await send(Buffer.concat([Buffer.from(`{"do":"UNLOCK","at":${at},"code":"`), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]));
    expect([link.ops(), reasons()]).toEqual([[], ['malformed']]);
  });

  it('is taken up to its greatest age and up to 2 s ahead, and is late beyond both, with its age', async () => {
    const { send, link, refused, clock } = await createHouse();
    const now = clock.now();
    await send({ do: 'UNLOCK', at: now - maxAgeMs });
    await send({ do: 'UNLOCK', at: now + 2_000 });
    expect(link.ops()).toEqual(['unlock', 'unlock']);
    await send({ do: 'UNLOCK', at: now - maxAgeMs - 1 });
    await send({ do: 'UNLOCK', at: now + 2_001 });
    await send({ do: 'UNLOCK', at: 0 });
    await send({ do: 'UNLOCK' });
    expect(link.ops()).toHaveLength(2);
    expect(refused.map(([, why]) => why)).toEqual([
      { reason: 'late', ageMs: maxAgeMs + 1 },
      { reason: 'late', ageMs: -2_001 },
      { reason: 'late', ageMs: now },
      { reason: 'no-date' },
    ]);
  });

  it('whose date was there before on its topic is repeated, for as long as it would be taken', async () => {
    const { send, link, reasons, clock } = await createHouse();
    const ahead = clock.now() + 2_000;
    await send({ do: 'UNLOCK', at: ahead });
    for (let second = 0; second < 7; second++) {
      await send({ do: 'LOCK', at: ahead });
      await clock.advance(1_000);
    }
    expect([link.ops().filter((op) => op !== 'get-status'), reasons()]).toEqual([['unlock'], Array(7).fill('repeated')]);
    await send({ do: 'UNLOCK', at: ahead }, { lock: otherLockId });
    await clock.advance(1);
    await send({ do: 'UNLOCK', at: ahead });
    expect(reasons().slice(7)).toEqual(['late']);
  });

  it('from before the start of the gateway is repeated: the process before may have obeyed it', async () => {
    const { send, link, reasons, clock } = await createHouse({ hasRunForLong: false });
    const startedAt = clock.now();
    clock.block(maxAgeMs);
    await send({ do: 'UNLOCK', at: startedAt });
    expect([link.ops(), reasons()]).toEqual([[], ['repeated']]);
    await send({ do: 'UNLOCK', at: startedAt + 1 });
    expect(link.ops()).toEqual(['unlock']);
    // A clock that was ahead at the start, and is right now, does not refuse everything for as long.
    clock.block(2_000);
    clock.setNow(startedAt - 60_000);
    await send({ do: 'UNLOCK', at: clock.now() });
    expect(link.ops()).toEqual(['unlock', 'unlock']);
  });

  it('is refused, and taken away, when it was published to be retained; nobody answers the one who takes it away', async () => {
    const { send, link, refused, cleared, fresh, commands } = await createHouse();
    await send({ do: 'UNLOCK', at: fresh() }, { isRetained: true });
    await send('UNLOCK', { isRetained: true });
    await send('', { isRetained: true });
    expect(link.ops()).toEqual([]);
    expect(refused.map(([, { reason }]) => reason)).toEqual(['retained', 'malformed']);
    expect(cleared).toEqual(['latchd/3f9c0a17/7/set', 'latchd/3f9c0a17/7/set']);
    expect(commands.refusedCounts()).toEqual({ retained: 1, malformed: 1 });
  });

  it('is refused while the clock of the gateway may be wrong', async () => {
    const { unlock, link, reasons, gatewayClock } = await createHouse();
    gatewayClock.isSuspect = true;
    await unlock();
    expect([link.ops(), reasons()]).toEqual([[], ['clock']]);
  });

  it('is late when the process may have stood still with it for too long, whatever the wall clock says', async () => {
    const { unlock, link, refused, stall, clock } = await createHouse();
    const since = clock.monotonic();
    stall.requestTime = () => since;
    clock.block(maxAgeMs + 1);
    await unlock();
    expect([link.ops(), refused]).toEqual([[], [[lockId, { reason: 'late', ageMs: maxAgeMs + 1 }]]]);
  });

  it('is judged again as it leaves: what waited behind another command until it was late opens nothing, also when the wall clock is set back', async () => {
    for (const setBackMs of [0, 60_000]) {
      const { send, lockService, link, refused, clock } = await createHouse();
      link.reply(lockId, () => undefined);
      const before = lockService.setBolt(callers.operator, lockId, 'locked', {
        aborted: false,
        addEventListener() {},
        removeEventListener() {},
      });
      await settled();
      // Half of its time has passed before it is read.
      await send({ do: 'UNLOCK', at: clock.now() - maxAgeMs / 2 });
      clock.block(maxAgeMs / 2 + 1);
      clock.setNow(clock.now() - setBackMs);
      link.sent[0]?.answer(ok);
      await before;
      await settled();
      expect(link.ops()).toEqual(['lock']);
      expect(refused).toMatchObject([[lockId, { reason: 'late' }]]);
    }
  });

  it('of a lock that Home Assistant does not know is counted and published nowhere, and so is all without an account', async () => {
    const unknown = await createHouse({ announced: [] });
    const at = unknown.fresh();
    for (let count = 0; count < 2; count++) await unknown.send({ do: 'UNLOCK', at });
    expect([unknown.link.ops(), unknown.refused, unknown.commands.refusedCounts()]).toEqual([[], [], { forbidden: 2 }]);
    const nobody = await createHouse({ caller: null });
    await nobody.unlock();
    expect([nobody.link.ops(), nobody.reasons()]).toEqual([[], ['forbidden']]);
    const stranger = await createHouse({ caller: callers.stranger });
    await stranger.unlock();
    expect([stranger.link.ops(), stranger.reasons()]).toEqual([[], ['forbidden']]);
    for (const { clock, audit } of [unknown, stranger]) {
      await clock.advance(60_000);
      expect([...audit.entries.values()]).toMatchObject([{ action: 'unlock', outcome: 'forbidden', address: 'home-assistant' }]);
    }
  });

  it('for the auto-lock time or an alarm is for managers', async () => {
    const manager = await createHouse();
    manager.alarms.raise('tampered', lockId, { reason: 'opened' });
    manager.alarms.raise('low-battery', lockId, { reason: '9 %' });
    await manager.send({ seconds: 30, at: manager.fresh() }, { kind: 'auto-lock/set' });
    await manager.send({ do: 'SEEN', at: manager.fresh() }, { kind: 'alarm/set' });
    expect(manager.link.ops()).toEqual(['set-auto-lock']);
    expect(manager.alarms.ofLock(lockId).map(({ kind }) => kind)).toEqual(['low-battery']);
    expect(manager.reasons()).toEqual([]);
    const operator = await createHouse({ caller: callers.operator });
    operator.alarms.raise('tampered', lockId, { reason: 'opened' });
    await operator.send({ seconds: 30, at: operator.fresh() }, { kind: 'auto-lock/set' });
    await operator.send({ do: 'SEEN', at: operator.fresh() }, { kind: 'alarm/set' });
    expect([operator.link.ops(), operator.reasons()]).toEqual([[], ['forbidden', 'forbidden']]);
    expect(operator.alarms.ofLock(lockId)).toHaveLength(1);
    await operator.send({ do: 'SEEN', at: operator.fresh() }, { kind: 'alarm/set', lock: otherLockId });
    expect(operator.reasons()).toHaveLength(3);
  });

  it('says why when the lock is away, does not answer, or says no', async () => {
    const { unlock, link, refused, clock } = await createHouse();
    link.reply(lockId, () => refusal('jammed'));
    await unlock();
    link.reply(lockId, () => undefined);
    await unlock();
    await clock.advance(20_000);
    link.lose(lockId);
    await unlock();
    expect(refused.map(([, why]) => why)).toEqual([
      { reason: 'failed', detail: 'jammed' },
      { reason: 'lock-timeout' },
      { reason: 'lock-offline' },
    ]);
  });

  it('waits behind at most three others, and those of one lock hold up no other and no other caller', async () => {
    const { unlock, send, fresh, link, reasons, lockService } = await createHouse();
    link.reply(lockId, () => undefined);
    for (let count = 0; count < 20; count++) await unlock();
    expect(reasons()).toEqual(Array(16).fill('lock-busy'));
    await send({ do: 'UNLOCK', at: fresh() }, { lock: otherLockId });
    expect(link.sent.map(({ session }) => session.lockId)).toEqual([lockId, otherLockId]);
    link.reply(lockId, () => ok);
    const other = lockService.setBolt(callers.operator, lockId, 'locked', {
      aborted: false,
      addEventListener() {},
      removeEventListener() {},
    });
    link.sent[0]?.answer(ok);
    expect(await other).toMatchObject({ success: true });
  });

  it('is refused beyond 64 with dates of their own within the time in which one may come: no memory grows without a bound', async () => {
    const { unlock, reports, link, reasons, clock } = await createHouse();
    reports.hello(lockId, { date: clock.now(), state: 'unlocked' });
    for (let count = 0; count < 66; count++) await unlock();
    expect([link.ops(), reasons()]).toEqual([[], ['lock-busy', 'lock-busy']]);
    await clock.advance(maxAgeMs + 2_001);
    await unlock();
    expect(reasons()).toHaveLength(2);
  });

  it('is published when it is refused, twenty times a minute and lock, and always counted', async () => {
    const { send, refused, clock, commands, lines } = await createHouse();
    for (let count = 0; count < 30; count++) await send('UNLOCK');
    await send('UNLOCK', { lock: otherLockId });
    expect(refused.map(([lock]) => lock)).toEqual([...Array(20).fill(lockId), otherLockId]);
    await clock.advance(60_000);
    await send('UNLOCK');
    expect(refused).toHaveLength(22);
    expect(commands.refusedCounts()).toEqual({ malformed: 32 });
    expect(commands.lastRefusal()).toEqual({ reason: 'malformed', lockId, at: clock.now() });
    expect(lines).toHaveLength(2);
  });
});

describe('the code of Home Assistant', () => {
  it('is needed to open once it is set, and not to close', async () => {
    const { code, unlock, send, fresh, link, reasons, whenRefused, whenSent, audit, clock } = await createHouse();
    await code.set({ ...callers.operator, gatewayAdministrator: true }, '4711');
    await unlock();
    await unlock({ code: '4712' });
    await whenRefused(2);
    expect([link.ops(), reasons()]).toEqual([[], ['code', 'code']]);
    await send({ do: 'LOCK', at: fresh() });
    await unlock({ code: '4711' });
    await whenSent(2);
    expect(link.ops()).toEqual(['lock', 'unlock']);
    await code.remove({ ...callers.operator, gatewayAdministrator: true });
    await unlock();
    expect(link.ops()).toHaveLength(3);
    await clock.advance(60_000);
    expect([...audit.entries.values()].map(({ outcome, count, address }) => [outcome, count, address])).toContainEqual([
      'credentials-invalid',
      2,
      'home-assistant',
    ]);
  });

  it('is judged before the role: a stranger to the lock learns nothing of it without the code', async () => {
    const { code, unlock, link, reasons, whenRefused } = await createHouse({ caller: callers.stranger });
    await code.set({ ...callers.operator, gatewayAdministrator: true }, '4711');
    await unlock({ code: '4712' });
    await whenRefused(1);
    await unlock({ code: '4711' });
    await whenRefused(2);
    expect([link.ops(), reasons()]).toEqual([[], ['code', 'forbidden']]);
    const unknown = await createHouse({ announced: [] });
    await unknown.code.set({ ...callers.operator, gatewayAdministrator: true }, '4711');
    await unknown.unlock({ code: '4712' });
    await unknown.when(() => unknown.commands.lastRefusal() !== undefined);
    expect([unknown.link.ops(), unknown.commands.refusedCounts()]).toEqual([[], { code: 1 }]);
  });

  it('that is damaged is no code that anybody could give', async () => {
    const { code, unlock, link, reasons, whenRefused, stored } = await createHouse();
    await stored.put('unreadable');
    await unlock();
    await unlock({ code: 'unreadable' });
    await whenRefused(2);
    expect([code.isSet(), link.ops(), reasons()]).toEqual([true, [], ['code', 'code']]);
  });

  it('is compared before the command is judged once more, so that a slow hash opens no door late', async () => {
    const { code, unlock, link, refused, whenRefused, hashes } = await createHouse();
    await code.set({ ...callers.operator, gatewayAdministrator: true }, '4711');
    hashes.verifyMs = maxAgeMs + 1;
    await unlock({ code: '4711' });
    await whenRefused(1);
    expect([link.ops(), refused]).toEqual([[], [[lockId, { reason: 'late', ageMs: maxAgeMs + 1 }]]]);
  });

  it('does not let a LOCK overtake the UNLOCK before it', async () => {
    const { code, unlock, send, fresh, link, whenSent } = await createHouse();
    await code.set({ ...callers.operator, gatewayAdministrator: true }, '4711');
    await unlock({ code: '4711' });
    await send({ do: 'LOCK', at: fresh() });
    await whenSent(2);
    expect(link.ops()).toEqual(['unlock', 'lock']);
  });

  it('is guessed five times: then all are refused before anything is computed, the right one too, until a minute has passed without a wrong one', async () => {
    const { code, unlock, send, fresh, link, reasons, whenRefused, whenSent, hashes, clock } = await createHouse();
    await code.set({ ...callers.operator, gatewayAdministrator: true }, '4711');
    for (let guess = 0; guess < 5; guess++) {
      await unlock({ code: `000${guess}` });
      await whenRefused(guess + 1);
    }
    await unlock({ code: '4711' });
    await send({ do: 'UNLOCK', at: fresh(), code: '4711' }, { lock: otherLockId });
    await clock.advance(59_999);
    await unlock({ code: '4711' });
    await whenRefused(8);
    expect(reasons()).toEqual([...Array(5).fill('code'), ...Array(3).fill('throttled')]);
    expect([link.ops(), hashes.verified]).toEqual([[], 5]);
    await clock.advance(1);
    await unlock({ code: '4711' });
    await whenSent(1);
    await unlock({ code: '4711' });
    await unlock({ code: '0000' });
    await whenRefused(9);
    // What was right once is compared without the slow hash.
    expect([link.ops(), hashes.verified, reasons().at(-1)]).toEqual([['unlock', 'unlock'], 6, 'code']);
  });

  it.each(['123', '1234567890', '12a4', ' 1234', '１２３４', ''])('is not %j', async (given) => {
    const { code, stored } = await createHouse();
    await expect(code.set({ ...callers.operator, gatewayAdministrator: true }, given)).rejects.toMatchObject({
      ...{ code: 'invalid-parameter', parameters: [{ parameter: 'code', message: 'must be 4 to 9 decimal digits' }] },
    });
    expect(stored.hash()).toBeNull();
  });

  it('is for gateway administrators', async () => {
    const { code } = await createHouse();
    await expect(code.set(callers.manager, '4711')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(code.remove(callers.manager)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
