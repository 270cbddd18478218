// Whether an outside broker lets somebody in who gives neither user name nor password: asked with the few bytes that this takes (MQTT 3.1.1), on a
// connection of its own.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { brokerAddress, openSocket } from './mqtt-socket.ts';

const answerMs = 5_000;

/** True: it granted the subscription `filter`. undefined: it did not answer, or could not be reached. Never rejects. */
export function admitsStrangers(options: {
  readonly url: string;
  readonly ca: string | undefined;
  readonly filter: string;
  readonly clock: Clock;
}): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = openSocket(brokerAddress(options.url), options.ca);
    let heard = Buffer.alloc(0);
    let isIn = false;
    const cancel = options.clock.timer(answerMs, () => done(undefined));
    function done(answer: boolean | undefined): void {
      cancel();
      socket.reset();
      resolve(answer);
    }
    socket.onFailure(() => done(isIn ? false : undefined));
    // A broker may close the connection in place of an answer.
    socket.stream.on('close', () => done(heard.length > 0 ? false : undefined));
    socket.stream.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]).subarray(0, 64);
      if (!isIn && heard.length >= 4) {
        // CONNACK: its return code is the last of four bytes.
        if (heard[0] !== 0x20 || heard[3] !== 0) return done(false);
        isIn = true;
        heard = heard.subarray(4);
        socket.stream.write(subscribePacket(options.filter));
      }
      if (isIn && heard.length >= 5) done(heard[0] === 0x90 && Number(heard[4]) < 0x80);
    });
    socket.stream.write(connectPacket(`latchd-check-${randomBytes(4).toString('hex')}`));
  });
}

function connectPacket(clientId: string): Buffer {
  const body = Buffer.concat([text('MQTT'), Buffer.from([4, 0b10, 0, 10]), text(clientId)]);
  return Buffer.concat([Buffer.from([0x10, body.length]), body]);
}

/** @param filter at most 100 bytes */
function subscribePacket(filter: string): Buffer {
  const body = Buffer.concat([Buffer.from([0, 1]), text(filter), Buffer.from([0])]);
  return Buffer.concat([Buffer.from([0x82, body.length]), body]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
