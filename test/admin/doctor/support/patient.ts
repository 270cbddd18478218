// A data directory with a lock and some records, on a real disk, for the doctor to examine.
import { resolve } from 'node:path';
import { type Examined, examine, type Finding } from '../../../../src/admin/doctor/examine.ts';
import { type Config, loadConfig } from '../../../../src/app/config.ts';
import { manualClock, startedStore, withDirectory } from '../../../stores/files/support/directory.ts';
import { lockId, sampleEvents, sampleLock } from '../../../stores/files/support/samples.ts';

/** When a patient's data was made; its records are of the day before, and the clock of `look` shows an hour more. */
export const madeAt = Date.UTC(2026, 10, 21, 9);

export interface Patient {
  readonly directory: string;
  /** With its ports anywhere, and `flags` as on the command line. */
  config(flags?: Readonly<Record<string, string>>): Config;
  /** Everything, as `latchd doctor` would find it. */
  look(given?: Partial<Examined>): Promise<readonly Finding[]>;
}

export async function withPatient(run: (patient: Patient) => Promise<void>): Promise<void> {
  await withDirectory(async (folder) => {
    const directory = `${folder}/data`;
    const { store } = await startedStore(directory, { clock: manualClock(madeAt) });
    await store.ports.counters.next('lockId');
    await store.ports.locks.add(sampleLock(1, { roles: [] }));
    await store.ports.records.append(lockId(1), 'e', sampleEvents(1, 3));
    await store.stop();
    const config = (flags = {}) =>
      loadConfig({
        file: resolve(import.meta.dirname, '../../../../config/latchd.yaml'),
        // What apt knows of newer versions is looked at by updates.test.ts; asking it takes longer than all other checks.
        environment: { LATCHD_UPDATES_CHECK: 'false' },
        flags: { '--data-dir': directory, '--http-port': '0', '--mqtt-port': '0', ...flags },
      }).config;
    await run({
      directory,
      config,
      look: (given = {}) =>
        examine({ config: config(), version: '0.1.0', clock: { now: () => madeAt + 3_600_000, monotonic: () => 0 }, ...given }),
    });
  });
}

/** What one check said, each as `verdict seen`. */
export function said(findings: readonly Finding[], check: string): readonly string[] {
  return findings.filter((finding) => finding.check === check).map(({ verdict, seen }) => `${verdict} ${seen}`);
}

/** The checks that failed. */
export function failed(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.filter(({ verdict }) => verdict === 'fail').map(({ check }) => check))];
}
