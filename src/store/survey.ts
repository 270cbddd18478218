// A look at a data directory from outside, whether a daemon is on it or not. Changes nothing, and reads documents alone: verify reads all.
import { accountFormat } from './account-file.ts';
import { alarmFormat } from './alarm-file.ts';
import { batteryFormat } from './battery-file.ts';
import { clockFormat } from './clock-trust.ts';
import { counterFormat } from './counter-file.ts';
import { createDocument, type DocumentFormat } from './document.ts';
import { newestRecordAt } from './export.ts';
import { codeOf, type FileLayer } from './files.ts';
import { hubFormat } from './hub-file.ts';
import { lockDocumentFormat } from './lock-document.ts';
import { statusFormat } from './status-file.ts';
import { webhookFileName, webhookFormat } from './webhook-files.ts';

export interface Survey {
  readonly documents: number;
  /** Of those, how many an older latchd wrote; the next start upgrades them. */
  readonly older: number;
  /** A sentence for each document that is damaged, missing, or of a newer latchd. */
  readonly problems: readonly string[];
  /** Epoch milliseconds; null: the clock counts as right. */
  readonly clockSuspectSince: number | null;
  /** serverDate of the newest record; undefined without records. */
  readonly newestRecordAt: number | undefined;
}

/** Rejects only when the directory itself cannot be read. */
export async function survey(files: FileLayer, directory: string): Promise<Survey> {
  const problems: string[] = [];
  let documents = 0;
  let older = 0;

  async function load<T extends object>(file: string, format: DocumentFormat<T>, how: 'needed' | 'optional' = 'optional') {
    const beforeUpgrade = async () => {
      older += 1;
    };
    const document = createDocument({ files, path: `${directory}/${file}`, format, beforeUpgrade });
    try {
      if (await document.load()) {
        documents += 1;
        return document.current();
      }
      if (how === 'needed') problems.push(`${directory}/${file} is missing`);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
    return undefined;
  }

  await files.readdir(directory);
  await load('counters.json', counterFormat, 'needed');
  await load('accounts.json', accountFormat, 'needed');
  await load('hubs.json', hubFormat);
  await load('status.json', statusFormat);
  await load('battery.json', batteryFormat);
  await load('alarms.json', alarmFormat);
  const clock = await load('clock.json', clockFormat);
  for (const name of await files.readdir(`${directory}/locks`).catch(nothingThere)) {
    // One that was removed meanwhile is no problem.
    if (/^\d+\.json$/.test(name)) await load(`locks/${name}`, lockDocumentFormat);
  }
  for (const name of await files.readdir(`${directory}/webhooks`).catch(nothingThere)) {
    if (webhookFileName.test(name)) await load(`webhooks/${name}`, webhookFormat);
  }
  const newest = await newestRecordAt(files, `${directory}/records`).catch(nothingThere);
  return {
    ...{ documents, older, problems },
    clockSuspectSince: clock?.suspectSince ?? null,
    newestRecordAt: typeof newest === 'number' ? newest : undefined,
  };
}

function nothingThere(error: unknown): readonly string[] {
  if (codeOf(error) === 'ENOENT') return [];
  throw error;
}
