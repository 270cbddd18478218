// What is wrong in the house of the access rounds when all is quiet again: what each lock holds and what the gateway says of it, against the
// ledger, and what was sent.
import { type AccessHouse, access } from './access-house.ts';
import { passcodeKey, sentCredentials } from './lock-traffic.ts';

export interface AccessFault {
  readonly lock: number;
  readonly number: string;
  /** What is not as it must be. */
  readonly text: string;
}

const openStatuses = ['pending', 'updating', 'removing', 'unsure', 'failed'];
/** A one-time code that opened, or that a phone or a new board took away, ends in nothing else. */
const doneStatuses = [undefined, 'ended'];

/** Resolves with what is wrong at all locks now. */
export async function faultsAtLocks(house: AccessHouse): Promise<readonly AccessFault[]> {
  return (await Promise.all(house.locks.map((lock) => faultsAtLock(house, lock)))).flat();
}

async function faultsAtLock({ site, ledger, codes }: AccessHouse, lock: number): Promise<readonly AccessFault[]> {
  const all: AccessFault[] = [];
  const say = (number: string, text: string): void => void all.push({ lock, number, text });
  const entries = await site.all(`${access}/locks/${site.lockId(lock)}/entries`);
  const { cards: held, passcodes } = site.lock(lock).memory;
  const mine = codes.filter((one) => one.lock === lock);
  const statusOf = (number: string) => entries.find((one) => one['number'] === number)?.['status'] as string | undefined;

  for (const { entryId, number, status, why, lockError } of entries) {
    if (!openStatuses.includes(String(status))) continue;
    const code = mine.find((one) => one.entryId === entryId)?.code;
    say(String(number ?? (code === undefined ? entryId : passcodeKey(code))), `is ${status} (${why ?? lockError})`);
  }
  for (const { cardNumber, startDate, endDate } of held) {
    if (ledger.wasAsked(lock, cardNumber)) continue;
    const end = ledger.strangers(lock).get(cardNumber);
    if (end === undefined) say(cardNumber, 'nobody ever wanted it here');
    else if (end !== endDate || startDate !== 0) say(cardNumber, 'a stranger has other dates');
  }
  for (const number of ledger.strangers(lock).keys()) {
    if (!held.some(({ cardNumber }) => cardNumber === number)) say(number, 'a stranger is gone');
    if (statusOf(number) !== 'stranger') say(number, `a stranger is called ${statusOf(number)}`);
  }
  for (const number of ledger.numbers(lock).filter((one) => !one.startsWith('p'))) {
    const card = held.find(({ cardNumber }) => cardNumber === number);
    const [status, verdict] = [statusOf(number), ledger.verdict(lock, number)];
    const found = `held: ${JSON.stringify(card)}, ${status}`;
    if (verdict.is === 'there' && (card?.endDate !== verdict.endDate || status !== 'on-lock')) say(number, `wanted, and ${found}`);
    if (verdict.is === 'missing' && (card !== undefined || status !== 'missing')) say(number, `taken off at the lock, and ${found}`);
    if (verdict.is === 'gone' && (card !== undefined || !doneStatuses.includes(status))) say(number, `not wanted, and ${found}`);
    if (verdict.is === 'either' && (card !== undefined) !== ['on-lock', 'stranger'].includes(String(status))) say(number, found);
  }
  for (const { number } of passcodes)
    if (!mine.some(({ code }) => code === number)) say(passcodeKey(number), 'nobody ever wanted this code here');
  for (const { code, entryId, admitted } of mine) {
    const isHeld = passcodes.some(({ number }) => number === code);
    if (isHeld && admitted > 0) say(passcodeKey(code), 'was used, and is there');
    if (admitted > 1) say(passcodeKey(code), `admitted ${admitted} times`);
    const status = entries.find((one) => one['entryId'] === entryId)?.['status'];
    if (entryId !== undefined && isHeld !== (status === 'on-lock')) say(passcodeKey(code), `held: ${isHeld}, and called ${status}`);
  }
  return all;
}

/** What was sent to a lock and must not be. */
export function faultsOnWire({ site, ledger, neverThere, locks, trail }: AccessHouse): readonly AccessFault[] {
  const sent = sentCredentials(site.wire);
  const numberOf = new Map<string, number>(locks.map((lock) => [site.lock(lock).deviceId, lock]));
  const refused = new Set([...site.wire.fromLocks().matchAll(/"id":"([^"]+)","ok":false/g)].map(([, id]) => id));
  const places = new Map<string, { readonly lock: number; readonly number: string; times: number }>();
  trail.note(`${sent.length} commands about cards and passcodes were sent`);
  const all = sent.flatMap(({ deviceId, commandId, op, number }): AccessFault[] => {
    const lock = numberOf.get(deviceId) ?? 0;
    if (number.startsWith('p') && op === 'put-credentials' && !refused.has(commandId)) {
      const one = places.get(`${lock} ${number}`) ?? { lock, number, times: 0 };
      one.times += 1;
      places.set(`${lock} ${number}`, one);
    }
    if (ledger.wasStranger(lock, number)) return [{ lock, number, text: `${op} of a stranger` }];
    if (neverThere.some((one) => one.lock === lock && one.number === number))
      return [{ lock, number, text: `${op}, and it was ended while the lock was away` }];
    return ledger.wasAsked(lock, number) ? [] : [{ lock, number, text: `${op}, and nobody wanted it there` }];
  });
  const twice = [...places.values()].filter(({ times }) => times > 1);
  return [...all, ...twice.map(({ lock, number, times }) => ({ lock, number, text: `placed ${times} times` }))];
}
