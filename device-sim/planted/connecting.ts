// Faults in how a lock connects, what it says then, and how it publishes (Protocol 2, 3, 4.1 to 4.3, 6, 9).
import type { ReportChannel } from '../../src/drivers/native/topics.ts';
import { both, type PlantedFault, saying, sending } from './breach.ts';

/** Says nothing for the first of each connection. */
function withoutFirst(channel: ReportChannel): PlantedFault['breach'] {
  return () => ({
    carrier(carrier) {
      let said = 0;
      return saying(channel, (payload) => (said++ === 0 ? [] : [payload]))(carrier);
    },
  });
}

/** The clock of the gateway becomes a part of the uptime. */
const jumpingUptime: PlantedFault['breach'] = (time) => {
  let jumpedMs = 0;
  return {
    carrier: saying('hello', (hello) => [{ ...hello, uptime: hello.uptime + jumpedMs }]),
    hears(command, lock) {
      const { now } = command.args;
      const expires = command.expires - jumpedMs;
      if (command.op === 'set-clock' && typeof now === 'number') jumpedMs = Math.max(0, jumpedMs + now - (lock.clockNow ?? time.wall()));
      return [{ ...command, expires }];
    },
  };
};

export const connectingFaults = {
  'persistent-session': {
    rule: 'Protocol 2',
    does: 'asks for a persistent session',
    breach: () => ({ login: (login) => ({ ...login, clean: false }) }),
  },
  hammers: {
    rule: 'Protocol 2',
    does: 'tries again at once after each refusal',
    breach: () => ({ reconnect: { minMs: 20, maxMs: 20 } }),
  },
  'no-jitter': {
    rule: 'Protocol 2',
    does: 'waits as long as any other lock before it tries again',
    breach: () => ({ reconnect: { minMs: 3_000, maxMs: 10_000 }, random: () => 0 }),
  },
  'never-pings': {
    rule: 'Protocol 2',
    does: 'announces a keep alive, and sends no PINGREQ',
    breach: () => ({ login: (login) => ({ ...login, pings: 'none' }) }),
  },
  'never-notices': {
    rule: 'Protocol 6',
    does: 'goes on with a connection in which nothing is answered',
    breach: () => ({ login: (login) => ({ ...login, pings: 'unanswered' }) }),
  },
  'hello-before-suback': {
    rule: 'Protocol 9 rule 3',
    does: 'says hello without waiting for the SUBACK',
    breach: () => ({
      carrier: (carrier) => ({
        ...carrier,
        subscribe() {
          void carrier.subscribe();
          return Promise.resolve(true);
        },
      }),
    }),
  },
  'two-hellos': {
    rule: 'Protocol 4.1',
    does: 'says its hello twice',
    breach: () => ({ carrier: saying('hello', (hello) => [hello, hello]) }),
  },
  'same-session': {
    rule: 'Protocol 4.1',
    does: 'has the same session at every connect',
    breach: () => ({ newSession: () => 'for-ever-mine' }),
  },
  'uptime-jumps': {
    rule: 'Protocol 4.1',
    does: 'counts its uptime by the clock that the gateway sets',
    breach: jumpingUptime,
  },
  'no-online': {
    rule: 'Protocol 9 rule 4',
    does: 'does not say that it is online',
    breach: () => ({ carrier: saying('status', (status) => (status === 'online' ? [] : [status])) }),
  },
  'no-state': { rule: 'Protocol 4.2', does: 'says its state in the hello alone, after a connect', breach: withoutFirst('state') },
  'no-battery': { rule: 'Protocol 4.3', does: 'says its battery in the hello alone, after a connect', breach: withoutFirst('battery') },
  'old-session-in-state': {
    rule: 'Protocol 4.2',
    does: 'says its state with the session of the first connection',
    breach() {
      let first: string | undefined;
      return {
        carrier: saying('state', (state) => {
          first ??= state.session;
          return [{ ...state, session: first }];
        }),
      };
    },
  },
  'battery-as-text': {
    rule: 'Protocol 4.3',
    does: 'says its battery as text',
    breach: () => ({ carrier: saying('battery', (battery) => [{ ...battery, level: String(battery.level) }]) }),
  },
  'online-not-retained': {
    rule: 'Protocol 3',
    does: 'says online without retain',
    breach: () => ({ carrier: sending('status', { retain: false }) }),
  },
  'qos-0-replies': { rule: 'Protocol 3', does: 'replies at QoS 0', breach: () => ({ carrier: sending('reply', { qos: 0 }) }) },
  'qos-0-reports': {
    rule: 'Protocol 3',
    does: 'says its state and its battery at QoS 0',
    breach: () => ({ carrier: both(sending('state', { qos: 0 }), sending('battery', { qos: 0 })) }),
  },
  'retained-replies': { rule: 'Protocol 3', does: 'replies with retain', breach: () => ({ carrier: sending('reply', { retain: true }) }) },
  'retained-events': {
    rule: 'Protocol 3',
    does: 'sends its events with retain',
    breach: () => ({ carrier: sending('events', { retain: true }) }),
  },
} satisfies Readonly<Record<string, PlantedFault>>;
