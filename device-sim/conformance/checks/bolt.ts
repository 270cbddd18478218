// What several checks do with the bolt, its events and its timer.
import { reports, type SeenEvent } from '../seen.ts';
import type { LockSession, Order } from '../session.ts';
import type { Commanded, Mark } from '../trace.ts';
import { Broken, broken, heldUnless, NotTried, type Verdict } from '../verdict.ts';

export type BoltState = 'locked' | 'unlocked';

/** Longer than any bolt's way, and than a radio that sleeps between two reports. */
export const reportMs = 5_000;

/** Moves the bolt there by a command, and resolves with the event of it. @throws Broken when none comes */
export async function eventOf(session: LockSession, state: BoltState, order: Order = {}): Promise<SeenEvent> {
  const mark = session.trace.mark();
  const sent = await session.moveTo(state, order);
  const seen = await session.event(mark, ({ event }) => event.commandId === sent.id);
  if (seen === undefined) throw new Broken(`no event with the id of the command ${sent.op}`, `an event remote-${sent.op} with commandId`);
  return seen;
}

/** How many events have the id of this command. */
export function eventCount(session: LockSession, { id }: Commanded): number {
  const caused = session.events(0).filter(({ event }) => event.commandId === id && event.success !== false);
  return new Set(caused.map(({ epoch, event }) => `${epoch} ${event.seq}`)).size;
}

/**
 * What shows since the mark that the bolt went there, if anything; waits as long as it could take. Of events those of this command count,
 * when there are more than `due`: one of an earlier command may come late.
 */
export async function movement(
  session: LockSession,
  since: Mark,
  state: BoltState,
  cause?: Commanded,
  due = 0,
): Promise<string | undefined> {
  await session.quiet();
  if (session.trace.since(since).some(reports(state))) return `the state ${state}`;
  return cause !== undefined && eventCount(session, cause) > due ? `an event of ${cause.op}` : undefined;
}

/** An unlock that must not be done: refused as expired, and nothing moves. */
export async function mustNotUnlock(session: LockSession, send: () => Promise<Commanded> | Commanded): Promise<Verdict> {
  const mark = session.trace.mark();
  const sent = await send();
  const answered = await session.replyTo(sent, reportMs);
  const moved = await movement(session, mark, 'unlocked', sent);
  const due = 'no movement, and a reply with the error expired';
  if (moved !== undefined) {
    await session.moveTo('locked');
    return broken(`${moved}; the reply ${JSON.stringify(answered)}`, due);
  }
  if (answered === undefined) return broken('no reply', due);
  return heldUnless(answered.ok || answered.error !== 'expired' ? `the reply ${JSON.stringify(answered)}` : undefined, due);
}

/** Does this with the timer at so many seconds. @throws NotTried when nobody knows what it was before */
export async function withAutoLock<T>(session: LockSession, seconds: number, action: () => Promise<T>): Promise<T> {
  if (session.hello.autoLockTime === undefined) throw new NotTried('the hello has no autoLockTime, which could be put back');
  await session.askOk('set-auto-lock', { args: { seconds } });
  try {
    return await action();
  } finally {
    await session.ask('set-auto-lock', { args: { seconds: 0 } });
  }
}
