// A door never opens late, twice, or for the wrong caller: the real daemon and the wire between it and its locks (Faults T6 to T9, T11).
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Item, openSite, type Site, until } from '../support/site.ts';
import { connectHandLock, type HandLock, type HandLockOptions } from '../support/site-lock.ts';

const unlock = '/api/v1/lock/unlock';
const lockIt = '/api/v1/lock/lock';
const always = { startDate: 0, endDate: 0 };

/** How often an op was sent over the wire. */
function sent(site: Site, op: string): number {
  return site.wire.sent(`"op":"${op}"`);
}

async function recordsOf(site: Site, lockId: number): Promise<readonly Item[]> {
  const { body } = await site.api('GET', '/api/v1/lock/records', { query: { lockId, pageNo: 1, pageSize: 1000 } });
  return body.list;
}

/** A command there and back: whatever was queued for this lock before has been sent by then. */
async function roundTrip(site: Site, lockId: number): Promise<void> {
  const { status } = await site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId } });
  expect(status).toBe(200);
}

describe('doors over a real wire', () => {
  let site: Site;
  const byHand: HandLock[] = [];

  beforeAll(async () => {
    site = await openSite({ locks: [{}, {}, {}, {}, { faults: { duplicates: true } }], flags: ['--command-timeout-ms', '1200'] });
  });

  afterAll(async () => {
    for (const lock of byHand) await lock.end();
    await site?.close();
  });

  async function register(lockMac: string): Promise<HandLockOptions & { readonly lockId: number }> {
    const { status, body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac, lockName: lockMac } });
    expect(status).toBe(201);
    return { lockId: body.lockId, deviceId: body.deviceId, deviceKey: body.deviceKey, mqttUrl: site.wire.url };
  }

  async function connectByHand(options: HandLockOptions): Promise<HandLock> {
    const lock = await connectHandLock(options);
    byHand.push(lock);
    return lock;
  }

  /** Sends a request and resolves when it has left, before its answer; `leave` hangs up, `status` is that of the answer. */
  function ask(path: string, lockId: number, token: string): Promise<{ leave(): void; readonly status: Promise<number | undefined> }> {
    return new Promise((resolve, reject) => {
      const asked = httpRequest(`${site.gateway.httpUrl}${path}?lockId=${lockId}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        agent: false,
      });
      const status = new Promise<number | undefined>((settle) => {
        asked.once('response', (response) => settle(response.resume().statusCode));
        asked.once('close', () => settle(undefined));
      });
      asked.once('error', reject);
      asked.once('finish', () => resolve({ leave: () => void asked.destroy(), status }));
      asked.end();
    });
  }

  /** The gateway goes on after so long. */
  async function thawIn(ms: number): Promise<undefined> {
    await new Promise((resolve) => void setTimeout(resolve, ms));
    process.kill(site.gateway.pid, 'SIGCONT');
    return undefined;
  }

  test('an unlock for an absent lock is lock-offline at once and never executed when it returns (Fault T6, Protocol 5.4 rule 2)', async () => {
    const lock = site.lock(1);
    const lockId = site.lockId(1);
    lock.cutNetwork();
    await site.whenOnline(1, false);
    const before = sent(site, 'unlock');
    const refused = await site.api('POST', unlock, { query: { lockId } });
    expect([refused.status, refused.body.code]).toEqual([503, 'lock-offline']);
    lock.restoreNetwork();
    await site.whenOnline(1);
    await roundTrip(site, lockId);
    expect([sent(site, 'unlock') - before, lock.state, (await recordsOf(site, lockId)).length]).toEqual([0, 'locked', 0]);
  });

  test('a persistent session keeps nothing for a lock that is away, whatever flags it asks for (Fault T6, Protocol 2)', async () => {
    const door = await register('02:AA:00:00:00:01');
    const persistent = { ...door, options: { clean: false } };
    const first = await connectByHand(persistent);
    await first.hello();
    await first.end();
    await until(async () => {
      const { headers } = await site.api('GET', '/api/v1/lock/state', { query: { lockId: door.lockId } });
      return headers.get('latchd-lock-online') === 'false';
    }, 'the gateway has seen it leave');
    expect((await site.api('POST', unlock, { query: { lockId: door.lockId } })).body.code).toBe('lock-offline');
    const second = await connectByHand({ ...persistent, session: 'handmade2' });
    expect(second.sessionPresent).toBe(false);
    await second.hello();
    // Its next command is the first thing that it gets: nothing older came before it.
    const asked = site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId: door.lockId } });
    await until(() => second.commands.some(({ op }) => op === 'list-cards'), 'the listing is asked for');
    for (const { id } of second.commands) await second.publish('reply', { id, ok: true, result: { cards: [], total: 0 } });
    expect((await asked).status).toBe(200);
    expect(second.commands.map(({ op }) => op)).toEqual(['list-cards']);
  });

  test('a command that a frozen connection gives out after its time-out is refused by the lock as expired (Fault T7)', async () => {
    const before = sent(site, 'unlock');
    // One thaws as soon as its caller has been told, the other when the gateway has given up its connection.
    const [early, late] = [1, 2] as const;
    for (const number of [early, late]) site.wire.freeze(site.lock(number).deviceId);
    const answers = await Promise.all([early, late].map((number) => site.api('POST', unlock, { query: { lockId: site.lockId(number) } })));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [504, 'lock-timeout'],
      [504, 'lock-timeout'],
    ]);
    site.wire.thaw(site.lock(early).deviceId);
    await site.whenOnline(late, false);
    site.wire.thaw(site.lock(late).deviceId);
    const commandIds = () => [...site.wire.toLocks().matchAll(/"id":"([^"]+)","session":"[^"]+","op":"unlock"/g)].map((match) => match[1]);
    const refused = (id: string | undefined) => site.wire.fromLocks().includes(`{"id":"${id}","ok":false,"error":"expired"`);
    // The refusal of the late one may find its connection ended already; that its bolt did not move is seen below.
    await until(() => commandIds().some(refused), 'the lock that thawed first has refused it');
    site.wire.reset(site.lock(late).deviceId);
    for (const number of [early, late]) {
      await site.whenOnline(number);
      await roundTrip(site, site.lockId(number));
      const state = await site.api('GET', '/api/v1/lock/state', { query: { lockId: site.lockId(number) } });
      expect([site.lock(number).state, state.body['state'], site.lock(number).memory.lastSeq]).toEqual(['locked', 'locked', 0]);
    }
    expect(sent(site, 'unlock') - before).toBe(2);
  });

  test('a lock that says everything twice, and is told everything twice, makes one record and moves once (Fault T9)', async () => {
    const lock = site.lock(5);
    const lockId = site.lockId(5);
    const added = await site.api('POST', '/api/v1/identity-card/add', {
      query: { lockId, cardNumber: '1325672378', method: 'regular', addType: 2, ...always },
    });
    expect(added.status).toBe(200);
    expect((await site.api('POST', unlock, { query: { lockId } })).body).toEqual({ success: true });
    expect((await site.api('POST', lockIt, { query: { lockId } })).body).toEqual({ success: true });
    expect(await lock.swipeCard('1325672378')).toEqual({ done: true });
    // The same once more over a connection that breaks.
    lock.cutNetwork();
    await lock.enterPasscode('4711');
    lock.restoreNetwork();
    await lock.whenEventsAcknowledged();
    expect((await recordsOf(site, lockId)).map(({ recordType }) => recordType)).toEqual([
      'unlock by passcode',
      'unlock by IC card',
      'lock by gateway',
      'unlock by gateway',
    ]);
    expect(lock.memory.lastSeq).toBe(4);
  });

  test('an events message that is sent five times, over reconnects and with another PUBLISH between, makes one record (Fault T9)', async () => {
    const door = await register('02:AA:00:00:00:02');
    const message = { epoch: 'e1', events: [{ seq: 1, type: 'tamper', date: Date.now() }] };
    const second = { epoch: 'e1', events: [message.events[0], { seq: 2, type: 'door-open', date: Date.now() }] };
    for (const session of ['session-1', 'session-2']) {
      const lock = await connectByHand({ ...door, session });
      // Before the hello and after it: events count either way (Protocol 4.4).
      await lock.publish('events', message);
      await lock.hello();
      await Promise.all([lock.publish('events', message, { dup: true }), lock.publish('events', second), lock.publish('events', message)]);
      await lock.end();
    }
    expect((await recordsOf(site, door.lockId)).map(({ recordType }) => recordType)).toEqual(['door opened', 'tamper alert']);
  });

  test('a reply that comes twice, or late, changes nothing (Protocol 5.4 rules 4 and 5)', async () => {
    const door = await register('02:AA:00:00:00:03');
    const lock = await connectByHand(door);
    await lock.hello();
    const answered = site.api('POST', unlock, { query: { lockId: door.lockId } });
    await until(() => lock.commands.length === 1, 'the unlock has come');
    const { id = '' } = lock.commands[0] ?? {};
    await lock.publish('reply', { id, ok: true, state: 'unlocked' });
    expect((await answered).body).toEqual({ success: true });
    await lock.publish('state', { session: 'handmade1', state: 'locked' });
    await lock.publish('reply', { id, ok: true, state: 'unlocked' });
    const state = await site.api('GET', '/api/v1/lock/state', { query: { lockId: door.lockId } });
    expect(state.body).toEqual({ state: 'locked' });
  });

  test('a command whose caller has gone while it waited is dropped unsent (Protocol 5.4 rule 1)', async () => {
    const lockId = site.lockId(3);
    const [unlocks, locks] = [sent(site, 'unlock'), sent(site, 'lock')];
    site.lock(3).script([{ kind: 'slow', delayMs: 500 }]);
    const first = site.api('POST', unlock, { query: { lockId } });
    await until(() => sent(site, 'unlock') > unlocks, 'the unlock is under way');
    const waiting = await ask(lockIt, lockId, site.gateway.token);
    waiting.leave();
    const gone = (line: Readonly<Record<string, unknown>>) => line['path'] === lockIt && line['gone'] === true;
    await until(() => site.gateway.log.some(gone), 'the gateway has seen the caller go');
    expect((await first).body).toEqual({ success: true });
    await roundTrip(site, lockId);
    expect([sent(site, 'lock') - locks, site.lock(3).state]).toEqual([0, 'unlocked']);
  });

  test('an unlock that lay unread while the process stood still opens for nobody who has gone (Protocol 5.4 rule 1)', async () => {
    const lockId = site.lockId(3);
    await site.api('POST', lockIt, { query: { lockId } });
    const movements = site.lock(3).movements.length;
    process.kill(site.gateway.pid, 'SIGSTOP');
    try {
      const asked = await ask(unlock, lockId, site.gateway.token);
      asked.leave();
      expect(await asked.status).toBeUndefined();
      const stoppedAt = performance.now();
      await until(() => performance.now() - stoppedAt > 2_600, 'it has stood still for longer than any delay');
    } finally {
      process.kill(site.gateway.pid, 'SIGCONT');
    }
    await until(() => site.gateway.log.some(({ code }) => code === 'stood-still'), 'it has seen that itself');
    await site.whenOnline(3);
    await until(
      async () => (await site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId } })).status === 200,
      'it serves again',
    );
    expect([site.lock(3).state, site.lock(3).movements.length]).toEqual(['locked', movements]);
  });

  test('an unlock after a short standstill opens for nobody who has gone, and beyond its time-out for nobody at all (Protocol 5.4 rule 1)', async () => {
    const lockId = site.lockId(3);
    const before = sent(site, 'unlock');
    const { movements } = site.lock(3);
    const moved = movements.length;
    const answers: (number | undefined)[] = [];
    for (const [ms, leaves] of [
      [300, true],
      [600, true],
      [1_000, true],
      [1_400, true],
      [1_400, false],
      [1_900, false],
    ] as const) {
      process.kill(site.gateway.pid, 'SIGSTOP');
      try {
        const asked = await ask(unlock, lockId, site.gateway.token);
        if (leaves) asked.leave();
        else answers.push(...(await Promise.all([asked.status, thawIn(ms)])).slice(0, 1));
        if (leaves) await thawIn(ms);
      } finally {
        process.kill(site.gateway.pid, 'SIGCONT');
      }
      await until(
        async () => (await site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId } })).status === 200,
        'it serves again',
      );
    }
    expect(answers).toEqual([429, 429]);
    expect([sent(site, 'unlock') - before, movements.length - moved]).toEqual([0, 0]);
  });

  test('a command that waits when its lock reconnects belongs to the session that is over: lock-offline, and unsent (Decision 2)', async () => {
    const lock = site.lock(1);
    const lockId = site.lockId(1);
    const [unlocks, locks, events] = [sent(site, 'unlock'), sent(site, 'lock'), lock.memory.lastSeq];
    lock.script([{ kind: 'slow', delayMs: 200 }]);
    const first = site.api('POST', unlock, { query: { lockId } });
    await until(() => sent(site, 'unlock') > unlocks, 'the unlock is under way');
    const waiting = await ask(lockIt, lockId, site.gateway.token);
    await site.api('GET', '/healthz');
    lock.cutNetwork();
    lock.restoreNetwork();
    expect([(await first).status, await waiting.status]).toEqual([504, 503]);
    await site.whenOnline(1);
    await roundTrip(site, lockId);
    expect([sent(site, 'unlock') - unlocks, sent(site, 'lock') - locks]).toEqual([1, 0]);
    // The first one was of that session, too: the lock does not do it when it gets round to it.
    const roundToIt = performance.now() + 250;
    await until(() => performance.now() > roundToIt, 'the lock got round to it');
    expect([lock.state, lock.memory.lastSeq - events]).toEqual(['locked', 0]);
  });

  test('a command of an operator whose role is taken away while it waited is forbidden, and unsent', async () => {
    const lockId = site.lockId(4);
    const olga = await site.account('olga');
    await site.api('PUT', `/api/v1/gateway/locks/${lockId}/roles/olga`, { body: { role: 'operator' } });
    const [unlocks, locks] = [sent(site, 'unlock'), sent(site, 'lock')];
    site.lock(4).script([{ kind: 'slow', delayMs: 500 }]);
    const first = site.api('POST', unlock, { query: { lockId } });
    await until(() => sent(site, 'unlock') > unlocks, 'the unlock is under way');
    const waiting = await ask(lockIt, lockId, olga);
    expect((await site.api('DELETE', `/api/v1/gateway/locks/${lockId}/roles/olga`)).status).toBe(200);
    expect([(await first).body, await waiting.status]).toEqual([{ success: true }, 403]);
    await roundTrip(site, lockId);
    expect([sent(site, 'lock') - locks, site.lock(4).state]).toEqual([0, 'unlocked']);
  });

  test('twelve callers at once for one locked door move it once and make one record (Specification 3)', async () => {
    const lockId = site.lockId(2);
    const before = sent(site, 'unlock');
    const answers = await Promise.all(Array.from({ length: 12 }, () => site.api('POST', unlock, { query: { lockId } })));
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => ({ success: true })));
    await site.lock(2).whenEventsAcknowledged();
    expect([sent(site, 'unlock') - before, (await recordsOf(site, lockId)).length]).toEqual([1, 1]);
  });

  test("lock A's key neither speaks nor listens for lock B, which goes on undisturbed (Fault T11, Protocol 2 and 3)", async () => {
    const a = await register('02:AA:00:00:00:0A');
    const b = site.lock(3);
    const topicOf = (channel: string) => `latchd/v1/${b.deviceId}/${channel}`;
    const session = b.session;

    const listener = await connectByHand(a);
    expect(await listener.subscribe(topicOf('command'))).toEqual([128]);
    expect(await listener.subscribe(`latchd/v1/${a.deviceId}/command`, topicOf('command'), '#', '$SYS/#')).toEqual([1, 128, 128, 128]);
    await listener.hello();
    expect((await site.api('POST', b.state === 'locked' ? unlock : lockIt, { query: { lockId: site.lockId(3) } })).body).toEqual({
      success: true,
    });
    const own = site.api('GET', '/api/v1/identity-card/on-lock', { query: { lockId: a.lockId } });
    await until(() => listener.commands.length > 0, 'its own command has come');
    for (const { id } of listener.commands) await listener.publish('reply', { id, ok: true, result: { cards: [], total: 0 } });
    expect((await own).status).toBe(200);
    expect(listener.commands.map(({ op }) => op)).toEqual(['list-cards']);

    for (const [channel, payload] of [
      ['state', { session, state: 'unlocked' }],
      ['events', { epoch: 'e', events: [{ seq: 1, type: 'card-unlock' }] }],
      ['status', 'offline'],
      ['command', { id: 'x', session, op: 'unlock', args: {}, expires: 9_007_199_254_740_991, ttl: 1_000 }],
    ] as const) {
      const speaker = await connectByHand(a);
      await expect(speaker.publish(topicOf(channel), payload)).rejects.toThrow('ended');
    }
    await expect(connectByHand({ ...a, options: { clientId: b.deviceId } })).rejects.toThrow();
    await expect(connectByHand({ ...a, options: { clientId: b.deviceId, username: b.deviceId } })).rejects.toThrow();
    const will = { topic: topicOf('status'), payload: Buffer.from('offline'), qos: 1, retain: true } as const;
    await expect(connectByHand({ ...a, options: { will } })).rejects.toThrow();

    const state = await site.api('GET', '/api/v1/lock/state', { query: { lockId: site.lockId(3) } });
    expect([b.online, b.session, state.body, state.headers.get('latchd-lock-online')]).toEqual([true, session, { state: b.state }, 'true']);
    const { body } = await site.api('GET', '/api/v1/gateway/status');
    expect(body['broker']).toMatchObject({ refusedPublishes: { 'foreign-topic': 4 } });
  });
});

describe('doors when the gateway dies between command and reply (Fault T8)', () => {
  let site: Site;

  beforeAll(async () => {
    site = await openSite({ locks: [{}, { boltTravelMs: 1_000 }, {}, {}, {}] });
  });

  afterAll(async () => {
    await site?.close();
  });

  test('nothing is sent again, an add under way is taken off the lock, and the record of what was done names who did it', async () => {
    const maria = await site.account('maria');
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(2)}/roles/maria`, { body: { role: 'operator' } });
    const keep = await site.api('POST', '/api/v1/identity-card/add', {
      query: { lockId: site.lockId(3), cardNumber: '1001', method: 'regular', addType: 2, ...always },
    });
    expect(keep.status).toBe(200);
    // When the gateway dies, lock 1 has done nothing, lock 2 is moving its bolt; 3 has added a card, 4 deleted one, 5 changed one.
    const gone = await site.api('POST', '/api/v1/identity-card/add', {
      query: { lockId: site.lockId(4), cardNumber: '4004', method: 'regular', addType: 2, ...always },
    });
    const changed = await site.api('POST', '/api/v1/identity-card/add', {
      query: { lockId: site.lockId(5), cardNumber: '5005', method: 'regular', addType: 2, ...always },
    });
    const validity = { startDate: Date.now(), endDate: Date.now() + 86_400_000 };
    site.lock(1).script([{ kind: 'silence' }]);
    for (const number of [3, 4, 5]) site.lock(number).script([{ kind: 'lost-reply' }]);
    const asked = [
      site.api('POST', unlock, { query: { lockId: site.lockId(1) } }),
      site.api('POST', unlock, { query: { lockId: site.lockId(2) }, token: maria }),
      site.api('POST', '/api/v1/identity-card/add', {
        query: { lockId: site.lockId(3), cardNumber: '2002', method: 'regular', addType: 2, ...always },
      }),
      site.api('DELETE', '/api/v1/identity-card/delete', {
        query: { lockId: site.lockId(4), cardId: gone.body.keyboardPwdId, deleteType: 2 },
      }),
      site.api('PUT', '/api/v1/identity-card/change-validity', {
        query: { lockId: site.lockId(5), cardId: changed.body.keyboardPwdId, changeType: 2, ...validity },
      }),
    ].map((answer) =>
      answer.then(
        () => 'answered',
        () => 'broken off',
      ),
    );
    await until(
      () =>
        sent(site, 'unlock') === 2 &&
        site.lock(3).memory.cards.length === 2 &&
        site.lock(4).memory.cards.length === 0 &&
        site.lock(5).memory.cards[0]?.endDate === validity.endDate,
      'all commands are with their locks',
    );
    await site.kill9();
    expect(await Promise.all(asked)).toEqual(asked.map(() => 'broken off'));
    await site.start();
    for (const number of [1, 2, 3, 4, 5]) await site.whenOnline(number);

    for (const number of [1, 2]) await roundTrip(site, site.lockId(number));
    expect([sent(site, 'unlock'), sent(site, 'add-card')]).toEqual([2, 4]);
    await until(() => site.lock(2).state === 'unlocked', 'the bolt of lock 2 has arrived');
    expect(site.lock(1).state).toBe('locked');
    const states = await Promise.all(
      [1, 2].map((number) => site.api('GET', '/api/v1/lock/state', { query: { lockId: site.lockId(number) } })),
    );
    expect(states.map(({ body }) => body['state'])).toEqual(['locked', 'unlocked']);

    await site.lock(2).whenEventsAcknowledged();
    expect(await recordsOf(site, site.lockId(1))).toEqual([]);
    expect(await recordsOf(site, site.lockId(2))).toMatchObject([{ recordType: 'unlock by gateway', success: 1, username: 'maria' }]);

    await until(() => site.lock(3).memory.cards.length === 1, 'the unconfirmed card is taken off the lock');
    const cardsOf = async (number: number) =>
      (await site.api('GET', '/api/v1/identity-card/list', { query: { lockId: site.lockId(number), pageNo: 1, pageSize: 10 } })).body.list;
    expect((await cardsOf(3)).map(({ cardNumber }) => cardNumber)).toEqual(['1001']);
    await until(async () => (await cardsOf(4)).length === 0, 'the deletion follows what the lock has');
    await until(async () => (await cardsOf(5))[0]?.['endDate'] === validity.endDate, 'the change follows what the lock has');
    expect(await cardsOf(5)).toMatchObject([{ cardId: changed.body.keyboardPwdId, cardNumber: '5005', ...validity }]);
    const again = await site.api('POST', '/api/v1/identity-card/add', {
      query: { lockId: site.lockId(3), cardNumber: '2002', method: 'regular', addType: 2, ...always },
    });
    expect(again.status).toBe(200);
    expect(again.body.keyboardPwdId).toBeGreaterThan(gone.body.keyboardPwdId);
  });

  test('a lock cannot make up who opened it: a name comes from a command id that it was given for this, once (Protocol 4.4, 5.1)', async () => {
    const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: '02-aa-00-00-00-10', lockName: 'forger' } });
    const connectForger = () => connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: body.deviceId, deviceKey: body.deviceKey });
    let forger = await connectForger();
    let seq = 0;
    const names = async (...claims: readonly object[]): Promise<readonly (readonly [string, string])[]> => {
      const events = claims.map((claim) => ({ seq: ++seq, type: 'remote-unlock', username: 'liar', ...claim }));
      await forger.publish('events', { epoch: 'e', events });
      const records = (await recordsOf(site, body.lockId)).slice(0, events.length).toReversed();
      return records.map(({ recordType, username }) => [recordType, username]);
    };
    const nobody = ['unlock by gateway', ''];
    try {
      await forger.hello();
      await site.api('PUT', `/api/v1/gateway/locks/${body.lockId}/administrator`, { body: { username: 'admin' } });
      const asked = site.api('POST', unlock, { query: { lockId: body.lockId } });
      await until(() => forger.commands.some(({ op }) => op === 'unlock'), 'the command is there');
      const { id = '', session } = forger.commands.find(({ op }) => op === 'unlock') ?? {};
      await forger.publish('reply', { id, ok: true, session, state: 'unlocked' });
      expect((await asked).status).toBe(200);

      await site.whenOnline(2);
      expect((await site.api('POST', unlock, { query: { lockId: site.lockId(2) } })).status).toBe(200);
      const ofAnother = /"id":"([^"]+)","session":"[^"]+","op":"unlock"/.exec(site.wire.toLocks())?.[1] ?? '';
      expect(ofAnother).not.toBe('');
      const madeUp = [ofAnother, 'x.1.0123456789abcdef0123456789abcdef', 'nonsense', ''].map((commandId) => ({ commandId }));
      expect(await names({}, ...madeUp)).toEqual(Array.from({ length: 5 }, () => nobody));
      expect(await names({ type: 'remote-lock', commandId: id })).toEqual([['lock by gateway', '']]);
      expect(await names({ commandId: id }, { commandId: id })).toEqual([['unlock by gateway', 'admin'], nobody]);
      await forger.end();
      await site.kill9();
      await site.start();
      forger = await connectForger();
      expect(await names({ commandId: id }, {})).toEqual([nobody, nobody]);
      // Nor in our words: this one is set aside, and the one behind it is a record.
      expect(await names({ type: 'Unlock  by gateway' }, { type: 'pet flap' })).toEqual([nobody, ['pet flap', 'liar']]);
    } finally {
      await forger.end();
    }
  });

  test('a record names an account that was removed before its event came, also after a restart, and its roles are gone (HTTP API 8.4)', async () => {
    const nora = await site.account('nora');
    const { body } = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: '02-aa-00-00-00-12', lockName: 'slow' } });
    const roles = `/api/v1/gateway/locks/${body.lockId}/roles`;
    await site.api('PUT', `${roles}/nora`, { body: { role: 'operator' } });
    const connect = () => connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: body.deviceId, deviceKey: body.deviceKey });
    const lock = await connect();
    await lock.hello();
    const asked = site.api('POST', unlock, { query: { lockId: body.lockId }, token: nora });
    await until(() => lock.commands.some(({ op }) => op === 'unlock'), 'the command is there');
    const { id: commandId = '' } = lock.commands.find(({ op }) => op === 'unlock') ?? {};
    await lock.publish('reply', { id: commandId, ok: true, state: 'unlocked' });
    expect((await asked).status).toBe(200);
    await lock.end();

    expect((await site.api('DELETE', '/api/v1/gateway/accounts/nora')).status).toBe(200);
    await site.account('nora');
    await until(async () => !(await site.stored(`locks/${body.lockId}.json`)).includes('"operator"'), 'the role is gone');
    const { body: log } = await site.api('GET', '/api/v1/gateway/audit', { query: { pageNo: 1, pageSize: 50 } });
    expect(log.list).toContainEqual(
      expect.objectContaining({ action: 'account-remove', object: 'account nora', detail: 'with its role on 1 lock' }),
    );
    expect((await site.api('DELETE', `${roles}/nora`)).status).toBe(404);
    await site.restart();
    const again = await connect();
    await again.publish('events', { epoch: 'e', events: [{ seq: 1, type: 'remote-unlock', commandId, username: 'liar' }] });
    expect((await recordsOf(site, body.lockId)).map(({ username }) => username)).toEqual(['nora']);
    await again.end();
  });
});
