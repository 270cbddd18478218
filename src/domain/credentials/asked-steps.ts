// Sends what somebody asked for just now: one card or passcode goes on a lock, or off it. An ok is believed unless the digest that came with it
// says that the lock holds something else.
import { DomainError } from '../errors.ts';
import type { Lock } from '../locks/lock.ts';
import { always, isSameWindow, type ValidWindow } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import type { LockMemories } from './lock-memories.ts';
import type { Item } from './lock-memory.ts';
import { isNothing } from './passcode-rules.ts';
import type { Reconciler } from './reconciler.ts';
import { isSaid, refused, takenBy } from './step-replies.ts';
import type { SendRequest, SentEnd } from './step-request.ts';

/** `window` null: it goes off. */
export type AskedItem = Omit<Item, 'window'> & { readonly window: ValidWindow | null };

/**
 * Resolves when the lock has done it; what is stored says meanwhile that the outcome is open. Rejects as `CommandService.send` does, and with
 * `lock-refused`.
 */
export type AskedSteps = (lock: Lock, item: AskedItem, request: SendRequest) => Promise<SentEnd>;

export function createAskedSteps(options: {
  readonly entries: EntryStore;
  readonly memories: LockMemories;
  readonly reconciler: Pick<Reconciler, 'show'>;
}): AskedSteps {
  const { entries, memories, reconciler } = options;
  return async (lock, { window, ...asked }, { session, ...request }) => {
    const { lockId } = lock;
    const newest = async () => entries.inMemory(lockId) ?? entries.of(lockId);
    const memory = memories.of(lock);
    const item = { ...asked, window: window ?? always };
    const end = await (window === null ? memory.remove(session, [item], request) : memory.put(session, [item], request));
    const sent = takenBy(end, asked.kind);
    if (isSaid(end, memory, await newest())) return sent;
    await reconciler.show(session).catch(() => {
      throw new DomainError('lock-timeout', 'the lock said ok, and not what it holds: the outcome is unknown');
    });
    const shown = (await newest()).byNumber(asked.kind, asked.number);
    if (isSameWindow(shown?.held?.window ?? null, window)) return sent;
    // Of an add nothing stays: its number is free again.
    await entries.update(lockId, (current) => {
      const left = current.byNumber(asked.kind, asked.number);
      return left !== undefined && isNothing(left) ? { remove: [left.entryId] } : {};
    });
    throw refused('not-done', 'not-done');
  };
}
