// What the messages of the lock protocol and their members mean, with samples, for its AsyncAPI document (Protocol 4 and 5).

import { refusalReasons } from '../../domain/locks/lock-report.ts';
import { recordLabels } from '../../domain/records/record.ts';
import { replyErrors } from './command-payload.ts';
import type { NativeOp } from './own-commands.ts';
import type { ReportChannel } from './topics.ts';

const listed = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');

export const reportDocs: Readonly<
  Record<ReportChannel, { readonly summary: string; readonly description: string; readonly example: unknown }>
> = {
  status: {
    summary: 'Online or offline',
    description: 'Retained, and the only topic that a last will may name.',
    example: 'online',
  },
  hello: {
    summary: 'What a lock is, once after each connect',
    description: 'Until it has come the lock is not online; a second one on the same connection begins a new session.',
    example: {
      ...{ protocol: 1, session: 'k3Vq0ZtT1h', uptime: 86_401_234, modelNum: 'SN-9', hardwareRevision: '1.3', firmwareRevision: '6.5.07' },
      ...{ featureValue: 'F44354CF5F3', date: 1_767_225_600_000, state: 'locked', battery: 92, autoLockTime: 5 },
      settings: {
        ...{ lockSound: 1, privacyLock: 2, tamperAlert: 1, resetButton: 1, openDirection: 1, passageMode: 2, passageModeAutoUnlock: 2 },
      },
      features: ['credentials', 'hours', 'once'],
      limits: { cards: 1_000, passcodes: 150, passcodeDigits: [4, 9], hours: 8, holidays: 64 },
      ...{ cards: { count: 12, digest: '9f86d081884c7d65' }, credentials: { count: 13, digest: 'af3940b65ba070e2' } },
      ...{ epoch: '7d3f', lastSeq: 1834 },
    },
  },
  state: {
    summary: 'The open state, on every change and after each hello',
    description: 'One of another session is left over from an earlier connection, and ignored.',
    example: { session: 'k3Vq0ZtT1h', state: 'locked', date: 1_767_225_600_000 },
  },
  battery: {
    summary: 'The battery level, on each change and after each hello',
    description: 'One of another session is left over from an earlier connection, and ignored.',
    example: { session: 'k3Vq0ZtT1h', level: 92, date: 1_767_225_600_000 },
  },
  events: {
    summary: 'What happened at the door, oldest first',
    description:
      'A lock keeps an event until the PUBACK of its message, which comes when the event is on stable storage. ' +
      '(`epoch`, `seq`) identifies it for ever: it is stored once, however often it is sent.',
    example: {
      epoch: '7d3f',
      events: [{ seq: 1834, type: 'card-unlock', success: true, date: 1_767_225_600_000, credential: '1325672378' }],
    },
  },
  reply: {
    summary: 'How a command ended',
    description: 'Exactly one to each command, before it expires. A late or unknown one changes nothing.',
    example: { id: '33554449.17.a41f0c5d9e8b7a6f5e4d3c2b1a09f8e7', ok: true, state: 'unlocked', battery: 91 },
  },
};

export const opDocs: Readonly<Record<NativeOp, { readonly summary: string; readonly example: object }>> = {
  lock: { summary: 'Lock; done when the bolt has moved', example: {} },
  unlock: { summary: 'Unlock; done when the bolt has moved', example: {} },
  'set-auto-lock': { summary: 'Lock by itself after so many seconds; 0 for never', example: { seconds: 0 } },
  'add-card': {
    summary: 'Store a card; one that is there gets these dates',
    example: { cardNumber: '1325672378', startDate: 0, endDate: 0 },
  },
  'update-card': {
    summary: 'Change the dates of a card',
    example: { cardNumber: '1325672378', startDate: 1_767_225_600_000, endDate: 1_798_761_600_000 },
  },
  'remove-card': { summary: 'Remove a card; one that is not there is ok', example: { cardNumber: '1325672378' } },
  'list-cards': { summary: 'Reply with `result.cards` and `result.total`', example: { offset: 100, limit: 100 } },
  'put-credentials': {
    summary: 'Store these cards and passcodes; one that is there gets the new values, whole',
    example: {
      items: [
        { kind: 'card', number: '998877', startDate: 0, endDate: 0, hours: '12345:480-1080' },
        { kind: 'passcode', number: '0042', startDate: 1_767_225_600_000, endDate: 1_767_312_000_000, once: true },
        { kind: 'card', number: '1325672378', startDate: 1_767_225_600_000, endDate: 0 },
      ],
    },
  },
  'remove-credentials': {
    summary: 'Remove these cards and passcodes; one that is not there is ok',
    example: { items: [{ kind: 'passcode', number: '0042' }] },
  },
  'list-credentials': { summary: 'Reply with `result.credentials` and `result.total`', example: { offset: 0, limit: 100 } },
  'set-settings': { summary: 'Store these switches', example: { lockSound: 1, passageModeAutoUnlock: 2 } },
  'set-clock': { summary: 'Set the clock', example: { now: 1_767_225_600_000, timezoneRawOffset: 3_600_000 } },
  'set-calendar': {
    summary: 'Store the local time, its next changes, and the holidays',
    example: {
      offset: 3_600_000,
      transitions: [
        { at: 1_774_746_000_000, offset: 7_200_000 },
        { at: 1_792_890_000_000, offset: 3_600_000 },
      ],
      holidays: ['2026-12-25', '2027-01-01'],
    },
  },
  'get-status': { summary: 'Publish state and battery again; the reply may say `autoLockTime` and `settings`', example: {} },
  'resend-events': { summary: 'Publish the events of a range again, those still kept', example: { epoch: '7d3f', from: 1801, to: 1834 } },
};

