// Peer: the other obvious bridge, Express 5 and mqtt.js to a mosquitto beside it (its port is the argument).
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express, { type Response } from 'express';
import { connectAsync } from 'mqtt';
import { announce } from './announce.ts';
import { commandFor, type Reply } from './bridge-messages.ts';

const client = await connectAsync(`mqtt://127.0.0.1:${process.argv[2]}`);
// With Nagle's algorithm a command waits for up to 44 ms.
(client.stream as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true);
await client.subscribeAsync('latchd/v1/+/reply', { qos: 1 });
const waiting = new Map<string, Response>();
client.on('message', (_topic, payload) => {
  const { id, ok } = JSON.parse(payload.toString()) as Reply;
  waiting.get(id)?.json({ success: ok });
  waiting.delete(id);
});

const app = express();
app.post('/api/v1/lock/:op', (request, response) => {
  const id = randomUUID();
  waiting.set(id, response);
  const { topic, payload } = commandFor(id, request.params.op, Number(request.query['lockId']));
  client.publish(topic, payload, { qos: 1 });
});
await announce({ http: createServer(app) });
