import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BridgeEffect, BridgeProtocol } from '../../../src/drivers/bridge-protocol.ts';
import { zigbee2mqttKind } from '../../../src/drivers/zigbee2mqtt/kind.ts';
import { readDevices } from '../../../src/drivers/zigbee2mqtt/messages.ts';
import { goldensIn, inShort, play } from '../../support/golden-bridge.ts';

const ieee = '0x000d6f0012bc896e';
const base = 'zigbee2mqtt';
const lockPart = {
  type: 'lock',
  features: [
    { name: 'state', property: 'state', access: 7 },
    { name: 'lock_state', property: 'lock_state', access: 1 },
  ],
};
const device = (name: string, more: object = {}) => ({
  ieee_address: ieee,
  friendly_name: name,
  interview_state: 'SUCCESSFUL',
  definition: { model: 'YRD226HA2619', vendor: 'Yale', exposes: [lockPart] },
  ...more,
});

function hear(program: BridgeProtocol, topic: string, payload: unknown, isHistory = false, now = 0): readonly BridgeEffect[] {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return program.hear({ topic: `${base}/${topic}`, payload: Buffer.from(text), isHistory }, now);
}

/** A program whose lock `Front` is online. */
function running(cacheState: boolean | undefined): BridgeProtocol {
  const program = zigbee2mqttKind.create({ base });
  program.begin(0);
  program.follow(new Set([ieee]), 0);
  hear(program, 'bridge/state', { state: 'online' }, true);
  if (cacheState !== undefined) hear(program, 'bridge/info', { config: { advanced: { cache_state: cacheState } } }, true);
  hear(program, 'bridge/devices', [device('Front')], true);
  return program;
}

const outcomesIn = (effects: readonly BridgeEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'lock' && effect.effect.kind === 'end' ? [effect.effect.outcome.kind] : []));

