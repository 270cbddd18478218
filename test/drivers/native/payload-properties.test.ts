// Topics and payloads for any input (Protocol 3 to 5): what is valid is read exactly, what is not is refused, nothing throws.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { checkEvent, checkEventsMessage } from '../../../src/drivers/native/events-payload.ts';
import {
  batteryMessage,
  cardListing,
  commandMessage,
  credentialListing,
  credentialsResult,
  eventMessage,
  eventsMessage,
  helloMessage,
  replyMessage,
  stateMessage,
} from '../../../src/drivers/native/messages.ts';
import { type Channel, createTopics, reportChannels } from '../../../src/drivers/native/topics.ts';
import { check, decode } from '../../../src/drivers/payload.ts';

const deviceId = fc.stringMatching(/^[0-9a-f]{12}$/) as fc.Arbitrary<DeviceId>;
const channel = fc.constantFrom<Channel>(...reportChannels, 'command');
const root = fc.stringMatching(/^[a-z0-9+$.-]{1,8}(\/[a-z0-9]{1,8}){0,2}$/);

describe('topics', () => {
  test('what is built is parsed back, and nothing of another root is ours', () => {
    fc.assert(
      fc.property(root, root, deviceId, channel, (ours, other, lock, name) => {
        const topic = createTopics(ours).build(lock, name);
        expect(createTopics(ours).parse(topic)).toEqual({ deviceId: lock, channel: name });
        if (other !== ours) expect(createTopics(other).parse(topic)).toBeUndefined();
      }),
    );
  });

  test('any text is either exactly what would be built, or not ours', () => {
    const topics = createTopics('latchd/v1');
    const piece = fc.oneof(
      deviceId,
      channel,
      fc.constantFrom('latchd', 'v1', '', '+', '#', '$SYS', '__proto__', 'constructor', 'A4C1387F02E9'),
      fc.string(),
    );
    const nearly = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('/'));
    fc.assert(
      fc.property(
        fc.oneof(
          nearly,
          nearly.map((tail) => `latchd/v1/${tail}`),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          const parsed = topics.parse(text);
          if (parsed !== undefined) expect(topics.build(parsed.deviceId, parsed.channel)).toBe(text);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

const max = Number.MAX_SAFE_INTEGER;
const text = (minLength: number, maxLength: number) =>
  fc.string({ unit: 'grapheme', minLength, maxLength }).filter((value) => value.length >= minLength && value.length <= maxLength);
const integer = (low: number, high: number) =>
  fc.oneof(
    fc.constantFrom(low, high),
    fc.maxSafeInteger().map((value) => Math.min(high, Math.max(low, value))),
  );
const openState = fc.constantFrom('locked', 'unlocked');
const session = text(8, 32);
const date = integer(-max, max);
const digits = fc.stringMatching(/^[0-9]{1,20}$/);
const card = fc.record({ cardNumber: digits, startDate: integer(0, max), endDate: integer(0, max) });
const settings = fc.record(
  {
    ...{ lockSound: integer(0, 2), privacyLock: integer(0, 2), tamperAlert: integer(0, 2), resetButton: integer(0, 2) },
    ...{ openDirection: integer(0, 2), passageMode: integer(0, 2), passageModeAutoUnlock: integer(1, 2) },
  },
  { requiredKeys: [] },
);

const heldInAll = fc.record({ count: integer(0, max), digest: fc.stringMatching(/^[0-9a-f]{16}$/) });
const places = integer(0, max);
const limits = fc.record(
  {
    ...{ cards: places, passcodes: places, hours: places, holidays: places },
    passcodeDigits: fc.tuple(integer(1, 20), integer(1, 20)).map(([one, other]) => [Math.min(one, other), Math.max(one, other)]),
  },
  { requiredKeys: [] },
);
const line = fc.stringMatching(/^[1-8]{1,8}:[0-9]{1,4}-[0-9]{1,4}$/);
const credential = fc.record(
  {
    ...{ kind: fc.constantFrom('card', 'passcode'), number: fc.option(digits), startDate: integer(0, max), endDate: integer(0, max) },
    ...{ hours: fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join(';')), once: fc.constant(true) },
  },
  { requiredKeys: ['kind', 'number', 'startDate', 'endDate'] },
);

/** For each payload its schema, valid values, and the members of any type. */
const payloads: Record<string, { schema: z.ZodType<unknown>; valid: fc.Arbitrary<object>; anyType: readonly string[] }> = {
  hello: {
    schema: helloMessage,
    valid: fc.record(
      {
        ...{ protocol: fc.constant(1), session, uptime: integer(0, max), modelNum: text(0, 64), hardwareRevision: text(0, 64) },
        ...{ firmwareRevision: text(0, 64), featureValue: text(0, 256), date, state: openState, battery: integer(0, 100) },
        ...{ autoLockTime: integer(0, 65_535), settings, epoch: text(1, 32), lastSeq: integer(0, max) },
        ...{ cards: heldInAll, credentials: heldInAll, features: fc.array(text(1, 32), { maxLength: 32 }), limits },
      },
      { requiredKeys: ['protocol', 'session', 'uptime'] },
    ),
    anyType: [],
  },
  state: {
    schema: stateMessage,
    valid: fc.record({ session, state: openState, date }, { requiredKeys: ['session', 'state'] }),
    anyType: [],
  },
  battery: {
    schema: batteryMessage,
    valid: fc.record({ session, level: integer(0, 100), date }, { requiredKeys: ['session', 'level'] }),
    anyType: [],
  },
  event: {
    schema: eventMessage,
    valid: fc.record(
      {
        ...{ seq: integer(1, max), type: text(1, 64), success: fc.boolean(), date, credential: text(0, 64), username: text(0, 64) },
        ...{ commandId: text(0, 96), reason: text(0, 64) },
      },
      { requiredKeys: ['seq', 'type'] },
    ),
    anyType: [],
  },
  events: {
    schema: eventsMessage,
    valid: fc.record({ epoch: text(1, 32), events: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 100 }) }),
    anyType: [],
  },
  reply: {
    schema: replyMessage,
    valid: fc.record(
      {
        ...{ id: text(1, 96), ok: fc.boolean(), state: openState, battery: integer(0, 100), error: text(0, 64), message: text(0, 256) },
        result: fc.jsonValue(),
      },
      { requiredKeys: ['id', 'ok'] },
    ),
    anyType: ['result'],
  },
  'the listing of cards': {
    schema: cardListing,
    valid: fc.record({ cards: fc.array(card, { maxLength: 100 }), total: integer(0, max) }),
    anyType: [],
  },
  'the listing of cards and passcodes': {
    schema: credentialListing,
    valid: fc
      .tuple(heldInAll, fc.record({ credentials: fc.array(credential, { maxLength: 100 }), total: integer(0, max) }))
      .map(([all, page]) => ({ ...all, ...page })),
    anyType: [],
  },
  'the result of a change of cards and passcodes': {
    schema: credentialsResult,
    valid: fc
      .tuple(
        heldInAll,
        fc.record({ failed: fc.array(fc.record({ index: integer(0, max), error: text(0, 64) }), { maxLength: 20 }) }, { requiredKeys: [] }),
      )
      .map(([all, rest]) => ({ ...all, ...rest })),
    anyType: [],
  },
  command: {
    schema: commandMessage,
    valid: fc.record({
      ...{ id: text(1, 96), session, op: text(1, 64), expires: date, ttl: integer(0, max) },
      args: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 1 })),
    }),
    anyType: [],
  },
};

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
/** JSON as a lock would send it: what cannot be written there (-0) does not come. */
const asSent = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe.each(Object.entries(payloads))('%s', (_name, { schema, valid, anyType }) => {
  test('a valid one is read exactly, whatever unknown members it has (Protocol 1)', () => {
    fc.assert(
      fc.property(valid, fc.dictionary(fc.stringMatching(/^x[a-z]{0,6}$/), fc.jsonValue(), { maxKeys: 3 }), (value, unknown) => {
        const sent = asSent(value);
        expect(decode(Buffer.from(JSON.stringify({ ...unknown, ...sent })), schema)).toEqual({ ok: true, value: sent });
      }),
    );
  });

  test('a member of another type refuses it: nothing is bent into shape', () => {
    fc.assert(
      fc.property(valid, fc.nat(), fc.jsonValue(), (value, which, wrong) => {
        const members = Object.keys(value).filter((member) => !anyType.includes(member));
        const member = members[which % members.length] as keyof typeof value;
        fc.pre(kindOf(value[member]) !== kindOf(wrong));
        expect(check(asSent({ ...value, [member]: wrong }), schema).ok).toBe(false);
      }),
    );
  });

  test('any JSON and any bytes are answered with a value or a short reason', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
          fc.uint8Array().map((array) => Buffer.from(array)),
        ),
        (payload) => {
          const decoded = decode(payload, schema);
          if (!decoded.ok) expect(decoded.reason.length).toBeLessThanOrEqual(200);
        },
      ),
    );
  });
});

