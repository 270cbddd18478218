// The byte streams that come in as WebSockets at /mqtt (RFC 6455, MQTT 3.1.1 section 6).
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import WebSocket from 'ws';
import type { WebSocketStream } from '../../../src/http/pipeline/web-socket.ts';
import { createServerUnderTest, sampleToken } from '../../support/fake-services.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

/** A server whose streams say everything back. */
async function started() {
  const streams: WebSocketStream[] = [];
  const under = createServerUnderTest(undefined, (stream) => {
    streams.push(stream);
    stream.pipe(stream);
  });
  open.push(under.server);
  await under.server.start();
  return { ...under, streams };
}

async function opened(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, 'mqtt');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('open', resolve));
  return socket;
}

const headers = ['GET /mqtt HTTP/1.1', 'Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
const handshake = [...headers, 'Sec-WebSocket-Protocol: mqtt', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''].join('\r\n');

/** A socket that says what no WebSocket client says. */
async function handshaken(port: number, allowHalfOpen = false): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  socket.on('error', () => undefined);
  socket.write(handshake);
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

function ended(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once('close', (code) => resolve(code)));
}

describe('MQTT over WebSocket', () => {
  test('bytes pass both ways, however they are cut into messages and fragments, and the address is known', async () => {
    const under = await started();
    const socket = await opened(under.port());
    expect([socket.protocol, socket.extensions]).toEqual(['mqtt', '']);
    let echoed = '';
    const whole = new Promise<void>((resolve) => {
      socket.on('message', (bytes) => {
        echoed += bytes.toString();
        if (echoed.length === 9) resolve();
      });
    });
    socket.send(Buffer.from('one'));
    socket.send(Buffer.from('t'), { fin: false });
    socket.send(Buffer.from('wo'), { fin: true });
    socket.send(Buffer.from('six'));
    await whole;
    expect(echoed).toBe('onetwosix');
    expect(under.streams.map(({ remoteAddress }) => remoteAddress)).toEqual(['127.0.0.1']);
  });

  test.each([
    ['text [MQTT-6.0.0-1]', (socket: WebSocket) => socket.send('text')],
    ['a message beyond the limit', (socket: WebSocket) => socket.send(Buffer.alloc(131_073))],
    [
      'a message in more fragments than anybody needs',
      (socket: WebSocket) => {
        for (let sent = 0; sent < 65; sent++) socket.send(Buffer.from('x'), { fin: false });
      },
    ],
    ['a network that breaks', (socket: WebSocket) => socket.terminate()],
    ['a client that says goodbye', (socket: WebSocket) => socket.close()],
  ])('%s closes the stream', async (_what, say) => {
    const under = await started();
    const socket = await opened(under.port());
    const gone = new Promise((resolve) => under.streams[0]?.once('close', resolve));
    say(socket);
    await Promise.all([ended(socket), gone]);
    expect(under.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a client that only pings and never reads the answers is cut off', async () => {
    const under = await started();
    const socket = connect(under.port(), '127.0.0.1');
    const cut = new Promise((resolve) => socket.once('close', resolve).once('error', () => undefined));
    socket.write(handshake);
    // Masked pings of 125 bytes (RFC 6455 section 5.5.2), many in a write.
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
    const pings = Buffer.concat(Array.from({ length: 500 }, () => ping));
    const flood = () => {
      while (!socket.destroyed && socket.write(pings));
    };
    socket.on('drain', flood);
    flood();
    await cut;
  });

  test.each([
    ['a frame that is not masked', Buffer.from([0x82, 0x01, 0x00])],
    ['a frame of no kind that there is', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ['a message beyond the limit', Buffer.concat([Buffer.from([0x82, 0xff]), Buffer.from('0000000000100000', 'hex'), Buffer.alloc(4)])],
  ])('%s ends the connection at once, whether the client closes its end or not', async (_what, frame) => {
    const under = await started();
    const socket = await handshaken(under.port(), true);
    const gone = new Promise((resolve) => under.streams[0]?.once('close', resolve));
    socket.write(frame);
    await gone;
    // Nobody is there any more: what is sent now is answered by a reset.
    const reset = new Promise<string | undefined>((resolve) => {
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      socket.once('close', () => resolve('closed'));
    });
    const saying = setInterval(() => socket.write(frame), 5);
    expect(['ECONNRESET', 'EPIPE']).toContain(await reset);
    clearInterval(saying);
  });

  test.each([
    ['empty messages', 0x82],
    ['pongs', 0x8a],
  ])('%s without end close the connection, and as many as packets may come do not', async (_what, kind) => {
    const under = await started();
    const socket = await handshaken(under.port());
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const frames = Buffer.concat(Array.from({ length: 2_000 }, () => Buffer.from([kind, 0x80, 0, 0, 0, 0])));
    const echo = Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0x21]);
    socket.write(Buffer.concat([frames, frames, echo]));
    await new Promise((resolve) => under.streams[0]?.once('data', resolve));
    under.clock.advance(500);
    socket.write(Buffer.concat([frames.subarray(0, 6_000), echo]));
    await new Promise((resolve) => under.streams[0]?.once('data', resolve));
    socket.write(frames);
    await closed;
  });

  test('stop lets a lock stay until the requests under way are answered, then ends its stream', async () => {
    const under = await started();
    let answer: (value: { success: true }) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      under.locks.setBolt = () => {
        resolve();
        return new Promise((settle) => {
          answer = settle;
        });
      };
    });
    const socket = await opened(under.port());
    const url = `${under.origin()}/api/v1/lock/unlock?lockId=7`;
    const response = fetch(url, { method: 'POST', headers: { Authorization: `Bearer ${sampleToken}` } });
    await asked;
    const stopping = under.server.stop();
    // The command goes to the lock and its reply comes back over the very stream.
    const reply = new Promise((resolve) => socket.once('message', (bytes) => resolve(bytes.toString())));
    socket.send(Buffer.from('unlocked'));
    expect(await reply).toBe('unlocked');
    answer({ success: true });
    expect(await (await response).json()).toEqual({ success: true });
    await Promise.all([ended(socket), stopping]);
  });
});
