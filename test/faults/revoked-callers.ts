// Who uses what is revoked: callers over HTTP, listeners to live events and a device of MQTT. Each notes when it began what, and says afterwards
// what it was given that it had begun, or that was caused, after the revocation had been answered with 2xx.
import { get } from 'node:http';
import { type EventClient, listenTo } from '../support/event-client.ts';
import type { Random } from '../support/seeded-random.ts';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';
import { wait } from './cluster-stage.ts';
import type { PairNode } from './node-pair.ts';

/** What of it is over, and since when. */
export interface Revocation {
  /** `performance.now()` when the 2xx came; infinite until then, and for ever when nobody knows how it ended. */
  doneAt: number;
}

/** What each of them did, by a word for it. */
export type Tally = Map<string, number>;

export interface Caller {
  /** Whether it was given what it asked for, at least once. */
  isHonoured(): boolean;
  /** The revocation has been answered: it asks at once. */
  revoked(): void;
  /** Resolves with what was wrong. */
  end(): Promise<readonly string[]>;
}

const pauseMs = 200;
const mostUnderWay = 16;
const answerWithinMs = 30_000;
/** Of each connection of a device: it is told apart from others by its key. */
const session = 'handmade1';

/** @param from an address of the loopback of its own: who is refused often is slowed down by his address */
export function createPerson(options: {
  readonly node: PairNode;
  readonly token: string;
  readonly path: string;
  readonly from: string;
  readonly revocation: Revocation;
  readonly tally: Tally;
}): Caller {
  const { node, token, path, from, revocation, tally } = options;
  const problems: string[] = [];
  const underWay = new Set<Promise<void>>();
  let [isHonoured, isRefused, isOver] = [false, false, false];

  async function askOnce(): Promise<void> {
    const askedAt = performance.now();
    const status = await statusOf(`${node.url}${path}`, token, from);
    if (status === 200) isHonoured = true;
    isRefused = status === 401 || status === 403;
    const isLater = askedAt > revocation.doneAt;
    add(tally, `${isLater ? 'asked later' : 'asked before'}: ${status ?? 'no answer'}`);
    if (isLater && status === 200) problems.push(`${node.name} honoured a request ${Math.round(askedAt - revocation.doneAt)} ms later`);
  }
  function ask(): void {
    if (underWay.size >= mostUnderWay) return;
    const asking = askOnce().finally(() => underWay.delete(asking));
    underWay.add(asking);
  }
  /** A request that stands still somewhere holds up no later one. */
  async function live(): Promise<void> {
    while (!isOver) {
      ask();
      await wait(isRefused ? 5 * pauseMs : pauseMs);
    }
  }
  const life = live();
  return {
    isHonoured: () => isHonoured,
    revoked: ask,
    async end() {
      isOver = true;
      await life;
      await Promise.all(underWay);
      return problems;
    },
  };
}

function statusOf(url: string, token: string, localAddress: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = get(url, { localAddress, agent: false, timeout: answerWithinMs, headers: { authorization: `Bearer ${token}` } });
    asked.once('response', (response) => resolve(response.resume().statusCode));
    asked.once('timeout', () => void asked.destroy());
    asked.once('close', () => resolve(undefined));
    asked.on('error', () => undefined);
  });
}

/**
 * Listens anew when its stream ends. @param isHidden whether the event of this card is nothing for who listens, after the revocation
 * @param mustEnd whether the stream is, too
 */
export function createListener(options: {
  readonly node: PairNode;
  readonly token: string;
  readonly from: string;
  readonly revocation: Revocation;
  readonly mustEnd: boolean;
  readonly isHidden: (cardNumber: string) => boolean;
  readonly tally: Tally;
}): Caller {
  const { node, token, from, revocation, mustEnd, isHidden, tally } = options;
  const problems: string[] = [];
  const cards: string[] = [];
  let current: { readonly client: EventClient; readonly begunAt: number } | undefined;
  let isOver = false;
  const heard = (): readonly string[] => current?.client.of('record').map(({ keyboardPwd }) => String(keyboardPwd)) ?? [];

  /** Resolves with whether it was let in. */
  async function listenOnce(): Promise<boolean> {
    const begunAt = performance.now();
    const client = await listenTo(node.url, { token }, { localAddress: from });
    const isGood = client.status === 200;
    if (isGood && mustEnd && begunAt > revocation.doneAt) problems.push(`a stream of ${node.name} began later`);
    current = { client, begunAt };
    while (!isOver && !client.isOver()) await wait(pauseMs / 4);
    cards.push(...heard());
    current = undefined;
    client.close();
    return isGood;
  }
  async function live(): Promise<void> {
    while (!isOver) {
      const isGood = await listenOnce().catch(() => false);
      if (!isOver) await wait(isGood ? pauseMs : 5 * pauseMs);
    }
  }
  const life = live();
  return {
    isHonoured: () => cards.length + heard().length > 0,
    revoked: () => undefined,
    async end() {
      const isOpen = current?.client.status === 200 && !current.client.isOver();
      if (mustEnd && isOpen && Number.isFinite(revocation.doneAt)) problems.push(`a stream of ${node.name} goes on`);
      isOver = true;
      await life;
      add(tally, 'lines of streams', cards.length);
      return [...problems, ...cards.filter(isHidden).map(() => `a stream of ${node.name} had an event that was caused later`)];
    },
  };
}

