import { describe, expect, it } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import { homeTopics } from '../../../src/integrations/home-assistant/topics.ts';

const lockId = 7 as LockId;
const topics = homeTopics({ prefix: 'home/latchd', discoveryPrefix: 'ha', gatewayId: '3f9c0a17' });

describe('the topics of Home Assistant', () => {
  it('name the gateway and the lock, whatever the prefixes are', () => {
    const { lockState, lockOnline, lockAttributes, lockEvent, lockAlarms, lockRefused, lockConfig } = topics;
    const ofLock = [lockState, lockOnline, lockAttributes, lockEvent, lockAlarms, lockRefused].map((topicOf) => topicOf(lockId));
    expect(ofLock).toEqual(
      ['state', 'online', 'attributes', 'event', 'alarms', 'refused'].map((ending) => `home/latchd/3f9c0a17/7/${ending}`),
    );
    expect([topics.status, topics.gatewayState, topics.birth]).toEqual([
      'home/latchd/3f9c0a17/status',
      'home/latchd/3f9c0a17/state',
      'ha/status',
    ]);
    expect([lockConfig(lockId), topics.gatewayConfig, topics.ownConfigs]).toEqual([
      'ha/device/latchd_3f9c0a17_7/config',
      'ha/device/latchd_3f9c0a17/config',
      'ha/device/+/config',
    ]);
  });

  it('of a command lead back to its lock, and nothing else does: no other gateway, no other lock, no report', () => {
    const kinds = ['bolt', 'auto-lock', 'alarm'] as const;
    expect(kinds.map((kind) => topics.lockCommand({ kind, lockId }))).toEqual([
      'home/latchd/3f9c0a17/7/set',
      'home/latchd/3f9c0a17/7/auto-lock/set',
      'home/latchd/3f9c0a17/7/alarm/set',
    ]);
    for (const kind of kinds) expect(topics.commandOf(topics.lockCommand({ kind, lockId }))).toEqual({ kind, lockId });
    expect(topics.commandFilters).toEqual([
      'home/latchd/3f9c0a17/+/set',
      'home/latchd/3f9c0a17/+/auto-lock/set',
      'home/latchd/3f9c0a17/+/alarm/set',
    ]);
    const own = 'home/latchd/3f9c0a17';
    const strangers = ['7/state', '7', 'x/set', '07/set', '-7/set', '7/set/', '7/bolt/set', '7/7/set', '/set', '9999999999999999/set'];
    for (const stranger of [...strangers.map((ending) => `${own}/${ending}`), 'home/latchd/3f9c0a18/7/set', 'latchd/3f9c0a17/7/set'])
      expect([stranger, topics.commandOf(stranger)]).toEqual([stranger, undefined]);
  });
});
