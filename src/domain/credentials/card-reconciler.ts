// Reconciles what a time-out or a restart left open: asks the lock which cards it holds, and adapts the entries to that.
import type { Clock } from '../clock.ts';
import type { Emit } from '../event-bus.ts';
import { type CommandService, priority } from '../locks/command-service.ts';
import type { LockCommand } from '../locks/lock-command.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { refuseUnlessOk } from '../locks/lock-service.ts';
import { type CardOnLock, sameCard } from './card.ts';
import { isNotFound, listCardsOnLock } from './card-commands.ts';
import type { CardEvidence } from './card-evidence.ts';
import { cardWindow, isOpenStep, removal } from './card-rules.ts';
import { type Entry, type Held, isSameWindow } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import { listedCard } from './listed-card.ts';
import type { EntriesChange, EntryLookUp } from './lock-entries.ts';

interface CardReconcilerPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly commands: CommandService;
  readonly entries: EntryStore;
  readonly evidence: CardEvidence;
  readonly emit: Emit;
}

/** Ends every open outcome of the lock. Rejects when the lock does not answer in this session; the remaining ones stay open. */
export async function reconcileOpen(ports: CardReconcilerPorts, session: LockSession, deadline: number): Promise<void> {
  const { clock, commands, entries, evidence, emit } = ports;
  const { lockId } = session;
  const listed = await listCardsOnLock(commands, { session, accountId: null, deadline });
  const held = new Map(listed.map((card) => [sameCard(card.cardNumber), card]));
  const known = await entries.of(lockId);
  for (const entry of known.unsure.filter(({ kind }) => kind === 'card')) {
    const number = sameCard(entry.number);
    const onLock = held.get(number);
    const step = entry.held as Held;
    const result = await undone(ports, { session, deadline, known, entry, onLock });
    if (result === 'taken off') held.delete(number);
    const now = clock.now();
    const left = result === 'taken off' ? undefined : onLock;
    await entries.update(lockId, (current) => {
      const newest = current.byId(entry.entryId);
      return isOpenStep(newest, step) ? afterListing(current, newest, left, now) : {};
    });
    emit('card-settled', { lockId, intent: nameOfStep(entry), result });
  }
  const strangers = strangersOf([...held.values()], known, clock.now());
  evidence.heard(session, strangers);
  if (strangers.length > 0) emit('cards-unknown', { lockId, count: strangers.length });
}

/** Cards on the lock that the gateway does not have in its list. */
export function strangersOf(held: readonly CardOnLock[], known: EntryLookUp, now: number): readonly CardOnLock[] {
  return held.filter(({ cardNumber }) => {
    const entry = known.byNumber('card', cardNumber);
    return entry === undefined || listedCard(entry, now) === undefined;
  });
}

function nameOfStep(entry: Entry): 'add' | 'change-validity' | 'delete' {
  if (entry.held?.window === null) return 'delete';
  return isUnwanted(entry) ? 'add' : 'change-validity';
}

function isUnwanted({ direct, credentialId }: Entry): boolean {
  return direct === null && credentialId === null;
}

interface OpenStep {
  readonly session: LockSession;
  readonly deadline: number;
  readonly known: EntryLookUp;
  readonly entry: Entry;
  /** The card of the entry, if the lock holds it. */
  readonly onLock: CardOnLock | undefined;
}

/**
 * Makes the lock undo an unconfirmed add, if the gateway knows that the card comes from it; resolves with the outcome. A card that the lock
 * held before stays, with its earlier dates. If that is unknown, the card stays as well, and an event reports it, because it opens the
 * door.
 */
async function undone(ports: CardReconcilerPorts, { session, deadline, known, entry, onLock }: OpenStep): Promise<string> {
  const { commands, emit } = ports;
  const { lockId } = session;
  if (onLock === undefined) return 'not on the lock';
  const step = entry.held as Held;
  if (!isUnwanted(entry) || step.window === null) return 'on the lock';
  const { before } = step;
  if (before === undefined) {
    emit('card-left-on-lock', { lockId });
    return 'left on the lock';
  }
  const { cardNumber } = onLock;
  const hasItsDates = before?.startDate === onLock.startDate && before.endDate === onLock.endDate;
  if (!hasItsDates) {
    const { startDate = 0, endDate = 0 } = before ?? {};
    const command: LockCommand =
      before === null ? { op: 'remove-card', cardNumber } : { op: 'update-card', cardNumber, startDate, endDate };
    // A phone can have added that card meanwhile, which ends the step: then the card stays.
    const makeCommand = () => (isOpenStep(known.byId(entry.entryId), step) ? command : undefined);
    const end = await commands.send({ lockId, priority: priority.change, accountId: null, deadline, session, makeCommand });
    if (!isNotFound(end)) refuseUnlessOk(end);
  }
  return before === null ? 'taken off' : 'on the lock before';
}

/**
 * The change that follows from what the lock holds. An unconfirmed add does not become a card. What somebody wants and the lock does not
 * hold is missing, and stays wanted; what the lock has taken over is wanted as it is there.
 */
function afterListing(current: EntryLookUp, entry: Entry, onLock: CardOnLock | undefined, now: number): EntriesChange {
  const { before, window: sent } = entry.held as Held;
  if (onLock === undefined) {
    if (isUnwanted(entry)) return sent === null ? removal(current, entry, now) : { remove: [entry.entryId] };
    return sent === null ? removal(current, entry, now) : { put: [{ ...entry, held: null, missing: true }] };
  }
  if (isUnwanted(entry) && sent !== null) {
    const window = before ?? cardWindow(onLock);
    return { put: [{ ...entry, name: '', createdBy: '', held: sure(window, now) }] };
  }
  const window = cardWindow(onLock);
  const hasTaken = sent !== null && isSameWindow(window, sent);
  return { put: [{ ...entry, held: sure(window, now), missing: false, direct: hasTaken && entry.direct !== null ? sent : entry.direct }] };
}

function sure(window: Held['window'], now: number): Held {
  return { window, sure: true, since: now, basis: 'list', basisDate: now };
}
