// Checks whether every lock can get a connection.
import type { Config } from '../../app/config.ts';
import type { Daemon } from './daemon.ts';
import { good, type Verdict, warn } from './verdict.ts';

/**
 * How many connections were rejected by a connection limit: that of their address, or that of all. The daemon counts them since its start
 * (`broker/packet-rejections.ts`).
 */
export function turnedAway({ answer }: Daemon): { readonly ofAddress: number; readonly ofAll: number } {
  const counted = (answer?.['turnedAway'] ?? {}) as Readonly<Record<string, number>>;
  return { ofAddress: counted['too-many-from-address'] ?? 0, ofAll: counted['too-many-connections'] ?? 0 };
}

export function checkPlaces({ mqtt: { connectionsPerAddress } }: Config, daemon: Daemon): readonly Verdict[] {
  const { answer } = daemon;
  const { ofAddress, ofAll } = turnedAway(daemon);
  const places = `${connectionsPerAddress} for one address`;
  if (answer === undefined) return [good(`${places}; whom it turned away, the running daemon tells`)];
  if (ofAddress + ofAll === 0) return [good(`no lock was turned away for want of a place (${places})`)];
  return [
    ...(ofAddress === 0
      ? []
      : [
          warn(
            `since the daemon started, ${ofAddress} connections were turned away because their address had all its places (${places})`,
            'locks behind one NAT, proxy or bridge? Raise mqtt.connectionsPerAddress in the configuration and restart; the log has the address (connections-full)',
          ),
        ]),
    ...(ofAll === 0
      ? []
      : [
          warn(
            `since the daemon started, ${ofAll} connections were turned away because all places were taken`,
            'more locks than one gateway keeps connected: give some of them a second gateway; the log has the addresses (connections-full)',
          ),
        ]),
  ];
}
