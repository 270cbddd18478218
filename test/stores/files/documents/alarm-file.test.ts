// alarms.jsonl on the disk, whole, damaged, or of an older program.
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { AcceptedLoss, Alarm } from '../../../../src/domain/alarms/alarm.ts';
import type { AlarmStore } from '../../../../src/domain/alarms/alarm-ports.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { startedStore, withDirectory } from '../support/directory.ts';
import { lockId } from '../support/samples.ts';

const kept: { readonly alarms: readonly Alarm[]; readonly acceptedLosses: readonly AcceptedLoss[] } = {
  alarms: [
    { kind: 'low-battery', lockId: lockId(7), since: 5, reason: 'its battery is at 17 percent', batteryPercent: 17 },
    { kind: 'event-gap', lockId: lockId(7), since: 6, reason: 'lost', lost: [{ epoch: 'e', to: 4 }] },
    { kind: 'clock-suspect', lockId: null, since: 7, reason: 'wrong' },
  ],
  acceptedLosses: [{ lockId: lockId(7), lost: [{ epoch: 'd', to: 9 }] }],
};

function held(alarms: AlarmStore): typeof kept {
  return { alarms: alarms.all(), acceptedLosses: [...alarms.acceptedLosses()] };
}

test('alarms and accepted losses are there after a restart', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    await first.store.ports.alarms.update(() => ({ active: kept.alarms, acceptedLosses: kept.acceptedLosses }));
    await first.store.stop();
    expect((await verify(directory)).findings).toEqual([]);
    const { store } = await startedStore(directory);
    expect(held(store.ports.alarms)).toEqual(kept);
    await store.stop();
  }));

test('verify finds a damaged alarms.jsonl, and a start sets it aside: doors do not wait for a person', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    await first.store.ports.alarms.update(() => ({ active: kept.alarms, acceptedLosses: kept.acceptedLosses }));
    await first.store.stop();
    await writeFile(`${directory}/alarms.jsonl`, '{"rows":["nonsense"]}\n{}\n');
    expect((await verify(directory)).findings).toEqual([expect.objectContaining({ file: 'alarms.jsonl' })]);
    const { store } = await startedStore(directory);
    expect(held(store.ports.alarms)).toEqual({ alarms: [], acceptedLosses: [] });
    expect(await readFile(`${directory}/alarms.jsonl.damaged`, 'utf8')).toContain('nonsense');
    await store.stop();
  }));

test('the alarms of an older program are upgraded from alarms.json once, with a copy beside', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    await first.store.stop();
    await rm(`${directory}/alarms.jsonl`);
    await writeFile(`${directory}/alarms.json`, JSON.stringify({ schemaVersion: 1, ...kept }), { mode: 0o600 });
    await writeFile(`${directory}/alarms.json.previous`, 'older still', { mode: 0o600 });
    expect((await verify(directory)).findings).toEqual([]);
    let upgrades = 0;
    const beforeUpgrade = async () => {
      upgrades += 1;
    };
    const second = await startedStore(directory, { beforeUpgrade });
    expect(held(second.store.ports.alarms)).toEqual(kept);
    await second.store.ports.alarms.update(() => ({ ended: [kept.alarms[0] as Alarm] }));
    await second.store.stop();
    expect((await readdir(directory)).filter((name) => name.startsWith('alarms'))).toEqual(['alarms.json.schema-1', 'alarms.jsonl']);
    const third = await startedStore(directory, { beforeUpgrade });
    expect([upgrades, held(third.store.ports.alarms)]).toEqual([1, { ...kept, alarms: kept.alarms.slice(1) }]);
    await third.store.stop();
  }));

test('verify remarks what a power cut tore behind the last alarm, and a start cuts it off', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    await first.store.ports.alarms.update(() => ({ active: kept.alarms, acceptedLosses: kept.acceptedLosses }));
    await first.store.stop();
    await appendFile(`${directory}/alarms.jsonl`, '{"rows":[');
    const { findings, remarks } = await verify(directory);
    expect([findings, remarks]).toMatchObject([[], [{ file: 'alarms.jsonl', problem: expect.stringMatching(/^has 9 bytes/) }]]);
    const second = await startedStore(directory);
    expect(held(second.store.ports.alarms)).toEqual(kept);
    await second.store.stop();
  }));
