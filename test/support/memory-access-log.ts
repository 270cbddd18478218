// The access log in memory, for tests of the domain: the same promises as on the disk, but for durability.
import { type AccessLine, type AccessLog, type NamedEntry, sayingOf, stands, topicOf } from '../../src/domain/access/access-log.ts';

export interface MemoryAccessLog extends AccessLog {
  readonly lines: AccessLine[];
}

/** `initial`: the lines that an earlier process has left. */
export function createMemoryAccessLog(now: () => number, initial: readonly AccessLine[] = []): MemoryAccessLog {
  const lines: AccessLine[] = [...initial];
  const last = new Map<string, AccessLine>(lines.map((line) => [`${line.lockId} ${topicOf(line)}`, line]));
  return {
    lines,
    async append(drafts) {
      for (const draft of drafts) {
        const line = { id: lines.length + 1, recordedAt: now(), ...draft };
        lines.push(line);
        last.set(`${draft.lockId} ${topicOf(draft)}`, line);
      }
    },
    stored: async () => undefined,
    ofLock: async (lockId, until) => lines.filter((line) => line.lockId === lockId && line.recordedAt <= until),
    contactOf: async (lockIds) =>
      lines.filter(
        ({ what, lockId }) =>
          (what === 'online' || what === 'offline' || what === 'clock') && (lockId === null || lockIds.includes(lockId)),
      ),
    async about(subject) {
      const isNamed = (line: AccessLine): boolean => {
        if ('personId' in subject) return line.personId === subject.personId;
        if ('credentialId' in subject) return line.credentialId === subject.credentialId;
        return line.number !== null && subject.numbers.some((number) => withoutZeros(number) === withoutZeros(line.number as string));
      };
      const entryIds = new Set(lines.filter(isNamed).map(({ entryId }) => entryId));
      return lines.filter(({ entryId }) => entryId !== null && entryIds.has(entryId));
    },
    async entriesOf(personId) {
      const found = new Map<string, NamedEntry>();
      for (const { lockId, entryId, credentialId, ...line } of lines) {
        if (line.personId !== personId || lockId === null || entryId === null) continue;
        const held = last.get(`${lockId} held ${entryId}`);
        found.set(`${lockId} ${entryId} ${credentialId}`, { lockId, entryId, credentialId, mayBeHeld: held !== undefined && stands(held) });
      }
      return [...found.values()];
    },
    says(draft) {
      const found = last.get(`${draft.lockId} ${topicOf(draft)}`);
      if (found === undefined || !stands(found)) return !stands(draft);
      return stands(draft) && sayingOf(found) === sayingOf(draft);
    },
    topicsOf: (lockId) => new Set([...last.values()].filter((line) => line.lockId === lockId && stands(line)).map(topicOf)),
    newestAt: () => lines.at(-1)?.recordedAt ?? 0,
  };
}

function withoutZeros(number: string): string {
  return number.replace(/^0+(?=.)/, '');
}
