import { describe, expect, it } from '@jest/globals';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { endlessLease } from '../../../src/domain/lease.ts';
import { type CommandRequest, createCommandService, priority } from '../../../src/domain/locks/command-service.ts';
import type { LockCommand } from '../../../src/domain/locks/lock-command.ts';
import { createStallDetector } from '../../../src/domain/locks/stall-detector.ts';
import { type NativeCommand, ownCommand } from '../../../src/drivers/native/own-commands.ts';
import { codeOf, createFakeCommandIds, lockId, otherLockId } from '../../support/domain.ts';
import { createFakeLink, ok, refusal } from '../../support/fake-link.ts';
import { createNotedEvents } from '../../support/noted-events.ts';
import { createSettableClock, settled } from '../../support/settable-clock.ts';

function setUp({ commandTimeoutMs = 10_000, lease = endlessLease } = {}) {
  const clock = createSettableClock();
  const link = createFakeLink({ clock });
  const { emit, notices } = createNotedEvents();
  const stallDetector = createStallDetector({ clock, emit, commandTimeoutMs });
  const commands = createCommandService({
    lease,
    clock,
    link,
    commandIds: createFakeCommandIds(),
    emit,
    stallDetector,
    commandTimeoutMs,
  });
  link.connect(lockId);
  const seconds = (n: number): LockCommand => ({ op: 'set-auto-lock', seconds: n });
  function send(command: NativeCommand, request: Partial<CommandRequest> = {}) {
    return commands.send({
      lockId,
      priority: priority.door,
      accountId: 3 as AccountId,
      deadline: commands.deadline(),
      // What a driver says of its own accord waits as any other command does.
      makeCommand: () =>
        command.op === 'set-clock' || command.op === 'set-calendar' || command.op === 'resend-events'
          ? ownCommand(link, lockId, command)
          : command,
      ...request,
    });
  }
  return { clock, link, notices, commands, stallDetector, send, seconds };
}

const unlock: LockCommand = { op: 'unlock' };

