// What this tool has put on the lock or changed there, so that it can be taken away again.
import type { Hello } from './lock-messages.ts';
import type { LockSession } from './session.ts';
import { Broken } from './verdict.ts';

export interface Footprint {
  /** Called with every command that is sent, before it is. */
  note(op: string, args: object): void;
  /** Takes cards and passcodes off. Those that the lock does not give stay noted. @throws Broken when it does not answer */
  takeOff(session: LockSession): Promise<void>;
  /** Takes everything off, puts settings and auto lock back to those of the first hello, and locks. Resolves with a sentence for what stayed. */
  restore(session: LockSession, before: Pick<Hello, 'autoLockTime' | 'settings'>): Promise<readonly string[]>;
}

interface Key {
  readonly kind: 'card' | 'passcode';
  readonly number: string;
}

export function createFootprint(): Footprint {
  /** Put by add-card, and by put-credentials. */
  const cards = new Set<string>();
  const credentials = new Map<string, Key>();
  let hasChangedSettings = false;

  /** Twenty go at once. */
  function moveCards(): void {
    for (const number of cards) credentials.set(`card ${number}`, { kind: 'card', number });
    cards.clear();
  }

  async function takeOff(session: LockSession): Promise<void> {
    if (session.hasFeature('credentials')) moveCards();
    const keys = [...credentials.entries()];
    for (let start = 0; start < keys.length; start += 20) {
      const some = keys.slice(start, start + 20);
      const { ok } = await session.ask('remove-credentials', { args: { items: some.map(([, key]) => key) } });
      if (ok) for (const [name] of some) credentials.delete(name);
    }
    for (const cardNumber of cards) {
      const { ok } = await session.ask('remove-card', { args: { cardNumber } });
      if (ok) cards.delete(cardNumber);
    }
  }

  return {
    note(op, args) {
      const { cardNumber, items = [] } = args as { readonly cardNumber?: string; readonly items?: readonly Key[] };
      hasChangedSettings ||= op === 'set-settings';
      // A lock may store what it should not have.
      if ((op === 'add-card' || op === 'update-card') && cardNumber !== undefined) cards.add(cardNumber);
      if (op === 'put-credentials') for (const { kind, number } of items) credentials.set(`${kind} ${number}`, { kind, number });
    },
    takeOff,
    async restore(session, { autoLockTime, settings = {} }) {
      const failures: string[] = [];
      const orNote = async (what: string, action: () => Promise<unknown>): Promise<void> => {
        await action().catch((error: Error) => failures.push(`${what}: ${error instanceof Broken ? error.came : error.message}`));
      };
      await orNote('the lock may still hold cards or passcodes', () => takeOff(session));
      const left = [...cards].map((number) => `card ${number}`).concat([...credentials.keys()]);
      if (left.length > 0) failures.push(`still on the lock: ${left.join(', ')}`);
      const known = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== 0));
      if (hasChangedSettings && Object.keys(known).length > 0)
        await orNote(`the settings were ${JSON.stringify(known)}`, () => session.askOk('set-settings', { args: known }));
      // Behind the settings, of which one says which way to turn.
      await orNote('the bolt may not be locked', () => session.moveTo('locked'));
      if (autoLockTime !== undefined)
        await orNote(`auto lock was ${autoLockTime} s`, () => session.askOk('set-auto-lock', { args: { seconds: autoLockTime } }));
      return failures;
    },
  };
}
