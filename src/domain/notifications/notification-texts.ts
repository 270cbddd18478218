// What messages say, in the languages of accounts. Names that people gave are made harmless; numbers and codes are never in them.
import type { AlarmKind } from '../alarms/alarm.ts';
import type { RecordDraft } from '../records/record.ts';
import type { Language, NotificationKind, NotifiedEvent } from './notification.ts';

const nameLength = 80;

/**
 * A name for a line of a message: without control characters, line breaks, marks of text direction, and what a mail program would take for
 * an encoded word (RFC 2047).
 */
export function plain(name: string): string {
  const visible = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .trim();
  const points = [...visible];
  return points.length > nameLength ? `${points.slice(0, nameLength - 1).join('')}…` : visible;
}

interface Texts {
  readonly gateway: string;
  readonly alarms: Readonly<Record<AlarmKind, string>>;
  readonly events: Readonly<Record<NotifiedEvent, string>>;
  readonly doorOpened: string;
  readonly doorClosed: string;
  readonly by: (name: string) => string;
  /** `some`: other lines are before it. */
  readonly more: (count: number, kind: NotificationKind, some: boolean) => string;
  readonly footer: (username: string) => string;
  readonly test: { readonly title: string; readonly text: string };
  readonly confirm: { readonly title: string; readonly text: (username: string, link: string, secret: string) => string };
}

const en: Texts = {
  gateway: 'Gateway',
  alarms: {
    offline: 'is offline',
    silent: 'has not sent an event for long',
    'low-battery': 'battery is low',
    tampered: 'somebody tampered with it',
    duress: 'was opened under duress',
    jammed: 'bolt is jammed',
    'auto-lock-late': 'did not lock itself in time',
    'open-too-long': 'has been open, or unlocked, for too long',
    'wrong-clock': 'clock is wrong',
    'event-gap': 'events are lost',
    'revocation-open': 'a lost credential may still open it',
    'lost-credential-used': 'a lost credential was used',
    'credentials-differ': 'holds other cards or passcodes than it should',
    'credentials-failing': 'cards or passcodes cannot be changed',
    'clock-suspect': 'clock of the gateway may be wrong',
    'storage-unavailable': 'nothing can be stored',
    'backup-failing': 'backups fail',
    'access-paused': 'changes to locks are paused after a restore',
    'home-assistant': 'does not reach the broker of Home Assistant',
    'database-away': 'database does not answer',
    'standby-missing': 'database has no second copy',
    'clock-differs': 'clock differs from that of the database',
    'node-lost': 'another node is gone',
  },
  events: { unlock: 'unlocked', lock: 'locked', refused: 'refused somebody', door: 'door opened or closed' },
  doorOpened: 'door opened',
  doorClosed: 'door closed',
  by: (name) => ` by ${name}`,
  more: (count, kind, some) =>
    `${some ? 'and ' : ''}${count}${some ? ' more' : ''}: ${{ alarm: 'alarms', unlock: 'unlocked', lock: 'locked', refused: 'refused', door: 'doors opened or closed' }[kind]}`,
  footer: (username) => `The account ${username} asked for this message, and can change that in the console under Notifications.`,
  test: { title: 'Test message', text: 'Messages of the gateway reach you here.' },
  confirm: {
    title: 'Confirm this address',
    text: (username, link, secret) =>
      `The account ${username} of the gateway wants its messages sent to this address.\n\nTo confirm that, sign in as ${username} and open this page within 24 hours:\n\n${link}\n\nOr enter this code there under Notifications:\n\n${secret}\n\nIf you do not know of this, do nothing.`,
  },
};

