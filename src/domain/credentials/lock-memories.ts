// The memories of locks of every kind: batches of cards and passcodes, single cards of older native locks, passcodes of other makes.
import type { Drivers } from '../locks/driver.ts';
import { type Lock, nativeKind } from '../locks/lock.ts';
import type { LockCommand } from '../locks/lock-command.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { sameCard } from './card.ts';
import { credentialsDigest } from './credentials-digest.ts';
import { always } from './entry.ts';
import type { HeldItem, Item, LockMemory, MemoryLimits, MemoryRequest, OwnRequest, Shown, StepEnd } from './lock-memory.ts';
import { isEnd, type MemoryCommandPorts, refusedStep, type Send, sender } from './memory-commands.ts';
import { passcodeMemory } from './passcode-memory.ts';
import { passcodeDigitsOf } from './passcode-rules.ts';

/** How many items a command takes. */
const batch = 20;
/** How many numbers a lock is asked for at once. */
const page = 100;
const longestListing = 10_000;
/** A hub may show its codes only seconds after it was asked, and a radio reads one slot after the other. */
const passcodeTimeoutMs = 10_000;

export interface LockMemories {
  of(lock: Lock): LockMemory;
}

interface MemoryPorts extends MemoryCommandPorts {
  readonly drivers: Pick<Drivers, 'capabilities' | 'passcodeForm'>;
  /** SHA-256 in hex digits. */
  readonly hash: (text: string) => string;
}

export function createLockMemories(ports: MemoryPorts): LockMemories {
  const { drivers, hash } = ports;
  return {
    of(lock) {
      const can = drivers.capabilities(lock);
      const limits = { batch: 1, cards: can.cards, passcodes: can.passcodes, hours: can.hours, once: can.once };
      const passcodeDigits = passcodeDigitsOf(lock, drivers.passcodeForm(lock));
      const isNative = lock.driver.kind === nativeKind;
      if (isNative && lock.features?.features.includes('credentials')) {
        return batchMemory(sender(ports), { ...limits, batch, passcodeDigits }, hash);
      }
      if (isNative) return cardMemory(sender(ports), { ...limits, passcodes: false, hours: false, once: false, passcodeDigits }, hash);
      return passcodeMemory(sender(ports, passcodeTimeoutMs), { ...limits, cards: false, hours: false, once: false, passcodeDigits });
    },
  };
}

const nothing = { failed: [], references: [] };

function keyOf({ kind, number }: Pick<Item, 'kind' | 'number'>): Pick<Item, 'kind' | 'number'> {
  return { kind, number: kind === 'card' ? sameCard(number) : number };
}

function batchMemory(send: Send, limits: MemoryLimits, hash: (text: string) => string): LockMemory {
  async function step(session: LockSession, command: LockCommand, request: MemoryRequest | OwnRequest | undefined): Promise<StepEnd> {
    const answer = await send(session, command, request);
    if (isEnd(answer)) return answer;
    const { commandId, end } = answer;
    const said = end.kind === 'ok' ? end.credentials : undefined;
    // A lock that says ok without saying what it holds now may have done anything.
    if (said === undefined) return refusedStep(answer) ?? { kind: 'open' };
    return { kind: 'done', commandId, basis: 'reply', digest: said.digest, failed: said.failed, references: [] };
  }
  return {
    limits,
    put: (session, items, request) =>
      step(session, { op: 'put-credentials', items: items.map((item) => ({ ...keyOf(item), ...item.window })) }, request),
    remove: (session, items, request) => step(session, { op: 'remove-credentials', items: items.map(keyOf) }, request),
    list: (session) =>
      listed(async (offset) => {
        const answer = await send(session, { op: 'list-credentials', offset, limit: page });
        const listing = !isEnd(answer) && answer.end.kind === 'ok' ? answer.end.credentials?.listing : undefined;
        return (
          listing && {
            total: listing.total,
            some: listing.credentials.map(({ kind, number, startDate, endDate, hours, once }) => ({
              kind,
              number,
              window: { startDate, endDate, hours, once },
            })),
          }
        );
      }),
    digest: (held) => credentialsDigest(held, hash),
  };
}

/** Cards with dates alone, one at a time. */
function cardMemory(send: Send, limits: MemoryLimits, hash: (text: string) => string): LockMemory {
  async function step(session: LockSession, command: LockCommand, request: MemoryRequest | OwnRequest | undefined): Promise<StepEnd> {
    const answer = await send(session, command, request);
    if (isEnd(answer)) return answer;
    const isGone = command.op === 'remove-card' && answer.end.kind === 'refused' && answer.end.error === 'not-found';
    const refusal = isGone ? undefined : refusedStep(answer);
    return refusal ?? { kind: 'done', commandId: answer.commandId, basis: 'reply', ...nothing };
  }
  return {
    limits,
    async put(session, [item], request) {
      if (item === undefined) return { kind: 'unsent' };
      const { startDate, endDate } = item.window;
      const card = { cardNumber: sameCard(item.number), startDate, endDate };
      const changed = item.isThere ? await step(session, { op: 'update-card', ...card }, request) : undefined;
      if (changed !== undefined && !(changed.kind === 'refused' && changed.error === 'not-found')) return changed;
      return step(session, { op: 'add-card', ...card }, request);
    },
    async remove(session, [item], request) {
      if (item === undefined) return { kind: 'unsent' };
      return step(session, { op: 'remove-card', cardNumber: sameCard(item.number) }, request);
    },
    list: (session) =>
      listed(async (offset) => {
        const answer = await send(session, { op: 'list-cards', offset, limit: page });
        const listing = !isEnd(answer) && answer.end.kind === 'ok' ? answer.end.listing : undefined;
        return (
          listing && {
            total: listing.total,
            some: listing.cards.map(({ cardNumber, startDate, endDate }) => ({
              kind: 'card',
              number: cardNumber,
              window: { ...always, startDate, endDate },
            })),
          }
        );
      }),
    digest: (held) => cardsDigest(held, hash),
  };
}

/** As the hello of a lock says it that holds cards alone. */
function cardsDigest(held: readonly HeldItem[], hash: (text: string) => string): string {
  const lines = held.map(({ number, window }) => `${sameCard(number)},${window.startDate},${window.endDate}\n`);
  return hash(lines.sort().join('')).slice(0, 16);
}

/** Page by page; undefined: the lock did not answer, or said that there are more than it shows. */
async function listed(
  next: (offset: number) => Promise<{ readonly total: number; readonly some: readonly Shown[] } | undefined>,
): Promise<readonly Shown[] | undefined> {
  const all: Shown[] = [];
  while (all.length < longestListing) {
    const answer = await next(all.length);
    if (answer === undefined) return undefined;
    all.push(...answer.some);
    if (all.length >= answer.total) return all;
    if (answer.some.length === 0) return undefined;
  }
  return undefined;
}
