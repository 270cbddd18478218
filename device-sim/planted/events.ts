// Faults in what a lock makes of its events (Protocol 4.4).
import type { EventsMessage } from '../../src/drivers/native/messages.ts';
import type { LockMemory } from '../lock-memory.ts';
import type { Carrier } from '../lock-talk.ts';
import { type Breach, both, type PlantedFault, publishing, type ReceivedCommand, saying, withArguments } from './breach.ts';

type Event = EventsMessage['events'][number];

/** Each event as this makes it. */
const changing = (change: (event: Event) => Event) =>
  saying('events', ({ epoch, events }) => [{ epoch, events: events.map((event) => change(event)) }]);

/** Counts its events otherwise outside than within: in what it says, and in the resend-events that it gets. */
function counting(outside: (seq: number) => number, within: (seq: number) => number) {
  return {
    carrier: both(
      changing((event) => ({ ...event, seq: outside(event.seq) })),
      saying('hello', (hello) => [{ ...hello, lastSeq: outside(hello.lastSeq ?? 0) }]),
    ),
    hears(command: ReceivedCommand) {
      const { from, to } = command.args;
      if (command.op !== 'resend-events' || typeof from !== 'number' || typeof to !== 'number') return [command];
      return [withArguments(command, { from: Math.max(1, Math.ceil(within(from))), to: Math.max(1, Math.floor(within(to))) })];
    },
  };
}

/** What waits in the memory gets new numbers at each connect. */
function renumbering(): Breach {
  let added = 0;
  const counted = counting(
    (seq) => seq + added,
    (seq) => seq - added,
  );
  return {
    ...counted,
    carrier(carrier, memory) {
      added += memory.contents.events.length;
      return counted.carrier(carrier);
    },
  };
}

/** The name of its epoch has the number of the connection in it. */
function changingEpoch(): Breach {
  let connects = 0;
  const named = (epoch: string): string => `${epoch}-${connects}`;
  const wrap = both(
    saying('events', (message) => [{ ...message, epoch: named(message.epoch) }]),
    saying('hello', (hello) => [{ ...hello, epoch: named(hello.epoch ?? '') }]),
  );
  return {
    carrier(carrier: Carrier) {
      connects++;
      return wrap(carrier);
    },
    hears: (command: ReceivedCommand) => [
      command.op === 'resend-events' ? withArguments(command, { epoch: String(command.args['epoch']).split('-')[0] }) : command,
    ],
  };
}

/** The last seq was not in the memory when the power went. */
function countsAgain(memory: LockMemory): LockMemory {
  memory.change({ lastSeq: Math.max(0, memory.contents.lastSeq - 1) });
  return memory;
}

export const eventFaults = {
  'newest-first': {
    rule: 'Protocol 4.4 rule 4',
    does: 'sends its backlog newest first',
    breach: () => ({ carrier: saying('events', ({ epoch, events }) => [{ epoch, events: [...events].reverse() }]) }),
  },
  'no-window': {
    rule: 'Protocol 4.4 rule 3',
    does: 'sends events on and on without a PUBACK',
    breach: () => ({ profile: (profile) => ({ ...profile, faults: { ...profile.faults, eventsWindow: 10_000 } }) }),
  },
  'forgets-when-sent': {
    rule: 'Protocol 4.4 rule 2',
    does: 'forgets an event when it has sent it',
    breach: () => ({
      profile: (profile) => ({ ...profile, historyCapacity: 0 }),
      carrier: publishing('events', async (carrier, ...said) => {
        carrier.publish(...said).catch(() => undefined);
      }),
    }),
  },
  'keeps-backlog': {
    rule: 'Protocol 4.4 rule 4',
    does: 'sends nothing of its backlog after a connect until something new happens',
    breach: () => ({
      carrier(carrier) {
        const heldBack: (() => void)[] = [];
        let isFirst = true;
        return publishing('events', async (inner, ...said) => {
          if (isFirst) await new Promise<void>((resolve) => heldBack.push(resolve));
          isFirst = false;
          for (const release of heldBack.splice(0)) release();
          await inner.publish(...said);
        })(carrier);
      },
    }),
  },
  renumbers: { rule: 'Protocol 4.4 rule 2', does: 'gives what it sends again after a connect a new seq', breach: renumbering },
  'skips-seqs': {
    rule: 'Protocol 4.4',
    does: 'uses every second seq alone',
    breach: () =>
      counting(
        (seq) => 2 * seq,
        (seq) => seq / 2,
      ),
  },
  'new-epochs': { rule: 'Protocol 4.4', does: 'has a new epoch at each connect, and goes on counting', breach: changingEpoch },
  'seq-again': {
    rule: 'Protocol 4.4 rule 1',
    does: 'gives the last seq once more after a power cut',
    breach: () => ({ memory: countsAgain }),
  },
  'no-command-id': {
    rule: 'Protocol 4.4',
    does: 'does not say which command an event is of',
    breach: () => ({ carrier: changing(({ commandId, ...event }) => event) }),
  },
} satisfies Readonly<Record<string, PlantedFault>>;
