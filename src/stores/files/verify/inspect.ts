// Inspects a data directory from outside, whether a daemon uses it or not. Changes nothing, and reads documents alone: verify reads
// everything.
import type { LockId } from '../../../domain/locks/lock.ts';
import { clockFormat } from '../clock-trust.ts';
import { documentsIn, type KnownDocument, readKnown, strangersIn } from '../data-directory.ts';
import { type LockDocument, lockDocumentFormat } from '../documents/lock-document.ts';
import { codeOf, type FileLayer } from '../files.ts';
import { newestRecordAt } from './export.ts';

export interface Inspection {
  readonly documents: number;
  /** How many of them an older latchd wrote; the next start upgrades them. */
  readonly older: number;
  /** A sentence for each document that is damaged, missing, or of a newer latchd. */
  readonly problems: readonly string[];
  /** Files and folders that are not latchd's: no backup contains them. */
  readonly strangers: readonly string[];
  /** Epoch milliseconds; null: the clock counts as right. */
  readonly clockSuspectSince: number | null;
  /** serverDate of the newest record; undefined without records. */
  readonly newestRecordAt: number | undefined;
}

/** Rejects only when the directory itself cannot be read. */
export async function inspect(files: FileLayer, directory: string): Promise<Inspection> {
  const problems: string[] = [];
  let documents = 0;
  let older = 0;

  async function load(known: KnownDocument): Promise<object | undefined> {
    const onOlder = (): void => {
      older += 1;
    };
    try {
      const content = await readKnown(files, directory, known, { onOlder });
      if (!content && known.isNeeded) problems.push(`${directory}/${known.name} is missing`);
      return content;
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  await files.readdir(directory);
  let clockSuspectSince: number | null = null;
  const ownsCards: LockId[] = [];
  for await (const known of documentsIn(files, directory)) {
    const content = await load(known);
    if (content) documents += 1;
    if (known.format === lockDocumentFormat) ownsCards.push(...cardsOwnedBy(content as LockDocument | undefined));
    if (content && known.format === clockFormat) clockSuspectSince = clockFormat.schema.parse(content).suspectSince;
  }
  problems.push(...(await missingCards(files, directory, ownsCards)));
  const newest = await newestRecordAt(files, `${directory}/records`).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  return {
    ...{ documents, older, problems, strangers: await strangersIn(directory) },
    clockSuspectSince,
    newestRecordAt: newest,
  };
}

/** The lock, if it has a file of cards. */
function cardsOwnedBy(document: LockDocument | undefined): readonly LockId[] {
  return document?.hasCards ? [document.lock.lockId] : [];
}

/** A sentence for each missing file of cards whose lock exists. */
async function missingCards(files: FileLayer, directory: string, lockIds: readonly LockId[]): Promise<readonly string[]> {
  const names = async (folder: string) => new Set(await files.readdir(`${directory}/${folder}`).catch(() => []));
  const cards = await names('cards');
  const missing = lockIds.filter((lockId) => !cards.has(`${lockId}.jsonl`));
  // A running gateway may have removed that lock in the meantime.
  const locks = missing.length > 0 ? await names('locks') : new Set<string>();
  return missing.filter((lockId) => locks.has(`${lockId}.json`)).map((lockId) => `${directory}/cards/${lockId}.jsonl is missing`);
}
