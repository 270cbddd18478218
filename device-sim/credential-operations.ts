// put-credentials, remove-credentials, list-credentials and set-calendar (Protocol 5.1), for a lock with these features.
import type { z } from 'zod';
import { commandArguments } from '../src/drivers/native/messages.ts';
import { alwaysValid } from './card-memory.ts';
import { allCredentials, type Credential, credentialDigest, type Held, withCredential, withoutCredential } from './credential-memory.ts';
import type { MemoryFault } from './faults.ts';
import { done, type Operation, type OperationTarget, operation, refused, store } from './lock-operations.ts';
import type { LockProfile } from './lock-profile.ts';

type PutArguments = z.infer<(typeof commandArguments)['put-credentials']>;

/** `result` of each reply, and what a hello says: how many, and their digest. */
function heldInAll(held: Held, faults: ReadonlySet<MemoryFault>) {
  const digest = credentialDigest(held);
  return {
    count: held.cards.length + held.passcodes.length,
    digest: faults.has('wrong-digest') ? [...digest].reverse().join('') : digest,
  };
}

/** Why an item is not stored; undefined: it can be. */
function problemOf({ clock, profile }: OperationTarget, held: Held, item: Credential): string | undefined {
  const { features, limits } = { features: profile.features, limits: limitsOf(profile) };
  if (item.hours !== undefined && (!features.includes('hours') || item.hours.split(';').length > limits.hours)) return 'not-supported';
  if (item.once === true && !features.includes('once')) return 'not-supported';
  const [fewest, most] = limits.passcodeDigits;
  const { length } = item.number;
  if (item.kind === 'passcode' && limits.passcodes === 0) return 'not-supported';
  if (item.kind === 'passcode' && (length < fewest || length > most)) return 'failed';
  if (item.endDate !== 0 && item.endDate < item.startDate) return 'failed';
  if ((!alwaysValid(item) || item.hours !== undefined) && clock.now() === undefined) return 'clock-not-set'; // Protocol 5.3 rule 4
  const after = withCredential(held, item);
  return after.cards.length > limits.cards || after.passcodes.length > limits.passcodes ? 'no-space' : undefined;
}

async function put(target: OperationTarget, { items }: PutArguments) {
  const { faults, memory } = target;
  const failed: { index: number; error: string }[] = [];
  const { cards, passcodes, used } = memory.contents;
  let held = { cards, passcodes };
  for (const [index, item] of items.entries()) {
    const error = problemOf(target, held, item);
    if (error !== undefined) failed.push({ index, error });
    else if (!faults.has('forgets')) held = withCredential(held, item);
  }
  const stillUsed = used.filter((one) => !items.some(({ kind, number }) => one.kind === kind && one.number === number));
  const answer = await store(memory, { ...held, used: stillUsed });
  return answer.ok ? { ...answer, result: { ...heldInAll(memory.contents, faults), ...(failed.length > 0 && { failed }) } } : answer;
}

/** With the feature `credentials`. */
export const credentialOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['put-credentials', operation(commandArguments['put-credentials'], put)],
  [
    'remove-credentials',
    operation(commandArguments['remove-credentials'], async ({ memory, faults }, { items }) => {
      const { cards, passcodes } = memory.contents;
      const held = items.reduce(withoutCredential, { cards, passcodes });
      const answer = faults.has('keeps') ? done : await store(memory, held);
      return answer.ok ? { ...answer, result: heldInAll(memory.contents, faults) } : answer;
    }),
  ],
  [
    'list-credentials',
    operation(commandArguments['list-credentials'], ({ memory, profile, faults }, { offset, limit }) => {
      const all = allCredentials(memory.contents).map((one, index) =>
        one.kind === 'passcode' && !profile.showsPasscodes ? { ...one, number: null, id: `place ${index}` } : one,
      );
      const page = { credentials: all.slice(offset, offset + limit), total: all.length };
      return { ok: true, result: { ...heldInAll(memory.contents, faults), ...page } };
    }),
  ],
]);

/** With the feature `hours`. */
export const calendarOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    'set-calendar',
    operation(commandArguments['set-calendar'], ({ memory, profile }, calendar) =>
      calendar.holidays.length > limitsOf(profile).holidays ? refused('no-space', 'too many holidays') : store(memory, { calendar }),
    ),
  ],
]);

/** What the lock says of its limits. */
function limitsOf({ cardCapacity, passcodeCapacity, passcodeDigits, hoursCapacity, holidayCapacity }: LockProfile) {
  return { cards: cardCapacity, passcodes: passcodeCapacity, passcodeDigits, hours: hoursCapacity, holidays: holidayCapacity };
}

/** What a hello says beyond the first version of the protocol. */
export function abilitiesInHello(profile: LockProfile, held: Held, faults: ReadonlySet<MemoryFault>) {
  const { features } = profile;
  if (features.length === 0) return {};
  return {
    features,
    limits: limitsOf(profile),
    ...(features.includes('credentials') && { credentials: heldInAll(held, faults) }),
  };
}
