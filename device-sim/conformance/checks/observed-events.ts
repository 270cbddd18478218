// What the events and replies of the run show, and costs no time of its own (Protocol 4.4, 5.3).
import type { Check } from '../check.ts';
import { memberOf } from '../observer.ts';
import type { SeenEvent } from '../seen.ts';
import type { LockSession } from '../session.ts';
import type { Commanded, Entry, Said } from '../trace.ts';
import { heldUnless, notTried } from '../verdict.ts';
import { allSaid, each, endOf, wallTimeOf } from './observed.ts';

/** The events in the order in which each was said first. */
function firstSaid(session: LockSession): readonly SeenEvent[] {
  const seen = new Set<string>();
  return session.events(0).filter(({ epoch, event }) => {
    const key = `${epoch} ${event.seq}`;
    return !seen.has(key) && seen.add(key);
  });
}

const eventRules: readonly Check[] = [
  {
    name: 'seq-by-one',
    rule: 'Protocol 4.4',
    title: 'seq is one more for each event',
    run(session) {
      const all = firstSaid(session);
      const due = 'one more than the one before';
      for (const [index, { epoch, event }] of all.entries()) {
        const before = all[index - 1];
        if (before?.epoch === epoch && event.seq !== before.event.seq + 1) return heldUnless(`${event.seq} after ${before.event.seq}`, due);
      }
      return heldUnless(undefined, due);
    },
  },
  {
    name: 'same-seq-same-event',
    rule: 'Protocol 4.4 rule 1',
    title: 'an epoch and a seq name one event for ever',
    run(session) {
      const named = new Map<string, string>();
      return each(
        session.events(0),
        ({ epoch, event }) => {
          const [key, text] = [`${epoch} ${event.seq}`, JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1)))];
          const earlier = named.get(key) ?? text;
          named.set(key, earlier);
          return earlier === text ? undefined : `${key} is ${earlier}, and later ${text}`;
        },
        'each seq for one event',
      );
    },
  },
  {
    name: 'event-date',
    rule: 'Protocol 4.4',
    title: 'the date of an event is when it happened',
    run(session) {
      const sentAt = new Map(session.trace.entries.flatMap((entry) => (entry.kind === 'commanded' ? [[entry.id, wallTimeOf(entry)]] : [])));
      const dated = firstSaid(session).filter(({ event }) => event.date !== undefined && sentAt.has(event.commandId ?? ''));
      if (dated.length === 0) return notTried('no event of a command had a date');
      const offMs = ({ event }: SeenEvent): number => Number(event.date) - (sentAt.get(event.commandId ?? '') ?? 0);
      const problemOf = (one: SeenEvent): string | undefined =>
        Math.abs(offMs(one)) > 10_000 ? `event ${one.event.seq} is dated ${Math.round(offMs(one) / 1_000)} s off` : undefined;
      return each(dated, problemOf, 'the time of the event, also when it is sent later');
    },
  },
  {
    name: 'command-once',
    rule: 'Protocol 4.4',
    title: 'the id of a command is in one event',
    run(session) {
      const all = firstSaid(session).filter(({ event }) => event.commandId !== undefined);
      const problemOf = (one: SeenEvent): string | undefined => {
        const other = all.find(
          ({ event, epoch }) => event.commandId === one.event.commandId && (event.seq !== one.event.seq || epoch !== one.epoch),
        );
        return other && `events ${one.event.seq} and ${other.event.seq} have the commandId ${one.event.commandId}`;
      };
      return each(all, problemOf, 'one event for each command');
    },
  },
];

/** Whether the lock sent this on the connection of the command, after it. */
function isOfLock(entry: Entry, { link, at }: Commanded): boolean {
  return entry.kind === 'packet' && entry.link === link && entry.at > at;
}

/** Commands that were sent once; `over`: the session ended, or the lock was gone without a word, before they had to be answered. */
function repliesOfEach(
  session: LockSession,
): readonly { readonly sent: Commanded; readonly replies: readonly Said[]; readonly over: boolean }[] {
  const { entries } = session.trace;
  const all = entries.filter((entry): entry is Commanded => entry.kind === 'commanded');
  const counts = new Map<string, number>();
  for (const { id } of all) counts.set(id, (counts.get(id) ?? 0) + 1);
  return all
    .filter(({ id }) => counts.get(id) === 1)
    .map((sent) => ({
      sent,
      replies: allSaid(session).filter((said) => said.channel === 'reply' && memberOf(said.json, 'id') === sent.id),
      over: endOf(session, sent) < sent.at + Math.max(sent.ttl, 1_000) || !entries.some((entry) => isOfLock(entry, sent)),
    }));
}

/** What the network and a busy machine may add to a reply that left in time. */
const wayMs = 1_000;

const replyRules: readonly Check[] = [
  {
    name: 'one-reply',
    rule: 'Protocol 5.3 rule 3',
    title: 'each command gets exactly one reply',
    run: (session) =>
      each(
        repliesOfEach(session),
        ({ sent, replies, over }) =>
          replies.length === 1 || (over && replies.length === 0) ? undefined : `${replies.length} replies to ${sent.op} ${sent.id}`,
        'one',
      ),
  },
  {
    name: 'reply-in-time',
    rule: 'Protocol 5.3 rule 3',
    title: 'the reply comes before the command expires',
    run(session) {
      // Refusals of what was late on its way are late themselves.
      const due = repliesOfEach(session).filter(({ replies: [first] }) => memberOf(first?.json, 'error') !== 'expired');
      const problemOf = ({ sent, replies: [first] }: (typeof due)[number]): string | undefined => {
        const tookMs = first === undefined ? 0 : first.at - sent.at;
        return tookMs > sent.ttl + wayMs ? `the reply to ${sent.op} after ${Math.round(tookMs)} ms; it had ${sent.ttl} ms` : undefined;
      };
      return each(due, problemOf, 'each within its own time');
    },
  },
  {
    name: 'ours-alone',
    rule: 'Protocol 5.3',
    title: 'a reply comes on the connection of its command',
    run: (session) =>
      each(
        repliesOfEach(session),
        ({ sent, replies }) =>
          replies.some(({ link }) => link !== sent.link) ? `the reply to ${sent.op} on another connection` : undefined,
        'on the same connection, or never',
      ),
  },
];

export const observedEventChecks: readonly Check[] = [...eventRules, ...replyRules];