/** A device with this key, which connects again and again, at either node. Its events name `serial` and a number that no other one has. */
export function createDevice(options: {
  readonly nodes: readonly PairNode[];
  readonly deviceId: string;
  readonly deviceKey: string;
  readonly serial: string;
  readonly random: Random;
  readonly revocation: Revocation;
  readonly tally: Tally;
  /** Resolves with the credentials of all records of it. */
  readonly recorded: () => Promise<readonly string[]>;
}): Caller {
  const { nodes, deviceId, deviceKey, serial, random, revocation, tally, recorded } = options;
  const problems: string[] = [];
  const saidAt = new Map<string, number>();
  let current: { readonly lock: HandLock; readonly begunAt: number; isOver: boolean } | undefined;
  let [isHonoured, isOver, seq, underWay] = [false, false, 0, 0];

  async function publish(lock: HandLock, node: PairNode, channel: string, payload: object): Promise<void> {
    const at = performance.now();
    await lock.publish(channel, payload);
    const isLater = at > revocation.doneAt;
    add(tally, `packets taken ${isLater ? 'later' : 'before'}: ${channel}`);
    if (channel === 'events') isHonoured = true;
    if (isLater) problems.push(`${node.name} took a packet (${channel}) ${Math.round(at - revocation.doneAt)} ms later`);
  }
  function say(lock: HandLock, node: PairNode): void {
    if (underWay >= mostUnderWay) return;
    seq += 1;
    const credential = `${serial}${String(seq).padStart(5, '0')}`;
    saidAt.set(credential, performance.now());
    const event = { seq, type: 'card-unlock', success: false, reason: 'unknown-card', credential };
    const level = 50 + (seq % 50);
    for (const [channel, payload] of [
      ['events', { epoch: serial, events: [event] }],
      ['battery', { session, level }],
    ] as const) {
      underWay += 1;
      publish(lock, node, channel, payload)
        .catch(() => undefined)
        .finally(() => {
          underWay -= 1;
        });
    }
  }
  async function connectOnce(node: PairNode): Promise<void> {
    const begunAt = performance.now();
    const isLater = begunAt > revocation.doneAt;
    const lock = await connectHandLock({
      mqttUrl: node.mqttUrl,
      deviceId,
      deviceKey,
      session,
      options: { keepalive: 5, connectTimeout: 1_500 },
    });
    if (isLater) problems.push(`${node.name} let it in ${Math.round(begunAt - revocation.doneAt)} ms later`);
    const connection = { lock, begunAt, isOver: false };
    current = connection;
    void lock.ended.then(() => {
      connection.isOver = true;
    });
    try {
      await lock.hello();
      while (!isOver && !connection.isOver) {
        say(lock, node);
        await wait(pauseMs / 2);
      }
    } finally {
      if (!isOver) await lock.end();
    }
  }
  async function live(): Promise<void> {
    while (!isOver) {
      const isLater = performance.now() > revocation.doneAt;
      await connectOnce(random.pick(nodes)).catch((error: Error) => {
        if (isLater) add(tally, `connected later: ${error.message}`);
      });
      await wait(pauseMs);
    }
  }
  const life = live();
  return {
    isHonoured: () => isHonoured,
    revoked: () => undefined,
    async end() {
      isOver = true;
      if (current !== undefined && !current.isOver && current.begunAt < revocation.doneAt && Number.isFinite(revocation.doneAt))
        problems.push('the connection of a device goes on');
      await current?.lock.end();
      await life;
      const later = (await recorded()).filter((credential) => (saidAt.get(credential) ?? 0) > revocation.doneAt);
      return [...problems, ...later.map(() => 'an event that was said later is a record')];
    },
  };
}

export function add(tally: Tally, what: string, times = 1): void {
  tally.set(what, (tally.get(what) ?? 0) + times);
}
