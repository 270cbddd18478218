// What a lock does between its SUBSCRIBE and the SUBACK, and after a refusal (Protocol 7, 8, 9).
import { subackPacket } from '../mqtt-packets.ts';
import type { Hold } from '../observer.ts';
import type { LockSession } from '../session.ts';
import type { Entry } from '../trace.ts';
import { Broken, heldUnless, LockAway, type Verdict } from '../verdict.ts';

type Asked = Extract<Entry, { kind: 'subscribe' }>;

/** Whether it is a SUBSCRIBE to the commands of this lock: a hub subscribes to those of others, too. */
function asksForUs({ hubId, topicRoot, deviceId }: LockSession): (entry: Entry) => entry is Asked {
  const own = `${topicRoot}/${deviceId}/command`;
  return (entry): entry is Asked =>
    entry.kind === 'subscribe' && (hubId === undefined || entry.filters.some(({ filter }) => filter === own));
}

/** Whether it is the SUBACK to such a one. */
function answersUs(session: LockSession): (entry: Entry) => boolean {
  const isAsked = asksForUs(session);
  return (entry) =>
    entry.kind === 'suback' &&
    session.trace.entries.some((asked) => isAsked(asked) && asked.link === entry.link && asked.packetId === entry.packetId);
}

/** Has the lock connect anew, and does this while what the gateway answers to its SUBSCRIBE is held. @throws LockAway */
export async function holdingSuback(session: LockSession, action: (asked: Entry, hold: Hold) => Promise<Verdict>): Promise<Verdict> {
  const mark = session.trace.mark();
  const hold = session.hold(answersUs(session));
  try {
    session.link.cut('reset');
    const asked = await session.trace.find(mark, asksForUs(session), 60_000);
    if (asked === undefined) throw new LockAway('no SUBSCRIBE within 60 s', 'the lock subscribes to its command topic');
    return await action(asked, hold);
  } finally {
    hold.release();
  }
}

/** Refuses the SUBSCRIBE of the next connection: only on these channels may the lock say something then. @throws LockAway */
export function whileSubscriptionIsRefused(session: LockSession, allowed: readonly string[]): Promise<Verdict> {
  return holdingSuback(session, async (asked, hold) => {
    const { trace } = session;
    const from = trace.entries.indexOf(asked);
    for (let count = 0; count < 100 && hold.entries.length === 0; count++) await session.quiet(50);
    const [suback] = hold.entries;
    if (suback?.kind !== 'suback') throw new Broken('the gateway answers no SUBSCRIBE', 'a SUBACK');
    hold.drop();
    const { link, packetId, codes } = suback;
    link.toLock(
      subackPacket(
        packetId,
        codes.map(() => 0x80),
      ),
    );
    await session.quiet(2_000);
    const seen = trace.since(from);
    // Who has asked again was not refused any more.
    const granted = seen.findIndex(answersUs(session));
    const refused = granted === -1 ? seen : seen.slice(0, granted);
    const other = refused.find((entry) => entry.kind === 'said' && entry.link === link && !allowed.includes(entry.channel));
    if (link.isOpen) link.cut('end');
    await session.whenBack(from + 1);
    const due = allowed.length === 0 ? 'nothing for this lock' : `nothing but ${allowed.join(' and ')}`;
    return heldUnless(other?.kind === 'said' ? `a publish on ${other.topic}` : undefined, due);
  });
}
