// Commands and their replies (Protocol 5.1, 5.2).
import { randomUUID } from 'node:crypto';
import type { Check } from '../check.ts';
import { eventsIn, reports } from '../seen.ts';
import type { LockSession, Order } from '../session.ts';
import { type Entry, type Said, saidOn } from '../trace.ts';
import { broken, held, heldUnless, notTried, type Verdict } from '../verdict.ts';
import { eventOf, movement, reportMs } from './bolt.ts';

/** get-status, however it came, is done. */
async function statusIsSaid(session: LockSession, order: Order): Promise<Verdict> {
  const { ok, error } = await session.ask('get-status', order);
  return heldUnless(ok ? undefined : `get-status was refused: ${error}`, 'the command is done');
}

export const commandChecks: readonly Check[] = [
  {
    name: 'unlock-lock',
    rule: 'Protocol 5.1',
    title: 'unlock and lock move the bolt, and the lock replies ok',
    async run(session) {
      await session.moveTo('locked');
      for (const state of ['unlocked', 'locked'] as const) {
        const mark = session.trace.mark();
        const sent = await session.moveTo(state);
        const moved = await movement(session, mark, state, sent);
        if (moved === undefined) return broken(`ok to ${state}, and neither state nor event`, 'the bolt moves');
      }
      return held;
    },
  },
  {
    name: 'state-after-movement',
    rule: 'Protocol 4.2',
    title: 'state is reported after a movement',
    async run(session) {
      await session.moveTo('locked');
      const mark = session.trace.mark();
      await session.moveTo('unlocked');
      const report = await session.trace.find(mark, reports('unlocked'), reportMs);
      await session.moveTo('locked');
      return heldUnless(report === undefined ? `no state within ${reportMs / 1_000} s` : undefined, 'state when the bolt has arrived');
    },
  },
  {
    name: 'command-in-event',
    rule: 'Protocol 4.4',
    title: 'the event of a command has its type and the id of the command, once',
    async run(session) {
      await session.moveTo('locked');
      const { event } = await eventOf(session, 'unlocked');
      await session.moveTo('locked');
      return heldUnless(event.type === 'remote-unlock' ? undefined : `the event ${event.type}`, 'an event remote-unlock');
    },
  },
  {
    name: 'state-in-reply',
    rule: 'Protocol 5.2',
    title: 'the ok to lock and unlock has the state in which the bolt has arrived',
    async run(session) {
      await session.moveTo('locked');
      const { state } = await session.askOk('unlock');
      await session.moveTo('locked');
      const isRequired = (session.hello.features ?? []).length > 0;
      if (state === undefined && !isRequired) return notTried('the lock says no features, so its ok may come without a state');
      return heldUnless(state === 'unlocked' ? undefined : `ok with state ${state}`, 'ok with state unlocked');
    },
  },
  {
    name: 'ok-when-done',
    rule: 'Protocol 5.3 rule 3',
    title: 'ok comes when the bolt has arrived, and not when it begins to move',
    async run(session) {
      await session.moveTo('locked');
      const mark = session.trace.mark();
      const sent = session.command('unlock');
      await session.replyTo(sent);
      const okAt = performance.now();
      const report = await session.trace.find(mark, reports('unlocked'), reportMs);
      await session.moveTo('locked');
      if (report === undefined) return broken('ok, and no state', 'the state when the bolt has arrived');
      // Reply and report may go out in either order, together.
      const lateMs = Math.round(report.at - okAt);
      return heldUnless(lateMs > 150 ? `ok ${lateMs} ms before the bolt had arrived` : undefined, 'ok when the bolt has arrived');
    },
  },
  {
    name: 'get-status',
    rule: 'Protocol 5.1',
    title: 'get-status has state and battery published again',
    async run(session) {
      const mark = session.trace.mark();
      await session.askOk('get-status');
      for (const channel of ['state', 'battery']) {
        if ((await session.trace.find(mark, saidOn(channel), reportMs)) === undefined) return broken(`no ${channel}`, 'state and battery');
      }
      return held;
    },
  },
  {
    name: 'resend-events',
    rule: 'Protocol 5.1',
    title: 'resend-events has the events published again that the lock still has, before its reply',
    async run(session) {
      await session.moveTo('locked');
      return session.withoutEventAcks(async (hold) => {
        const { epoch, event } = await eventOf(session, 'unlocked');
        const from = session.trace.mark();
        const asked = session.command('resend-events', { args: { epoch, from: event.seq, to: event.seq } });
        const isAgain = (one: Entry): one is Said => saidOn('events')(one) && eventsIn(one).some((other) => other.event.seq === event.seq);
        const atOnce = await session.trace.find(from, isAgain, 2_000);
        // A lock that has one message under way at a time waits for its PUBACK.
        hold.release();
        const again = atOnce ?? (await session.trace.find(from, isAgain, reportMs));
        const answered = await session.replyTo(asked);
        await session.moveTo('locked');
        if (again === undefined) return broken('the event, which is not acknowledged, did not come again', 'the event once more');
        const due = 'ok after the events, before the command expires';
        return heldUnless(answered?.ok === true ? undefined : `the reply ${JSON.stringify(answered)}`, due);
      });
    },
  },
  {
    name: 'unknown-op',
    rule: 'Protocol 5.2',
    title: 'an op that the lock does not know is not-supported',
    async run(session) {
      const { ok, error } = await session.ask('open-the-moon-roof');
      return heldUnless(!ok && error === 'not-supported' ? undefined : `ok ${ok}, error ${error}`, 'error not-supported');
    },
  },
  {
    name: 'unknown-members',
    rule: 'Protocol 1',
    title: 'members that the lock does not know do no harm',
    run: (session) =>
      statusIsSaid(session, { args: { colour: 'green' }, more: { priority: 3, trace: { parent: 'none', tags: [1, null, 'two'] } } }),
  },
  {
    name: 'wrong-types',
    rule: 'Protocol 1',
    title: 'a member of the wrong type is not bent into shape',
    async run(session) {
      const { ok } = await session.ask('set-auto-lock', { args: { seconds: '0' } });
      return heldUnless(ok ? 'ok to {"seconds":"0"}' : undefined, 'a refusal');
    },
  },
  {
    name: 'long-id',
    rule: 'Protocol 5.1',
    title: 'the id of a command may have 96 characters, and comes back unchanged',
    async run(session) {
      await session.moveTo('locked');
      await eventOf(session, 'unlocked', { id: randomUUID().padEnd(96, '.long-id') });
      await session.moveTo('locked');
      return held;
    },
  },
  {
    name: 'large-command',
    rule: 'Protocol 11 rule 4',
    title: 'a command of 1,024 bytes is not too large',
    run: (session) => statusIsSaid(session, { more: { padding: 'x'.repeat(800) } }),
  },
];
