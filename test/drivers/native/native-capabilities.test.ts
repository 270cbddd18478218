// What a lock of our own can do, from its hello to everybody who sees the lock (Protocol 4.1, HTTP API 8.1).
import { describe, expect, test } from '@jest/globals';
import type { LockFeatures } from '../../../src/domain/locks/lock.ts';
import { nativeCapabilities } from '../../../src/drivers/native/native-capabilities.ts';
import { createDomain, lockId } from '../../support/domain.ts';

const full: LockFeatures = { features: ['credentials', 'hours', 'once'], limits: { passcodes: 150 } };

describe('the capabilities of a native lock', () => {
  test.each<[string, LockFeatures | undefined, boolean, boolean, boolean]>([
    ['of old firmware', undefined, false, false, false],
    ['with everything', full, true, true, true],
    ['without a keypad', { ...full, limits: { passcodes: 0 } }, false, true, true],
    ['that does not say how many passcodes it takes', { ...full, limits: {} }, false, true, true],
    ['with passcodes alone', { ...full, features: ['credentials'] }, true, false, false],
    ['with hours and no memory for them', { ...full, features: ['hours', 'once'] }, false, false, false],
  ])('%s', (_title, features, passcodes, hours, once) => {
    const lock = features === undefined ? {} : { features };
    expect(nativeCapabilities(lock, false)).toMatchObject({ cards: true, encrypted: false, passcodes, hours, once });
    expect(nativeCapabilities(lock, true)).toMatchObject({ cards: true, encrypted: true, passcodes, hours, once });
  });

  test('have no cards where a lock says that it holds none', () => {
    expect(nativeCapabilities({ features: { ...full, limits: { passcodes: 10, cards: 0 } } }, false)).toMatchObject({
      cards: false,
      passcodes: true,
    });
    expect(nativeCapabilities({ features: { features: [], limits: { cards: 0 } } }, false).cards).toBe(true);
  });

  test('follow its hello: they are stored, news once, and gone with firmware that does not say them', async () => {
    const { reports, locks, events, link } = await createDomain();
    const news: unknown[] = [];
    events.subscribe('capabilities-changed', (payload) => news.push(payload));
    const hello = async (features?: LockFeatures) => {
      link.connect(lockId);
      reports.hello(lockId, features === undefined ? {} : { features });
      await new Promise(setImmediate);
      return locks.get(lockId)?.features;
    };
    expect(await hello(full)).toEqual(full);
    expect(await hello({ ...full })).toEqual(full);
    expect(news).toEqual([{ lockId }]);
    // An online report without a hello says nothing about it.
    expect(await hello()).toEqual(full);
    expect(await hello({ ...full, features: [...full.features, 'a-word-of-tomorrow'] })).toMatchObject({ limits: { passcodes: 150 } });
    expect(news).toHaveLength(1);
    expect(await hello({ features: [], limits: {} })).toBeUndefined();
    expect(news).toHaveLength(2);
  });
});
