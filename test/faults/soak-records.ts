// What the daemon has on its disk after a soak, beside what the locks have counted: every event once, none missing.
import { createReadStream, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Counted } from './soak-fleet.ts';

/** A sentence for each lock of which something is missing or stored twice. */
export async function whatIsLost(dataDir: string, expected: ReadonlyMap<number, Counted>, say: (text: string) => void): Promise<string[]> {
  const stored = new Map<number, Map<number, number>>();
  let records = 0;
  for (const name of readdirSync(`${dataDir}/records`)) {
    if (!name.endsWith('.jsonl')) continue;
    for await (const line of createInterface({ input: createReadStream(`${dataDir}/records/${name}`) })) {
      const { lockId, epoch, seq } = JSON.parse(line) as { lockId: number; epoch: string; seq: number };
      if (expected.get(lockId)?.epoch !== epoch) continue;
      const seqs = stored.get(lockId) ?? new Map<number, number>();
      stored.set(lockId, seqs.set(seq, (seqs.get(seq) ?? 0) + 1));
      records += 1;
    }
  }
  const problems: string[] = [];
  let events = 0;
  for (const [lockId, { lastSeq }] of expected) {
    events += lastSeq;
    const seqs = stored.get(lockId) ?? new Map<number, number>();
    const missing: number[] = [];
    for (let seq = 1; seq <= lastSeq; seq++) if (!seqs.has(seq)) missing.push(seq);
    const twice = [...seqs].filter(([, count]) => count > 1);
    if (missing.length > 0)
      problems.push(`lock ${lockId}: ${missing.length} of ${lastSeq} events are lost, such as ${missing.slice(0, 5).join(', ')}`);
    if (twice.length > 0) problems.push(`lock ${lockId}: ${twice.length} events are stored twice`);
  }
  say(`${events} events counted by the locks, ${records} records of them`);
  return problems;
}
