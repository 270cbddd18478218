// Floor: a bare node:http that keeps every answer open, and writes the same text to all of them for each byte that it is sent.
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { announce } from './announce.ts';

const listeners = new Set<ServerResponse>();
let told = 0;

const http = createHttpServer((_request, response) => {
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
  response.write('id: 0\nevent: ready\ndata: {}\n\n');
  listeners.add(response);
  response.once('close', () => listeners.delete(response));
});
/** As long as a record is. */
const data = 'x'.repeat(200);
const poke = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (bytes) => {
    for (let n = 0; n < bytes.length; n++) {
      const text = Buffer.from(`id: ${++told}\nevent: record\ndata: ${data}\n\n`);
      for (const response of listeners) response.write(text);
    }
  });
  socket.on('error', () => {});
});
await announce({ http, poke });
