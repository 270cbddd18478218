// Checks the files of cards: whether each is what was written, and belongs to its lock.
import type { CardId } from '../../../domain/credentials/card.ts';
import { type Entry, entryKey } from '../../../domain/credentials/entry.ts';
import { cardFileName, entryFormat } from '../documents/entry-row.ts';
import type { LockDocument } from '../documents/lock-document.ts';
import { entriesOf } from '../documents/older-card-row.ts';
import { createRowFile } from '../documents/row-file.ts';
import type { FileLayer } from '../files.ts';
import { type Report, repeated } from './verify-lines.ts';

/**
 * Resolves with the ids of all cards. `names`, `lockFiles`: the names in the folders of cards and of locks. `removedIds`: those of removed
 * locks.
 */
export async function verifyCards(
  files: FileLayer,
  directory: string,
  names: readonly string[],
  lockFiles: readonly string[],
  locks: readonly LockDocument[],
  removedIds: readonly number[],
  report: Report,
): Promise<readonly CardId[]> {
  const cardIds: CardId[] = [];
  for (const { lock, hasCards, toMove } of locks) {
    const file = `cards/${lock.lockId}.jsonl`;
    const rows = createRowFile({ files, path: `${directory}/${file}`, format: entryFormat });
    // The document of an older program has the cards itself, and a file beside it comes from an interrupted start.
    const isThere = hasCards && (await loaded(rows, file, report));
    const found = isThere ? [...rows.entries()].flatMap(([, row]) => ('to' in row ? [] : [row])) : inDocument(toMove);
    for (const { entryId, lockId } of found) {
      if (lockId !== lock.lockId) report(isThere ? file : `locks/${lock.lockId}.json`, `holds the card ${entryId} of lock ${lockId}`);
      cardIds.push(entryId);
    }
    for (const key of repeated(found.map(entryKey))) {
      const ids = found.filter((entry) => entryKey(entry) === key).map(({ entryId }) => entryId);
      report(isThere ? file : `locks/${lock.lockId}.json`, `holds one number under the ids ${ids.join(' and ')}`);
    }
    if (isThere && rows.torn() > 0)
      report.remark(file, `has ${rows.torn()} bytes that a power cut tore: nobody was told that they are kept, and a start cuts them off`);
  }
  const known = new Set(lockFiles.map((name) => name.replace(/\.json(\.previous)?$/, '.jsonl')));
  const removed = new Set(removedIds.map((lockId) => `${lockId}.jsonl`));
  for (const name of names) {
    if (!cardFileName.test(name) || known.has(name)) continue;
    if (removed.has(name)) report.remark(`cards/${name}`, 'belongs to a lock that was removed: the next start deletes it');
    else report(`cards/${name}`, 'belongs to no lock');
  }
  for (const cardId of repeated(cardIds)) report('cards', `has the cardId ${cardId} twice`);
  return cardIds;
}

function inDocument(toMove: LockDocument['toMove']): readonly Entry[] {
  return toMove === undefined || toMove === 'in-file' ? [] : entriesOf(toMove).entries;
}

async function loaded(rows: { load(): Promise<boolean> }, file: string, report: Report): Promise<boolean> {
  try {
    if (await rows.load()) return true;
    report(file, 'is missing');
  } catch (error) {
    report(file, error instanceof Error ? error.message : String(error));
  }
  return false;
}