describe('a command to a lock that is online', () => {
  it('is sent at once under an id that names the account, with all the time that the caller has (Protocol 5.1)', async () => {
    const { link, notices, clock, send } = setUp();
    const end = send(unlock);
    expect(link.sent).toMatchObject([{ command: unlock, commandId: '1/7/3', ttlMs: 10_000 }]);
    clock.block(40);
    link.sent[0]?.answer({ kind: 'ok', state: 'unlocked' });
    expect(await end).toEqual({ kind: 'ok', state: 'unlocked' });
    expect(notices).toEqual([{ kind: 'command-ended', lockId, commandId: '1/7/3', op: 'unlock', outcome: 'ok', ms: 40 }]);
    expect(clock.timers()).toBe(0);
  });

  it('expires no later than the lease of this node, and is not sent without one', async () => {
    let left = 2_345.6;
    const { link, send } = setUp({ lease: { leftMs: () => left } });
    const end = send(unlock);
    expect(link.sent).toMatchObject([{ command: unlock, ttlMs: 2_345 }]);
    link.sent[0]?.answer(ok);
    await end;
    left = 0;
    expect(await codeOf(() => send(unlock))).toBe('lock-busy');
    expect(link.sent).toHaveLength(1);
  });

  it('ends with what the lock said when it refuses, and that is no error yet (Protocol 5.2)', async () => {
    const { link, notices, send, seconds } = setUp();
    link.reply(lockId, () => refusal('jammed', 'bolt blocked'));
    expect(await send(unlock)).toEqual({ kind: 'refused', error: 'jammed', message: 'bolt blocked' });
    expect(notices).toMatchObject([{ outcome: 'jammed', message: 'bolt blocked' }]);
    link.reply(lockId, () => refusal('invalid-card', 'card 4711 is unknown'));
    await send(seconds(0));
    expect(notices.at(-1)).not.toHaveProperty('message');
  });

  it('waits while another is under way; doors go before changes, those before the gateway (Protocol 5.4 rule 1)', async () => {
    const { link, send, seconds } = setUp();
    void send(seconds(0), { priority: priority.change });
    void send({ op: 'set-clock', now: 0, timezoneRawOffset: 0 }, { priority: priority.gateway });
    void send(seconds(1), { priority: priority.change });
    void send({ op: 'lock' });
    void send(unlock);
    for (let n = 0; n < 5; n++) {
      expect(link.sent).toHaveLength(n + 1);
      link.sent[n]?.answer(ok);
      await settled();
    }
    expect(link.ops()).toEqual(['set-auto-lock', 'lock', 'unlock', 'set-auto-lock', 'set-clock']);
  });

  it('never waits for another lock (Protocol 5.4 rule 1)', async () => {
    const { link, send } = setUp();
    link.connect(otherLockId);
    void send(unlock);
    void send(unlock, { lockId: otherLockId });
    await settled();
    expect(link.sent.map(({ session }) => session.lockId)).toEqual([lockId, otherLockId]);
  });

  it('is refused as lock-busy when 16 wait already, and nothing is sent (Protocol 5.4 rule 1)', async () => {
    const { link, send } = setUp();
    const waiting = Array.from({ length: 17 }, () => codeOf(() => send(unlock)));
    expect(await codeOf(() => send(unlock))).toBe('lock-busy');
    expect(link.sent).toHaveLength(1);
    link.lose(lockId);
    await Promise.all(waiting);
  });

  it('has only the time that is left of its caller, counted from the request (Protocol 5.4 rule 1)', async () => {
    const { link, clock, send } = setUp();
    void send({ op: 'lock' });
    const waiting = send(unlock);
    await clock.advance(4_000);
    link.sent[0]?.answer(ok);
    await settled();
    expect(link.sent[1]?.ttlMs).toBe(6_000);
    link.sent[1]?.answer(ok);
    await waiting;
  });

  it('is dropped unsent, as lock-busy, when its turn does not come in time (Protocol 5.4 rule 1)', async () => {
    const { link, clock, commands, send } = setUp();
    void send({ op: 'lock' });
    const late = codeOf(() => send(unlock, { deadline: commands.deadline() - 9_000 }));
    await clock.advance(1_000);
    expect(await late).toBe('lock-busy');
    link.sent[0]?.answer(ok);
    await settled();
    expect(link.ops()).toEqual(['lock']);
  });

  it('has no more time than its caller waits, where that is known', async () => {
    const { link, clock, commands, send } = setUp();
    const gone = {
      aborted: false,
      deadline: clock.monotonic() + 300,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    };
    expect(commands.deadline(gone)).toBe(clock.monotonic() + 300);
    expect(commands.deadline({ ...gone, deadline: clock.monotonic() + 60_000 })).toBe(commands.deadline());
    void send(unlock, { deadline: commands.deadline(gone) });
    expect(link.sent[0]?.ttlMs).toBe(300);
  });

  it('is dropped unsent when it comes with no time left (Protocol 5.4 rule 1)', async () => {
    const { link, clock, send } = setUp();
    expect(await codeOf(() => send(unlock, { deadline: clock.monotonic() }))).toBe('lock-busy');
    expect(await codeOf(() => send(unlock, { deadline: clock.monotonic() + 0.5 }))).toBe('lock-busy');
    expect(link.sent).toEqual([]);
  });

  it('is dropped unsent when its caller has gone (Protocol 5.4 rule 1)', async () => {
    const { link, send } = setUp();
    const leaving = new AbortController();
    void send({ op: 'lock' });
    const dropped = codeOf(() => send(unlock, { gone: leaving.signal }));
    leaving.abort();
    expect(await dropped).toBe('lock-busy');
    link.sent[0]?.answer(ok);
    await settled();
    expect(link.ops()).toEqual(['lock']);
  });

  it('is chosen when its turn has come, and may turn out to be unnecessary or forbidden (Protocol 5.4 rule 1)', async () => {
    const { link, send } = setUp();
    let asked = 0;
    void send({ op: 'lock' });
    const unnecessary = send(unlock, {
      makeCommand: () => {
        asked += 1;
        return undefined;
      },
    });
    const forbidden = codeOf(() =>
      send(unlock, {
        makeCommand: () => {
          throw new DomainError('forbidden', 'not any more');
        },
      }),
    );
    const after = send(unlock);
    expect(asked).toBe(0);
    link.sent[0]?.answer(ok);
    await settled();
    link.sent[1]?.answer(ok);
    expect(await unnecessary).toEqual({ kind: 'nothing-to-do' });
    expect(await forbidden).toBe('forbidden');
    expect(await after).toEqual(ok);
    expect(link.ops()).toEqual(['lock', 'unlock']);
  });

  it.each([
    ['set-clock', { op: 'set-clock', now: 0, timezoneRawOffset: 0 }, priority.gateway],
    ['list-cards', { op: 'list-cards', offset: 0, limit: 100 }, priority.change],
  ] as const)(
    "holds a lock up for 3 s, and half of a caller's time, at most when it is the gateway's own %s: doors wait behind it (Protocol 5.4 rule 1)",
    async (_op, command, urgency) => {
      for (const [commandTimeoutMs, longest] of [
        [10_000, 3_000],
        [1_500, 750],
      ] as const) {
        const { link, send, clock } = setUp({ commandTimeoutMs });
        void codeOf(() => send(command, { priority: urgency, accountId: null, deadline: clock.monotonic() + 60_000 }));
        expect(link.sent[0]?.ttlMs).toBe(longest);
      }
    },
  );
});

