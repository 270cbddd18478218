// Faults in how a lock takes and answers commands (Protocol 5.1 to 5.3).
import type { ReplyMessage } from '../../src/drivers/native/messages.ts';
import { commandArguments } from '../../src/drivers/native/messages.ts';
import type { ReportChannel } from '../../src/drivers/native/topics.ts';
import { factorySettings } from '../lock-profile.ts';
import type { Carrier } from '../lock-talk.ts';
import type { SimulatedLock } from '../simulated-lock.ts';
import { type Breach, both, type PlantedFault, publishing, type ReceivedCommand, saying, withArguments } from './breach.ts';

const movesBolt = ({ op }: ReceivedCommand): boolean => op === 'lock' || op === 'unlock';

/** Takes a command for one that came in time. */
const inTime = (command: ReceivedCommand, lock: SimulatedLock): ReceivedCommand => ({
  ...command,
  expires: Math.max(command.expires, lock.uptime + 10_000),
});

/** Gives each command an id of its own within the lock, unless it is one of the last few: so it is executed again. */
function forgettingAfter(remembered: number): PlantedFault['breach'] {
  return () => {
    const given = new Map<string, string>();
    let last: { readonly id: string; readonly own: string }[] = [];
    let count = 0;
    const outside = (own: string): string => given.get(own) ?? own;
    return {
      hears(command) {
        const own = last.find(({ id }) => id === command.id)?.own ?? `own-${++count}`;
        given.set(own, command.id);
        last = remembered === 0 ? [] : [...last.filter(({ id }) => id !== command.id), { id: command.id, own }].slice(-remembered);
        return [{ ...command, id: own }];
      },
      carrier: renaming(outside),
    };
  };
}

/** Replies and events name the command otherwise. */
function renaming(name: (id: string) => string): (carrier: Carrier) => Carrier {
  return both(
    saying('reply', (reply) => [{ ...reply, id: name(reply.id) }]),
    saying('events', ({ epoch, events }) => [
      { epoch, events: events.map((event) => (event.commandId === undefined ? event : { ...event, commandId: name(event.commandId) })) },
    ]),
  );
}

/** Says nothing on these channels from such a command until its reply. */
function silentDuring(ops: readonly string[], ...channels: readonly ReportChannel[]): PlantedFault['breach'] {
  return () => {
    const underWay = new Set<string>();
    const carriers = channels.map((channel) => saying(channel, (payload) => (underWay.size > 0 ? [] : [payload])));
    return {
      hears(command) {
        if (ops.includes(command.op)) underWay.add(command.id);
        return [command];
      },
      carrier(carrier) {
        underWay.clear();
        const replies = saying('reply', (reply) => {
          underWay.delete(reply.id);
          return [reply];
        });
        return [...carriers, replies].reduce((inner, wrap) => wrap(inner), carrier);
      },
    };
  };
}

/** Says ok when the bolt begins to move, and nothing when it has arrived. */
function hasty(): Breach {
  let current: Carrier | undefined;
  const met = new Set<string>();
  const early = new Set<string>();
  return {
    hears(command, lock) {
      const state = command.op === 'lock' ? 'locked' : 'unlocked';
      const willMove = movesBolt(command) && state !== lock.state && command.session === lock.session && command.expires > lock.uptime;
      if (willMove && !met.has(command.id)) {
        met.add(command.id);
        early.add(command.id);
        current?.publish('reply', JSON.stringify({ id: command.id, ok: true, state }), false).catch(() => undefined);
      }
      return [command];
    },
    carrier(carrier) {
      current = carrier;
      return saying('reply', (reply) => (early.delete(reply.id) && reply.ok ? [] : [reply]))(carrier);
    },
  };
}

/** What had no PUBACK when a connection ended is said on the next one, after its hello. */
function clinging(): Breach {
  const open = new Map<string, ReplyMessage>();
  return {
    hears(command, lock) {
      const state = command.op === 'lock' ? 'locked' : 'unlocked';
      if (movesBolt(command) && command.session === lock.session) open.set(command.id, { id: command.id, ok: true, state });
      return [command];
    },
    carrier(carrier) {
      const left = [...open.values()];
      open.clear();
      const replies = publishing('reply', async (inner, channel, payload, ...how) => {
        const reply = JSON.parse(payload) as ReplyMessage;
        open.set(reply.id, reply);
        await inner.publish(channel, payload, ...how);
        open.delete(reply.id);
      });
      const afterHello = publishing('status', async (inner, ...said) => {
        for (const reply of left.splice(0)) inner.publish('reply', JSON.stringify(reply), false).catch(() => undefined);
        await inner.publish(...said);
      });
      return both(replies, afterHello)(carrier);
    },
  };
}

/** A clock chip that it waits for: the gateway gives three seconds. */
const lateReplies: PlantedFault['breach'] = (time) => {
  const late = new Set<unknown>();
  return {
    hears(command) {
      if (command.op === 'set-clock') late.add(command.id);
      return [command];
    },
    carrier: publishing('reply', async (inner, channel, payload, ...how) => {
      if (late.delete((JSON.parse(payload) as ReplyMessage).id)) await new Promise<void>((resolve) => void time.timer(6_000, resolve));
      await inner.publish(channel, payload, ...how);
    }),
  };
};

