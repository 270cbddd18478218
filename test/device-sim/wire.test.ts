// The simulated lock and the message schemas against samples written by hand (test/wire/lock).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LockProfileInput } from '../../device-sim/lock-profile.ts';
import {
  batteryMessage,
  commandMessage,
  eventMessage,
  eventsMessage,
  helloMessage,
  replyMessage,
  stateMessage,
} from '../../src/drivers/native/messages.ts';
import { type LockOnTheBench, putLockOnTheBench, travelMs } from './support/lock-on-the-bench.ts';

interface Samples {
  readonly accepted: readonly {
    readonly about: string;
    readonly payload: { readonly events: unknown[] };
    readonly kept?: readonly number[];
  }[];
  readonly refused: readonly { readonly about: string; readonly payload: unknown }[];
}

interface RequestContext {
  readonly about: string;
  readonly lock?: { readonly jammed?: boolean; readonly privacyBolt?: boolean } & Pick<LockProfileInput, 'cardCapacity' | 'clock'>;
  readonly before?: readonly unknown[];
  readonly command: unknown;
  readonly then: readonly object[];
  /** What firmware from before an addition to the protocol says instead. */
  readonly older?: readonly object[];
}

function sample<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../wire/lock/${name}`, import.meta.url), 'utf8')) as T;
}

const reports = { 'hello.json': helloMessage, 'state.json': stateMessage, 'battery.json': batteryMessage, 'events.json': eventsMessage };

describe.each(Object.entries(reports))('the samples of %s (Protocol 4)', (file, schema) => {
  const { accepted, refused } = sample<Samples>(file);

  it.each(accepted)('are understood: $about', ({ payload }) => {
    expect(schema.safeParse(payload).success).toBe(true);
  });

  it.each(refused)('are refused: $about', ({ payload }) => {
    expect(schema.safeParse(payload).success).toBe(false);
  });
});

it.each(sample<Samples>('events.json').accepted)('good events are kept: $about (Protocol 4.4)', ({ payload, kept }) => {
  const good = payload.events.map((event) => eventMessage.safeParse(event)).flatMap(({ data }) => (data === undefined ? [] : [data.seq]));
  expect(good).toEqual(kept);
});

describe('the exchanges (Protocol 5)', () => {
  const { hello, exchanges } = sample<{ hello: object; exchanges: readonly RequestContext[] }>('exchanges.json');
  let bench: LockOnTheBench;

  afterEach(() => bench.remove());

  async function conversation({ lock, before = [], command }: RequestContext): Promise<object[]> {
    const { jammed = false, privacyBolt = false, ...profile } = lock ?? {};
    bench = await putLockOnTheBench({ clock: 'set', batteryPercent: 92, ...profile }, undefined, 'k3Vq0ZtT1h');
    bench.memory.change({ epoch: '7d3f' });
    const said = bench.connect();
    if (lock === undefined) expect(said).toEqual(hello);
    bench.lock.jam(jammed);
    bench.lock.setPrivacyBolt(privacyBolt);
    for (const earlier of before) await deliver(earlier);
    bench.memory.acknowledge(bench.memory.contents.events);
    bench.heard.length = 0;
    await deliver(command);
    const events = bench.memory.contents.events.map((event) => ({ channel: 'events', payload: { epoch: '7d3f', events: [event] } }));
    return [...bench.heard, ...events];
  }

  async function deliver(command: unknown): Promise<void> {
    const parsed = commandMessage.parse(command);
    bench.lock.receive(parsed);
    bench.time.advance(travelMs);
    await bench.replyTo(parsed);
  }

  it.each(exchanges)('$about', async (exchange) => {
    const conversed = await conversation(exchange);
    expect(conversed).toEqual(exchange.then);
    const messages = [...conversed, ...(exchange.older ?? [])] as readonly { channel: string; payload: unknown }[];
    for (const reply of messages) if (reply.channel === 'reply') expect(replyMessage.safeParse(reply.payload).success).toBe(true);
  });
});

describe('PROTOCOL.md', () => {
  const page = readFileSync(new URL('../../device-sim/PROTOCOL.md', import.meta.url), 'utf8');

  it('shows JSON that is JSON, and a hello and a command that are understood', () => {
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = '']) => block.replaceAll(/^ {3}/gm, ''));
    const messages = blocks.flatMap((block) => block.split(/\n(?=\{)/)).map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(messages.filter((message) => helloMessage.safeParse(message).success)).toHaveLength(1);
    expect(messages.filter((message) => commandMessage.safeParse(message).success)).toHaveLength(2);
    expect(messages.filter((message) => eventsMessage.safeParse(message).success)).toHaveLength(2);
    expect(messages.filter((message) => replyMessage.safeParse(message).success)).toHaveLength(7);
  });

  it('works out the digest of its three cards for real (Protocol 4.1)', () => {
    const [, lines = ''] = /```text\n(1325672378,0,0\n[\s\S]*?)```/.exec(page) ?? [];
    const digest = createHash('sha256').update(lines).digest('hex');
    expect(lines.split('\n')).toHaveLength(4);
    expect(page).toContain(digest);
    expect(page).toContain(`"digest":"${digest.slice(0, 16)}"`);
  });

  it('works out the digest of its cards and passcodes for real (Protocol 4.1)', () => {
    const [, lines = ''] = /```text\n(c,1325672378,[\s\S]*?)```/.exec(page) ?? [];
    expect(Buffer.byteLength(lines)).toBe(86);
    const digest = createHash('sha256').update(lines).digest('hex');
    expect(page).toContain(`their SHA-256 is \`${digest}\`, and the digest is \`${digest.slice(0, 16)}\``);
    expect(page).toContain(`"digest":"${digest.slice(0, 16)}"`);
  });
});
