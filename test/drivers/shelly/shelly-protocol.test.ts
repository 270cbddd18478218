import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { shelly } from '../../../src/drivers/shelly/shelly.ts';
import { conversations, isOutOfTurn, operations } from '../../support/protocol-properties.ts';
import { captureDeviceId, captureStart, capturesOf, played } from '../../support/protocol-replay.ts';

describe('a strike on a Shelly', () => {
  test.each(capturesOf('shelly').map((capture) => [capture.about, capture] as const))('%s', (_about, capture) => {
    expect(played(shelly, capture)).toEqual(capture.lines);
  });
});

const answers = `latchd/${captureDeviceId}/rpc`;
const notifications = 'door/events/rpc';
const options = { prefix: 'door', switch: 0, pulseSeconds: 3, contact: null };

describe('whatever a Shelly says', () => {
  const firstId = (captureStart + 100) % 1_000_000_000;
  const id = fc.integer({ min: firstId + 1, max: firstId + 8 });
  const json = (topic: string, message: object) => ({ topic, payload: JSON.stringify(message) });
  const config = { initial_state: 'off', auto_on: false };
  const said = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(id, fc.boolean()).map(([one, was_on]) => json(answers, { id: one, result: { was_on } })) },
    { weight: 4, arbitrary: id.map((one) => json(answers, { id: one, result: config })) },
    { weight: 1, arbitrary: id.map((one) => json(answers, { id: one, result: { output: true } })) },
    { weight: 1, arbitrary: id.map((one) => json(answers, { id: one, error: { code: -1, message: 'no' } })) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.boolean(), fc.constantFrom('MQTT', 'timer', 'button', 'HTTP_in'))
        .map(([output, source]) => json(notifications, { method: 'NotifyStatus', params: { 'switch:0': { output, source } } })),
    },
    { weight: 1, arbitrary: fc.constantFrom('true', 'false').map((payload) => ({ topic: 'door/online', payload })) },
  );
  const spoken = conversations(() => shelly.create({ deviceId: captureDeviceId, options }), said, [answers, notifications, 'door/online']);

  test('a command is confirmed only by the answer to its own id, and by the output where it was wanted', () => {
    fc.assert(
      fc.property(spoken, (conversation) => {
        expect(isOutOfTurn(conversation)).toBe(false);
        let sent: number | undefined;
        let isAnswered = false;
        let output: boolean | undefined;
        for (const { command, heard, effects } of conversation.turns) {
          if (heard?.topic === answers && sent !== undefined && parsed(heard.payload)?.id === sent) isAnswered = true;
          for (const effect of effects) {
            if (effect.kind === 'state') output = effect.state === 'unlocked';
            // At the beginning of its session the protocol asks for the output by itself.
            if (command !== undefined && effect.kind === 'publish' && /Switch.(Set|GetStatus)"/.test(effect.payload)) {
              sent = parsed(effect.payload)?.id;
              isAnswered = false;
            }
            if (effect.kind !== 'end' || effect.outcome.kind !== 'ok') continue;
            expect([isAnswered, effect.outcome.state]).toEqual([true, output ? 'unlocked' : 'locked']);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('a switching is one event at most, and no id is used twice', () => {
    fc.assert(
      fc.property(spoken, (conversation) => {
        const told = conversation.turns.filter(({ heard }) => heard?.topic === notifications);
        expect(operations(conversation).length).toBeLessThanOrEqual(told.length);
        const sent = conversation.turns.flatMap(({ effects }) => effects).filter((effect) => effect.kind === 'publish');
        const ids = sent.map((effect) => parsed(effect.payload)?.id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 500 },
    );
  });
});

function parsed(payload: string | Buffer): { readonly id?: number } | undefined {
  try {
    return JSON.parse(String(payload)) ?? undefined;
  } catch {
    return undefined;
  }
}

describe('the registration of a Shelly', () => {
  test('its prefix is its address; it answers below a topic of our own', () => {
    const given = shelly.schema.parse({ kind: 'shelly', prefix: 'shellyplus1-a8032abe54dc' });
    expect(given).toEqual({ kind: 'shelly', prefix: 'shellyplus1-a8032abe54dc', switch: 0, pulseSeconds: 3, contact: null });
    expect(shelly.address(given)).toBe('shellyplus1-a8032abe54dc');
    expect(shelly.prefixes(given, '02a1b2c3d4e5')).toEqual(['shellyplus1-a8032abe54dc/', 'latchd/02a1b2c3d4e5/rpc']);
    expect(shelly.commandTopics(given, '02a1b2c3d4e5')).toEqual(['shellyplus1-a8032abe54dc/rpc']);
    expect([shelly.alwaysSends(given, 'unlock'), shelly.alwaysSends(given, 'lock')]).toEqual([true, false]);
  });

  test.each([
    [{}, ['prefix']],
    [{ prefix: 'a', switch: 4, pulseSeconds: 0, contact: -1 }, ['switch', 'pulseSeconds', 'contact']],
    [{ prefix: 'a', switch: 0.5, pulseSeconds: 61, contact: '1' }, ['switch', 'pulseSeconds', 'contact']],
  ])('all that is wrong with %j is found', (given, paths) => {
    const { error } = shelly.schema.safeParse({ kind: 'shelly', ...given });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(paths);
  });
});
