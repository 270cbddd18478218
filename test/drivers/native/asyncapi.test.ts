// The AsyncAPI document of the lock protocol: well-formed, complete, and every example one of the hand-written samples (Protocol 3 to 5).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { createAsyncApi } from '../../../src/drivers/native/asyncapi.ts';
import { protocolMemberDocs } from '../../../src/drivers/native/message-docs.ts';
import { createTopics, reportChannels } from '../../../src/drivers/native/topics.ts';

interface Message {
  readonly payload: object;
  readonly examples?: readonly { readonly payload: object }[];
}

interface AsyncApi {
  readonly servers: Readonly<Record<string, object>>;
  readonly channels: Readonly<Record<string, { readonly address: string }>>;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}

const require = createRequire(import.meta.url);
const document = createAsyncApi({ topicRoot: 'latchd/v1', ports: { mqtt: 1883, mqtts: undefined, wss: 8443 } }) as AsyncApi;
const messages = Object.entries(document.components.messages);
const sample = (name: string) => JSON.parse(readFileSync(new URL(`../../wire/mqtt/${name}.json`, import.meta.url), 'utf8'));

describe('the AsyncAPI document', () => {
  test('is AsyncAPI 3', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const validate = ajv.compile(require('@asyncapi/specs/schemas/3.0.0-without-$id.json'));
    validate(document);
    expect(validate.errors).toBeNull();
    expect(validate({ ...document, channels: { wrong: { address: 7 } } })).toBe(false);
  });

  test('has the seven topics of Protocol 3, and the transports that are on', () => {
    const topics = createTopics('latchd/v1');
    const channels = [...reportChannels, 'command'] as const;
    const addresses = channels.map((channel) => topics.build('{deviceId}' as DeviceId, channel));
    expect(Object.values(document.channels).map(({ address }) => address)).toEqual(addresses);
    expect(document.servers).toMatchObject({ mqtt: { host: '{gateway}:1883' }, wss: { host: '{gateway}:8443', pathname: '/mqtt' } });
    expect(Object.keys(document.servers)).toEqual(['mqtt', 'wss']);
  });

  test.each(messages.filter(([, { examples }]) => examples))(
    'the example of %s is a hand-written sample, and what its schema says',
    (name, message) => {
      const ajv = new Ajv({ strict: false });
      const [example] = message.examples ?? [];
      expect(ajv.validate(message.payload, example?.payload)).toBe(true);
      expect(ajv.validate(message.payload, { ...example?.payload, session: 7, id: 7, epoch: 7 })).toBe(false);
      const reports = sample('reports');
      const commands = (sample('commands') as { command: { op: string }; args: object }[]).map(({ command, args }) => ({
        ...sample('command'),
        op: command.op,
        args,
      }));
      const events = reports.event.map((event: object) => ({ epoch: '7d3f', events: [event] }));
      expect(name.startsWith('command-') ? commands : name === 'events' ? events : reports[name]).toContainEqual(example?.payload);
    },
  );

  test('says of each member what it means, and explains no name that is nowhere', () => {
    const used = new Set<string>();
    const silent: string[] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, member] of Object.entries((value as { properties?: Record<string, { description?: string }> }).properties ?? {})) {
        used.add(name);
        if (member.description === undefined) silent.push(name);
      }
      for (const inner of Object.values(value)) walk(inner);
    };
    for (const [, { payload }] of messages) walk(payload);
    expect(silent).toEqual([]);
    expect(Object.keys(protocolMemberDocs).filter((name) => !used.has(name))).toEqual([]);
  });
});
