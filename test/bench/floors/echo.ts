// Floor: bytes over TCP to another process and back.
import { createServer } from 'node:net';
import { announce } from './announce.ts';

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (bytes) => socket.write(bytes));
  socket.on('error', () => {});
});
await announce({ echo: server });