describe('Zigbee2MQTT', () => {
  test.each(goldensIn('zigbee2mqtt'))('the capture %s brings about what is written beside it', (_name, lines) => {
    const program = zigbee2mqttKind.create({ base });
    program.begin(0);
    for (const line of lines) expect([line, play(program, line)]).toEqual([line, line.effects]);
  });

  const models = JSON.parse(readFileSync(new URL('../../wire/drivers/zigbee2mqtt/models.json', import.meta.url), 'utf8')) as {
    readonly models: readonly { readonly vendor: string; readonly model: string; readonly exposes: readonly object[] }[];
  };
  test.each(models.models.map((model) => [`${model.vendor} ${model.model}`, model] as const))(
    'the lock %s is understood by what it exposes',
    (_name, { vendor, model, exposes }) => {
      const list = [device('Front', { definition: { vendor, model, exposes } })];
      const [lock] = readDevices(Buffer.from(JSON.stringify(list))) ?? [];
      expect(lock).toMatchObject({ ieee, make: vendor, refused: null });
      const text = JSON.stringify(exposes);
      expect(lock).toMatchObject({
        hasLockState: text.includes('"property":"lock_state"'),
        passcodes: text.includes('"property":"pin_code"'),
        autoLock: text.includes('"property":"auto_relock_time"'),
        battery: text.includes('"property":"battery"'),
      });
    },
  );

  test('a lock is announced by its name, its make, its model and its topics', () => {
    const program = running(false);
    expect(program.announced()).toEqual([
      {
        ...{ driver: { kind: 'zigbee2mqtt', ieee }, address: ieee, name: 'Front', make: 'Yale', model: 'YRD226HA2619' },
        ...{ topic: 'zigbee2mqtt/Front', commandTopic: 'zigbee2mqtt/Front/set', since: 0, refused: null },
      },
    ]);
  });

  test('a lock whose name has a wildcard is announced and refused by that name, and nothing of it is subscribed', () => {
    const program = running(false);
    const effects = hear(program, 'bridge/devices', [device('Front/#')]);
    expect(program.announced()).toMatchObject([{ refused: 'friendly_name: + and #' }]);
    expect(effects.map(inShort).join()).not.toContain(' subscribe zigbee2mqtt/Front/#');
    expect(effects.map(inShort)).toContain('unsubscribe zigbee2mqtt/Front/availability, zigbee2mqtt/Front');
  });

  test('two locks in one device are refused, because a command could move the other one', () => {
    const program = zigbee2mqttKind.create({ base });
    hear(program, 'bridge/devices', [device('Front', { definition: { vendor: 'a', model: 'b', exposes: [lockPart, lockPart] } })]);
    expect(program.announced()).toMatchObject([{ refused: 'exposes: several locks in one device' }]);
  });

  const report = fc.record(
    {
      lock_state: fc.constantFrom('locked', 'unlocked', 'not_fully_locked'),
      state: fc.constantFrom('LOCK', 'UNLOCK'),
      battery: fc.integer({ min: 0, max: 100 }),
      users: fc.constant({ 3: { status: 'enabled' } }),
      auto_relock_time: fc.constant(30),
    },
    { requiredKeys: [] },
  );
  const commands = fc.constantFrom(
    { op: 'lock' } as const,
    { op: 'unlock' } as const,
    { op: 'set-auto-lock', seconds: 30 } as const,
    { op: 'put-passcode', code: '4711', name: '', reference: '3', startDate: 0, endDate: 0 } as const,
    { op: 'remove-passcode', reference: '3' } as const,
  );

  test('no history ever ends a command, whatever it says', () => {
    fc.assert(
      fc.property(fc.constantFrom(true, false, undefined), commands, fc.array(report), (cacheState, command, reports) => {
        const program = running(cacheState);
        program.command(ieee, command, 0);
        const action = { action: command.op, action_source_name: 'rf' };
        const heard = reports.flatMap((payload) => hear(program, 'Front', { ...payload, ...action }, true));
        expect(outcomesIn(heard)).toEqual([]);
        expect(heard.filter((effect) => effect.kind === 'lock' && effect.effect.kind === 'event')).toEqual([]);
      }),
    );
  });

  test('with a cache, a message that only repeats what the one before said ends no command but get-status', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(true, undefined),
        commands,
        report,
        fc.integer({ min: 1, max: 5 }),
        (cacheState, command, same, times) => {
          const program = running(cacheState);
          hear(program, 'Front', same);
          program.command(ieee, command, 0);
          for (let n = 0; n < times; n++) expect(outcomesIn(hear(program, 'Front', same))).toEqual([]);
        },
      ),
    );
  });

  test('with a cache, the first message after the program has started again ends no command: it may be what was cached', () => {
    fc.assert(
      fc.property(report, report, commands, fc.boolean(), (before, first, command, isEndHeard) => {
        const program = running(true);
        hear(program, 'Front', before);
        if (isEndHeard) hear(program, 'bridge/state', { state: 'offline' });
        hear(program, 'bridge/state', { state: 'online' });
        program.command(ieee, command, 0);
        expect(outcomesIn(hear(program, 'Front', first))).toEqual([]);
      }),
    );
  });

  test('nothing but SET of LOCK or UNLOCK is said to a lock, and each once for a command', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(report, fc.constant('wake'), fc.constant('get failed')), { maxLength: 20 }), (steps) => {
        const program = running(false);
        const first = program.command(ieee, { op: 'lock' }, 0);
        const effects = [...(Array.isArray(first) ? first : [])];
        for (const step of steps) {
          const failed = { level: 'error', message: "z2m: Publish 'get' 'state' to 'Front' failed: 'x'" };
          if (step === 'wake') effects.push(...program.wake(ieee, 0));
          else if (step === 'get failed') effects.push(...hear(program, 'bridge/logging', failed));
          else effects.push(...hear(program, 'Front', step));
        }
        const sets = effects.flatMap((effect) =>
          effect.kind === 'lock' && effect.effect.kind === 'publish' && effect.effect.topic.endsWith('/set') ? [effect.effect.payload] : [],
        );
        expect(sets).toEqual(['{"state":"LOCK"}']);
      }),
    );
  });

  test('hostile payloads on every topic change nothing and throw nothing', () => {
    const topics = ['bridge/state', 'bridge/devices', 'bridge/info', 'bridge/logging', 'Front', 'Front/availability', 'elsewhere'];
    const payloads = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('null', '[]', '{"__proto__":{"state":"online"}}', '['.repeat(10_000)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...topics), payloads, fc.boolean(), (topic, payload, isHistory) => {
        const program = running(false);
        program.command(ieee, { op: 'unlock' }, 0);
        expect(outcomesIn(hear(program, topic, payload, isHistory))).toEqual([]);
      }),
    );
  });

  test('a code in clear is in no effect, however the lock tells it', () => {
    const program = running(false);
    const secrets = { last_used_pin_code: '918273', users: { 3: { status: 'enabled', pin_code: '918273' } } };
    const effects = hear(program, 'Front', { ...secrets, last_unlock_source: 'keypad', last_unlock_user: 3, action: 'unlock' });
    expect(JSON.stringify(effects)).not.toContain('918273');
  });

  test.each([
    [{ kind: 'zigbee2mqtt', bridge: 'house', ieee: '0x000D6F0012BC896E' }, true],
    [{ kind: 'zigbee2mqtt', bridge: 'house', ieee: '000d6f0012bc896e' }, false],
    [{ kind: 'zigbee2mqtt', bridge: 'House', ieee }, false],
    [{ kind: 'zigbee2mqtt', bridge: 'house', ieee, more: 1 }, false],
  ])('the registration %j is taken: %j', (given, isTaken) => {
    const parsed = zigbee2mqttKind.schema.safeParse(given);
    expect(parsed.success).toBe(isTaken);
    if (parsed.success) expect(zigbee2mqttKind.address(parsed.data)).toBe(ieee);
  });
});
