// What the last line about each topic of each lock says, and those that are being written count: so that a change that has no line yet is
// noticed, and no line is written twice.
import { type AccessDraft, type AccessLog, type NamedEntry, stands, topicOf } from '../../../domain/access/access-log.ts';
import { type CurrentFacts, factPrintOf } from './current-facts.ts';

export interface ExpectedLines extends Pick<AccessLog, 'says' | 'topicsOf'> {
  /** This line is going to be written. */
  expect(draft: AccessDraft): void;
  /** It was, or it was not. */
  arrived(draft: AccessDraft, isStored: boolean): void;
  /** Whether the last line about an entry says that the lock holds it or may hold it. */
  mayBeHeld(entry: Pick<NamedEntry, 'lockId' | 'entryId'>): boolean;
}

/** `facts` follows the lines that are stored. */
export function createExpectedLines(facts: CurrentFacts): ExpectedLines {
  /** The last of the lines that are not written yet, by lock and by topic, and how many there are. */
  const coming = new Map<AccessDraft['lockId'], Map<string, { readonly draft: AccessDraft; lines: number }>>();

  return {
    expect(draft) {
      const ofLock = coming.get(draft.lockId) ?? new Map();
      coming.set(draft.lockId, ofLock);
      const topic = topicOf(draft);
      ofLock.set(topic, { draft, lines: (ofLock.get(topic)?.lines ?? 0) + 1 });
    },
    arrived(draft, isStored) {
      if (isStored) facts.set(draft);
      const ofLock = coming.get(draft.lockId);
      const topic = topicOf(draft);
      const expected = ofLock?.get(topic);
      if (ofLock === undefined || expected === undefined) return;
      expected.lines -= 1;
      if (expected.lines === 0) ofLock.delete(topic);
      if (ofLock.size === 0) coming.delete(draft.lockId);
    },
    mayBeHeld({ lockId, entryId }) {
      const topic = topicOf({ what: 'held', entryId, accountId: null });
      const expected = coming.get(lockId)?.get(topic);
      return expected === undefined ? facts.get(lockId, topic) !== undefined : stands(expected.draft);
    },
    says(draft) {
      const expected = coming.get(draft.lockId)?.get(topicOf(draft));
      const last = expected === undefined ? facts.get(draft.lockId, topicOf(draft)) : factPrintOf(expected.draft);
      return last === factPrintOf(draft);
    },
    topicsOf(lockId) {
      const topics = new Set(facts.topics(lockId));
      for (const [topic, { draft }] of coming.get(lockId) ?? []) {
        if (stands(draft)) topics.add(topic);
        else topics.delete(topic);
      }
      return topics;
    },
  };
}
