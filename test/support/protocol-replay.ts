// Plays a capture (test/wire/drivers/README.md) to the protocol of a make, and notes what follows from each line.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandRefusal, DeviceKind, DeviceProtocol, Effect } from '../../src/drivers/device-protocol.ts';

const folder = join(import.meta.dirname, '../wire/drivers');
/** When the captures begin, epoch ms. */
export const captureStart = Date.UTC(2026, 10, 22, 7, 0, 0);
export const captureDeviceId = '02002bb28570';

type Line = { readonly t: number; readonly effects?: readonly Effect[] | CommandRefusal } & (
  | { readonly topic: string; readonly payload: string; readonly retain: boolean; readonly qos: number }
  | { readonly do: 'begin' | 'expire' | 'wake' | 'ended' }
  | { readonly command: Parameters<DeviceProtocol['command']>[0] }
);

interface Capture {
  readonly name: string;
  readonly about: string;
  readonly driver: unknown;
  readonly lines: readonly Line[];
}

export function capturesOf(kind: string): readonly Capture[] {
  return readdirSync(join(folder, kind))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => {
      const [head, ...lines] = readFileSync(join(folder, kind, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return { name, ...head, lines };
    });
}

/** Each line with what really followed. A wait that is over before the next line must have a line `wake` of its own. */
export function played<Options>(kind: DeviceKind<Options>, { driver, lines }: Capture): readonly Line[] {
  const protocol = kind.create({ deviceId: captureDeviceId, options: kind.schema.parse(driver) });
  let wakeAt: number | undefined;
  return lines.map((line) => {
    const now = captureStart + Math.round(line.t * 1_000);
    const isWake = 'do' in line && line.do === 'wake';
    if (isWake ? wakeAt !== now : wakeAt !== undefined && wakeAt < now) {
      throw new Error(`at ${line.t} a wake is due at ${wakeAt === undefined ? 'no time' : (wakeAt - captureStart) / 1_000}`);
    }
    if (isWake) wakeAt = undefined;
    const effects = step(protocol, line, now);
    if (!('refuse' in effects)) for (const effect of effects) if (effect.kind === 'wake') wakeAt = now + effect.afterMs;
    return { ...line, effects };
  });
}

function step(protocol: DeviceProtocol, line: Line, now: number): readonly Effect[] | CommandRefusal {
  if ('topic' in line) return protocol.hear({ topic: line.topic, payload: Buffer.from(line.payload), isHistory: false }, now);
  if ('command' in line) return protocol.command(line.command, now);
  return line.do === 'ended' ? (protocol.ended?.(now) ?? []) : protocol[line.do](now);
}
