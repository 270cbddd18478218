// What the last line about each topic says, by lock: a fingerprint of it while it stands. It lies beside a file as it was before that
// file's first line, so that a start reads the last file alone (Store 10).
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { type AccessDraft, sayingOf, stands, topicOf } from '../../../domain/access/access-log.ts';
import { isIntact, jsonOf } from '../checksummed-line.ts';
import { nextTick } from '../records/next-turn.ts';
import { encodeLines } from './sliced-lines.ts';

/** A lock, or that of the gateway. */
const ofGateway = 0;
/** Lines that are decoded before other work may run. */
const sliceLines = 100;
/** Of one line. */
const mostFacts = 500;
/** In the first one, each lock had one line. */
const schemaVersion = 2;

const lockLine = z.object({ lockId: z.int().min(0), facts: z.record(z.string(), z.int()) });

export interface CurrentFacts {
  /** Undefined: nothing stands. */
  get(lockId: number | null, topic: string): number | undefined;
  set(draft: AccessDraft): void;
  topics(lockId: number | null): Iterable<string>;
  /** Forgets everything about a lock. */
  forget(lockId: number | null): void;
  encode(): Promise<Buffer>;
  /** Throws when the bytes are not what was written. */
  load(bytes: Buffer): Promise<void>;
}

export function factPrintOf(draft: AccessDraft): number | undefined {
  return stands(draft) ? crc32(sayingOf(draft)) : undefined;
}

export function createCurrentFacts(): CurrentFacts {
  const byLock = new Map<number, Map<string, number>>();
  return {
    get: (lockId, topic) => byLock.get(lockId ?? ofGateway)?.get(topic),
    set(draft) {
      const lockId = draft.lockId ?? ofGateway;
      const fingerprint = factPrintOf(draft);
      let facts = byLock.get(lockId);
      if (fingerprint === undefined) {
        facts?.delete(topicOf(draft));
        if (facts?.size === 0) byLock.delete(lockId);
        return;
      }
      if (facts === undefined) {
        facts = new Map();
        byLock.set(lockId, facts);
      }
      facts.set(topicOf(draft), fingerprint);
    },
    topics: (lockId) => byLock.get(lockId ?? ofGateway)?.keys() ?? [],
    forget: (lockId) => void byLock.delete(lockId ?? ofGateway),
    encode: () => encodeLines(factLines(byLock)),
    async load(bytes) {
      byLock.clear();
      let expected: number | undefined;
      let lines = 0;
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(10, start);
        const line = bytes.subarray(start, end);
        if (end < 0 || !isIntact(line)) throw new Error('it is damaged');
        if (expected === undefined)
          expected = z.object({ schemaVersion: z.literal([1, schemaVersion]), locks: z.int() }).parse(jsonOf(line)).locks;
        else {
          const { lockId, facts } = lockLine.parse(jsonOf(line));
          const there = byLock.get(lockId) ?? new Map<string, number>();
          byLock.set(lockId, there);
          for (const [topic, fingerprint] of Object.entries(facts)) there.set(topic, fingerprint);
          lines += 1;
          if (lines % sliceLines === 0) await nextTick();
        }
        start = end + 1;
      }
      if (expected !== byLock.size) throw new Error('it is not whole');
    },
  };
}

function* factLines(byLock: ReadonlyMap<number, ReadonlyMap<string, number>>): Generator<object> {
  yield { schemaVersion, locks: byLock.size };
  for (const [lockId, all] of byLock) {
    let facts: Record<string, number> = {};
    let count = 0;
    for (const [topic, fingerprint] of all) {
      facts[topic] = fingerprint;
      count += 1;
      if (count % mostFacts !== 0) continue;
      yield { lockId, facts };
      facts = {};
    }
    if (count % mostFacts !== 0) yield { lockId, facts };
  }
}
