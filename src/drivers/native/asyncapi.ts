// The lock protocol as an AsyncAPI 3 document, made from the schemas that read its messages. Loaded and made when somebody asks for it.
import { z } from 'zod';
import { opDocs, protocolMemberDocs, reportDocs } from './message-docs.ts';
import {
  batteryMessage,
  commandArguments,
  commandMessage,
  eventMessage,
  eventsMessage,
  helloMessage,
  replyMessage,
  stateMessage,
} from './messages.ts';
import type { NativeOp } from './own-commands.ts';
import { type ReportChannel, reportChannels } from './topics.ts';

/** Where locks connect: the port of each transport that is on. */
export type LockPorts = { readonly [Protocol in 'mqtt' | 'mqtts' | 'ws' | 'wss']?: number | undefined };

const payloads: Readonly<Record<ReportChannel, z.ZodType>> = {
  status: z.enum(['online', 'offline']),
  hello: helloMessage,
  state: stateMessage,
  battery: batteryMessage,
  // Each event is read on its own; this is what they should all be.
  events: eventsMessage.extend({ events: z.array(eventMessage).min(1).max(100) }),
  reply: replyMessage,
};

const ops = Object.keys(commandArguments) as NativeOp[];
const envelope = { id: '33554449.17.a41f0c5d9e8b7a6f5e4d3c2b1a09f8e7', session: 'k3Vq0ZtT1h' };

const introduction = `Between a latchd gateway and its locks: MQTT 3.1.1, payloads in UTF-8 JSON except \`status\`. The gateway is the broker.

- A lock logs in with its deviceId as client id and username, and its device key as password. Every session is a clean one.
- It publishes to its own topics alone, subscribes to its own \`command\`, and keeps alive within 1 to 120 s. A hub does so for each lock bound to it.
- A command whose session is not the current one, or that is past \`expires\`, is never executed: no delay opens a door later.
- Unknown members are ignored by both sides. A packet is at most 64 KiB.
`;

/** The whole document; `topicRoot` and `ports` are those of this gateway. */
export function createAsyncApi({ topicRoot, ports }: { readonly topicRoot: string; readonly ports: LockPorts }): object {
  return {
    asyncapi: '3.0.0',
    info: { title: 'latchd lock protocol', version: '1', description: introduction, license: { name: 'MIT' } },
    defaultContentType: 'application/json',
    servers: Object.fromEntries(
      Object.entries(ports).flatMap(([protocol, port]) => (port === undefined ? [] : [[protocol, server(protocol, port)]])),
    ),
    channels: Object.fromEntries([...reportChannels, 'command' as const].map((channel) => [channel, channelOf(topicRoot, channel)])),
    operations: {
      ...Object.fromEntries(reportChannels.map((channel) => [`receive-${channel}`, receiving(channel)])),
      'send-command': {
        action: 'send',
        channel: { $ref: '#/channels/command' },
        summary: 'One at a time for each lock; answered by a reply with the same id.',
        bindings: { mqtt: { qos: 1, retain: false } },
        reply: { channel: { $ref: '#/channels/reply' } },
      },
    },
    components: {
      messages: {
        ...Object.fromEntries(reportChannels.map((channel) => [channel, reportMessage(channel)])),
        ...Object.fromEntries(ops.map((op) => [`command-${op}`, opMessage(op)])),
      },
      securitySchemes: { deviceKey: { type: 'userPassword', description: 'The deviceId and the device key.' } },
    },
  };
}

function server(protocol: string, port: number): object {
  const webSocket = protocol.startsWith('ws');
  return {
    host: `{gateway}:${port}`,
    ...(webSocket && { pathname: '/mqtt' }),
    protocol,
    ...(!webSocket && { protocolVersion: '3.1.1' }),
    variables: { gateway: { default: 'gateway', description: 'Name or address of the gateway.' } },
    security: [{ $ref: '#/components/securitySchemes/deviceKey' }],
  };
}

function channelOf(topicRoot: string, channel: ReportChannel | 'command'): object {
  const names = channel === 'command' ? ops.map((op) => `command-${op}`) : [channel];
  return {
    address: `${topicRoot}/{deviceId}/${channel}`,
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    parameters: { deviceId: { description: 'The MAC address as 12 lower-case hex digits.', examples: ['a4c1387f02e9'] } },
  };
}

function receiving(channel: ReportChannel): object {
  return {
    action: 'receive',
    channel: { $ref: `#/channels/${channel}` },
    summary: reportDocs[channel].summary,
    bindings: { mqtt: { qos: 1, retain: channel === 'status' } },
  };
}

function reportMessage(channel: ReportChannel): object {
  const { summary, description, example } = reportDocs[channel];
  // The specification of AsyncAPI has payloads of examples as objects.
  const examples = typeof example === 'object' ? { examples: [{ payload: example }] } : {};
  const contentType = channel === 'status' ? { contentType: 'text/plain' } : {};
  return { name: channel, summary, description, ...contentType, payload: jsonSchema(payloads[channel]), ...examples };
}

function opMessage(op: NativeOp): object {
  const { summary, example } = opDocs[op];
  const schema = commandMessage.extend({ op: z.literal(op), args: commandArguments[op] });
  const payload = { ...envelope, op, args: example, expires: 86_412_345, ttl: 10_000 };
  return { name: op, summary, payload: jsonSchema(schema), examples: [{ payload }] };
}

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-07',
    override({ jsonSchema }) {
      for (const [name, member] of Object.entries(jsonSchema.properties ?? {}))
        if (typeof member === 'object' && protocolMemberDocs[name] !== undefined) member.description = protocolMemberDocs[name];
    },
  });
  return made;
}
