// A load of PUBLISHes over plain sockets, cheap enough not to be what is measured: packets are made once and sent many times.
import { connect, type Socket } from 'node:net';
import { connectPacket, pingPacket, publishPacket } from './mqtt-raw.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly publishesEach: number;
  readonly qos: 0 | 1;
  readonly payloadBytes: number;
}

const perWrite = 50;

/** Sends it all and resolves with the milliseconds from the first PUBLISH to the last answer. */
export async function runLoad(load: Load): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: load.connections }, (_, index) => login(load.port, index)));
  const start = performance.now();
  await Promise.all(sockets.map((socket) => sendAll(socket, load)));
  const elapsedMs = performance.now() - start;
  for (const socket of sockets) socket.destroy();
  return elapsedMs;
}

async function login(port: number, index: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  socket.write(connectPacket({ clientId: `load-${index}` }));
  await new Promise((resolve, reject) => socket.once('data', resolve).once('error', reject));
  return socket;
}

async function sendAll(socket: Socket, { publishesEach, qos, payloadBytes }: Load): Promise<void> {
  const payload = Buffer.alloc(payloadBytes, 'x');
  const batch = Buffer.concat(
    Array.from({ length: perWrite }, (_, index) => publishPacket('latchd/v1/a4c1387f02e9/events', payload, index + 1, { qos })),
  );
  // QoS 1 is answered with 4 bytes each; QoS 0 is not, so a ping follows each batch.
  const answerBytes = qos === 1 ? 4 * perWrite : 2;
  let due = 0;
  let wake = () => {};
  socket.on('data', (chunk) => {
    due -= chunk.length;
    wake();
  });
  for (let sent = 0; sent < publishesEach; sent += perWrite) {
    socket.write(qos === 1 ? batch : Buffer.concat([batch, pingPacket]));
    due += answerBytes;
    while (due > 2 * answerBytes) await new Promise<void>((resolve) => (wake = resolve));
  }
  while (due > 0) await new Promise<void>((resolve) => (wake = resolve));
}
