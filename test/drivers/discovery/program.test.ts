import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BridgeEffect, BridgeProtocol } from '../../../src/drivers/bridge-protocol.ts';
import { discoveryKind } from '../../../src/drivers/discovery/kind.ts';
import { templateOf } from '../../../src/drivers/discovery/template.ts';
import { goldensIn, inShort, play } from '../../support/golden-bridge.ts';

const id = 'front_lock';
const plain = { uniq_id: id, name: 'Front', cmd_t: 'front/set', stat_t: 'front/state' };

function hear(program: BridgeProtocol, topic: string, payload: unknown, isHistory = false): readonly BridgeEffect[] {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return program.hear({ topic, payload: Buffer.from(text), isHistory }, 5);
}

function following(announcement: object): BridgeProtocol {
  const program = discoveryKind.create({ prefix: 'homeassistant' });
  program.begin(0);
  program.follow(new Set([id]), 0);
  hear(program, 'homeassistant/lock/front/config', announcement, true);
  return program;
}

const outcomesIn = (effects: readonly BridgeEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'lock' && effect.effect.kind === 'end' ? [effect.effect.outcome.kind] : []));

describe('discovery', () => {
  test.each(goldensIn('discovery'))('the capture %s brings about what is written beside it', (_name, lines) => {
    const program = discoveryKind.create({ prefix: 'homeassistant' });
    program.begin(0);
    for (const line of lines) expect([line, play(program, line)]).toEqual([line, line.effects]);
  });

  test.each([
    [{ opt: true }, 'opt'],
    [{ stat_t: undefined }, 'no stat_t'],
    [{ cmd_t: undefined }, 'no cmd_t'],
    [{ cmd_t: 'front/+' }, 'no cmd_t'],
    [{ stat_t: 'front/#' }, 'no stat_t'],
    [{ stat_t: 'front/set' }, 'cmd_t is stat_t'],
    [{ val_tpl: '{{ value | int }}' }, 'val_tpl: {{ value | int }}'],
    [{ value_template: '{{ value_json.a | lower }}' }, 'val_tpl: {{ value_json.a | lower }}'],
    [{ cmd_tpl: '{"code":"{{ code }}"}' }, 'cmd_tpl: {"code":"{{ code }}"}'],
    [{ avty: [{ t: 'a', val_tpl: '{{ 1 }}' }] }, 'avty_tpl: {{ 1 }}'],
    [{ avty: [{ topic: 'a/#' }] }, 'avty'],
    [{ cod_fmt: '^\\d{4}$' }, 'cod_fmt'],
    [{ ret: true, qos: 2 }, null],
    [{ cmd_tpl: '{{ value }}' }, null],
  ])('an announcement with %j is announced and refused as %j', (more, refused) => {
    const program = following({ ...plain, ...more });
    expect(program.announced()).toMatchObject([{ name: 'Front', refused }]);
    const command = program.command(id, { op: 'unlock' }, 0);
    if (refused === null) expect(command).toHaveLength(1);
    const online = program.follow(new Set(), 0);
    expect(online.map(inShort).join().includes('unsubscribe')).toBe(refused === null);
  });

  test('a lock of a gateway such as this one is neither announced nor spoken to', () => {
    for (const ours of [
      { ...plain, o: { name: 'latchd' } },
      { ...plain, origin: { name: 'latchd' } },
    ]) {
      expect(following(ours).announced()).toEqual([]);
    }
    const program = discoveryKind.create({});
    hear(program, 'homeassistant/lock/latchd_7/config', { ...plain, uniq_id: 'latchd_7' });
    expect(program.announced()).toEqual([]);
  });

  test('of two announcements with one unique id the first holds, and the second when the first is gone', () => {
    const program = following(plain);
    hear(program, 'homeassistant/lock/other/config', { ...plain, cmd_t: 'other/set', stat_t: 'other/state' });
    expect(program.announced()).toMatchObject([{ commandTopic: 'front/set' }]);
    expect(program.command(id, { op: 'lock' }, 0)).toMatchObject([{ effect: { topic: 'front/set', payload: 'LOCK' } }]);
    hear(program, 'homeassistant/lock/front/config', '');
    expect(program.announced()).toMatchObject([{ commandTopic: 'other/set' }]);
    expect(program.command(id, { op: 'lock' }, 0)).toMatchObject([{ effect: { topic: 'other/set' } }]);
  });

  test('a command whose lock is announced with other topics meanwhile is not answered by them', () => {
    const program = following(plain);
    program.command(id, { op: 'unlock' }, 0);
    hear(program, 'homeassistant/lock/front/config', { ...plain, cmd_t: 'other/set', stat_t: 'other/state' });
    expect(outcomesIn(hear(program, 'other/state', 'UNLOCKED'))).toEqual([]);
  });

  test.each([
    [undefined, 'x', 'x'],
    ['{{ value }}', 'x', 'x'],
    ['{{value}}', 'x', 'x'],
    ['{{ value_json.a.b }}', '{"a":{"b":"x"}}', 'x'],
    ['{{ value_json["a b"]["c"] }}', '{"a b":{"c":1}}', '1'],
    ["{{ value_json['a'].b }}", '{"a":{"b":true}}', 'True'],
    ['{{ value_json.a }}', 'no json', undefined],
    ['{{ value_json.a.b }}', '{"a":1}', undefined],
    ['{{ value_json.constructor }}', '{}', undefined],
    ['{{ value_json.__proto__ }}', '{}', undefined],
    ['{% if value in ("5","6","7") %}3{% else %}{{value}}{% endif %}', '6', '3'],
    ['{% if value in ("5","6","7") %}3{% else %}{{value}}{% endif %}', '1', '1'],
  ])('the template %j makes of %j %j', (template, payload, value) => {
    expect(templateOf(template)?.(payload)).toBe(value);
  });

  test.each(['{{ value | int }}', '{{ value_json }}', '{% if value %}1{% endif %}', '{{ states("a") }}', '{{ value }}{{ value }}', 'x'])(
    'the template %j is not understood',
    (template) => {
      expect(templateOf(template)).toBeUndefined();
    },
  );

  test('no history ends a command or is an event, whatever it says', () => {
    const said = fc.constantFrom('LOCKED', 'UNLOCKED', 'JAMMED', 'x');
    fc.assert(
      fc.property(fc.constantFrom('lock', 'unlock'), fc.array(said), (op, states) => {
        const program = following(plain);
        program.command(id, { op }, 0);
        const heard = states.flatMap((state) => hear(program, 'front/state', state, true));
        expect(outcomesIn(heard)).toEqual([]);
        expect(heard.every((effect) => effect.kind === 'lock' && effect.effect.kind === 'state' && effect.effect.isHistory)).toBe(true);
      }),
    );
  });

  test('hostile payloads on every topic throw nothing and end nothing', () => {
    const topics = ['homeassistant/lock/front/config', 'homeassistant/device/a/config', 'homeassistant/sensor/a/b/config', 'front/state'];
    const member = fc.constantFrom(
      '~',
      'cmd_t',
      'stat_t',
      'uniq_id',
      'avty',
      'avty_mode',
      'dev',
      'cmps',
      'val_tpl',
      '__proto__',
      'p',
      'ids',
    );
    const payload = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(member, fc.jsonValue()).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...topics), payload, fc.boolean()), { maxLength: 8 }), (messages) => {
        const program = following(plain);
        program.command(id, { op: 'unlock' }, 0);
        for (const [topic, text, isHistory] of messages) expect(outcomesIn(hear(program, topic, text, isHistory))).toEqual([]);
        program.announced();
      }),
    );
  });

  test('of all announcements 4,096 locks and batteries are remembered, and one that goes makes room', () => {
    const program = following(plain);
    const device = (n: number) => {
      const parts = Array.from({ length: 256 }, (_, part) => [`p${part}`, { ...plain, p: 'lock', uniq_id: `u${n}_${part}` }]);
      return { cmps: Object.fromEntries(parts) };
    };
    for (let n = 0; n < 16; n++) hear(program, `homeassistant/device/d${n}/config`, device(n));
    expect(program.announced()).toHaveLength(1 + 15 * 256);
    hear(program, 'homeassistant/lock/front/config', '');
    hear(program, 'homeassistant/device/d15/config', device(15));
    expect(program.announced()).toHaveLength(4_096);
  });

  test('an announcement that is too long is as if it had not come, and a device has at most 256 parts', () => {
    const program = following({ ...plain, name: 'x'.repeat(70_000) });
    expect(program.announced()).toEqual([]);
    const parts = Array.from({ length: 300 }, (_, n) => [`p${n}`, { p: 'lock', uniq_id: `u${n}`, cmd_t: `c${n}`, stat_t: `s${n}` }]);
    hear(program, 'homeassistant/device/many/config', { dev: { ids: 'a' }, cmps: Object.fromEntries(parts) });
    expect(program.announced()).toHaveLength(256);
  });
});