const de: Texts = {
  gateway: 'Gateway',
  alarms: {
    offline: 'ist offline',
    silent: 'hat lange kein Ereignis gesendet',
    'low-battery': 'Batterie ist schwach',
    tampered: 'jemand hat es manipuliert',
    duress: 'wurde unter Zwang geöffnet',
    jammed: 'Riegel klemmt',
    'auto-lock-late': 'hat nicht rechtzeitig selbst abgeschlossen',
    'open-too-long': 'ist zu lange offen oder nicht verriegelt',
    'wrong-clock': 'Uhr geht falsch',
    'event-gap': 'Ereignisse sind verloren',
    'revocation-open': 'ein verlorenes Medium kann es noch öffnen',
    'lost-credential-used': 'ein verlorenes Medium wurde benutzt',
    'credentials-differ': 'hält andere Karten oder Codes, als es soll',
    'credentials-failing': 'Karten oder Codes lassen sich nicht ändern',
    'clock-suspect': 'Uhr des Gateways geht vielleicht falsch',
    'storage-unavailable': 'nichts kann gespeichert werden',
    'backup-failing': 'Sicherungen schlagen fehl',
    'access-paused': 'Änderungen an Schlössern ruhen nach einer Wiederherstellung',
    'home-assistant': 'erreicht den Broker von Home Assistant nicht',
    'database-away': 'Datenbank antwortet nicht',
    'standby-missing': 'Datenbank hat keine zweite Kopie',
    'clock-differs': 'Uhr weicht von der der Datenbank ab',
    'node-lost': 'ein anderer Knoten ist ausgefallen',
  },
  events: { unlock: 'geöffnet', lock: 'abgeschlossen', refused: 'hat jemanden abgewiesen', door: 'Tür geöffnet oder geschlossen' },
  doorOpened: 'Tür geöffnet',
  doorClosed: 'Tür geschlossen',
  by: (name) => ` von ${name}`,
  more: (count, kind, some) =>
    `${some ? 'und ' : ''}${count}${some ? ' weitere' : ''}: ${{ alarm: 'Alarme', unlock: 'geöffnet', lock: 'abgeschlossen', refused: 'abgewiesen', door: 'Türen geöffnet oder geschlossen' }[kind]}`,
  footer: (username) => `Das Konto ${username} hat diese Nachricht bestellt und kann das in der Konsole unter Benachrichtigungen ändern.`,
  test: { title: 'Testnachricht', text: 'Nachrichten des Gateways erreichen Sie hier.' },
  confirm: {
    title: 'Adresse bestätigen',
    text: (username, link, secret) =>
      `Das Konto ${username} des Gateways möchte Nachrichten an diese Adresse erhalten.\n\nZum Bestätigen melden Sie sich als ${username} an und öffnen innerhalb von 24 Stunden diese Seite:\n\n${link}\n\nOder geben Sie dort unter Benachrichtigungen diesen Code ein:\n\n${secret}\n\nWenn Sie davon nichts wissen, tun Sie nichts.`,
  },
};

export const notificationTexts: Readonly<Record<Language, Texts>> = { en, de };

/** What happened once. */
export type Happening =
  | { readonly alarm: AlarmKind; readonly lockName: string | null; readonly at: number }
  | {
      readonly record: Pick<RecordDraft, 'type' | 'success' | 'username'>;
      readonly event: NotifiedEvent;
      readonly lockName: string;
      readonly at: number;
    };

function said(texts: Texts, one: Happening): string {
  const of = one.lockName === null ? texts.gateway : plain(one.lockName);
  if ('alarm' in one) return `${of}: ${texts.alarms[one.alarm]}`;
  const { type, username } = one.record;
  const what = type === 'door-open' ? texts.doorOpened : type === 'door-close' ? texts.doorClosed : texts.events[one.event];
  return `${of}: ${what}${username === '' ? '' : texts.by(plain(username))}`;
}

/** A message about these happenings and so many more of the kind. */
export function messageOf(options: {
  readonly language: Language;
  readonly timeZone: string;
  readonly username: string;
  readonly kind: NotificationKind;
  readonly happenings: readonly Happening[];
  readonly more: number;
}): { readonly title: string; readonly text: string } {
  const { language, timeZone, username, kind, happenings, more } = options;
  const texts = notificationTexts[language];
  const time = new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  const lines = happenings.map((one) => `${time.format(one.at)}  ${said(texts, one)}`);
  const rest = more === 0 ? [] : [texts.more(more, kind, lines.length > 0)];
  const [first] = happenings;
  const others = happenings.length - 1 + more;
  const title = first === undefined ? (rest[0] ?? '') : `${said(texts, first)}${others > 0 ? ` (+${others})` : ''}`;
  return { title, text: `${[...lines, ...rest].join('\n')}\n\n${texts.footer(username)}` };
}
