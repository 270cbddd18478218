import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nukiHub } from '../../../src/drivers/nuki-hub/nuki-hub.ts';
import { confirmations, conversations, isOutOfTurn } from '../../support/protocol-properties.ts';
import { captureDeviceId, capturesOf, played } from '../../support/protocol-replay.ts';

describe('nuki_hub', () => {
  test.each(capturesOf('nuki-hub').map((capture) => [capture.about, capture] as const))('%s', (_about, capture) => {
    expect(played(nukiHub, capture)).toEqual(capture.lines);
  });
});

describe('whatever nuki_hub says', () => {
  const topic = (name: string) => `nukihub/lock/${name}`;
  const oneOf = (name: string, ...payloads: string[]) => fc.constantFrom(...payloads).map((payload) => ({ topic: topic(name), payload }));
  const entry = fc.integer({ min: 1, max: 20 }).map((index) => ({ index, type: 'LockAction', action: 'Unlock', trigger: 'system' }));
  const said = fc.oneof(
    oneOf('action', 'ack', 'denied', 'error', '--'),
    oneOf('commandResult', 'success', 'success', 'failed', 'timeOut', 'working'),
    oneOf('retry', '1', '--', 'failed'),
    oneOf('completionStatus', 'success', 'motorBlocked', 'busy'),
    oneOf('query/lockstateCommandResult', 'success', 'success', 'timeOut'),
    oneOf('state', 'locked', 'unlocked', 'unlatched', 'locking', 'motorBlocked', 'undefined'),
    oneOf('availability', 'online', 'offline'),
    oneOf('json', '{"lock_completion_status":"busy","currentTime":"2026-11-22 08:00:00"}'),
    entry.map((one) => ({ topic: topic('rollingLog'), payload: JSON.stringify(one) })),
    fc.array(entry).map((log) => ({ topic: topic('log'), payload: JSON.stringify(log) })),
  );
  const names = [
    'action',
    'commandResult',
    'state',
    'rollingLog',
    'log',
    'json',
    'battery/basicJson',
    'keypad/json',
    'info/firmwareVersion',
  ];
  const create = () => nukiHub.create({ deviceId: captureDeviceId, options: { base: 'nukihub', unlock: 'unlock' } });
  const spoken = conversations(create, said, names.map(topic));

  test('a command is confirmed only by a success of its attempt and by the bolt, both after it, and never by what the hub only remembers', () => {
    fc.assert(
      fc.property(spoken, (conversation) => {
        expect(isOutOfTurn(conversation)).toBe(false);
        for (const { state, since } of confirmations(conversation)) {
          expect(since).toContainEqual({ topic: topic('commandResult'), payload: 'success' });
          const bolts = since.filter((one) => one.topic === topic('state'));
          expect(bolts.map(({ payload }) => (String(payload) === 'locked' ? 'locked' : 'unlocked'))).toContain(state);
        }
        let isFresh = true;
        for (const { heard, effects } of conversation.turns) {
          if (heard?.topic === topic('query/lockstateCommandResult')) isFresh = heard.payload === 'success';
          if (heard?.topic === topic('state') && !isFresh) expect(effects.filter(({ kind }) => kind === 'end')).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('each event has the index that the lock gave it, lowest first', () => {
    fc.assert(
      fc.property(spoken, ({ turns }) => {
        for (const { heard, effects } of turns) {
          for (const effect of effects) {
            if (effect.kind !== 'numbered') continue;
            const indexes = [JSON.parse(String(heard?.payload))].flat().map(({ index }: { index: number }) => index);
            expect(effect.events.map(({ seq }) => seq)).toEqual(indexes.sort((a, b) => a - b));
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the registration of a nuki_hub', () => {
  test('its base is its address, and is in its topics', () => {
    const options = nukiHub.schema.parse({ kind: 'nuki-hub' });
    expect(options).toEqual({ kind: 'nuki-hub', base: 'nukihub', unlock: 'unlock' });
    expect(nukiHub.address({ ...options, base: 'house/nuki' })).toBe('house/nuki');
    expect(nukiHub.prefixes(options, '')).toEqual(['nukihub/']);
    expect(nukiHub.commandTopics(options, '')).toEqual(['nukihub/lock/action']);
    expect([nukiHub.alwaysSends(options, 'unlock'), nukiHub.alwaysSends({ ...options, unlock: 'unlatch' }, 'unlock')]).toEqual([
      false,
      true,
    ]);
  });

  test.each(['', '/nuki', 'nuki/', 'a//b', 'nuki/#', 'nuki/+', 'nu ki', 'ä', 'x'.repeat(65), 7])('the base %j is refused', (base) => {
    const { error } = nukiHub.schema.safeParse({ kind: 'nuki-hub', base });
    expect(error?.issues.map(({ path }) => path.join('.'))).toContain('base');
  });
});
