// The memories of locks of every kind: batches of cards and passcodes, single cards of older native locks, passcodes of other makes.
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import { type CommandEnd, type CommandService, priority } from '../locks/command-service.ts';
import type { Drivers } from '../locks/driver.ts';
import { type Lock, nativeKind } from '../locks/lock.ts';
import type { CommandId, LockCommand } from '../locks/lock-command.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { sameCard } from './card.ts';
import { credentialsDigest } from './credentials-digest.ts';
import { always } from './entry.ts';
import type { HeldItem, Item, LockMemory, MemoryLimits, MemoryRequest, Shown, StepEnd } from './lock-memory.ts';
import { passcodeDigitsOf } from './passcode-rules.ts';

/** How many items a command takes. */
const batch = 20;
/** How many numbers a lock is asked for at once. */
const page = 100;
const longestListing = 10_000;
/** A hub may show its codes only seconds after it was asked, and a radio reads one slot after the other. */
const passcodeTimeoutMs = 10_000;
const ownRequestMs = 60_000;
/** A hub takes no longer names. */
const longestName = 20;

export interface LockMemories {
  of(lock: Lock): LockMemory;
}

interface MemoryPorts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly commands: Pick<CommandService, 'send'>;
  readonly drivers: Pick<Drivers, 'capabilities' | 'passcodeForm'>;
  /** SHA-256 in hex digits. */
  readonly hash: (text: string) => string;
}

/** A command that was answered, with its id. */
interface Answer {
  readonly commandId: CommandId;
  readonly end: CommandEnd;
}

type Send = (session: LockSession, command: LockCommand, request?: MemoryRequest) => Promise<Answer | StepEnd>;

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

/** Sends as whoever waits, or as the gateway. */
function sender({ clock, commands }: MemoryPorts, timeoutMs?: number): Send {
  return async (session, command, request) => {
    let commandId: CommandId | undefined;
    const who = request ?? { accountId: null, deadline: clock.monotonic() + ownRequestMs };
    try {
      const end = await commands.send({
        ...{ lockId: session.lockId, session, priority: priority.change, accountId: who.accountId, deadline: who.deadline },
        ...(request?.gone !== undefined && { gone: request.gone }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        onSent: (issued) => {
          commandId = issued;
        },
        makeCommand: () => {
          request?.check();
          return command;
        },
      });
      return { commandId: commandId as CommandId, end };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'lock-timeout') return { kind: 'open' };
      if (request !== undefined) throw error;
      return { kind: commandId === undefined ? 'unsent' : 'open' };
    }
  };
}

function isEnd(answer: Answer | StepEnd): answer is StepEnd {
  return 'kind' in answer;
}

/** What the lock refused; undefined: it did it. */
function refusalOf({ end }: Answer): StepEnd | undefined {
  return end.kind === 'refused' ? { kind: 'refused', error: end.error, message: end.message ?? '' } : undefined;
}

const nothing = { failed: [], references: [] };

function keyOf({ kind, number }: Pick<Item, 'kind' | 'number'>): Pick<Item, 'kind' | 'number'> {
  return { kind, number: kind === 'card' ? sameCard(number) : number };
}

function batchMemory(send: Send, limits: MemoryLimits, hash: (text: string) => string): LockMemory {
  async function step(session: LockSession, command: LockCommand, request: MemoryRequest | undefined): Promise<StepEnd> {
    const answer = await send(session, command, request);
    if (isEnd(answer)) return answer;
    const { commandId, end } = answer;
    const said = end.kind === 'ok' ? end.credentials : undefined;
    // A lock that says ok without saying what it holds now may have done anything.
    if (said === undefined) return refusalOf(answer) ?? { kind: 'open' };
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
  async function step(session: LockSession, command: LockCommand, request: MemoryRequest | undefined): Promise<StepEnd> {
    const answer = await send(session, command, request);
    if (isEnd(answer)) return answer;
    const isGone = command.op === 'remove-card' && answer.end.kind === 'refused' && answer.end.error === 'not-found';
    const refusal = isGone ? undefined : refusalOf(answer);
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

/** Passcodes that the lock knows by references, one at a time. */
function passcodeMemory(send: Send, limits: MemoryLimits): LockMemory {
  async function step(session: LockSession, command: LockCommand, request: MemoryRequest | undefined): Promise<StepEnd> {
    const answer = await send(session, command, request);
    if (isEnd(answer)) return answer;
    const { commandId, end } = answer;
    if (end.kind !== 'ok') return refusalOf(answer) ?? { kind: 'open' };
    const basis = end.passcode?.proof === 'read-back' ? 'list' : 'reply';
    return { kind: 'done', commandId, basis, failed: [], references: [end.passcode?.reference] };
  }
  return {
    limits,
    async put(session, [item], request) {
      if (item === undefined) return { kind: 'unsent' };
      const { number, window, name, reference } = item;
      const { startDate, endDate } = window;
      const command = { op: 'put-passcode', code: number, name: shortName(name), startDate, endDate } as const;
      return step(session, reference === undefined ? command : { ...command, reference }, request);
    },
    async remove(session, [item], request) {
      // Of a code without a reference the lock never said that it has it.
      if (item?.reference === undefined) return { kind: 'refused', error: 'reference-unknown', message: '' };
      return step(session, { op: 'remove-passcode', reference: item.reference }, request);
    },
    async list(session) {
      if (!limits.passcodes) return [];
      const answer = await send(session, { op: 'list-passcodes' });
      const listing = !isEnd(answer) && answer.end.kind === 'ok' ? answer.end.passcodes : undefined;
      return listing?.passcodes.map(
        ({ reference, code, startDate, endDate }): Shown => ({
          ...{ kind: 'passcode', number: code ?? null, reference },
          ...(startDate !== undefined && endDate !== undefined && { window: { ...always, startDate, endDate } }),
        }),
      );
    },
  };
}

/** As much of a name as fits in so many bytes. */
function shortName(name: string): string {
  let short = '';
  for (const letter of name || 'code') {
    if (utf8Length(short + letter) > longestName) break;
    short += letter;
  }
  return short;
}

function utf8Length(text: string): number {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%../g, 'x').length;
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
