// The story of the demo: a day at five doors, over HTTP, with all requests and answers.
import type { Answer, DemoClient } from './demo-client.ts';
import type { Fleet } from './fleet.ts';

const printedNumber = '1325672378';
const reversedNumber = '3123119183';
const autoLockSeconds = 2;

const lists = (answer: Answer) => answer.body['list'] as Record<string, unknown>[];
const types = (answer: Answer) => lists(answer).map((record) => record['recordType']);
const recordsOf = (lockId: number | undefined) => `/api/v1/lock/records?lockId=${lockId}&pageNo=1&pageSize=10`;

/** Acts and narrates; the client counts what is not as expected. The fleet has five locks, the second with a reversing reader. */
export async function tellStory(client: DemoClient, fleet: Fleet): Promise<void> {
  await tellOfCards(client, fleet);
  await tellOfFaults(client, fleet);
}

async function tellOfCards({ request, requestUntil, heading, tell, expect }: DemoClient, fleet: Fleet): Promise<void> {
  const lockIds = fleet.locks.map((lock) => lock.lockId);
  const [office, side] = lockIds;

  heading('1. Which locks are there?');
  const listed = await request('GET', '/api/v1/lock/list?pageNo=1&pageSize=10');
  expect('five locks, by lockId', [listed.body['total'], lists(listed).map((lock) => lock['lockId'])], [5, lockIds]);

  heading('2. How full is the battery of the first one?');
  const battery = await request('GET', `/api/v1/lock/battery?lockId=${office}`);
  expect('a percentage', battery.body, { BatteryPercentage: fleet.lock(1).batteryPercent });

  heading(`3. It shall lock itself after ${autoLockSeconds} seconds. Unlock it, and once more.`);
  expect('set', (await request('POST', `/api/v1/lock/set-auto-lock-timer?lockId=${office}&seconds=${autoLockSeconds}`)).body, {
    success: true,
  });
  expect('unlocked', (await request('POST', `/api/v1/lock/unlock?lockId=${office}`)).body, { success: true });
  expect('unlocked already: nothing happens', (await request('POST', `/api/v1/lock/unlock?lockId=${office}`)).body, { success: true });
  expect('the lock itself is open', fleet.lock(1).state, 'unlocked');
  tell(`waiting ${autoLockSeconds} s for the lock's own timer`);
  const locked = await requestUntil('GET', `/api/v1/lock/state?lockId=${office}`, ({ body }) => body['state'] === 'locked');
  expect('it has locked itself', locked.body, { state: 'locked' });

  heading('4. A card for the second door, whose reader has the other byte order');
  const validity = 'startDate=0&endDate=0';
  const add = `/api/v1/identity-card/add?lockId=${side}&cardNumber=${printedNumber}&method=reverse&addType=2&${validity}&cardName=Maria`;
  const added = await request('POST', add);
  expect('added to the lock', added.status, 200);
  const cards = await request('GET', `/api/v1/identity-card/list?lockId=${side}&pageNo=1&pageSize=10`);
  expect('its number looks different', lists(cards)[0]?.['cardNumber'], reversedNumber);
  tell(`Maria holds card ${printedNumber} to the reader`);
  const swiped = await fleet.lock(2).swipeCard(printedNumber);
  tell(`the door says: ${JSON.stringify(swiped)}`);
  const opened = await requestUntil('GET', `/api/v1/lock/state?lockId=${side}`, ({ body }) => body['state'] === 'unlocked');
  expect('the card opened the door', opened.body, { state: 'unlocked' });

  heading('5. The records of all that');
  const first = await requestUntil('GET', recordsOf(office), (answer) => types(answer).includes('auto lock'));
  expect('newest first: one unlock, one auto lock', types(first), ['auto lock', 'unlock by gateway']);
  expect('the record knows who unlocked', lists(first)[1]?.['username'], 'admin');
  const second = await requestUntil('GET', recordsOf(side), (answer) => types(answer).includes('unlock by IC card'));
  const byCard = lists(second).find((record) => record['recordType'] === 'unlock by IC card');
  expect('the card by its number and name', [byCard?.['keyboardPwd'], byCard?.['username']], [reversedNumber, 'Maria']);
}

async function tellOfFaults({ request, requestUntil, heading, tell, expect }: DemoClient, fleet: Fleet): Promise<void> {
  const [, , store, cellar] = fleet.locks.map((lock) => lock.lockId);

  heading('6. The third lock loses its network');
  fleet.lock(3).cutNetwork();
  const online = (is: boolean) => (answer: Answer) => answer.headers.get('latchd-lock-online') === String(is);
  await requestUntil('GET', `/api/v1/lock/state?lockId=${store}`, online(false));
  const refused = await request('POST', `/api/v1/lock/unlock?lockId=${store}`);
  expect('offline is said at once, and nothing waits for its return', [refused.status, refused.body['code']], [503, 'lock-offline']);
  fleet.lock(3).restoreNetwork();
  tell('the network is back');
  const returned = await requestUntil('GET', `/api/v1/lock/state?lockId=${store}`, online(true));
  expect('it is back, and still locked', returned.body, { state: 'locked' });
  expect('now it opens', (await request('POST', `/api/v1/lock/unlock?lockId=${store}`)).body, { success: true });

  heading('7. Something blocks the bolt of the fourth lock');
  fleet.lock(4).jam(true);
  const jammed = await request('POST', `/api/v1/lock/unlock?lockId=${cellar}`);
  expect('the lock said that it could not', jammed.body, { success: false, reason: 'jammed' });
  fleet.lock(4).jam(false);
  const blocked = await requestUntil('GET', recordsOf(cellar), (answer) => lists(answer).length > 0);
  expect('and it is on record', [types(blocked).at(-1), lists(blocked).at(-1)?.['success']], ['unlock by gateway', 0]);
  expect('and now it can', (await request('POST', `/api/v1/lock/unlock?lockId=${cellar}`)).body, { success: true });
}
