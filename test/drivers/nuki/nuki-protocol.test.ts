import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nuki } from '../../../src/drivers/nuki/nuki.ts';
import { confirmations, conversations, isOutOfTurn, operations } from '../../support/protocol-properties.ts';
import { captureDeviceId, capturesOf, played } from '../../support/protocol-replay.ts';

describe('a Nuki with MQTT of its own', () => {
  test.each(capturesOf('nuki').map((capture) => [capture.about, capture] as const))('%s', (_about, capture) => {
    expect(played(nuki, capture)).toEqual(capture.lines);
  });
});

describe('whatever a Nuki says', () => {
  const topic = (name: string) => `nuki/2BB28570/${name}`;
  const oneOf = (name: string, ...payloads: string[]) => fc.constantFrom(...payloads).map((payload) => ({ topic: topic(name), payload }));
  const said = fc.oneof(
    oneOf('state', '0', '1', '2', '3', '4', '5', '6', '7', '253', '254', '255'),
    oneOf('commandResponse', '0', '0', '0', '32', '66', '69', '73', '255'),
    oneOf('lockActionEvent', '1,172,0,0,0', '2,172,0,0,0', '3,172,0,0,0', '1,0,5,12345,1', '2,1,0,0,0', '3,3,5,0,3'),
    oneOf('connected', 'true', 'false'),
    oneOf('doorsensorState', '2', '3'),
  );
  const names = [
    'state',
    'commandResponse',
    'lockActionEvent',
    'doorsensorState',
    'batteryChargeState',
    'batteryCritical',
    'firmware',
    'x',
  ];
  const spoken = (unlock: 'unlock' | 'unlatch') =>
    conversations(() => nuki.create({ deviceId: captureDeviceId, options: { nukiId: '2BB28570', unlock } }), said, names.map(topic));

  test.each(['unlock', 'unlatch'] as const)(
    '%s is confirmed only by a response 0 after it, and by the bolt where it was wanted',
    (unlock) => {
      fc.assert(
        fc.property(spoken(unlock), (conversation) => {
          expect(isOutOfTurn(conversation)).toBe(false);
          for (const { since } of confirmations(conversation)) {
            expect(since).toContainEqual({ topic: topic('commandResponse'), payload: '0' });
          }
          let state: string | undefined;
          for (const effect of conversation.turns.flatMap(({ effects }) => effects)) {
            if (effect.kind === 'state') state = effect.state;
            if (effect.kind === 'end' && effect.outcome.kind === 'ok') expect(effect.outcome.state).toBe(state);
          }
        }),
      );
    },
  );

  test('an action is one event at most, and none when it is the command that was given and answered', () => {
    fc.assert(
      fc.property(spoken('unlock'), (conversation) => {
        let untold: string | undefined;
        let isUnconfirmed = false;
        let told = 0;
        for (const { heard, effects } of conversation.turns) {
          if (effects.some(({ kind }) => kind === 'end')) isUnconfirmed = false;
          else if (isUnconfirmed && effects.some(({ kind }) => kind === 'event')) {
            isUnconfirmed = false;
            told += 1;
          }
          const sent = effects.find((effect) => effect.kind === 'publish');
          if (sent?.kind === 'publish') untold = sent.payload;
          if (heard?.topic !== topic('lockActionEvent') || !/^\d+,\d+,\d+,\d+,\d+$/.test(String(heard.payload))) continue;
          if (heard.payload === `${untold},172,0,0,0`) {
            untold = undefined;
            isUnconfirmed = true;
          } else told += 1;
        }
        expect(operations(conversation).length).toBeLessThanOrEqual(told);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the registration of a Nuki', () => {
  test('its id is stored in upper case, and is in its names and topics', () => {
    const options = nuki.schema.parse({ kind: 'nuki', nukiId: '2bb28570' });
    expect(options).toEqual({ kind: 'nuki', nukiId: '2BB28570', unlock: 'unlock' });
    expect([nuki.address(options), nuki.deviceIdOf?.(options)]).toEqual(['2BB28570', '2BB28570']);
    expect(nuki.prefixes(options, '')).toEqual(['nuki/2BB28570/']);
    expect(nuki.commandTopics(options, '')).toEqual(['nuki/2BB28570/lockAction']);
  });

  test('an unlatch is sent to an unlocked door, too; an unlock and a lock are not', () => {
    const options = { nukiId: '2BB28570', unlock: 'unlatch' } as const;
    expect([nuki.alwaysSends(options, 'unlock'), nuki.alwaysSends(options, 'lock')]).toEqual([true, false]);
    expect(nuki.alwaysSends({ ...options, unlock: 'unlock' }, 'unlock')).toBe(false);
  });

  test.each([
    [{ kind: 'nuki' }, ['nukiId']],
    [{ kind: 'nuki', nukiId: '2BB2857', unlock: 'open' }, ['nukiId', 'unlock']],
    [{ kind: 'nuki', nukiId: '2BB28570', code: '1' }, ['']],
    [{ kind: 'nuki', nukiId: 733_119_856 }, ['nukiId']],
  ])('all that is wrong with %j is found', (given, paths) => {
    const { error } = nuki.schema.safeParse(given);
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(paths);
  });
});
