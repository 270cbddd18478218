// What must hold of cards on many locks, through the real daemon: each function does something again and again, and resolves with a sentence
// for each thing that is not as it must be.
import { access, pause } from './access-house.ts';
import { saidOk, sentCredentials } from './lock-traffic.ts';
import type { Random } from './seeded-random.ts';
import { type Answer, type Item, type RequestOptions, type Site, until } from './site.ts';

const cards = '/api/v1/identity-card';
const putOps = ['put-credentials', 'add-card'];
const removeOps = ['remove-credentials', 'remove-card'];

export const numbersOn = (site: Site, lock: number): readonly string[] => site.lock(lock).memory.cards.map(({ cardNumber }) => cardNumber);

function entriesOn(site: Site, lock: number): Promise<readonly Item[]> {
  return site.all(`${access}/locks/${site.lockId(lock)}/entries`);
}

export async function statusOf(site: Site, lock: number, number: string): Promise<unknown> {
  return (await entriesOn(site, lock)).find((entry) => entry['number'] === number)?.['status'];
}

/** How often this card was sent to this lock. */
export function putsOf(site: Site, lock: number, number: string): number {
  return timesSent(site, lock, number, putOps);
}

function timesSent(site: Site, lock: number, number: string, ops: readonly string[]): number {
  const { deviceId } = site.lock(lock);
  return sentCredentials(site.wire).filter((one) => one.deviceId === deviceId && one.number === number && ops.includes(one.op)).length;
}

/**
 * Which of these cards were sent to a lock again that had said ok to them. Only what reached a lock too late, so that the lock did nothing, is sent
 * again.
 */
export function putsAgain(site: Site, numbers: readonly string[]): readonly string[] {
  const [ok, taken] = [saidOk(site.wire), new Set<string>()];
  return sentCredentials(site.wire).flatMap(({ deviceId, commandId, op, number }) => {
    if (!putOps.includes(op) || !numbers.includes(number)) return [];
    const place = `${number} on ${deviceId}`;
    const isAgain = taken.has(place);
    if (ok.has(commandId)) taken.add(place);
    return isAgain ? [`${place} was put again, which had said ok`] : [];
  });
}

/** A person with one card for these locks. */
export function grantTo(site: Site, number: string, locks: readonly number[]): Promise<Answer> {
  const grants = [{ lockIds: locks.map((lock) => site.lockId(lock)) }];
  const body = { name: number, credentials: [{ kind: 'card', cardNumber: number }], grants };
  return site.api('PUT', `${access}/people/external/with-${number}`, { body });
}

/** Puts the card on the lock as soon as it can; resolves with its id. */
export async function addQueued(site: Site, lock: number, number: string): Promise<number> {
  const query = { lockId: site.lockId(lock), cardNumber: number, method: 'regular', startDate: 0, endDate: 0, addType: 2, queue: 1 };
  const { status, body } = await site.api('POST', `${cards}/add`, { query });
  if (status !== 200) throw new Error(`card ${number} was refused: ${JSON.stringify(body)}`);
  return body.keyboardPwdId;
}

/**
 * A card is granted to these locks and the gateway dies at a random moment, again and again: each card is on each lock, and is sent to none that has
 * said ok to it.
 */
export async function killsDuringGrants(site: Site, locks: readonly number[], kills: number, random: Random): Promise<readonly string[]> {
  const wrong: string[] = [];
  const numbers = Array.from({ length: kills }, (_, kill) => String(6_000_001 + kill));
  for (const [before, number] of numbers.entries()) {
    const kill = before + 1;
    // The gateway may die before it answers.
    const asked = grantTo(site, number, locks).catch(() => undefined);
    await pause(random.below(150));
    await site.kill9();
    await asked;
    await site.start();
    const { status, body } = await grantTo(site, number, locks);
    if (status >= 300) wrong.push(`kill ${kill}: ${status} ${JSON.stringify(body)}`);
    const isThere = (lock: number): boolean => numbersOn(site, lock).includes(number);
    await until(() => locks.every(isThere), 'it is on its locks').catch(() => undefined);
    wrong.push(...locks.filter((lock) => !isThere(lock)).map((lock) => `kill ${kill}: ${number} is not on lock ${lock}`));
    await until(async () => (await statusOf(site, locks[0] ?? 1, number)) === 'on-lock', 'the gateway says so').catch(() => undefined);
  }
  wrong.push(...putsAgain(site, numbers));
  return wrong;
}