describe('a lock that is offline', () => {
  it('fails the command at once, and nothing is stored for later (Protocol 5.4 rule 2)', async () => {
    const { link, send, clock } = setUp();
    link.lose(lockId);
    expect(await codeOf(() => send(unlock))).toBe('lock-offline');
    link.connect(lockId);
    await clock.advance(60_000);
    expect(link.sent).toEqual([]);
    expect(clock.timers()).toBe(0);
  });

  it('ends the command under way as a time-out and those that wait as offline (Protocol 5.4 rule 4)', async () => {
    const { link, send, clock, notices } = setUp();
    const codes = ['lock', 'unlock', 'lock'].map((op) => codeOf(() => send({ op } as LockCommand)));
    link.lose(lockId);
    expect(await Promise.all(codes)).toEqual(['lock-timeout', 'lock-offline', 'lock-offline']);
    expect(notices).toMatchObject([{ op: 'lock', outcome: 'lost' }]);
    expect(clock.timers()).toBe(0);
    expect(link.disconnects).toEqual([]);
  });

  it('never gets in a later session what was asked for in an earlier one (Protocol 5.3 rule 1)', async () => {
    const { link, send, clock } = setUp();
    const codes = ['lock', 'unlock'].map((op) => codeOf(() => send({ op } as LockCommand)));
    link.connect(lockId);
    expect(await Promise.all(codes)).toEqual(['lock-timeout', 'lock-offline']);
    await clock.advance(60_000);
    expect(link.ops()).toEqual(['lock']);
  });
});

describe('a command that was asked for earlier than it is sent', () => {
  it('belongs to the session of that moment, and is never sent in another (Protocol 5.3 rule 1)', async () => {
    const { link, send, commands } = setUp();
    const session = commands.session(lockId);
    link.reply(lockId, () => ok);
    expect(await send({ op: 'lock' }, { session })).toEqual(ok);
    link.connect(lockId);
    expect(await codeOf(() => send(unlock, { session }))).toBe('lock-offline');
    expect(link.ops()).toEqual(['lock']);
  });

  it('has no session when the lock is offline or the gateway is stopping (Protocol 5.4 rule 2)', async () => {
    const { link, commands } = setUp();
    link.lose(lockId);
    expect(await codeOf(() => commands.session(lockId))).toBe('lock-offline');
    link.connect(lockId);
    await commands.stop(0);
    expect(await codeOf(() => commands.session(lockId))).toBe('lock-offline');
  });
});

describe('a lock that does not reply', () => {
  it('is a lock-timeout to the caller, and get-status goes out before anything that waits (Protocol 5.4 rule 3)', async () => {
    const { link, send, clock } = setUp();
    const silent = codeOf(() => send({ op: 'lock' }));
    await clock.advance(1);
    const waiting = send(unlock);
    await clock.advance(9_999);
    expect(await silent).toBe('lock-timeout');
    expect(link.ops()).toEqual(['lock', 'get-status']);
    expect(link.sent[1]?.commandId).toBe('2/7/0');
    link.sent[1]?.answer(ok);
    await settled();
    expect(link.sent[2]).toMatchObject({ command: unlock, ttlMs: 1 });
    link.sent[2]?.answer(ok);
    expect(await waiting).toEqual(ok);
    expect(link.disconnects).toEqual([]);
  });

  it.each([
    ['ok', ok],
    ['a refusal', refusal('not-supported')],
  ] as const)('stays connected when get-status is answered with %s (Protocol 5.4 rule 3)', async (_what, answer) => {
    const { link, send, clock } = setUp();
    void codeOf(() => send(unlock));
    await clock.advance(10_000);
    link.sent[1]?.answer(answer);
    await clock.advance(60_000);
    expect(link.disconnects).toEqual([]);
  });

  it('is disconnected when get-status is not answered either; what waits becomes lock-offline (Protocol 5.4 rule 3)', async () => {
    const { link, send, clock, commands, notices } = setUp();
    void codeOf(() => send({ op: 'lock' }));
    await clock.advance(10_000);
    const waiting = codeOf(() => send(unlock, { deadline: commands.deadline() }));
    await clock.advance(4_999);
    expect(link.disconnects).toEqual([]);
    await clock.advance(1);
    const reason = 'no answer to a command, nor to get-status';
    expect(link.disconnects).toEqual([{ lockId, reason }]);
    expect(notices.at(-1)).toEqual({ kind: 'lock-disconnected', lockId, reason });
    expect(await waiting).toBe('lock-offline');
    expect(link.ops()).toEqual(['lock', 'get-status']);
    expect(clock.timers()).toBe(0);
  });

  it('is not disconnected when it has begun a new session meanwhile (Protocol 5.4 rule 3)', async () => {
    const { link, send, clock } = setUp();
    void codeOf(() => send({ op: 'lock' }));
    await clock.advance(12_000);
    link.connect(lockId);
    await clock.advance(60_000);
    expect(link.disconnects).toEqual([]);
    expect(link.ops()).toEqual(['lock', 'get-status']);
  });

  it("is looked after by get-status also when it ignores the gateway's own commands (Protocol 5.4 rule 3)", async () => {
    const { link, send, clock, notices } = setUp();
    const own = codeOf(() => send({ op: 'set-clock', now: 0, timezoneRawOffset: 0 }, { priority: priority.gateway, accountId: null }));
    await clock.advance(3_000);
    expect(await own).toBe('lock-timeout');
    expect(notices).toMatchObject([{ kind: 'own-command-ended', op: 'set-clock', outcome: 'no-reply' }]);
    await clock.advance(5_000);
    expect(link.disconnects).toHaveLength(1);
  });

  it('changes nothing by a reply that comes too late (Protocol 5.4 rule 4)', async () => {
    const { link, send, clock } = setUp();
    const silent = codeOf(() => send({ op: 'lock' }));
    await clock.advance(10_000);
    link.sent[0]?.answer(ok);
    expect(await silent).toBe('lock-timeout');
    expect(link.ops()).toEqual(['lock', 'get-status']);
  });
});

