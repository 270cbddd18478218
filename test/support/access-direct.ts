// Programs in the house of the access rounds: they put cards and one-time codes on locks directly, one at a time, and take them off.
import { type AccessHouse, ends, pause } from './access-house.ts';
import { takeOff } from './access-people.ts';
import { passcodeKey } from './lock-traffic.ts';
import type { Answer } from './site.ts';

const cards = '/api/v1/identity-card';

const wordOf = (answer: Answer | undefined): string => String(answer?.body.code ?? answer?.status ?? 'no answer');

async function addAtOnce(house: AccessHouse, lock: number, number: string, endDate: number): Promise<number | undefined> {
  const { site, ledger, did, lies } = house;
  const query = { lockId: site.lockId(lock), cardNumber: number, method: 'regular', startDate: 0, endDate, addType: 2 };
  const lied = lies(lock);
  await house.whenUp();
  const answer = await house.ask('POST', `${cards}/add`, { query });
  did(`card added: ${wordOf(answer)}`, lock, number);
  if (answer?.status === 200) ledger.wanted(lock, number, endDate);
  // Without an answer it is taken off again, but where it may have been there before.
  const isUnanswered = answer === undefined || answer.body.code === 'lock-timeout';
  if (isUnanswered || lied !== lies(lock) || lied % 2 === 1) ledger.open(lock, number);
  return answer?.status === 200 ? answer.body.keyboardPwdId : undefined;
}

async function addQueued(house: AccessHouse, lock: number, number: string, endDate: number): Promise<number | undefined> {
  const { site, ledger, did } = house;
  const query = { lockId: site.lockId(lock), cardNumber: number, method: 'regular', startDate: 0, endDate, addType: 2, queue: 1 };
  const answer = await house.insist('POST', `${cards}/add`, [200, 'card-exists'], { query });
  ledger.wanted(lock, number, endDate);
  did('card added: queued', lock, number);
  return answer.body.keyboardPwdId ?? (await house.entriesOf(lock))?.find((one) => one['number'] === number)?.['entryId'];
}

async function remove(house: AccessHouse, lock: number, number: string, cardId: number): Promise<void> {
  const { site, random, ledger, did, lies } = house;
  const query = { lockId: site.lockId(lock), cardId, deleteType: 2 };
  const lied = lies(lock);
  if (random.chance(0.5)) {
    const { status } = await house.insist('DELETE', `${cards}/delete`, [200, 404], { query: { ...query, queue: 1 } });
    ledger.unwanted(lock, number);
    did(`card deleted: queued: ${status}`, lock, number);
    return;
  }
  await house.whenUp();
  const answer = await house.ask('DELETE', `${cards}/delete`, { query });
  did(`card deleted: ${wordOf(answer)}`, lock, number);
  if (answer?.status === 200 || answer?.status === 404) ledger.unwanted(lock, number);
  else if (answer?.body.code !== 'lock-offline' && answer?.body.code !== 'lock-busy') ledger.open(lock, number);
  if (lied !== lies(lock) || lied % 2 === 1) ledger.open(lock, number);
}

/** With the endpoints of the specification, a lock at a time, until the round is over. */
export async function putCards(house: AccessHouse): Promise<void> {
  const { random, ledger } = house;
  const mine: { readonly lock: number; readonly number: string; readonly cardId: number }[] = [];
  while (!house.isOver) {
    const one = mine.length > 0 && random.chance(0.6) ? random.pick(mine) : undefined;
    if (one === undefined) {
      const [lock, number] = [house.pickLock(), house.newNumber()];
      ledger.asked(lock, number);
      const cardId = await (random.chance(0.5) ? addAtOnce : addQueued)(house, lock, number, random.pick(ends));
      if (cardId !== undefined) mine.push({ lock, number, cardId });
    } else if (random.chance(0.5)) await takeOff(house, one.lock, one.number);
    else {
      mine.splice(mine.indexOf(one), 1);
      await remove(house, one.lock, one.number, one.cardId);
    }
    await pause(random.below(120));
  }
}

/** Makes one-time codes and enters them, until the round is over. */
export async function useCodes(house: AccessHouse): Promise<void> {
  const { site, random, ledger, codes, did } = house;
  while (!house.isOver) {
    if (codes.length === 0 || random.chance(0.3)) {
      const lock = random.pick(house.locks.filter(house.hasFeatures));
      const code = house.newCode();
      ledger.asked(lock, passcodeKey(code));
      const query = { lockId: site.lockId(lock), addType: 2, keyboardPwdType: 1, keyboardPwd: code, queue: random.below(2) };
      await house.whenUp();
      const answer = await house.ask('POST', '/api/v1/passcode/add', { query });
      codes.push({ lock, code, entryId: answer?.status === 200 ? answer.body.keyboardPwdId : undefined, admitted: 0 });
      did(`code added: ${wordOf(answer)}`, lock, passcodeKey(code));
    } else await enterCode(house, random.below(Math.min(4, codes.length)));
    await pause(random.below(200));
  }
}

/** Enters the code that was made so many codes ago. */
export async function enterCode({ site, codes, did }: AccessHouse, ago: number): Promise<void> {
  const one = codes.at(-1 - ago);
  if (one === undefined || !(await site.lock(one.lock).enterPasscode(one.code)).done) return;
  one.admitted += 1;
  did('code admitted', one.lock, passcodeKey(one.code));
}