/** By the name of the member, wherever it stands. */
export const protocolMemberDocs: Readonly<Record<string, string>> = {
  protocol: 'Version of the protocol.',
  session: '8 to 32 random characters that the lock makes anew at every connect.',
  uptime: 'A counter of milliseconds that only rises while the lock is connected.',
  modelNum: 'Model.',
  hardwareRevision: 'Revision of the hardware.',
  firmwareRevision: 'Revision of the firmware.',
  featureValue: 'What the lock can do, in its own words.',
  date: 'The clock of the lock: milliseconds since 1970 (UTC).',
  state: 'The open state.',
  battery: 'Battery level in percent.',
  level: 'Battery level in percent.',
  autoLockTime: 'After how many seconds the lock locks itself; 0 for never.',
  settings: 'Its switches: 0 unknown, 1 on (or left), 2 off (or right).',
  lockSound: 'Sound.',
  privacyLock: 'Privacy lock.',
  tamperAlert: 'Tamper alert.',
  resetButton: 'Reset button.',
  openDirection: 'Direction in which the door opens.',
  passageMode: 'Passage mode.',
  passageModeAutoUnlock: 'Unlock by itself in passage mode.',
  features: 'What it can do beyond the first version, in words: `credentials`, `hours`, `once`. At most 32; unknown ones are ignored.',
  limits: 'How much it can hold; what it does not say is absent.',
  passcodes: 'How many passcodes; 0: it has no keypad.',
  passcodeDigits: 'Fewest and most digits of a passcode.',
  holidays: 'Local dates on which only hours of day 8 count. In the limits, how many.',
  credentials: 'All that opens it by a number: cards and passcodes; in a hello how many, and their digest.',
  cards: 'The cards of the lock; in a hello their number and digest; in its limits how many it can hold.',
  count: 'How many there are.',
  digest:
    'First 16 hex digits of SHA-256: of cards over `cardNumber,startDate,endDate\\n` of each, sorted by cardNumber as text; of credentials over `kind,number,startDate,endDate,hours,once\\n` of each (kind `c` or `p`), sorted by kind and number as text.',
  epoch: 'Changes when the counter of events starts again.',
  lastSeq: 'Seq of the newest event.',
  seq: 'A counter in non-volatile memory, one more for each event.',
  type: `What happened: ${listed(Object.keys(recordLabels))}, or a word of the lock’s own.`,
  success: 'False for a refused attempt; true when absent. Of `jammed` it is false.',
  reason: `Why it was refused: ${listed(refusalReasons)}, or a word of the lock’s own.`,
  credential: 'Card number or passcode; not a passcode that the lock does not know.',
  username: 'Who, if the lock knows. Ignored with remote-*.',
  commandId: 'The command that caused it. Only by it a remote event has the name of a person, once.',
  events: '1 to 100 of them.',
  id: 'Names the command; opaque to the lock. At most 96 characters.',
  ok: 'Whether it was done.',
  error: `Why not: ${listed(replyErrors)}; any other counts as \`failed\`.`,
  message: 'For people.',
  result: 'What the op returns.',
  op: 'What to do.',
  args: 'The arguments of the op.',
  expires: 'Uptime of the lock past which the command must not be executed.',
  ttl: 'Milliseconds until the gateway gives up.',
  seconds: 'After how many seconds the lock locks itself; 0 for never.',
  items: '1 to 20 cards and passcodes.',
  kind: '`card` or `passcode`.',
  number: '1 to 20 decimal digits: of a card without leading zeros, of a passcode with them.',
  hours: 'Weekly hours in local time, such as `12345:480-1080;67:540-720`; absent: at all hours. In the limits, how many such lines.',
  once: 'It opens once, and is gone then.',
  cardNumber: '1 to 20 decimal digits.',
  startDate: 'Valid from: milliseconds since 1970 (UTC); 0 and 0 is always.',
  endDate: 'Valid until, included: milliseconds since 1970 (UTC); 0 is an open end, 0 and 0 is always.',
  limit: 'How many at most.',
  now: 'Milliseconds since 1970 (UTC).',
  offset: 'How many to pass over; of a calendar, milliseconds that local time is ahead of UTC.',
  transitions: 'The next changes of the offset from UTC, at most 4.',
  at: 'From when: milliseconds since 1970 (UTC).',
  timezoneRawOffset: 'Offset from UTC in milliseconds.',
  from: 'First seq.',
  to: 'Last seq, included.',
};
