// Who could open a lock at an instant, from the lines of the access log.
import type { CredentialKind } from '../credentials/entry.ts';
import type { AccessLine } from './access-log.ts';
import { type LocalCalendar, needsClock, opensAt } from './hours-at.ts';
import { byTopic, linesAt, type PossibleLines } from './lines-at.ts';
import { isWithin, type LockContact } from './lock-contact.ts';

export interface Opener {
  /** `remote`: an account, by way of the gateway. */
  readonly kind: CredentialKind | 'remote';
  readonly personId: number | null;
  readonly credentialId: number | null;
  readonly entryId: number | null;
  /** Of the person, the card or the account, as it was then. */
  readonly name: string;
  /** null: of no card. */
  readonly cardNumber: string | null;
  /** false: it may have been otherwise. */
  readonly certain: boolean;
  /** For people: what is known of it, and why it is not certain. */
  readonly because: string;
  /** It was on the lock, and nobody wanted it there. */
  readonly isStranger: boolean;
}

export interface Instant {
  readonly at: number;
  readonly calendar: LocalCalendar;
  readonly contact: LockContact;
}

const topicsAtOnce = 50;

/** `lines`: of one lock, or those of it that are asked about, in their order; `gateway`: of the accounts. */
export function openersAt(lines: readonly AccessLine[], gateway: readonly AccessLine[], instant: Instant): Opener[] {
  const finding = findOpeners(lines, gateway, instant);
  for (;;) {
    const step = finding.next();
    if (step.done === true) return step.value;
  }
}

/** As `openersAt`; it yields now and then, so that other work may run: a lock may have many lines. */
export function* findOpeners(
  lines: readonly AccessLine[],
  gateway: readonly AccessLine[],
  instant: Instant,
): Generator<undefined, Opener[]> {
  const topics = byTopic(lines);
  yield;
  const accounts = byTopic(gateway);
  const openers: Opener[] = [];
  let seen = 0;
  for (const [topic, ofTopic] of topics) {
    if (++seen % topicsAtOnce === 0) yield;
    const [what, id] = topic.split(' ');
    const opener =
      what === 'held'
        ? entryOpener(ofTopic, topics.get(`wanted ${id}`) ?? [], instant)
        : what === 'role'
          ? remoteOpener(ofTopic, accounts.get(`account ${id}`) ?? [], instant.at)
          : undefined;
    if (opener !== undefined) openers.push(opener);
  }
  return openers;
}

function entryOpener(held: readonly AccessLine[], wanted: readonly AccessLine[], { at, calendar, contact }: Instant): Opener | undefined {
  const possible = linesAt(held, at);
  const isDoubtful = isWithin(contact.clockDoubtful, at);
  const opens = (line: AccessLine): boolean =>
    line.what !== 'gone' && !isRemoval(line) && (opensAt(line, at, calendar) || (isDoubtful && needsClock(line)));
  const line = possible.lines.find(opens);
  if (line === undefined) return undefined;
  const isNoted = line.detail.split(' ').includes('noted');
  const doubts = [
    ...(isAlways(possible, opens) ? [] : [changeText(possible, line)]),
    ...(isDoubtful && needsClock(line) ? ['the clock of the lock was in doubt'] : []),
    ...(isNoted ? ['a phone is said to have put it there'] : []),
    ...(at > contact.heardUntil ? ['the lock has not been heard from since'] : []),
  ];
  const isWanted = isNoted || linesAt(wanted, at).lines.some(({ what }) => what === 'wanted');
  const { kind, personId, credentialId, entryId, name, number: cardNumber } = line;
  return {
    ...{ kind: kind ?? 'card', personId, credentialId, entryId, name, cardNumber },
    certain: doubts.length === 0,
    because: [`${heldText(line)}${isWanted ? '' : ', wanted by nobody'}`, ...doubts].join('; '),
    isStranger: !isWanted && credentialId === null && name === '',
  };
}

function isRemoval({ what, detail }: AccessLine): boolean {
  return what === 'unsure' && detail.split(' ').includes('remove');
}

/** Whether it opened whichever of the possible lines held. */
function isAlways({ lines, mayBeNone }: PossibleLines, opens: (line: AccessLine) => boolean): boolean {
  return !mayBeNone && lines.every(opens);
}

function changeText({ lines }: PossibleLines, line: AccessLine): string {
  if (lines.some(({ what }) => what === 'unsure')) return 'the outcome of a command was open';
  const changed = lines.find(({ notBefore, notAfter }) => notBefore !== notAfter) ?? line;
  const since = changed.notBefore === 0 ? 'before' : `between ${dateText(changed.notBefore)} and`;
  return `${changed.what === 'gone' ? 'it went' : 'that became so'} ${since} ${dateText(changed.notAfter)}`;
}

function heldText({ what, notAfter, basis, startDate, endDate, hours }: AccessLine): string {
  const until = [
    ...(startDate === 0 ? [] : [`from ${dateText(startDate)}`]),
    ...(endDate === 0 ? [] : [`to ${dateText(endDate)}`]),
    ...(hours === '' ? [] : [`hours ${hoursText(hours)}`]),
  ];
  const since = `${what === 'unsure' ? 'sent' : 'held since'} ${dateText(notAfter)}${basis === null ? '' : ` (${basis})`}`;
  return `${since}, ${until.length === 0 ? 'always' : until.join(', ')}`;
}

/** `12345:480-1080` for people: `12345 08:00-18:00`. */
function hoursText(hours: string): string {
  const clock = (minutes: string): string =>
    `${String(Math.floor(Number(minutes) / 60)).padStart(2, '0')}:${String(Number(minutes) % 60).padStart(2, '0')}`;
  return hours.replaceAll(/:(\d+)-(\d+)/g, (_, from: string, to: string) => ` ${clock(from)}-${clock(to)}`);
}

function dateText(at: number): string {
  return new Date(at).toISOString();
}

function remoteOpener(roles: readonly AccessLine[], account: readonly AccessLine[], at: number): Opener | undefined {
  const possible = linesAt(roles, at);
  const line = possible.lines.find(({ detail }) => detail !== '');
  if (line === undefined) return undefined;
  const accountThen = linesAt(account, at);
  // A removed account may do nothing, though its roles go one after the other.
  if (accountThen.lines[0]?.detail === '' && accountThen.lines.length === 1) return undefined;
  const certain = isAlways(possible, ({ detail }) => detail !== '') && accountThen.lines.every(({ detail }) => detail !== '');
  const since = line.notBefore === 0 ? `on ${dateText(line.notAfter)} at the latest` : `since ${dateText(line.notAfter)}`;
  return {
    ...{ kind: 'remote', personId: null, credentialId: null, entryId: null, name: line.name, cardNumber: null },
    certain,
    because: `${line.detail} of the lock ${since}`,
    isStranger: false,
  };
}