/**
 * Cards are taken off, and the reply or the command is lost: the gateway ends with what the lock has, sends no removal that nobody asked for,
 * and leaves a stranger's card alone. What the lock has is asked of the lock itself: on a busy machine a command may reach it too late, and
 * then it does nothing.
 */
export async function removalsWithoutAnswer(site: Site, lock: number, removals: number, random: Random): Promise<readonly string[]> {
  const [handle, lockId, stranger] = [site.lock(lock), site.lockId(lock), String(5_500_000 + lock)];
  handle.learn({ kind: 'card', number: stranger, startDate: 0, endDate: 0 });
  const wrong: string[] = [];
  for (let removal = 1; removal <= removals; removal++) {
    const number = String(5_000_000 + lock * 10_000 + removal);
    const cardId = await addQueued(site, lock, number);
    await until(async () => (await statusOf(site, lock, number)) === 'on-lock', `${number} is on lock ${lock}`);
    const isThere = (): boolean => numbersOn(site, lock).includes(number);
    const request: RequestOptions = { query: { lockId, cardId, deleteType: 2 } };
    let asked = 0;
    async function removed(isUnheard: boolean): Promise<void> {
      asked += 1;
      let { body } = await site.api('DELETE', `${cards}/delete`, request);
      // Its turn did not come in time, and nothing was sent.
      while (body.code === 'lock-busy') ({ body } = await site.api('DELETE', `${cards}/delete`, request));
      // A lock that got it too late may have the time to say so.
      const isLate = body.code === 'lock-timeout' || body['lockError'] === 'expired';
      if (isUnheard && !isLate) wrong.push(`removal ${removal} at lock ${lock}: ${JSON.stringify(body)}`);
      const isSettled = async () => (await statusOf(site, lock, number)) === (isThere() ? 'on-lock' : undefined);
      await until(isSettled, `${number} is on lock ${lock} exactly when the gateway says so`).catch(({ message }) => wrong.push(message));
    }
    handle.script([{ kind: random.chance(0.5) ? 'lost-reply' : 'silence' }]);
    await removed(true);
    // What is there stays so until somebody asks again.
    if (isThere() && random.chance(0.5)) await removed(false);
    const sent = timesSent(site, lock, number, removeOps);
    if (sent > asked) wrong.push(`${number} was to be taken off lock ${lock} ${asked} times, and that was sent ${sent} times`);
  }
  const listed = (await entriesOn(site, lock)).filter(({ status }) => status === 'on-lock').map((entry) => String(entry['number']));
  const held = numbersOn(site, lock);
  const known = [...listed, stranger];
  if (String(held.toSorted()) !== String(known.toSorted())) wrong.push(`lock ${lock} holds ${held}, and the gateway knows of ${known}`);
  return wrong;
}

/** How long unlocks of this lock take, in milliseconds, in their order. */
export async function unlockTimes(site: Site, lock: number, unlocks: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let unlock = 0; unlock < unlocks; unlock++) {
    const from = performance.now();
    const { status } = await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(lock) } });
    if (status !== 200) throw new Error(`lock ${lock} was not unlocked: ${status}`);
    times.push(performance.now() - from);
    await site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(lock) } });
    // A lock has only so many messages under way.
    await site.lock(lock).whenEventsAcknowledged();
  }
  return times.toSorted((one, other) => one - other);
}
