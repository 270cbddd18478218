// The log: one JSON line per event that matters, on standard output (only this file names pino).
import pino from 'pino';
import type { LoggedEvents } from '../domain/domain-events.ts';
import type { EventBus, EventName } from '../domain/event-bus.ts';
import type { Log } from '../domain/part.ts';
import { inSources } from './stack-traces.ts';

export interface Logger extends Log {
  /** Writes all buffered lines; for the last line before an exit. */
  flush(): void;
  /** `level` as in `createLogger`. */
  setLevel(level: string): void;
}

/** When more characters of lines than this are buffered, they are written before the end of the tick. */
const linesAtMost = 65_536;

/**
 * `level`: the least important lines that are written, `silent` for none. All lines of a tick are written together at its end, because a
 * write for each would cost as much as making the lines. A kill -9 loses at most the lines of one tick.
 */
export function createLogger(level: string): Logger {
  const output = pino.destination({ fd: 1, sync: true });
  // The lines are collected here, because pino's own stream examines its whole buffer for each new line.
  let lines = '';
  function flush(): void {
    if (lines === '') return;
    const due = lines;
    lines = '';
    output.write(due);
  }
  function collect(line: string): void {
    if (lines === '') setImmediate(flush);
    lines += line;
    if (lines.length > linesAtMost) flush();
  }
  const options = {
    ...{ level, base: null, timestamp: isoTime(), formatters: { level: (label: string) => ({ level: label }) } },
    serializers: { err: asLogged },
  };
  const logger = pino(options, { write: collect });
  process.on('exit', flush);
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    fatal(fields, message) {
      logger.fatal(fields, message);
      flush();
    },
    flush,
    setLevel(level) {
      logger.level = level;
    },
  };
}

function asLogged(error: Error): object {
  const logged = pino.stdSerializers.err(error);
  return error instanceof Error ? { ...logged, stack: inSources(logged.stack) } : logged;
}

/** The same as pino's own function, but it makes the text once per millisecond. */
function isoTime(): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

const sentences: Readonly<Record<keyof LoggedEvents, readonly ['info' | 'warn' | 'debug', string]>> = {
  'lock-online': ['info', 'the lock is online'],
  'lock-offline': ['info', 'the lock is offline'],
  'lock-disconnected': ['warn', 'the gateway ended the connection of the lock'],
  'command-ended': ['info', 'a command has ended'],
  // The outcomes of these commands have log lines of their own; the number of commands grows with every reconnect.
  'own-command-ended': ['debug', "a command of the gateway's own has ended"],
  'stood-still': ['warn', 'the process did not run for a while: commands that were asked for meanwhile have that much less time'],
  'clocks-set': ['info', 'the clocks of the locks that are online were set'],
  'events-lost': ['warn', 'events are missing and the lock no longer has them'],
  'resend-refused': ['info', 'events are missing and the lock refuses to send them again'],
  'alarm-began': ['warn', 'an alarm has begun'],
  'alarm-ended': ['info', 'an alarm has ended'],
  'events-quarantined': [
    'warn',
    'events of the lock went to the quarantine file: it has more epochs or gaps than are remembered, or types of its own that read like ours',
  ],
  'cards-unknown': ['warn', 'the lock holds cards that the gateway does not know; they are left alone'],
  'cards-differ': ['warn', 'the cards on the lock are not those of the gateway: compare with identity-card/on-lock'],
  'card-settled': ['info', 'an open card change was settled by what the lock holds'],
  'card-left-on-lock': [
    'warn',
    'the add of a card was not confirmed, and it is not known whether the lock held that card before: it was left there and opens the door',
  ],
  'pairing-opened': ['info', 'pairing is open: unknown devices may wait to be confirmed'],
  'pairing-closed': ['info', 'pairing is closed; who was not confirmed is forgotten'],
  'device-pending': ['info', 'a device waits to be confirmed'],
  'device-contested': ['warn', 'two devices with different keys claim the same MAC address: the fingerprint tells which is yours'],
  'device-confirmed': ['info', 'a device was confirmed'],
  'webhook-failing': ['warn', 'the receiver of a webhook does not take what it is sent; it is tried again'],
  'webhook-works': ['info', 'the receiver of a webhook takes what it is sent again'],
  'webhook-gone': ['warn', 'the receiver of a webhook does not want to hear any more (410): the webhook was switched off'],
  'deliveries-failed': ['warn', 'deliveries of a webhook failed for a day; they are kept to be replayed'],
  'notifications-failing': ['warn', 'messages to an account do not get through; they are tried again'],
  'notifications-work': ['info', 'messages to an account get through again'],
  'notifications-failed': ['warn', 'a message to an account was given up after a day; the list of failures has it'],
  'follow-up-failed': ['info', 'a follow-up of a hello did not get through; it comes again with the next one'],
  'ttlock-session-stolen': [
    'warn',
    'a refresh token of a TTLock login was used twice, so somebody else has it, too: its session was ended, and the program must log in again',
  ],
  'import-ended': ['info', 'an import was applied, or stopped'],
};

/** Logs the events that an operator should see. */
export function logEvents(events: Pick<EventBus, 'subscribe'>, log: Log): void {
  for (const name of Object.keys(sentences) as (keyof LoggedEvents)[]) {
    const [level, sentence] = sentences[name];
    events.subscribe(name, (fields) => log[level]({ code: name, ...fields }, sentence));
  }
}

/** Logs a failed subscriber of the event bus. */
export function logFailedSubscriber(log: Log): (event: EventName, error: unknown) => void {
  return (event, error) => log.error({ code: 'bug', event, err: error }, 'what should follow from an event failed because of a bug');
}