describe('what is recognized without the schema (Protocol 4.4)', () => {
  const { event, events } = payloads as Record<'event' | 'events', (typeof payloads)[string]>;
  const names = [
    'seq',
    'type',
    'success',
    'date',
    'reason',
    'credential',
    'username',
    'commandId',
    'epoch',
    'events',
    '__proto__',
    'toString',
  ];
  // Just inside and outside of every bound.
  const edges: readonly unknown[] = [
    ...[0, 1, -1, 0.5, 1e300, max, max + 1, -max, -max - 1, true, null, [], {}],
    ...[0, 1, 32, 33, 64, 65, 96, 97].flatMap((length) => ['a'.repeat(length), 'é'.repeat(length), '💥'.repeat((length + 1) >> 1)]),
    ...[1, 100, 101].map((length) => Array.from({ length }, () => ({ seq: 1, type: 'tamper' }))),
  ];
  const member = fc.oneof(fc.constantFrom(...edges), fc.jsonValue());
  const nearly = fc
    .tuple(fc.oneof(event.valid, events.valid, fc.constant({})), fc.dictionary(fc.constantFrom(...names), member, { maxKeys: 3 }))
    .map(([value, other]) => asSent({ ...value, ...other }));

  test.each([
    ['an event', checkEvent, eventMessage, { seq: 1, type: 'tamper' }],
    ['the frame of an events message', checkEventsMessage, eventsMessage, { epoch: 'e', events: [1] }],
  ] as [string, (value: unknown) => unknown, z.ZodType<unknown>, object][])(
    '%s: the same value or the same reason',
    (_title, byHand, schema, usual) => {
      for (const name of names) {
        for (const edge of edges) {
          const value = asSent({ ...usual, [name]: edge });
          expect(byHand(value)).toEqual(check(value, schema));
        }
      }
      fc.assert(
        fc.property(fc.oneof(nearly, fc.jsonValue().map(asSent)), (value) => {
          expect(byHand(value)).toEqual(check(value, schema));
        }),
        { numRuns: 500 },
      );
    },
  );

  test('a valid event without members of its own is recognized, so that the schema is not asked', () => {
    fc.assert(
      fc.property(event.valid.map(asSent), (value) => {
        expect(checkEvent(value)).toEqual({ ok: true, value });
        expect((checkEvent(value) as { value: unknown }).value).toBe(value);
      }),
    );
  });
});
