// Peer: the mosquitto of this machine, on a port of its own, without storage. Undefined when it is not installed.
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { freePort } from '../../support/free-port.ts';
import type { Address } from '../daemon.ts';
import { type Child, sleep, startChild } from '../processes.ts';

/** `on` is what mosquitto does unless it is told otherwise; `off`: each packet is a segment of its own. */
export type Nagle = 'on' | 'off';

export interface Mosquitto extends Child {
  readonly name: string;
  readonly mqtt: Address;
}

const programs = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto'];

export async function startMosquitto(folder: string, nagle: Nagle, say: (text: string) => void): Promise<Mosquitto | undefined> {
  const program = programs.find((path) => existsSync(path));
  if (program === undefined) {
    say('mosquitto is not installed: left out (Debian: apt-get install mosquitto)');
    return undefined;
  }
  const port = await freePort();
  const settings = [
    `listener ${port} 127.0.0.1`,
    ...['allow_anonymous true', `set_tcp_nodelay ${nagle === 'off'}`, 'persistence false', 'log_dest none', 'max_keepalive 65535'],
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ];
  const file = `${folder}/mosquitto-${nagle}.conf`;
  writeFileSync(file, `${settings.join('\n')}\n`);
  const { pid, stop } = startChild(program, ['-c', file]);
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 100) throw new Error('mosquitto does not answer');
    await sleep(50);
  }
  return { name: nagle === 'on' ? 'mosquitto' : 'mosquitto without Nagle', pid, stop, mqtt: { host: '127.0.0.1', port } };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
