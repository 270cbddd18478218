// Floor: the obvious bridge, stock Express 5 and stock Aedes in one process. No storage, no accounts, no checks of
// anything; only Nagle's algorithm is off, as it must be. What the gateway does more has to be paid from being better.
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { Aedes } from 'aedes';
import express, { type Response } from 'express';
import { announce } from './announce.ts';
import { commandFor, type Reply } from './bridge-messages.ts';

const broker = await Aedes.createBroker();
const waiting = new Map<string, Response>();
broker.subscribe(
  'latchd/v1/+/reply',
  (packet, done) => {
    const { id, ok } = JSON.parse(packet.payload.toString()) as Reply;
    waiting.get(id)?.json({ success: ok });
    waiting.delete(id);
    done();
  },
  () => {},
);

const app = express();
app.post('/api/v1/lock/:op', (request, response) => {
  const id = randomUUID();
  waiting.set(id, response);
  const { topic, payload } = commandFor(id, request.params.op, Number(request.query['lockId']));
  broker.publish({ cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false }, () => {});
});

const mqtt = createServer({ noDelay: true }, (socket) => void broker.handle(socket));
await announce({ http: createHttpServer(app), mqtt });
