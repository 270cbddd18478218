import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forget, learn, useUp, wipe } from '../../device-sim/door-memory.ts';
import { type LockMemory, openLockMemory } from '../../device-sim/lock-memory.ts';
import { completeProfile, factoryContents } from '../../device-sim/lock-profile.ts';

const code = { kind: 'passcode', number: '0042' } as const;
let folder: string;
let memory: LockMemory;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'door-'));
  memory = await reopened();
  learn(memory, { ...code, startDate: 0, endDate: 0, once: true });
  await memory.saved();
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 10, retryDelay: 20 }));

function reopened(): Promise<LockMemory> {
  const factory = factoryContents(completeProfile({}));
  return openLockMemory({ file: join(folder, 'lock.json'), factory, eventCapacity: 10, historyCapacity: 5, flush: true });
}

describe('the memory of a lock, at its door', () => {
  it('has lost a one-time code on the disk when the bolt may move, and tells a second try', async () => {
    expect(await useUp(memory, code)).toBeUndefined();
    expect((await reopened()).contents).toMatchObject({ passcodes: [], used: [code] });
    expect(await useUp(memory, code)).toBe('used');
  });

  it('has the one-time code still when it could not be written, and refuses', async () => {
    await memory.halt();
    expect(await useUp(memory, code)).toBe('failed');
    expect(memory.contents).toMatchObject({ passcodes: [{ number: '0042', once: true }], used: [] });
  });

  it('forgets what the app of the lock takes off', () => {
    forget(memory, code);
    expect(memory.contents.passcodes).toEqual([]);
  });

  it('is empty and of a new epoch when it was replaced, and has its key still', async () => {
    memory.change({ deviceKey: 'secret' });
    memory.addEvent({ type: 'tamper' });
    const { epoch } = memory.contents;
    wipe(memory);
    await memory.saved();
    expect(memory.contents).toMatchObject({ passcodes: [], events: [], lastSeq: 0, deviceKey: 'secret' });
    expect(memory.contents.epoch).not.toBe(epoch);
    expect(memory.flushedSeq).toBe(0);
  });
});
