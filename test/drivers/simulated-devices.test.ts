// Each protocol of a make against a simulated device of that make, which was written from the maker's page alone: whatever goes wrong, a door
// that is said to be open is open.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createAnnouncedLock } from '../../device-sim/devices/announced-lock.ts';
import { createNuki } from '../../device-sim/devices/nuki.ts';
import { createNukiHub } from '../../device-sim/devices/nuki-hub.ts';
import { createShelly } from '../../device-sim/devices/shelly.ts';
import { createZigbee2Mqtt } from '../../device-sim/devices/zigbee2mqtt.ts';
import type { CommandOutcome } from '../../src/domain/locks/lock-command.ts';
import { discoveryKind } from '../../src/drivers/discovery/kind.ts';
import { nuki } from '../../src/drivers/nuki/nuki.ts';
import { nukiHub } from '../../src/drivers/nuki-hub/nuki-hub.ts';
import { shelly } from '../../src/drivers/shelly/shelly.ts';
import { zigbee2mqttKind } from '../../src/drivers/zigbee2mqtt/kind.ts';
import { asMeetingKind, type DeviceMeeting, meetDevice } from '../support/device-meeting.ts';

const prefix = 'shellyplus1-a8032abe54dc';
const zigbee = asMeetingKind(zigbee2mqttKind, { base: 'zigbee2mqtt' });
const announced = asMeetingKind(discoveryKind, { prefix: 'homeassistant' });
const makes = {
  nuki: {
    meet: () => meetDevice(nuki, { nukiId: '2BB28570' }, createNuki, '2BB28570'),
    command: /lockAction /,
    jammed: { op: 'unlock', outcome: { kind: 'refused', error: 'jammed' } },
    told: ['inside-unlock', 'door-open'],
  },
  'nuki-hub': {
    meet: () => meetDevice(nukiHub, { base: 'nukihub' }, createNukiHub, 'nukihub'),
    command: /lock\/action /,
    jammed: { op: 'unlock', outcome: { kind: 'refused', error: 'jammed' } },
    told: ['inside-unlock', 'door-open'],
  },
  shelly: {
    meet: () => meetDevice(shelly, { prefix, contact: 0 }, createShelly, prefix, '02e70059d86b'),
    command: /Switch\.Set/,
    jammed: { op: 'unlock', outcome: { kind: 'no-reply' } },
    told: ['inside-unlock', 'door-open'],
  },
  zigbee2mqtt: {
    meet: () => meetDevice(zigbee, { bridge: 'house', ieee: '0x000d6f0012bc8961' }, createZigbee2Mqtt, '1'),
    command: /\/set \{"state"/,
    // A bolt that is not fully locked is unlocked.
    jammed: { op: 'lock', outcome: { kind: 'no-reply' } },
    told: ['inside-unlock'],
  },
  discovery: {
    meet: () => meetDevice(announced, { bridge: 'house', uniqueId: 'front_door' }, createAnnouncedLock, 'front_door'),
    command: /\/command /,
    jammed: { op: 'unlock', outcome: { kind: 'refused', error: 'jammed' } },
    told: [],
  },
} as const;
const each = Object.entries(makes).map(([name, make]) => ({ name, ...make }));

const deadlineMs = 10_000;

/** Past everything that a device does after a connect before it takes commands. */
function online({ meet }: { readonly meet: () => DeviceMeeting }, ...faults: readonly string[]): DeviceMeeting {
  const meeting = meet();
  for (const { faults: known } of meeting.device.doors) for (const name of faults) known.set(name, true);
  meeting.connect();
  meeting.time.advance(8_000);
  return meeting;
}

function outcomeOf(meeting: DeviceMeeting, op: 'lock' | 'unlock', ttlMs = deadlineMs): CommandOutcome | undefined {
  let ended: CommandOutcome | undefined;
  meeting.ask(op, ttlMs, (outcome) => {
    ended = outcome;
  });
  meeting.time.advance(ttlMs);
  return ended;
}

describe.each(each)('a simulated $name', (make) => {
  const door = (meeting: DeviceMeeting) => meeting.device.doors[0];

  test('comes online, unlocks and locks, and is believed', () => {
    const meeting = online(make);
    expect(meeting.isOnline()).toBe(true);
    expect(outcomeOf(meeting, 'unlock')).toMatchObject({ kind: 'ok', state: 'unlocked' });
    meeting.time.advance(60_000);
    expect(outcomeOf(meeting, 'lock')).toMatchObject({ kind: 'ok', state: 'locked' });
    expect(door(meeting)?.bolt()).toBe('locked');
  });

  test('that says nothing gets no second command, and nobody is told that it has opened', () => {
    const meeting = online(make);
    door(meeting)?.faults.set('silent', true);
    expect(outcomeOf(meeting, 'unlock')?.kind).not.toBe('ok');
    meeting.time.advance(120_000);
    expect(meeting.sent.filter((line) => make.command.test(line))).toHaveLength(1);
  });

  test('that is jammed is not said to be where it is not', () => {
    const meeting = online(make);
    if (make.jammed.op === 'lock') outcomeOf(meeting, 'unlock');
    door(meeting)?.faults.set('jam', true);
    expect(outcomeOf(meeting, make.jammed.op)).toMatchObject(make.jammed.outcome);
  });

  test('tells of a hand at the door and of the door, as far as its make does', () => {
    const meeting = online(make);
    door(meeting)?.turn();
    meeting.time.advance(1_000);
    door(meeting)?.moveDoor(true);
    meeting.time.advance(10_000);
    const types = meeting.effects.flatMap((effect) =>
      effect.kind === 'event' ? [effect.event.type] : effect.kind === 'numbered' ? effect.events.map(({ type }) => type) : [],
    );
    expect(types).toEqual(expect.arrayContaining([...make.told]));
    const states = meeting.effects.filter(({ kind }) => kind === 'state');
    expect(states.at(-1)).toMatchObject({ state: door(meeting)?.bolt() });
  });

  const faultNames = [...(make.meet().device.doors[0]?.faults.known.keys() ?? [])];
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('unlock', 'lock'), ttlMs: fc.integer({ min: 500, max: 12_000 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.integer({ min: 1, max: 20_000 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('turn', 'code', 'open', 'close', 'reconnect') }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('fault'), name: fc.constantFrom(...faultNames), on: fc.boolean() }) },
  );

  test('whatever goes wrong in whatever order: what is said to be done is done, and each command is sent once', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const meeting = online(make);
        let asked = 0;
        for (const given of steps) {
          if ('ttlMs' in given && !meeting.isBusy()) {
            const op = given.do === 'unlock' ? 'unlock' : 'lock';
            asked += 1;
            meeting.ask(op, given.ttlMs, (outcome) => {
              if (outcome.kind !== 'ok') return;
              expect(meeting.boltSinceAsked()).toContain(op === 'unlock' ? 'unlocked' : 'locked');
            });
          }
          if ('ms' in given) meeting.time.advance(given.ms);
          if ('name' in given) door(meeting)?.faults.set(given.name, given.on);
          if (given.do === 'turn') door(meeting)?.turn();
          if (given.do === 'code') door(meeting)?.enterCode('589472');
          if (given.do === 'open' || given.do === 'close') door(meeting)?.moveDoor(given.do === 'open');
          if (given.do === 'reconnect') {
            meeting.disconnect();
            meeting.connect();
          }
        }
        expect(meeting.sent.filter((line) => make.command.test(line)).length).toBeLessThanOrEqual(asked);
      }),
      { numRuns: 300 },
    );
  });
});
