// What happens to the memory of a lock at its door: a one-time code is used up, a phone adds or takes away, batteries and board are replaced.
import { randomBytes } from 'node:crypto';
import { type Credential, type CredentialKey, withCredential, withoutCredential } from './credential-memory.ts';
import type { LockMemory } from './lock-memory.ts';

/** How many used one-time codes a lock remembers, to name a second try. */
const rememberedCodes = 32;

/**
 * Takes a one-time card or passcode off, flushed, before the bolt moves (Protocol 5.1). Resolves with a refusal when that could not be
 * written, or when somebody else was faster.
 */
export async function useUp(memory: LockMemory, key: CredentialKey): Promise<'used' | 'failed' | undefined> {
  const { cards, passcodes, used } = memory.contents;
  const left = withoutCredential({ cards, passcodes }, key);
  if (left.cards.length === cards.length && left.passcodes.length === passcodes.length) return 'used';
  memory.change({ ...left, used: [...used, { kind: key.kind, number: key.number }].slice(-rememberedCodes) });
  try {
    await memory.saved();
    return undefined;
  } catch {
    memory.change({ cards, passcodes, used });
    return 'failed';
  }
}

/** Somebody with the lock's app adds a card or passcode: the gateway does not know it. */
export function learn(memory: LockMemory, credential: Credential): void {
  memory.change(withCredential(memory.contents, credential));
}

/** Somebody with the lock's app takes a card or passcode off. */
export function forget(memory: LockMemory, key: CredentialKey): void {
  memory.change(withoutCredential(memory.contents, key));
}

/** All that it held is gone, and its counter of events begins anew (Protocol 4.4); it has its device key still. */
export function wipe(memory: LockMemory): void {
  memory.change({
    ...{ epoch: randomBytes(4).toString('hex'), lastSeq: 0, events: [], history: [], dropped: 0 },
    ...{ cards: [], passcodes: [], used: [] },
  });
}
