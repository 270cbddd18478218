// Outside brokers (mosquitto) at the far ends of the links: what they and the gateway read of each other.
import { mkdirSync, writeFileSync } from 'node:fs';
import { makeAuthority, makeKey, makeServerCertificate } from '../../src/platform/tls/x509.ts';
import { mosquittoProgram } from '../support/mosquitto.ts';
import { bridgeName } from './links-makes.ts';
import type { Network } from './links-network.ts';

/** A bridge as the gateway's configuration has it, but for its drivers. */
export interface LinkedBridge {
  readonly name: string;
  readonly url: string;
  readonly ca?: string;
}

export interface LinkedBrokers {
  /** One for each link. */
  readonly bridges: readonly LinkedBridge[];
  /** What is to run on the side of the devices. */
  readonly commands: readonly (readonly string[])[];
  /** For what stands beside the broker of this link: always in clear, and never cut. */
  urlBeside(link: number): string;
}

interface BrokersOptions {
  readonly network: Network;
  readonly links: readonly number[];
  /** For the gateway; the next one is for what stands beside the brokers. */
  readonly port: number;
  readonly tls: boolean;
  /** Does not exist yet. */
  readonly folder: string;
}

/** Throws a sentence when there is no mosquitto. */
export async function placeBrokers({ network, links, port, tls, folder }: BrokersOptions): Promise<LinkedBrokers> {
  const program = mosquittoProgram();
  const addresses = links.map(network.deviceAddress);
  mkdirSync(folder);
  await writeCertificates(folder, addresses);
  for (const address of addresses) {
    const lines = [
      `listener ${port} ${address}`,
      ...(tls ? [`certfile ${folder}/certificate.pem`, `keyfile ${folder}/key.pem`] : []),
      `listener ${port + 1} ${address}`,
      ...['allow_anonymous true', 'persistence false', 'set_tcp_nodelay true', 'user root', 'log_dest none'],
    ];
    writeFileSync(`${folder}/${address}.conf`, `${lines.join('\n')}\n`);
  }
  const urlOf = (link: number) => `${tls ? 'mqtts' : 'mqtt'}://${network.deviceAddress(link)}:${port}`;
  return {
    bridges: links.map((link) => ({ name: bridgeName(link), url: urlOf(link), ...(tls && { ca: `${folder}/authority.pem` }) })),
    commands: addresses.map((address) => [program, '-c', `${folder}/${address}.conf`]),
    urlBeside: (link) => `mqtt://${network.deviceAddress(link)}:${port + 1}`,
  };
}

async function writeCertificates(folder: string, names: readonly string[]): Promise<void> {
  const validity = { from: Date.UTC(2020, 0, 1), to: Date.UTC(2040, 0, 1) };
  const key = makeKey();
  const authority = { certificate: await makeAuthority({ key, name: 'links', ...validity }), key };
  writeFileSync(`${folder}/key.pem`, key);
  writeFileSync(`${folder}/authority.pem`, authority.certificate);
  writeFileSync(`${folder}/certificate.pem`, await makeServerCertificate({ key, authority, names, ...validity }));
}
