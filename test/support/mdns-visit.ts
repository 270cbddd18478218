// A program, not a module: started in a network with nothing in it but its loopback, it starts the daemon there, asks by multicast DNS as a
// lock would, ends the daemon, and prints what it heard as JSON. Its arguments: the daemon's program and arguments.
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const [group, port, patienceMs] = ['224.0.0.251', 5353, 15_000];
/** Types of records (RFC 1035 section 3.2.2, RFC 2782). */
const types: Readonly<Record<number, string>> = { 1: 'A', 12: 'PTR', 16: 'TXT', 33: 'SRV' };
interface Heard {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly says: string;
}

const heard: Heard[] = [];
const socket = createSocket({ type: 'udp4', reuseAddr: true });
socket.on('message', (message) => {
  if (message.readUInt16BE(2) & 0x8000) heard.push(...records(message));
});
socket.bind(port);
await once(socket, 'listening');
socket.addMembership(group, '127.0.0.1');
socket.setMulticastInterface('127.0.0.1');

const daemon = spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
let log = '';
daemon.stdout.setEncoding('utf8').on('data', (text: string) => {
  log += text;
});
await when(() => log.includes('"code":"discovery"') || log.includes('"code":"discovery-failed"'));
// Only what answers a question, not what was announced unasked.
heard.length = 0;
for (const type of ['_latchd', '_mqtt', '_secure-mqtt']) socket.send(question(`${type}._tcp.local`), port, group);
await when(() => heard.filter(({ type }) => type === 'SRV').length >= 2);
const answers = heard.splice(0);
daemon.kill('SIGTERM');
const [exitCode] = (await once(daemon, 'close')) as [number | null];
await when(() => heard.some(({ ttl }) => ttl === 0));
socket.close();
process.stdout.write(JSON.stringify({ answers, afterwards: heard, exitCode, log }));

function question(name: string): Buffer {
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), ...labels, Buffer.from([0, 0, 12, 0, 1])]);
}

function records(message: Buffer): Heard[] {
  let at = 12;
  const count = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
  for (let left = message.readUInt16BE(4); left > 0; left--) at = nameAt(message, at).end + 4;
  return Array.from({ length: count }, () => {
    const { name, end } = nameAt(message, at);
    const [type, ttl, bytes] = [message.readUInt16BE(end), message.readUInt32BE(end + 4), message.readUInt16BE(end + 8)];
    const start = end + 10;
    at = start + bytes;
    return { name, type: types[type] ?? String(type), ttl, says: said(message, type, start, bytes) };
  });
}

function said(message: Buffer, type: number, start: number, bytes: number): string {
  if (type === 1) return [...message.subarray(start, start + 4)].join('.');
  if (type === 12) return nameAt(message, start).name;
  if (type === 33) return `${nameAt(message, start + 6).name}:${message.readUInt16BE(start + 4)}`;
  const texts: string[] = [];
  for (let at = start; type === 16 && at < start + bytes; at += 1 + message.readUInt8(at)) {
    texts.push(message.toString('utf8', at + 1, at + 1 + message.readUInt8(at)));
  }
  return texts.join(' ');
}

function nameAt(message: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let end: number | undefined;
  for (let at = start; ; ) {
    const length = message.readUInt8(at);
    if (length === 0) return { name: labels.join('.'), end: end ?? at + 1 };
    if (length >= 0xc0) {
      end ??= at + 2;
      at = message.readUInt16BE(at) & 0x3fff;
    } else {
      labels.push(message.toString('utf8', at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
}

/** Whether it came in time is for the test to see. */
async function when(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!condition() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}
