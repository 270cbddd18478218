// What the store of the pause after a restore promises.
import { describe, expect, test } from '@jest/globals';
import type { PauseStore } from '../../src/domain/credentials/access-pause.ts';
import type { RunOver } from './adapters.ts';

export interface ReopenedPause {
  /** Opened, as it is at the next start; `restoredAt`: a backup was restored meanwhile. */
  reopened(restoredAt?: number): Promise<PauseStore>;
}

export function pauseStoreContract(over: RunOver<ReopenedPause>): void {
  describe('a PauseStore', () => {
    test('is not paused when nothing was restored, and nothing ends then', () =>
      over(async ({ reopened }) => {
        const pause = await reopened();
        expect(pause.since()).toBeNull();
        await pause.end();
        expect(pause.since()).toBeNull();
        expect((await reopened()).since()).toBeNull();
      }));

    test('is paused since the restore, at each start, until it is ended', () =>
      over(async ({ reopened }) => {
        expect((await reopened(1_763_715_501_000)).since()).toBe(1_763_715_501_000);
        const pause = await reopened();
        expect(pause.since()).toBe(1_763_715_501_000);
        await Promise.all([pause.end(), pause.end()]);
        expect(pause.since()).toBeNull();
        await pause.end();
        expect((await reopened()).since()).toBeNull();
      }));

    test('is paused anew by another restore', () =>
      over(async ({ reopened }) => {
        await (await reopened(5)).end();
        expect((await reopened(0)).since()).toBe(0);
      }));
  });
}
