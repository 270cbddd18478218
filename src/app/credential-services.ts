// What brings locks to what people want on them: what is wanted, what is held, and the steps from one to the other.
import type { AlarmService } from '../domain/alarms/alarm-service.ts';
import type { Clock } from '../domain/clock.ts';
import { createAccessPause } from '../domain/credentials/access-pause.ts';
import { createAskedSteps } from '../domain/credentials/asked-steps.ts';
import { createCardEvidence } from '../domain/credentials/card-evidence.ts';
import { createCardTurns } from '../domain/credentials/card-turns.ts';
import type { Entry } from '../domain/credentials/entry.ts';
import { createEntryChanges, type EntryChanges } from '../domain/credentials/entry-changes.ts';
import { createLockMemories } from '../domain/credentials/lock-memories.ts';
import { createReconciler, type Reconciler } from '../domain/credentials/reconciler.ts';
import { createWantedViews, type Decisions } from '../domain/credentials/wanted-view.ts';
import type { EventBus } from '../domain/event-bus.ts';
import type { CommandService } from '../domain/locks/command-service.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import type { LockId } from '../domain/locks/lock.ts';
import { createGrantedNumbers } from '../domain/people/granted-numbers.ts';
import type { NextTurn } from '../domain/people/in-slices.ts';
import type { LocalPeopleView } from '../domain/people/people-ports.ts';
import type { CredentialId } from '../domain/people/person.ts';
import { createHoursOfSchedule } from '../domain/people/schedule-hours.ts';
import { createLostNumbers, type LostNumbers } from '../domain/revocations/lost-numbers.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { Stores } from '../domain/stores.ts';

interface CredentialServicesOptions {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly events: EventBus;
  readonly stores: Pick<Stores, 'locks' | 'entries' | 'accounts' | 'counters' | 'people' | 'schedules' | 'revocations' | 'pause'>;
  readonly clockIsSuspect: () => boolean;
  readonly drivers: Drivers;
  readonly nextTurn: NextTurn;
}

interface Before {
  readonly commands: CommandService;
  readonly alarms: AlarmService;
  readonly changeStored: () => Promise<void>;
}

export function createCredentialServices(options: CredentialServicesOptions, { commands, alarms, changeStored }: Before) {
  const { clock, clockIsSuspect, secrets, events, stores, drivers, nextTurn } = options;
  const { locks, entries, accounts, counters, people, schedules } = stores;
  const { emit } = events;
  const evidence = createCardEvidence(drivers);
  const cardTurns = createCardTurns(clock);
  const lost = createLostNumbers({ store: stores.revocations, events });
  const granted = createGrantedNumbers({ people, schedules, locks, clockIsSuspect });
  const hoursOfSchedule = createHoursOfSchedule(schedules);
  const wantedViews = createWantedViews({ clock, granted, people, decisions: decisionsOf(people, lost), hoursOfSchedule });
  const memories = createLockMemories({ clock, commands, drivers, hash: secrets.hash });
  const accessPause = createAccessPause(stores.pause, alarms);
  const reconciler: Reconciler = createReconciler({
    ...{ clock, locks, entries, counters, link: drivers, memories, evidence, alarms, events, emit, clockIsSuspect, nextTurn },
    ...{ views: wantedViews, turns: cardTurns, isPaused: accessPause.isPaused, undoRefused: (lockId) => entryChanges.undoRefused(lockId) },
  });
  const entryChanges: EntryChanges = createEntryChanges({
    ...{ clock, locks, entries, accounts, commands, evidence, emit, reconciler },
    ...{ turns: cardTurns, webhooksStored: changeStored },
  });
  const grantIdsOf = (lockId: LockId, entry: Entry): readonly number[] => {
    const lock = locks.get(lockId);
    return (lock && wantedViews.of(lock, [entry]).grantedOf(entry)?.grantIds) ?? [];
  };
  const askedSteps = createAskedSteps({ entries, memories, reconciler });
  return { grantIdsOf, evidence, cardTurns, lost, granted, wantedViews, askedSteps, accessPause, reconciler, entryChanges };
}

function decisionsOf(people: LocalPeopleView, lost: Pick<LostNumbers, 'has'>): Decisions {
  return {
    isLost: lost.has,
    isLostCredential(credentialId) {
      const credentials = people.byCredential(credentialId as CredentialId)?.credentials ?? [];
      return credentials.some((one) => one.credentialId === credentialId && one.lost !== null);
    },
    isRevoked(credentialId) {
      return people.byCredential(credentialId as CredentialId)?.suspended === true;
    },
  };
}
