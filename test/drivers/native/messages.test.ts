// Every payload both ways, against samples written by hand (Protocol 4 and 5): gateway and simulator share the schemas, so
// only these can show a mistake that both make.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import type { CommandId, LockCommand } from '../../../src/domain/locks/lock-command.ts';
import { commandPayload } from '../../../src/drivers/native/command-payload.ts';
import {
  batteryMessage,
  commandMessage,
  eventMessage,
  eventsMessage,
  helloMessage,
  replyMessage,
  stateMessage,
} from '../../../src/drivers/native/messages.ts';
import { decode } from '../../../src/drivers/payload.ts';

const sample = (name: string) => JSON.parse(readFileSync(new URL(`../../wire/mqtt/${name}.json`, import.meta.url), 'utf8'));
const schemas: Record<string, z.ZodType<unknown>> = {
  hello: helloMessage,
  state: stateMessage,
  battery: batteryMessage,
  reply: replyMessage,
  event: eventMessage,
};
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

describe.each(Object.entries(schemas))('%s', (kind, schema) => {
  test('each good sample is read exactly, and unknown members are ignored (Protocol 1)', () => {
    for (const message of sample('reports')[kind]) {
      expect(decode(bytes({ ...message, unknownMember: [1] }), schema)).toEqual({ ok: true, value: message });
    }
  });

  test('each malformed sample is refused, never bent into shape, and the reason holds no value of it (Protocol 1)', () => {
    for (const message of sample('malformed')[kind]) {
      const decoded = decode(bytes(message), schema);
      expect(decoded).toEqual({ ok: false, reason: expect.any(String) });
      expect(JSON.stringify(decoded)).not.toContain('1325672378');
    }
  });
});

test('each command is written exactly (Protocol 5.1)', () => {
  const envelope = sample('command');
  for (const { command, args } of sample('commands') as { command: LockCommand; args: object }[]) {
    const text = commandPayload(command, { ...envelope, id: envelope.id as CommandId, ttlMs: envelope.ttl });
    expect(JSON.parse(text)).toEqual({ ...envelope, op: command.op, args });
    expect(decode(Buffer.from(text), commandMessage).ok).toBe(true);
  }
  expect(commandPayload({ op: 'unlock' }, { ...envelope, ttlMs: envelope.ttl })).toBe(JSON.stringify(envelope));
});

test('an events message carries 1 to 100 events (Protocol 4.4)', () => {
  const events = (count: number) => bytes({ epoch: '7d3f', events: Array.from({ length: count }, () => ({ seq: 1, type: 'tamper' })) });
  expect([0, 1, 100, 101].map((count) => decode(events(count), eventsMessage).ok)).toEqual([false, true, true, false]);
  expect(decode(bytes({ epoch: 'e'.repeat(33), events: [{}] }), eventsMessage).ok).toBe(false);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['bad UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['half a message', Buffer.from('{"session":')],
  ['sixty thousand brackets', Buffer.from('['.repeat(60_000))],
])('%s is not JSON', (_title, payload) => {
  expect(decode(payload, stateMessage)).toEqual({ ok: false, reason: 'not UTF-8 JSON' });
});
