// What goes on in the house while a fault strikes: cards at doors, cards, accounts and tokens made over HTTP. Keeps a ledger of
// everything that was acknowledged, and says afterwards what of it is lost and what is there twice.
import type { House } from './house.ts';

/** Where it happens: a daemon, or several of which one serves. */
type Place = Pick<House, 'fleet' | 'ask'>;

/** A lock holds at most so many events back before its next swipe. */
const mostPending = 200;

/** Each entry names something that was acknowledged, as the API names it. */
interface Ledger {
  readonly events: readonly string[];
  readonly cards: readonly string[];
  readonly accounts: readonly string[];
  readonly tokens: readonly string[];
}

interface Verdict {
  readonly acknowledged: number;
  readonly recovered: number;
  readonly lost: number;
  readonly doubled: number;
  readonly problems: string[];
}

export interface Bustle {
  /** Begins; `pause` ends it and resolves when all is quiet. */
  go(): void;
  pause(): Promise<void>;
  /** What is acknowledged until now. */
  acknowledged(): Ledger;
  /** What the daemon shows of it. With `settled`, every event that ever happened must be there, acknowledged or not. */
  verdict(ledger: Ledger, house?: Place): Promise<Verdict>;
  /** Answers to changes so far by code: `storage-unavailable`, … */
  readonly refusals: ReadonlyMap<string, number>;
}

export function createBustle(house: Place): Bustle {
  const swiped = new Map<number, string[]>();
  const cards: string[] = [];
  const accounts: string[] = [];
  const tokens: string[] = [];
  const refusals = new Map<string, number>();
  let serial = 0;
  let over = true;
  let busy: Promise<unknown> = Promise.resolve();

  const turn = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  async function swipe(number: number): Promise<void> {
    const lock = house.fleet.lock(number);
    const mine = swiped.get(number) ?? [];
    swiped.set(number, mine);
    while (!over) {
      if (lock.memory.events.length < mostPending) {
        const cardNumber = String(1_000_000 + serial++);
        mine.push(cardNumber);
        await lock.swipeCard(cardNumber);
      }
      await turn(1);
    }
  }
  /** Again and again, also while it is refused or nobody is there. */
  async function change(
    path: string,
    into: string[],
    make: (n: number) => { name: string; query?: Record<string, string | number>; body?: object },
    status: number,
  ): Promise<void> {
    while (!over) {
      const { name, query, body } = make(serial++);
      const answer = await house.ask('POST', path, query, body);
      if (answer?.status === status) into.push(name);
      else if (answer) refusals.set(String(answer.body['code']), (refusals.get(String(answer.body['code'])) ?? 0) + 1);
      await turn(answer?.status === status ? 0 : 10);
    }
  }
  /** So that the documents of locks are written, too. */
  async function rename(number: number): Promise<void> {
    while (!over) {
      await house.ask('PUT', '/api/v1/lock/rename', { lockId: house.fleet.lock(number).lockId ?? 0, lockAlias: `Door ${serial++}` });
      await turn(10);
    }
  }
  function addCards(number: number): Promise<void> {
    const { lockId = 0 } = house.fleet.lock(number);
    const make = (n: number) => {
      const cardNumber = String(8_000_000 + n);
      return { name: `${lockId} ${cardNumber}`, query: { lockId, cardNumber, method: 'regular', addType: 2, startDate: 0, endDate: 0 } };
    };
    return change('/api/v1/identity-card/add', cards, make, 200);
  }
  async function everything(
    where: Place,
    path: string,
    query: Readonly<Record<string, number>> = {},
  ): Promise<Readonly<Record<string, unknown>>[]> {
    const items: Readonly<Record<string, unknown>>[] = [];
    for (let pageNo = 1; ; pageNo++) {
      const answer = await where.ask('GET', path, { ...query, pageNo, pageSize: 1_000 });
      if (answer?.status !== 200) throw new Error(`${path} answered ${answer?.status}`);
      items.push(...answer.body.list);
      if (items.length >= answer.body.total || answer.body.list.length === 0) return items;
    }
  }
  async function found(where: Place): Promise<Ledger> {
    const events: string[] = [];
    const cardsFound: string[] = [];
    for (const { lockId = 0 } of house.fleet.locks) {
      const records = await everything(where, '/api/v1/lock/records', { lockId });
      // By recordId: while the locks still send, a record can move to the next page and be shown there again.
      const once = new Map(records.map(({ recordId, keyboardPwd }) => [recordId, String(keyboardPwd)]));
      // An unlock over HTTP carries no card number.
      for (const cardNumber of once.values()) if (/^\d{7,}$/.test(cardNumber)) events.push(`${lockId} ${cardNumber}`);
      for (const { cardNumber } of await everything(where, '/api/v1/identity-card/list', { lockId }))
        cardsFound.push(`${lockId} ${cardNumber}`);
    }
    const names = async (path: string, member: string) => (await everything(where, path)).map((item) => String(item[member]));
    return {
      events,
      cards: cardsFound,
      accounts: await names('/api/v1/gateway/accounts', 'username'),
      tokens: await names('/api/v1/gateway/tokens', 'name'),
    };
  }

  return {
    refusals,
    go() {
      over = false;
      busy = Promise.all([
        ...house.fleet.locks.map(({ number }) => swipe(number)),
        addCards(1),
        addCards(2),
        rename(1),
        rename(2),
        change(
          '/api/v1/gateway/accounts',
          accounts,
          (n) => ({ name: `person-${n}`, body: { username: `person-${n}`, gatewayAdministrator: false } }),
          201,
        ),
        change('/api/v1/gateway/tokens', tokens, (n) => ({ name: `token-${n}`, body: { username: 'admin', name: `token-${n}` } }), 201),
      ]);
    },
    async pause() {
      over = true;
      await busy;
    },
    acknowledged() {
      const events: string[] = [];
      for (const { number, lockId, memory } of house.fleet.locks) {
        const pending = new Set(memory.events.map(({ credential }) => credential));
        for (const cardNumber of swiped.get(number) ?? []) if (!pending.has(cardNumber)) events.push(`${lockId} ${cardNumber}`);
      }
      return { events, cards: [...cards], accounts: [...accounts], tokens: [...tokens] };
    },
    async verdict(ledger, where = house) {
      const there = await found(where);
      const problems: string[] = [];
      const result = { acknowledged: 0, recovered: 0, lost: 0, doubled: 0, problems };
      for (const kind of ['events', 'cards', 'accounts', 'tokens'] as const) {
        const seen = new Set(there[kind]);
        const lost = ledger[kind].filter((one) => !seen.has(one));
        const doubled = there[kind].length - seen.size;
        result.acknowledged += ledger[kind].length;
        result.recovered += ledger[kind].length - lost.length;
        result.lost += lost.length;
        result.doubled += doubled;
        if (lost.length > 0) problems.push(`${lost.length} ${kind} were acknowledged and are not there, such as ${lost[0]}`);
        if (doubled > 0) problems.push(`${doubled} ${kind} are there twice`);
      }
      return result;
    },
  };
}