function otherReply(): Breach {
  const answered = new Set<string>();
  return {
    carrier: saying('reply', (reply) => {
      if (answered.has(reply.id)) return [{ id: reply.id, ok: false, error: 'busy' }];
      answered.add(reply.id);
      return [reply];
    }),
  };
}

const known = new Set(['id', 'session', 'op', 'args', 'expires', 'ttl']);

export const commandFaults = {
  'obeys-late': {
    rule: 'Protocol 5.3 rule 1',
    does: 'moves the bolt for a command whose time is over',
    breach: () => ({ hears: (command, lock) => [movesBolt(command) ? inTime(command, lock) : command] }),
  },
  'obeys-other-session': {
    rule: 'Protocol 5.3 rule 1',
    does: 'obeys a command of another session',
    breach: () => ({ hears: (command, lock) => [{ ...command, session: lock.session ?? command.session }] }),
  },
  'stores-late': {
    rule: 'Protocol 5.3 rule 1',
    does: 'stores cards and passcodes for a command whose time is over',
    breach: () => ({ hears: (command, lock) => [/card|credential/.test(command.op) ? inTime(command, lock) : command] }),
  },
  'does-it-twice': { rule: 'Protocol 5.3 rule 2', does: 'executes a command again that comes again', breach: forgettingAfter(0) },
  'remembers-four': { rule: 'Protocol 5.3 rule 2', does: 'remembers the last 4 commands, not 32', breach: forgettingAfter(4) },
  'other-reply': { rule: 'Protocol 5.3 rule 2', does: 'says busy to a command that comes again', breach: otherReply },
  'answers-twice': {
    rule: 'Protocol 5.3 rule 3',
    does: 'says every reply twice',
    breach: () => ({ carrier: saying('reply', (reply) => [reply, reply]) }),
  },
  'silent-on-unknown': {
    rule: 'Protocol 5.3 rule 3',
    does: 'says nothing to an op that it does not know',
    breach: () => ({ hears: (command) => (command.op in commandArguments ? [command] : []) }),
  },
  'ok-too-early': { rule: 'Protocol 5.3 rule 3', does: 'says ok when the bolt begins to move', breach: hasty },
  'reply-on-new-connection': { rule: 'Protocol 5.3', does: 'replies on a new connection to a command of the old one', breach: clinging },
  'no-state-in-ok': {
    rule: 'Protocol 5.2',
    does: 'leaves the state out of its ok to lock and unlock',
    breach: () => ({ carrier: saying('reply', ({ state, ...reply }) => [reply]) }),
  },
  'wrong-state-in-ok': {
    rule: 'Protocol 5.2',
    does: 'says the state before the movement in its ok',
    breach: () => ({
      carrier: saying('reply', (reply) => [
        reply.ok && reply.state !== undefined ? { ...reply, state: reply.state === 'locked' ? 'unlocked' : 'locked' } : reply,
      ]),
    }),
  },
  'no-state-report': {
    rule: 'Protocol 4.2',
    does: 'does not report its state when a command has moved the bolt',
    breach: silentDuring(['lock', 'unlock'], 'state'),
  },
  'get-status-silent': {
    rule: 'Protocol 5.1',
    does: 'does not publish state and battery again for get-status',
    breach: silentDuring(['get-status'], 'state', 'battery'),
  },
  'shortens-ids': {
    rule: 'Protocol 5.1',
    does: 'gives back at most 65 characters of an id',
    breach: () => ({ carrier: renaming((id) => id.slice(0, 65)) }),
  },
  'minds-unknown-members': {
    rule: 'Protocol 1',
    does: 'takes no command that has a member which it does not know',
    breach: () => ({ hears: (command) => (Object.keys(command).every((name) => known.has(name)) ? [command] : []) }),
  },
  'forgets-clock': {
    rule: 'Protocol 5.1',
    does: 'sets its clock once, and says ok to set-clock ever after',
    breach: () => ({
      hears: (command, lock) => [
        command.op === 'set-clock' && lock.clockNow !== undefined ? withArguments(command, { now: lock.clockNow }) : command,
      ],
    }),
  },
  'resets-settings': {
    rule: 'Protocol 5.1',
    does: 'sets the settings that a command does not name as they were in the factory',
    breach: () => ({
      hears: (command) => [command.op === 'set-settings' ? { ...command, args: { ...factorySettings, ...command.args } } : command],
    }),
  },
  'late-replies': { rule: 'Protocol 5.3 rule 3', does: 'replies to set-clock after six seconds', breach: lateReplies },
  'forgets-auto-lock': {
    rule: 'Protocol 5.1',
    does: 'says ok to set-auto-lock, and stores what it had',
    breach: () => ({
      hears: (command, _lock, { contents }) => [
        command.op === 'set-auto-lock' ? withArguments(command, { seconds: contents.autoLockSeconds }) : command,
      ],
    }),
  },
} satisfies Readonly<Record<string, PlantedFault>>;
