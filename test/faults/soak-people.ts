// The clients of a soak: they open doors, look at lists, add and delete cards. Whatever happens to locks, disk and daemon,
// an answer is one of the closed list, never a 500.
import type { Random } from '../../device-sim/seeded-random.ts';
import type { SoakFleet } from './soak-fleet.ts';
import type { SoakGateway } from './soak-gateway.ts';

export interface People {
  stats(): string;
  stop(): Promise<void>;
}

const people = 8;
const pauseMs = 200;
const answerWithinMs = 60_000;
const allowed = new Set([200, 201, 404, 409, 429, 502, 503, 504]);

export function startPeople(options: {
  readonly gateway: SoakGateway;
  readonly fleet: SoakFleet;
  readonly random: Random;
  readonly onProblem: (problem: string) => void;
}): People {
  const { gateway, fleet, random, onProblem } = options;
  const counts = new Map<string, number>();
  const cards: { readonly lockId: number; readonly cardId: number }[] = [];
  let serial = 0;
  let over = false;

  async function ask(
    method: string,
    path: string,
    query: Readonly<Record<string, string | number>>,
  ): Promise<Record<string, unknown> | undefined> {
    const wasUp = gateway.isUp();
    const ends = gateway.ends();
    const url = `${gateway.url()}/api/v1/${path}?${new URLSearchParams(query as Record<string, string>)}`;
    try {
      const response = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${gateway.token()}` },
        signal: AbortSignal.timeout(answerWithinMs),
      });
      const body = (await response.json()) as Record<string, unknown>;
      count(response.ok ? 'ok' : String(body['code']));
      if (!allowed.has(response.status)) onProblem(`${method} ${path} was answered with ${response.status}: ${JSON.stringify(body)}`);
      return response.ok ? body : undefined;
    } catch (error) {
      count('no answer');
      // An end in between explains it; nothing else does.
      if (wasUp && gateway.isUp() && gateway.ends() === ends) onProblem(`${method} ${path} got no answer: ${(error as Error).message}`);
      return undefined;
    }
  }

  function count(what: string): void {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  async function act(): Promise<void> {
    const lockId = fleet.locks[Math.floor(random() * fleet.locks.length)]?.lockId ?? 1;
    const dice = random();
    if (dice < 0.3) await ask('POST', 'lock/unlock', { lockId });
    else if (dice < 0.5) await ask('POST', 'lock/lock', { lockId });
    else if (dice < 0.65) await ask('GET', 'lock/records', { lockId, pageSize: 50, startDate: 0, endDate: 0 });
    else if (dice < 0.75) await ask('GET', 'lock/list', { pageSize: 100 });
    else if (dice < 0.8) await ask('GET', 'gateway/status', {});
    else if (dice < 0.92 || cards.length === 0) await addCard(lockId);
    else await deleteCard();
  }

  async function addCard(lockId: number): Promise<void> {
    const cardNumber = String(5_000_000 + serial++);
    const body = await ask('POST', 'identity-card/add', { lockId, cardNumber, method: 'regular', addType: 2, startDate: 0, endDate: 0 });
    if (body !== undefined) cards.push({ lockId, cardId: Number(body['keyboardPwdId']) });
  }

  async function deleteCard(): Promise<void> {
    const [card] = cards.splice(Math.floor(random() * cards.length), 1);
    if (card !== undefined) await ask('DELETE', 'identity-card/delete', { ...card, deleteType: 2 });
  }

  async function live(): Promise<void> {
    while (!over) {
      if (gateway.isUp()) await act();
      await new Promise((resolve) => setTimeout(resolve, random() * pauseMs));
    }
  }

  const lives = Array.from({ length: people }, live);
  return {
    stats: () => [...counts].map(([what, number]) => `${number} x ${what}`).join(', '),
    async stop() {
      over = true;
      await Promise.all(lives);
    },
  };
}
