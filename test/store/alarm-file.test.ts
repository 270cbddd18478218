// alarms.json on the disk, whole or damaged.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { KeptAlarms } from '../../src/domain/ports.ts';
import { verify } from '../../src/store/verify.ts';
import { startedStore, withDirectory } from './support/directory.ts';
import { lockId } from './support/samples.ts';

const kept: KeptAlarms = {
  alarms: [
    { kind: 'low-battery', lockId: lockId(7), since: 5, reason: 'its battery is at 17 percent', batteryPercent: 17 },
    { kind: 'event-gap', lockId: lockId(7), since: 6, reason: 'lost', lost: [{ epoch: 'e', to: 4 }] },
    { kind: 'clock-suspect', lockId: null, since: 7, reason: 'wrong' },
  ],
  acceptedLosses: [{ lockId: lockId(7), lost: [{ epoch: 'd', to: 9 }] }],
};

test('alarms, and what a person knows to be lost, are there after a restart', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    await first.store.alarms.keep(kept);
    await first.store.stop();
    expect((await verify(directory)).findings).toEqual([]);
    const { store } = await startedStore(directory);
    expect(store.alarms.current()).toEqual(kept);
    await store.stop();
  }));

test('a damaged alarms.json is found by verify, and set aside at the start: doors do not wait for a person', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    await first.store.alarms.keep(kept);
    await first.store.stop();
    await writeFile(`${directory}/alarms.json`, '{"schemaVersion":1,"alarms":[{"kind":"nonsense"}]}');
    expect((await verify(directory)).findings).toEqual([expect.objectContaining({ file: 'alarms.json' })]);
    const { store } = await startedStore(directory);
    expect(store.alarms.current()).toEqual({ alarms: [], acceptedLosses: [] });
    expect(await readFile(`${directory}/alarms.json.damaged`, 'utf8')).toContain('nonsense');
    await store.stop();
  }));