describe('stopping', () => {
  it('refuses what waits, unsent, and waits for what was sent (Protocol 5.4)', async () => {
    const { link, send, commands, clock } = setUp();
    const sent = send({ op: 'lock' });
    const waiting = codeOf(() => send(unlock));
    let stopped = false;
    const stop = commands.stop(3_000).then(() => {
      stopped = true;
    });
    expect(await waiting).toBe('lock-offline');
    expect(await codeOf(() => send(unlock))).toBe('lock-offline');
    await clock.advance(2_999);
    expect(stopped).toBe(false);
    link.sent[0]?.answer(ok);
    expect(await sent).toEqual(ok);
    await stop;
    expect(link.ops()).toEqual(['lock']);
    expect(clock.timers()).toBe(0);
  });

  it('ends what was sent as a time-out when the grace is over; no get-status follows and nobody is disconnected', async () => {
    const { link, send, commands, clock } = setUp();
    const sent = codeOf(() => send({ op: 'lock' }));
    const stop = commands.stop(3_000);
    await clock.advance(3_000);
    await stop;
    expect(await sent).toBe('lock-timeout');
    await clock.advance(60_000);
    expect(link.ops()).toEqual(['lock']);
    expect(link.disconnects).toEqual([]);
  });

  it('does not disconnect a lock whose get-status was cut short by it', async () => {
    const { link, send, commands, clock } = setUp();
    void codeOf(() => send({ op: 'lock' }));
    await clock.advance(10_000);
    const stop = commands.stop(1_000);
    await clock.advance(60_000);
    await stop;
    expect(link.disconnects).toEqual([]);
  });

  it('is over at once when nothing is under way, and may be asked for twice', async () => {
    const { commands, send, link, clock } = setUp();
    await commands.stop(3_000);
    await commands.stop(3_000);
    expect(clock.timers()).toBe(0);
    expect(await codeOf(() => send(unlock))).toBe('lock-offline');
    expect(link.sent).toEqual([]);
  });

  it('leaves no timer and nobody waiting when it is asked for twice while a command is under way', async () => {
    const { commands, send, link, clock } = setUp();
    const sent = send({ op: 'lock' });
    const stops = Promise.all([commands.stop(3_000), commands.stop(3_000)]);
    link.sent[0]?.answer(ok);
    await sent;
    await stops;
    expect(clock.timers()).toBe(0);
  });
});

it('figures say how many commands are under way and wait, and how many wait for the busiest lock', async () => {
  const { link, commands, send } = setUp();
  link.connect(otherLockId);
  for (let n = 0; n < 4; n++) void send(unlock);
  for (let n = 0; n < 2; n++) void send(unlock, { lockId: otherLockId });
  await settled();
  expect(commands.stats()).toEqual({ underWay: 2, waiting: 4, longestQueue: 3 });
  for (let n = 0; n < 6; n++) {
    link.sent[n]?.answer(ok);
    await settled();
  }
  expect(commands.stats()).toEqual({ underWay: 0, waiting: 0, longestQueue: 0 });
});

