// A program that listens to live events, moves to the node that serves now, and says which records it missed, had twice or had in another order.
import { type IncomingMessage, request } from 'node:http';
import type { ClusterHouse } from './cluster-house.ts';

export interface ClusterReader {
  /** The last record that it had, or that was there when it began. */
  lastId(): number;
  /** How many records it had, and how often it began to listen anew. */
  counts(): { readonly records: number; readonly connections: number };
  /** Since the last call. */
  takeProblems(): readonly string[];
  close(): Promise<void>;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function createClusterReader(house: ClusterHouse): ClusterReader {
  let last: number | undefined;
  let [records, connections] = [0, 0];
  let problems: string[] = [];
  let response: IncomingMessage | undefined;
  let isOver = false;

  function take(block: string): void {
    const text = /^id: (\d+)$/m.exec(block)?.[1];
    if (text === undefined) return;
    const id = Number(text);
    if (!block.includes('event: record')) {
      // Where it begins; later ones are no records, and are heard beside those.
      last ??= id;
      return;
    }
    records += 1;
    if (last !== undefined && id !== last + 1) problems.push(`a reader of live events had record ${id} after ${last}`);
    last = id;
  }
  function listen(url: string): Promise<void> {
    return new Promise((resolve) => {
      const lastId = last === undefined ? {} : { 'last-event-id': String(last) };
      const headers = { authorization: `Bearer ${house.token()}`, accept: 'text/event-stream', ...lastId };
      const asked = request(`${url}/api/v1/events`, { headers, agent: false });
      const move = setInterval(() => void (isOver || house.asked().url !== url ? asked.destroy() : undefined), 50);
      asked.on('error', () => undefined);
      asked.once('close', () => {
        clearInterval(move);
        resolve();
      });
      asked.once('response', (answer) => {
        if (answer.statusCode !== 200) {
          house.noteFailure(`${answer.statusCode} to GET /api/v1/events`);
          return void asked.destroy();
        }
        connections += 1;
        response = answer;
        let rest = '';
        answer.on('error', () => undefined);
        answer.setEncoding('utf8').on('data', (text: string) => {
          const blocks = (rest + text).split('\n\n');
          rest = blocks.pop() as string;
          for (const block of blocks) take(block);
        });
      });
      asked.end();
    });
  }
  async function live(): Promise<void> {
    while (!isOver) {
      await listen(house.asked().url);
      await wait(20);
    }
  }
  const life = live();

  return {
    lastId: () => last ?? 0,
    counts: () => ({ records, connections }),
    takeProblems() {
      const taken = problems;
      problems = [];
      return taken;
    },
    async close() {
      isOver = true;
      response?.destroy();
      await life;
    },
  };
}
