// Cards and passcodes over a real broker and bare MQTT: what a lock of today hears and says, byte for byte (Protocol 4.1, 5.1, 5.2).
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { CommandId, CommandOutcome, CredentialsCommand } from '../../../src/domain/locks/lock-command.ts';
import { lockA } from '../../support/mqtt-fakes.ts';
import { type Mqtt, startMqtt, topics } from '../../support/mqtt-gateway.ts';
import { published, publishPacket, type RawClient, types } from '../../support/mqtt-raw.ts';

const digest = 'af3940b65ba070e2';
const hello = {
  features: ['credentials', 'hours', 'once', 'a-word-of-tomorrow'],
  limits: { cards: 1000, passcodes: 150, passcodeDigits: [4, 9], hours: 8, holidays: 64, doorbells: 2 },
  credentials: { count: 0, digest: 'e3b0c44298fc1c14' },
};
const fob = { kind: 'card', number: '998877', startDate: 0, endDate: 0, hours: '12345:480-1080', once: false } as const;
const code = { kind: 'passcode', number: '0042', startDate: 1_767_225_600_000, endDate: 0, hours: '', once: true } as const;

let mqtt: Mqtt;
let lock: RawClient;
let commands = 0;

beforeEach(async () => {
  mqtt = await startMqtt();
  lock = await mqtt.online(lockA, hello);
});
afterEach(() => mqtt.stop());

/** Sends a command; resolves with what the lock hears of it, and with how it ends after this reply. */
async function converse(command: CredentialsCommand, reply: object): Promise<{ heard: object; outcome: CommandOutcome | undefined }> {
  const id = `id-${++commands}` as CommandId;
  const ending = mqtt.sender.session(lockA.lockId)?.send(command, id, 5_000);
  let packet = await lock.next();
  while (packet.type !== types.publish) packet = await lock.next();
  const { op, args } = JSON.parse(published(packet).payload) as { op: string; args: object };
  lock.send(publishPacket(topics.build(lockA.deviceId, 'reply'), JSON.stringify({ id, ...reply }), 100 + commands));
  return { heard: { op, args }, outcome: await ending };
}

test('what it says in its hello is heard, but for members that nobody knows', () => {
  const { doorbells: _, ...limits } = hello.limits;
  const expected = { features: { features: hello.features, limits }, credentials: hello.credentials };
  expect(mqtt.reports.told).toMatchObject([['hello', lockA.lockId, expected]]);
});

test('a batch is put with what it needs and no more, and what did not fit is named', async () => {
  const result = { count: 1, digest, failed: [{ index: 1, error: 'no-space' }] };
  const { heard, outcome } = await converse({ op: 'put-credentials', items: [fob, code] }, { ok: true, result });
  expect(heard).toEqual({
    op: 'put-credentials',
    args: {
      items: [
        { kind: 'card', number: '998877', startDate: 0, endDate: 0, hours: '12345:480-1080' },
        { kind: 'passcode', number: '0042', startDate: 1_767_225_600_000, endDate: 0, once: true },
      ],
    },
  });
  expect(outcome).toEqual({ kind: 'ok', credentials: result });
});

test('a batch is removed by kind and number', async () => {
  const { heard, outcome } = await converse({ op: 'remove-credentials', items: [fob, code] }, { ok: true, result: { count: 0, digest } });
  const items = [fob, code].map(({ kind, number }) => ({ kind, number }));
  expect(heard).toEqual({ op: 'remove-credentials', args: { items } });
  expect(outcome).toEqual({ kind: 'ok', credentials: { count: 0, digest, failed: [] } });
});

test('a listing comes page by page, with what is not shown as null', async () => {
  const { hours, once: _, ...shown } = fob;
  const credentials = [
    { ...shown, hours },
    { kind: 'passcode', number: null, id: 'place 7', startDate: 5, endDate: 0, once: true },
  ];
  const { heard, outcome } = await converse(
    { op: 'list-credentials', offset: 100, limit: 50 },
    { ok: true, result: { count: 102, digest, credentials, total: 102 } },
  );
  expect(heard).toEqual({ op: 'list-credentials', args: { offset: 100, limit: 50 } });
  expect(outcome).toEqual({
    kind: 'ok',
    credentials: {
      ...{ count: 102, digest, failed: [] },
      listing: { total: 102, credentials: [fob, { kind: 'passcode', number: null, startDate: 5, endDate: 0, hours: '', once: true }] },
    },
  });
});

test.each<[string, CredentialsCommand, unknown]>([
  ['no result', { op: 'put-credentials', items: [fob] }, undefined],
  ['no digest', { op: 'remove-credentials', items: [fob] }, { count: 1 }],
  ['a digest in capitals', { op: 'remove-credentials', items: [fob] }, { count: 1, digest: digest.toUpperCase() }],
  ['a listing without its page', { op: 'list-credentials', offset: 0, limit: 1 }, { count: 1, digest }],
  [
    'a number that is a number',
    { op: 'list-credentials', offset: 0, limit: 1 },
    { count: 1, digest, total: 1, credentials: [{ kind: 'card', number: 998877, startDate: 0, endDate: 0 }] },
  ],
  [
    'a kind that is none',
    { op: 'list-credentials', offset: 0, limit: 1 },
    { count: 1, digest, total: 1, credentials: [{ kind: 'face', number: '1', startDate: 0, endDate: 0 }] },
  ],
])('an ok with %s is a refusal for a listing, and after a change nothing is known: nothing is guessed', async (_title, command, result) => {
  const { outcome } = await converse(command, { ok: true, result });
  const refused = { kind: 'refused', error: 'failed', message: 'the reply holds no valid list of credentials' };
  expect(outcome).toEqual(command.op === 'list-credentials' ? refused : { kind: 'ok' });
});

test('no code stands in what is said about a reply that is none', async () => {
  const { outcome } = await converse({ op: 'put-credentials', items: [code] }, { ok: true, result: { failed: code } });
  expect(JSON.stringify([outcome, mqtt.log.lines])).not.toContain('0042');
});
