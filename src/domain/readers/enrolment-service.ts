// Enrols cards at a reader: live swipes alone, one card alone, and never without a confirmation. No grant comes of it.
import type { AccessLog } from '../access/access-log.ts';
import { stands, topicOf } from '../access/access-log.ts';
import type { Caller } from '../accounts/account.ts';
import { requireAccessRights, requireRole } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import { everyForm, numberAtReader, widthOf } from '../credentials/byte-order.ts';
import type { EntryStore } from '../credentials/entry-ports.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { EventBus } from '../event-bus.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockLink } from '../locks/lock-link.ts';
import type { LockStore } from '../locks/lock-ports.ts';
import type { PersonStore } from '../people/people-ports.ts';
import type { CardWidth, CredentialId, PersonId } from '../people/person.ts';
import type { RecordDraft } from '../records/record.ts';
import type { RecordStore, StoredEvents } from '../records/record-ports.ts';
import type { LostNumbers } from '../revocations/lost-numbers.ts';
import type { Secrets } from '../secrets.ts';
import type { Enrolment, EnrolmentState } from './enrolment.ts';
import { createLiveSwipes, type SwipeMark } from './live-swipes.ts';

/** For access managers who are manager on the lock: all else is `forbidden`. */
export interface EnrolmentService {
  /** `lock-offline`; `conflict`: one waits at this lock already; `invalid-parameter`: there is no such lock or person. */
  begin(
    caller: Caller,
    wanted: { readonly personId: PersonId; readonly lockId: LockId; readonly seconds: number },
  ): Promise<Pick<Enrolment, 'enrolmentId' | 'closeDate'>>;
  /** `not-found`: there is none, or it has been over for some minutes. */
  get(caller: Caller, enrolmentId: string): Enrolment;
  /** The card becomes a credential of the person. `conflict`: no card was found, or it ends otherwise. */
  confirm(caller: Caller, enrolmentId: string, cardEnds: string): Promise<CredentialId>;
  end(caller: Caller, enrolmentId: string): Promise<void>;
}

/** What a person gets. Rejects as the service of people does. */
export type AddCard = (
  caller: Caller,
  personId: PersonId,
  card: { readonly number: string; readonly width: CardWidth },
) => Promise<CredentialId>;

interface Open {
  readonly enrolmentId: string;
  readonly personId: PersonId;
  readonly lockId: LockId;
  readonly closeDate: number;
  readonly mark: SwipeMark;
  state: EnrolmentState;
  card: { readonly number: string; readonly width: CardWidth } | undefined;
  cancel: () => void;
}

/** How long one that is over can be read, and one that was found can be confirmed. */
const readableMs = 300_000;
const enrolmentsAtMost = 1_000;
const digitsShown = 4;

