// kill -9 at random moments while doors and people are busy: what was acknowledged is there exactly once after the next start,
// without a repair by hand (Faults T1 and T2, as far as a process can be killed and a disk cannot).
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startGatewayProcess } from '../../device-sim/gateway-process.ts';
import { createSeededRandom } from '../../device-sim/seeded-random.ts';
import { openSite, program, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const seed = 20_261_121;
const rounds = 8;
const lockNumbers = [1, 2, 3, 4] as const;
/** A round is cut off at a random moment, once this many events were given to the locks, and a card and a change acknowledged. */
const [fewest, most] = [20, 140];
const cutWithinMs = 80;

/** Everything that the gateway has answered with 2xx. */
interface Acknowledged {
  readonly cards: Map<number, { readonly lockId: number; readonly cardNumber: string }>;
  readonly deleted: Set<number>;
  readonly accounts: Set<string>;
  readonly tokens: Map<number, string>;
  readonly locks: Set<number>;
}

describe('a gateway that is killed again and again', () => {
  const random = createSeededRandom(seed);
  const acknowledged: Acknowledged = { cards: new Map(), deleted: new Set(), accounts: new Set(), tokens: new Map(), locks: new Set() };
  /** Card numbers that were held to each lock, in order: each is one event that can be told from all others. */
  const swiped = new Map<number, string[]>(lockNumbers.map((number) => [number, []]));
  /** Every record that anybody has ever seen, by its id. */
  const seen = new Map<number, string>();
  const config = join(tmpdir(), `latchd-durability-${process.pid}.yaml`);
  let site: Site;
  let receiver: WebhookReceiver;
  let serial = 0;
  let cardsAdded = 0;
  let changesMade = 0;

  beforeAll(async () => {
    // Without a history the locks cannot send again what they have forgotten on a PUBACK: a broken promise shows.
    const locks = lockNumbers.map(() => ({ historyCapacity: 0, eventCapacity: 10_000, cardCapacity: 1_000 }));
    await writeFile(config, 'webhooks: { networks: [127.0.0.1] }\n');
    site = await openSite({ locks, flags: ['--config', config] });
    receiver = await startWebhookReceiver();
    await site.api('POST', '/api/v1/gateway/webhooks', { body: { name: 'all', url: receiver.url, eventTypes: ['record'] } });
  });

  afterAll(async () => {
    await site?.close();
    await receiver?.down();
    await rm(config, { force: true });
  });

  /** Undefined when the gateway died before its answer. */
  async function ask(
    method: string,
    path: string,
    options: Parameters<Site['api']>[2],
  ): Promise<Awaited<ReturnType<Site['api']>> | undefined> {
    try {
      return await site.api(method, path, options);
    } catch {
      return undefined;
    }
  }

  async function swipe(stop: () => boolean, upTo: number): Promise<void> {
    for (let count = 0; count < upTo && !stop(); count++) {
      for (const number of lockNumbers) {
        const cardNumber = String(1_000_000 + serial++);
        swiped.get(number)?.push(cardNumber);
        await site.lock(number).swipeCard(cardNumber);
      }
      // Now and then the locks wait until everything is acknowledged, so that live events come as well as batches.
      if (random() < 0.1) await Promise.race([site.lock(1).whenEventsAcknowledged(), site.gateway.ended]);
    }
  }

  async function addCards(number: number, stop: () => boolean): Promise<void> {
    const lockId = site.lockId(number);
    while (!stop()) {
      const cardNumber = String(8_000_000 + serial++);
      const query = { lockId, cardNumber, method: 'regular', addType: 2, startDate: 0, endDate: 0 };
      const added = await ask('POST', '/api/v1/identity-card/add', { query });
      if (added?.status !== 200) continue;
      const cardId = added.body.keyboardPwdId;
      cardsAdded++;
      expect(acknowledged.cards.has(cardId)).toBe(false);
      acknowledged.cards.set(cardId, { lockId, cardNumber });
      if (random() < 0.7) continue;
      const deleted = await ask('DELETE', '/api/v1/identity-card/delete', { query: { lockId, cardId, deleteType: 2 } });
      if (deleted?.status === 200) acknowledged.deleted.add(cardId);
      // Nobody knows how this one ended.
      else acknowledged.cards.delete(cardId);
    }
  }

  /** One after the other, going on in the next round where the last one ended, so that each has its turn. */
  const changes: readonly (() => Promise<boolean>)[] = [
    async () => {
      const username = `person-${serial++}`;
      const answer = await ask('POST', '/api/v1/gateway/accounts', { body: { username, gatewayAdministrator: true } });
      if (answer?.status === 201) acknowledged.accounts.add(username);
      return answer?.status === 201;
    },
    async () => {
      const answer = await ask('POST', '/api/v1/gateway/tokens', { body: { username: 'admin', name: `token-${serial++}` } });
      if (answer?.status === 201) acknowledged.tokens.set(answer.body.tokenId, answer.body.token);
      return answer?.status === 201;
    },
    async () => {
      const lockMac = `02DD${(serial++).toString(16).padStart(8, '0')}`;
      const answer = await ask('POST', '/api/v1/gateway/locks', { body: { lockMac, lockName: lockMac } });
      if (answer?.status === 201) acknowledged.locks.add(answer.body.lockId);
      return answer?.status === 201;
    },
  ];

  async function manage(stop: () => boolean): Promise<void> {
    while (!stop()) if (await changes[changesMade % changes.length]?.()) changesMade++;
  }

  /** A record that was once shown is shown for ever, under its id, as the same record. */
  async function lookAtRecords(): Promise<void> {
    for (const number of lockNumbers) {
      const records = await site.all('/api/v1/lock/records', { lockId: site.lockId(number) });
      const now = new Map(records.map(({ recordId, keyboardPwd }) => [recordId, `${number}: ${keyboardPwd}`]));
      for (const [recordId, what] of seen)
        if (what.startsWith(`${number}:`)) expect([recordId, now.get(recordId)]).toEqual([recordId, what]);
      for (const [recordId, what] of now) {
        expect([recordId, seen.get(recordId) ?? what]).toEqual([recordId, what]);
        seen.set(recordId, what);
      }
    }
  }

  test(`after ${rounds} ends, most of them by kill -9, every acknowledged event, card, account, token and lock is there exactly once, under its own id (Fault T2)`, async () => {
    for (let round = 0; round < rounds; round++) {
      let over = false;
      const stop = () => over;
      const enough = serial + fewest + Math.floor(random() * (most - fewest));
      const [cardsBefore, changesBefore] = [cardsAdded, changesMade];
      const busy = [swipe(stop, 1_000), addCards(1, stop), addCards(2, stop), manage(stop)];
      await until(() => serial >= enough && cardsAdded > cardsBefore && changesMade > changesBefore, 'the round has had its share');
      await new Promise((resolve) => setTimeout(resolve, random() * cutWithinMs));
      // Every fourth time it is asked to end, in the middle of the same bustle, and must manage that as well (Fault T21).
      const asked = round % 4 === 3;
      if (asked) expect(await site.gateway.stop()).toBe(0);
      else await site.kill9();
      over = true;
      await Promise.all(busy);
      // The lock file of a dead process does not stop the next one (Fault T2).
      expect(existsSync(join(site.dataDir, 'latchd.lock'))).toBe(!asked);
      // In every third round nobody hears of anything.
      await (round % 3 === 0 ? receiver.down() : receiver.up());
      await site.start();
      await lookAtRecords();
    }
    for (const number of lockNumbers) {
      await site.whenOnline(number);
      await site.lock(number).whenEventsAcknowledged();
    }
    await lookAtRecords();

    for (const number of lockNumbers) {
      const records = await site.all('/api/v1/lock/records', { lockId: site.lockId(number) });
      // Once each, none missing, in the order in which they happened.
      expect(records.map(({ keyboardPwd }) => keyboardPwd).reverse()).toEqual(swiped.get(number));
    }
    expect(new Set(seen.values()).size).toBe(seen.size);
    // And the receiver of a webhook was told of each, whoever was away when it happened; for the first time in that order.
    for (const number of lockNumbers) {
      const told = () => {
        const ofLock = receiver.posts.filter(({ data }) => data['lockId'] === site.lockId(number));
        return [...new Set(ofLock.map(({ data }) => data['keyboardPwd']))];
      };
      await until(() => told().length === swiped.get(number)?.length, 'all was told');
      expect(told()).toEqual(swiped.get(number));
    }

    // Nothing half-done: what is settled after the hello leaves lock and gateway with the same cards (Protocol 5.4 rule 6).
    for (const number of [1, 2]) {
      const lockId = site.lockId(number);
      const cards = async () => (await site.all('/api/v1/identity-card/list', { lockId })).map(({ cardNumber }) => cardNumber).sort();
      const onLock = () =>
        site
          .lock(number)
          .memory.cards.map(({ cardNumber }) => cardNumber)
          .sort();
      await until(async () => JSON.stringify(await cards()) === JSON.stringify(onLock()), `lock ${number} and the gateway agree`);
      const kept = await site.all('/api/v1/identity-card/list', { lockId });
      for (const [cardId, card] of acknowledged.cards) {
        if (card.lockId !== lockId) continue;
        const found = kept.filter((one) => one.cardId === cardId || one.cardNumber === card.cardNumber);
        expect(found.map((one) => [one.cardId, one.cardNumber])).toEqual(
          acknowledged.deleted.has(cardId) ? [] : [[cardId, card.cardNumber]],
        );
      }
    }

    const usernames = (await site.all('/api/v1/gateway/accounts')).map(({ username }) => username);
    expect(new Set(usernames).size).toBe(usernames.length);
    expect(usernames).toEqual(expect.arrayContaining([...acknowledged.accounts]));
    const tokenIds = (await site.all('/api/v1/gateway/tokens')).map(({ tokenId }) => tokenId);
    expect(new Set(tokenIds).size).toBe(tokenIds.length);
    expect(tokenIds).toEqual(expect.arrayContaining([...acknowledged.tokens.keys()]));
    const statuses = await Promise.all(
      [...acknowledged.tokens.values()].map((token) => site.api('GET', '/api/v1/gateway/status', { token })),
    );
    expect(statuses.every(({ status }) => status === 200)).toBe(true);
    const lockIds = (await site.all('/api/v1/gateway/locks')).map(({ lockId }) => lockId);
    expect(new Set(lockIds).size).toBe(lockIds.length);
    expect(lockIds).toEqual(expect.arrayContaining([...acknowledged.locks]));

    // Ids go on upwards: none that was ever given comes again (Decision 7).
    const query = { lockId: site.lockId(1), cardNumber: '7000001', method: 'regular', addType: 2, startDate: 0, endDate: 0 };
    const next = await site.api('POST', '/api/v1/identity-card/add', { query });
    expect(next.body.keyboardPwdId).toBeGreaterThan(Math.max(...acknowledged.cards.keys()));
    // It was enough to mean something.
    expect(seen.size).toBeGreaterThan(100);
    expect(cardsAdded).toBeGreaterThanOrEqual(rounds);
    expect(Math.min(acknowledged.accounts.size, acknowledged.tokens.size, acknowledged.locks.size)).toBeGreaterThan(0);
  });

  test('a kill in the middle of the very first start leaves a first start: one admin, whose token works (HTTP API 2.1)', async () => {
    const runs = createRuns();
    try {
      for (const ms of [0, 2, 5, 10]) {
        const dataDir = join(site.folder, `first-${ms}`);
        const run = runs.begin(['serve', '--data-dir', dataDir, '--http-port', '0', '--mqtt-port', '0']);
        await until(() => existsSync(dataDir) || run.stdout() !== '', 'it has begun');
        const killAt = performance.now() + ms;
        await until(() => performance.now() >= killAt, 'the moment has come');
        run.signal('SIGKILL');
        await run.ended;
        const gateway = await startGatewayProcess({ dataDir, program: program });
        const answer = await fetch(`${gateway.httpUrl}/api/v1/gateway/accounts`, { headers: { authorization: `Bearer ${gateway.token}` } });
        expect([answer.status, ((await answer.json()) as { total: number }).total]).toEqual([200, 1]);
        expect(await gateway.stop()).toBe(0);
      }
    } finally {
      await runs.endAll();
    }
  });
});
