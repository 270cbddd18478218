// The alarm of a card that was reported lost and is used all the same, whether it opens or not.
import { sameCard } from '../credentials/card.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockEvent } from '../locks/lock-report.ts';
import { isPlausibleDate } from '../records/record.ts';
import type { LostNumbers } from '../revocations/lost-numbers.ts';
import type { AlarmService } from './alarm-service.ts';

/** How far the clock of a lock may be behind: a swipe from before the loss is that of the holder. */
const clockLagMs = 60_000;
/** How many digits people see of the number. */
const digitsShown = 4;

export interface LostCardAlarm {
  /** Whether an event is a swipe of a lost card. This runs for every event. */
  isOfLostCard(event: LockEvent): boolean;
  /** The alarm for the swipes among these events that came after the loss; a promise of when it is on the disk, undefined: there is none. */
  heard(lockId: LockId, events: readonly LockEvent[], now: number): Promise<void> | undefined;
}

export function createLostCardAlarm({ alarms, lost }: { readonly alarms: AlarmService; readonly lost: LostNumbers }): LostCardAlarm {
  function isOfLostCard({ type, credential }: LockEvent): boolean {
    return credential !== undefined && type.startsWith('card-') && lost.has(credential);
  }
  function isAfterLoss(event: LockEvent, now: number): boolean {
    const { date, credential = '' } = event;
    const lostDate = lost.lossOf(credential)?.lostDate ?? now;
    return date === undefined || !isPlausibleDate(date, now) || date >= lostDate - clockLagMs;
  }
  return {
    isOfLostCard,
    heard(lockId, events, now) {
      const swipes = events.filter((event) => isOfLostCard(event) && isAfterLoss(event, now));
      const worst = swipes.find(({ success }) => success !== false) ?? swipes.at(-1);
      if (worst === undefined) return undefined;
      const card = `a card that was reported lost, ending in ${sameCard(worst.credential ?? '').slice(-digitsShown)},`;
      const hasOpened = worst.success !== false;
      const reason = hasOpened ? `${card} was accepted` : `${card} was refused`;
      const isWorse = alarms.active('lost-credential-used', lockId)?.reason.endsWith('was refused') === true && hasOpened;
      alarms.raise('lost-credential-used', lockId, { reason });
      if (isWorse) alarms.amend('lost-credential-used', lockId, reason);
      return alarms.stored('lost-credential-used', lockId);
    },
  };
}