describe('a lock that calls a command expired', () => {
  it('is for its driver to set right when most of the time was left, and keeps its session until then (Protocol 5.4 rule 3)', async () => {
    const { link, send } = setUp();
    const session = link.session(lockId);
    link.reply(lockId, () => refusal('expired'));
    expect(await send(unlock)).toMatchObject({ kind: 'refused', error: 'expired' });
    expect(link.expired).toEqual([lockId]);
    expect(link.session(lockId)).toBe(session);
  });

  it('is right when little time was left: then it was simply late (Protocol 5.3 rule 1)', async () => {
    const { link, commands, send } = setUp();
    link.reply(lockId, () => refusal('expired'));
    await send(unlock, { deadline: commands.deadline() - 6_000 });
    expect(link.expired).toEqual([]);
  });
});

describe('after a standstill of the process, in which requests wait unread', () => {
  it('a command has what is left since the standstill began; when nothing is, it is not sent (Protocol 5.4 rule 1)', async () => {
    const { link, notices, clock, stallDetector, send } = setUp();
    await stallDetector.start();
    await clock.advance(700);
    clock.block(4_000);
    const inTime = send(unlock);
    await clock.advance(100);
    expect(link.sent).toMatchObject([{ command: unlock, ttlMs: 10_000 - 4_000 - 100 }]);
    link.sent[0]?.answer(ok);
    await inTime;
    clock.block(11_000);
    const tooLate = codeOf(() => send(unlock));
    await clock.advance(100);
    expect(await tooLate).toBe('lock-busy');
    expect(link.sent).toHaveLength(1);
    expect(notices.filter(({ kind }) => kind === 'stood-still')).toMatchObject([{ ms: 4_000 }, { ms: 11_000 }]);
    await clock.advance(2_000);
    const later = send(unlock);
    expect(link.sent).toMatchObject([{}, { ttlMs: 10_000 }]);
    link.sent[1]?.answer(ok);
    await later;
    await stallDetector.stop();
    expect(clock.timers()).toBe(0);
  });

  it.each([
    [10_000, 150],
    [10_000, 1_900],
    [1_500, 1_400],
  ])(
    'with a time-out of %i ms, a standstill of %i ms counts as well, and who is read to have gone opens nothing (Protocol 5.4 rule 1)',
    async (commandTimeoutMs, stoodMs) => {
      const { link, notices, clock, stallDetector, send } = setUp({ commandTimeoutMs });
      await stallDetector.start();
      await clock.advance(500);
      clock.block(stoodMs);
      const caller = new AbortController();
      const gone = codeOf(() => send(unlock, { gone: caller.signal }));
      await settled();
      caller.abort();
      await clock.advance(10);
      expect([await gone, link.sent]).toEqual(['lock-busy', []]);
      const stays = send(unlock);
      await clock.advance(10);
      expect(link.sent).toMatchObject([{ ttlMs: commandTimeoutMs - stoodMs - 20 }]);
      link.sent[0]?.answer(ok);
      await stays;
      expect(notices.filter(({ kind }) => kind === 'stood-still')).toEqual([]);
      await stallDetector.stop();
    },
  );

  it('a command has the time since the last beat at most, also when no standstill was seen (Protocol 5.4 rule 1)', async () => {
    for (const [commandTimeoutMs, unseenMs] of [
      [10_000, 100],
      [100, 60],
    ] as const) {
      const { link, clock, stallDetector, send } = setUp({ commandTimeoutMs });
      await stallDetector.start();
      await clock.advance(500);
      clock.block(unseenMs);
      void codeOf(() => send(unlock));
      expect(link.sent).toMatchObject([{ ttlMs: commandTimeoutMs - unseenMs }]);
      // The beat comes late before the next request is read.
      await clock.advance(0);
      void codeOf(() => send({ op: 'lock' }));
      link.sent[0]?.answer(ok);
      await settled();
      expect(link.sent[1]).toMatchObject({ ttlMs: commandTimeoutMs - unseenMs });
      await stallDetector.stop();
    }
  });

  it('a command is not sent for a caller of whom it is read next that he has gone (Protocol 5.4 rule 1)', async () => {
    const { link, clock, stallDetector, send } = setUp();
    await stallDetector.start();
    clock.block(4_000);
    const caller = new AbortController();
    const code = codeOf(() => send(unlock, { gone: caller.signal }));
    await settled();
    caller.abort();
    await clock.advance(100);
    expect(await code).toBe('lock-busy');
    expect(link.sent).toEqual([]);
    await stallDetector.stop();
  });
});
