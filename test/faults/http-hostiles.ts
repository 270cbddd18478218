// Hostile clients of HTTP, in a process of their own: opens so many connections, does harm on each, comes again when one is closed, until
// its standard input ends. Prints one line when all are open, and one at the end with what came of it.
import { connect, type Socket } from 'node:net';
import type { Harm } from './http.ts';

const { kind, connections, port, token } = JSON.parse(process.argv[2] ?? '') as Harm;
const atATime = 200;

const guess = 'x'.repeat(43);
const handshake = ['GET /mqtt HTTP/1.1', 'Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
const webSocket = [...handshake, 'Sec-WebSocket-Protocol: mqtt', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''].join('\r\n');
/** What is sent, and then again and again where it is a flood. */
const said: Readonly<Record<Harm['kind'], string>> = {
  'flood, read': 'GET / HTTP/1.1\r\n\r\n',
  'flood, unread': 'GET / HTTP/1.1\r\n\r\n',
  'health, read': 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  'wrong tokens': `GET /api/v1/lock/list?pageSize=10 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${guess}\r\n\r\n`,
  'documents, unread': 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n',
  'pages, unread': `GET /api/v1/lock/records?lockId=1&pageNo=1&pageSize=1000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  'half-sent': 'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
  'erring WebSockets': webSocket,
};
const isFlood = !['half-sent', 'erring WebSockets'].includes(kind);
/** Thousands that come again at once would try how fast connections are made. */
const comeAgainMs = isFlood ? 100 : 5_000;
const isRead = !kind.endsWith('unread');
const once = said[kind];
const bytes = Buffer.from(isFlood ? once.repeat(Math.ceil(65_536 / once.length)) : once);

let isOver = false;
let opened = 0;
let closed = 0;
let heard = 0;
const sockets = new Set<Socket>();

function open(): void {
  if (isOver) return;
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  sockets.add(socket);
  const flood = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.once('connect', () => {
    opened += 1;
    if (!isFlood) socket.write(bytes);
    else flood();
  });
  if (isFlood) socket.on('drain', flood);
  if (isRead)
    socket.on('data', (data) => {
      heard += data.length;
      // A frame that is not masked, once the handshake is done.
      if (kind === 'erring WebSockets') socket.write(Buffer.from([0x82]));
      if (kind === 'erring WebSockets') socket.write(Buffer.from([0x01, 0x00]));
    });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    closed += 1;
    sockets.delete(socket);
    setTimeout(open, comeAgainMs);
  });
}

for (let from = 0; from < connections; from += atATime) {
  for (let number = from; number < Math.min(connections, from + atATime); number++) open();
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdout.write(`${JSON.stringify({ opened })}\n`);
process.stdin.resume().once('end', () => {
  isOver = true;
  process.stdout.write(`${JSON.stringify({ opened, closed, heard })}\n`, () => process.exit(0));
});
