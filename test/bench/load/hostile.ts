// What strangers do to a broker: they take its places, and guess keys. And locks that ask and do not read the answers.
import { connect, type Socket } from 'node:net';
import type { Address } from '../daemon.ts';
import type { LoadLock } from './load-lock.ts';
import { connectText, subscribeManyText } from './packets.ts';

/** Of one address, as few as the gateway takes of it. */
const socketsPerAddress = 1_000;
const tickMs = 20;
const guessPatienceMs = 500;

function open({ host, port }: Address, number: number): Socket {
  const socket = connect({ host, port, noDelay: true, localAddress: `127.0.3.${1 + (Math.floor(number / socketsPerAddress) % 100)}` });
  socket.on('error', () => {});
  socket.resume();
  return socket;
}

/** Says nothing; or a length that is far too large; or a CONNECT byte by byte. Comes again whenever it is closed. */
function takePlace(address: Address, number: number, isOver: () => boolean): void {
  const socket = open(address, number);
  const login = connectText('b00000000001', 'no-key', 60);
  let said = 0;
  const kind = number % 3;
  const drip = kind === 2 ? setInterval(() => socket.write(login.charAt(said++), 'latin1'), 1_000) : undefined;
  if (kind === 1) socket.once('connect', () => socket.write('\x10\xff\xff\xff\x7f', 'latin1'));
  socket.once('close', () => {
    clearInterval(drip);
    // Not at once: it is places that are to be taken, and this process shares the machine.
    if (!isOver()) setTimeout(takePlace, 1_000, address, number, isOver);
  });
}

/** So many sockets for so long; resolves with how many there were. */
export async function takePlaces(address: Address, sockets: number, ms: number): Promise<number> {
  const endsAt = performance.now() + ms;
  const isOver = () => performance.now() >= endsAt;
  for (let from = 0; from < sockets; from += 100) {
    for (let number = from; number < Math.min(sockets, from + 100); number++) takePlace(address, number, isOver);
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, endsAt - performance.now())));
  return sockets;
}

/** Logins with wrong keys, each on a connection of its own; resolves with how many were sent. */
export async function guess(address: Address, perSecond: number, ms: number): Promise<number> {
  const startedAt = performance.now();
  let made = 0;
  let sent = 0;
  while (performance.now() - startedAt < ms) {
    for (const due = ((performance.now() - startedAt) * perSecond) / 1_000; made < due; made++) {
      const socket = open(address, made);
      const login = connectText('b00000000001', `guess-${made}-guess-guess-guess`, 60);
      socket.once('connect', () => {
        sent++;
        socket.write(login, 'latin1');
      });
      setTimeout(() => socket.destroy(), guessPatienceMs);
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  return sent;
}

/**
 * Asks for much and reads nothing; resolves with the milliseconds from when nothing was taken from it any more to its end. That begins
 * when all buffers on the way are full, of which the system has megabytes.
 */
export function stall(lock: LoadLock, ms: number): Promise<number> {
  lock.pauseReading();
  const question = subscribeManyText(9, 2_000);
  const endsAt = performance.now() + ms;
  let unsent = 0;
  let stuckSince = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      if (!lock.isOpen() || now >= endsAt) {
        clearInterval(timer);
        resolve(lock.isOpen() ? ms : now - stuckSince);
        return;
      }
      if (lock.unsentBytes() === 0) for (let n = 0; n < 20; n++) lock.write(question);
      if (lock.unsentBytes() !== unsent) stuckSince = now;
      unsent = lock.unsentBytes();
    }, tickMs);
  });
}
