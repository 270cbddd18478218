// The rules that keep a door shut when something was delayed, or came twice (Protocol 5.3).
import type { Check } from '../check.ts';
import { memberOf } from '../observer.ts';
import { reports } from '../seen.ts';
import type { LockSession } from '../session.ts';
import { type Commanded, type Entry, type Mark, type Said, saidOn } from '../trace.ts';
import { Broken, broken, heldUnless, notTried, type Verdict } from '../verdict.ts';
import { eventCount, movement, mustNotUnlock, reportMs } from './bolt.ts';

/** Whether the entry is a reply to this command. */
function answers({ id }: Commanded): (entry: Entry) => boolean {
  return (entry) => saidOn('reply')(entry) && memberOf(entry.json, 'id') === id;
}

/** All replies to the command since the mark, as text without the order of members. */
function repliesTo(session: LockSession, sent: Commanded, since: Mark): readonly string[] {
  const replies = session.trace.since(since).filter(answers(sent)) as Said[];
  return replies.map(({ json }) => JSON.stringify(Object.entries(json as object).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Time for the lock to take a command, and less than a bolt takes. */
const shortMs = 25;

const twiceDue = 'one movement, and the same reply again';

/** An unlock comes again after so many other commands, the first of which locks. */
async function againAfter(session: LockSession, others: number): Promise<Verdict> {
  const unlock = await session.moveTo('unlocked', { expiresInMs: 60_000 });
  await session.moveTo('locked');
  for (let count = 1; count < others; count++) await session.ask('get-status');
  const mark = session.trace.mark();
  const [first] = repliesTo(session, unlock, 0);
  session.again(unlock);
  const answered = await session.replyTo(unlock, reportMs, mark);
  const moved = await movement(session, mark, 'unlocked', unlock, 1);
  if (moved !== undefined) {
    await session.moveTo('locked');
    return broken(`after ${others} others the door opened a second time: ${moved}`, twiceDue);
  }
  if (answered === undefined) return broken('no reply to the second', twiceDue);
  const [again] = repliesTo(session, unlock, mark);
  return heldUnless(again === first ? undefined : `first ${first}, then ${again}`, twiceDue);
}

export const lateAndTwiceChecks: readonly Check[] = [
  {
    name: 'expired',
    rule: 'Protocol 5.3 rule 1',
    title: 'a command whose expires is below the uptime is not done, and its reply is expired',
    async run(session) {
      await session.moveTo('locked');
      return mustNotUnlock(session, () => session.command('unlock', { expiresInMs: -500 }));
    },
  },
  {
    name: 'expired-card',
    rule: 'Protocol 5.3 rule 1',
    title: 'a change of the cards that comes late is not stored',
    async run(session) {
      const card = { cardNumber: '998877', startDate: 0, endDate: 0 };
      const { ok, error } = await session.ask('add-card', { args: card, expiresInMs: -500 });
      const { result } = await session.askOk('list-cards', { args: { offset: 0, limit: 1 } });
      const total = memberOf(result, 'total');
      return heldUnless(
        ok || error !== 'expired' || total !== 0 ? `ok ${ok}, error ${error}, then ${total} cards` : undefined,
        'error expired, and no card',
      );
    },
  },
  {
    name: 'other-session',
    rule: 'Protocol 5.3 rule 1',
    title: 'a command of another session is not done, and its reply is expired',
    async run(session) {
      await session.moveTo('locked');
      const earlier = session.hello.session;
      await session.reconnect();
      return mustNotUnlock(session, () => session.command('unlock', { session: earlier }));
    },
  },
  {
    name: 'held-back',
    rule: 'Protocol 5.3 rule 1',
    title: 'a command that was on its way until after its end is not done',
    async run(session) {
      await session.moveTo('locked');
      return mustNotUnlock(session, async () => {
        // As a radio that sleeps: the bytes are those of a command in time, and come when it is late.
        const { expires } = session.command('get-status', { expiresInMs: 1_500 });
        await session.quiet(2_500);
        return session.command('unlock', { more: { expires } });
      });
    },
  },
  {
    name: 'expires-while-busy',
    rule: 'Protocol 5.3 rule 1',
    title: 'a command that expires while another is under way does not begin to move the bolt late',
    async run(session) {
      await session.moveTo('unlocked');
      const mark = session.trace.mark();
      const first = session.command('lock');
      const second = session.command('unlock', { expiresInMs: shortMs });
      await session.replyTo(first);
      const answered = await session.replyTo(second, 5_000);
      const report = await session.trace.find(mark, reports('locked'), 5_000);
      if (report !== undefined && report.at < second.at + 2 * shortMs) return notTried('the bolt is faster than a command can expire');
      const after = report === undefined ? mark : session.trace.entries.indexOf(report);
      const moved = await movement(session, after, 'unlocked', second);
      await session.moveTo('locked');
      const due = 'it is refused, and the bolt stays';
      if (moved !== undefined) return broken(`${moved}, after the command had expired`, due);
      if (answered?.ok === true) return broken(`ok with state ${answered.state}, while the bolt went to locked`, due);
      return heldUnless(answered === undefined ? 'no reply to the second command' : undefined, due);
    },
  },
  {
    name: 'twice',
    rule: 'Protocol 5.3 rule 2',
    title: 'a command that comes again after others is not done again, and gets the same reply',
    run: (session) => againAfter(session, 1),
  },
  {
    name: 'twice-at-once',
    rule: 'Protocol 5.3 rule 2',
    title: 'a command that comes again while it is under way is done once',
    async run(session) {
      await session.moveTo('locked');
      const mark = session.trace.mark();
      const sent = session.command('unlock');
      session.again(sent);
      await session.replyTo(sent);
      await session.quiet();
      const count = eventCount(session, sent);
      const replies = new Set(repliesTo(session, sent, mark));
      await session.moveTo('locked');
      if (count > 1) return broken(`${count} events of one command`, twiceDue);
      return heldUnless(replies.size > 1 ? `different replies: ${[...replies].join(' and ')}` : undefined, twiceDue);
    },
  },
  {
    name: 'remembers-32',
    rule: 'Protocol 5.3 rule 2',
    title: 'the last 32 commands are remembered, with their replies',
    run: (session) => againAfter(session, 31),
  },
  {
    name: 'no-late-reply',
    rule: 'Protocol 5.3',
    title: 'a command of a connection that has ended is not answered on the next one, nor done there',
    async run(session) {
      await session.moveTo('locked');
      const mark = session.trace.mark();
      const { link } = session;
      const sent = session.command('unlock');
      // The command has left before the end of the connection.
      const taken = (entry: Entry): entry is Entry => entry.kind === 'packet' && entry.type === 4 && entry.link === link;
      if ((await session.trace.find(mark, taken, 3_000)) === undefined) throw new Broken('no PUBACK of a command', 'a PUBACK');
      link.cut('reset');
      await session.whenBack(mark);
      await session.quiet();
      const late = session.trace
        .since(mark)
        .filter(answers(sent))
        .find((entry) => entry.link !== link);
      const dueLate = 'nothing is answered on the new connection';
      await session.moveTo('locked');
      return heldUnless(
        late === undefined ? undefined : `the reply came ${Math.round(late.at - sent.at)} ms later, on the next connection`,
        dueLate,
      );
    },
  },
  {
    name: 'one-at-a-time',
    rule: 'Protocol 5.3 rule 3',
    title: 'two commands at once get a reply each',
    async run(session) {
      await session.moveTo('locked');
      const [first, second] = [session.command('unlock'), session.command('get-status')];
      const answers = [await session.replyTo(first), await session.replyTo(second)];
      await session.moveTo('locked');
      return heldUnless(answers.includes(undefined) ? 'one of them got none' : undefined, 'one reply to each');
    },
  },
];