export function createEnrolmentService(options: {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly locks: LockStore;
  readonly link: Pick<LockLink, 'session'>;
  readonly records: Pick<RecordStore, 'progress'>;
  readonly entries: EntryStore;
  readonly people: PersonStore;
  readonly accessLog: Pick<AccessLog, 'about'>;
  readonly lost: LostNumbers;
  readonly secrets: Pick<Secrets, 'newDeviceKey'>;
  readonly addCard: AddCard;
}): EnrolmentService {
  const { clock, events, locks, link, records, entries, people, accessLog, lost, secrets, addCard } = options;
  const live = createLiveSwipes({ events, link, records });
  /** Each until it can no longer be read. */
  const all = new Map<string, Open>();
  /** Those that wait for a card, or for a second one. */
  const listening = new Map<LockId, Open>();

  function conclude(one: Open, state: EnrolmentState): void {
    if (one.state !== 'waiting' && one.state !== 'found') return;
    one.state = state;
    one.cancel();
    if (listening.get(one.lockId) === one) listening.delete(one.lockId);
    forgetLater(one);
  }
  function forgetLater(one: Open): void {
    one.cancel = clock.timer(readableMs, () => void all.delete(one.enrolmentId));
  }
  /** The time in which swipes count is over. */
  function timeOver(one: Open): void {
    if (listening.get(one.lockId) === one) listening.delete(one.lockId);
    if (one.state === 'waiting') conclude(one, 'closed');
    else one.cancel = clock.timer(readableMs, () => conclude(one, 'closed'));
  }

  async function isKnown(lockId: LockId, number: string): Promise<boolean> {
    const forms = everyForm(number);
    if (people.byCardNumbers(forms).length > 0 || forms.some(lost.has)) return true;
    const onLock = entries.inMemory(lockId) ?? (await entries.of(lockId));
    if (forms.some((form) => onLock.byNumber('card', form) !== undefined)) return true;
    const newest = new Map((await accessLog.about({ numbers: forms })).map((line) => [`${line.lockId} ${topicOf(line)}`, line]));
    return [...newest.values()].some(stands);
  }

  /** The number as printed, if the reader gives it in the byte order that is known of it. */
  function printed(lockId: LockId, credential: string): { number: string; width: CardWidth } | undefined {
    const width = widthOf(credential);
    const order = locks.get(lockId)?.readerOrder ?? 'regular';
    return width && { number: numberAtReader({ number: credential, width }, order), width };
  }
  async function swiped(one: Open, { credential, reason }: RecordDraft): Promise<void> {
    const card = printed(one.lockId, credential);
    if (card === undefined) return;
    if (one.card !== undefined && one.card.number !== card.number) return conclude(one, 'contested');
    if (one.card !== undefined) return;
    // From now on another card is a second one, however long the look-up takes.
    one.card = card;
    const isRefusedForAnotherReason = reason !== undefined && reason !== 'unknown-card';
    const known = isRefusedForAnotherReason || (await isKnown(one.lockId, card.number).catch(() => true));
    if (known) conclude(one, 'known');
    else if (one.state === 'waiting') one.state = 'found';
  }
  function stored({ lockId, epoch, drafts }: StoredEvents): void {
    const one = listening.size === 0 ? undefined : listening.get(lockId);
    if (one === undefined) return;
    for (const draft of drafts) {
      const isRefusedCard = draft.type === 'card-unlock' && !draft.success;
      if (isRefusedCard && live.isAfter(lockId, epoch, draft, one.mark, one.closeDate)) void swiped(one, draft);
    }
  }
  function reconnected(lockId: LockId): void {
    for (const one of all.values()) if (one.lockId === lockId && !live.isSameSession(lockId, one.mark)) conclude(one, 'closed');
  }
  function requireOpen(caller: Caller, enrolmentId: string): Open {
    requireAccessRights(caller);
    const one = all.get(enrolmentId);
    if (one === undefined || locks.get(one.lockId) === undefined) throw new DomainError('not-found', 'there is no such enrolment');
    requireRole(locks, caller, one.lockId, 'manager');
    return one;
  }

  events.subscribe('records-stored', stored);
  events.subscribe('lock-online', ({ lockId }) => all.size > 0 && reconnected(lockId));
  events.subscribe('lock-offline', ({ lockId }) => all.size > 0 && reconnected(lockId));

  return {
    async begin(caller, { personId, lockId, seconds }) {
      requireAccessRights(caller);
      if (locks.get(lockId) === undefined) throw invalidParameter('lockId', 'is of no lock');
      requireRole(locks, caller, lockId, 'manager');
      const person = people.get(personId);
      if (person === undefined || person.removed) throw invalidParameter('personId', 'is of no person');
      if (listening.has(lockId)) throw new DomainError('conflict', `an enrolment waits at lock ${lockId} already`);
      if (all.size >= enrolmentsAtMost) throw new DomainError('rate-limited', 'too many enrolments', { retryAfterSeconds: 60 });
      const now = clock.now();
      const mark = live.markNow(lockId, now);
      if (mark === undefined) throw new DomainError('lock-offline', `lock ${lockId} is offline`);
      const closeDate = now + seconds * 1_000;
      const enrolmentId = secrets.newDeviceKey();
      const one: Open = { enrolmentId, personId, lockId, closeDate, mark, state: 'waiting', card: undefined, cancel: () => undefined };
      one.cancel = clock.timer(seconds * 1_000, () => timeOver(one));
      all.set(enrolmentId, one);
      listening.set(lockId, one);
      return { enrolmentId, closeDate };
    },

    get(caller, enrolmentId) {
      const { personId, lockId, closeDate, state, card } = requireOpen(caller, enrolmentId);
      const found = state === 'found' && card !== undefined ? { ends: endsOf(card.number), width: card.width } : null;
      return { enrolmentId, personId, lockId, state, closeDate, card: found };
    },

    async confirm(caller, enrolmentId, cardEnds) {
      const one = requireOpen(caller, enrolmentId);
      const { card, state, personId } = one;
      if (state !== 'found' || card === undefined) throw new DomainError('conflict', `no card waits to be confirmed: it is ${state}`);
      if (endsOf(card.number) !== cardEnds) throw new DomainError('conflict', 'the card that was found ends otherwise');
      // It cannot be confirmed twice at once.
      conclude(one, 'closed');
      return addCard(caller, personId, card);
    },

    async end(caller, enrolmentId) {
      conclude(requireOpen(caller, enrolmentId), 'closed');
    },
  };
}

function endsOf(number: string): string {
  return number.slice(-digitsShown);
}
