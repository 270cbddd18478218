// A golden capture of a bridge: lines that are heard, asked or waited for, in order, each with the effects that must follow.
import { readdirSync, readFileSync } from 'node:fs';
import type { LockCommand } from '../../src/domain/locks/lock-command.ts';
import type { BridgeEffect, BridgeProtocol } from '../../src/drivers/bridge-protocol.ts';
import type { CommandRefusal } from '../../src/drivers/device-protocol.ts';

export interface GoldenLine {
  /** Seconds. */
  readonly t: number;
  /** Heard from the broker. */
  readonly topic?: string;
  readonly payload?: string;
  readonly retain?: boolean;
  /** Or what happens to the lock at this address. */
  readonly address?: string;
  readonly command?: LockCommand;
  readonly wait?: 'expire' | 'wake';
  readonly follow?: readonly string[];
  readonly effects: readonly string[];
}

export function goldensIn(kind: string): readonly (readonly [string, readonly GoldenLine[]])[] {
  const folder = new URL(`../wire/drivers/${kind}/`, import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.map((name) => {
    const lines = readFileSync(new URL(name, folder), 'utf8').trim().split('\n');
    return [name, lines.map((line) => JSON.parse(line) as GoldenLine)] as const;
  });
}

/** What a line brings about, each effect as a short text. */
export function play(program: BridgeProtocol, line: GoldenLine): readonly string[] {
  const now = Date.UTC(2026, 10, 22) + line.t * 1_000;
  const { address = '' } = line;
  if (line.follow !== undefined) return program.follow(new Set(line.follow), now).map(inShort);
  if (line.wait === 'expire') return program.expire(address, now).map(inShort);
  if (line.wait === 'wake') return program.wake(address, now).map(inShort);
  if (line.command !== undefined) return answerInShort(program.command(address, line.command, now));
  const { topic = '', payload = '', retain = false } = line;
  return program.hear({ topic, payload: Buffer.from(payload), isHistory: retain }, now).map(inShort);
}

function answerInShort(answer: readonly BridgeEffect[] | CommandRefusal): readonly string[] {
  return 'refuse' in answer ? [`refuse ${answer.refuse}`] : answer.map(inShort);
}

export function inShort(effect: BridgeEffect): string {
  if (effect.kind === 'subscribe' || effect.kind === 'unsubscribe') return `${effect.kind} ${effect.filters.join(', ')}`;
  if (effect.kind === 'program') return `program ${effect.online ? 'online' : 'offline'}`;
  const { kind, ...rest } = effect.effect;
  return `${effect.address.slice(-4)} ${kind} ${JSON.stringify(rest)}`;
}
