// The operations of all tables. A route names one of them, so that each route has a description.
import { accountDocs } from '../api/account-docs.ts';
import { activityDocs } from '../api/activity-docs.ts';
import { alarmDocs } from '../api/alarm-docs.ts';
import { auditDocs } from '../api/audit-docs.ts';
import { boardDocs } from '../api/board-docs.ts';
import { bridgeDocs } from '../api/bridge-docs.ts';
import { cardDocs } from '../api/card-docs.ts';
import { consoleDocs } from '../api/console-docs.ts';
import { documentDocs } from '../api/document-docs.ts';
import { entryDocs } from '../api/entry-docs.ts';
import { eventDocs } from '../api/event-docs.ts';
import { gatewayDocs } from '../api/gateway-docs.ts';
import { grantDocs, scheduleDocs } from '../api/grant-docs.ts';
import { healthDocs } from '../api/health-docs.ts';
import { homeAssistantDocs } from '../api/home-assistant-docs.ts';
import { hubDocs } from '../api/hub-docs.ts';
import { importDocs } from '../api/import-docs.ts';
import { lockDocs } from '../api/lock-docs.ts';
import { notificationDocs } from '../api/notification-docs.ts';
import { pairingDocs } from '../api/pairing-docs.ts';
import { passcodeDocs } from '../api/passcode-docs.ts';
import { peopleDocs } from '../api/people-docs.ts';
import { questionDocs } from '../api/question-docs.ts';
import { readerDocs } from '../api/reader-docs.ts';
import { revocationDocs } from '../api/revocation-docs.ts';
import { signInDocs } from '../api/sign-in-docs.ts';
import { ttlockLoginDocs } from '../api/ttlock-login-docs.ts';
import { upkeepDocs } from '../api/upkeep-docs.ts';
import { webhookDocs } from '../api/webhook-docs.ts';
import type { TableDocs } from './operation.ts';

/** The tables by the name of their group in the document. */
export const tables = {
  Locks: lockDocs,
  'Identity cards': cardDocs,
  Passcodes: passcodeDocs,
  Entries: entryDocs,
  Events: eventDocs,
  Management: { ...gatewayDocs, ...accountDocs },
  Hubs: hubDocs,
  Bridges: bridgeDocs,
  'Home Assistant': homeAssistantDocs,
  Pairing: pairingDocs,
  Alarms: alarmDocs,
  Webhooks: webhookDocs,
  'TTLock logins': ttlockLoginDocs,
  Notifications: notificationDocs,
  'Lost credentials': revocationDocs,
  Readers: readerDocs,
  Questions: questionDocs,
  Board: boardDocs,
  Activity: activityDocs,
  People: peopleDocs,
  Grants: grantDocs,
  Schedules: scheduleDocs,
  Import: importDocs,
  'Audit log': auditDocs,
  Upkeep: upkeepDocs,
  'Signing in': signInDocs,
  Health: healthDocs,
  Documents: documentDocs,
  Console: consoleDocs,
} satisfies Readonly<Record<string, TableDocs>>;

/** What each group is about. */
export const tableDocs: Readonly<Record<keyof typeof tables, string>> = {
  Locks: 'Doors: what they are, how they are, and moving them.',
  'Identity cards': 'Cards that open a lock; for its managers and its administrator.',
  Passcodes: 'Codes that open a lock at its keypad; for its managers and its administrator.',
  Entries: 'What locks hold beside what is wanted on them, and what people decide where the two differ.',
  Events: 'What happens, without asking again and again.',
  Management: 'Locks, accounts and tokens of the gateway; bodies are JSON.',
  Hubs: 'Hubs speak for the locks bound to them.',
  Bridges: 'Outside brokers, over which locks of other makes are spoken to.',
  'Home Assistant': 'The code that its commands need.',
  Pairing: 'Locks that bring a key of their own making, or that a bridge announces, wait here to be confirmed.',
  Alarms: 'What somebody should look at, from its beginning to its end.',
  Webhooks: 'What happens, sent by the gateway to a program of yours.',
  'TTLock logins': 'With what programs log in that speak the API of TTLock’s cloud.',
  Notifications: 'Alarms and events by e-mail and ntfy, as each account chooses.',
  'Lost credentials': 'What was lost, and at which door it is surely dead.',
  Readers: 'Which way round a reader gives cards, and cards that become a person’s at a reader.',
  Questions: 'Of the day after: who could open a door, what somebody did, and whether anything is missing.',
  Board: 'What a person sees first, and all doors of a group at once.',
  Activity: 'What happened in the whole building.',
  People: 'Who has which cards and passcodes.',
  Grants: 'Who may open which locks, and when.',
  Schedules: 'Hours of the week, and holidays.',
  Import: 'People and their grants as tables, for spreadsheets and other systems.',
  Upkeep: 'Backups, what went wrong lately, and the certificate to trust.',
  'Audit log': 'Who changed what, when, from where, and how it ended.',
  'Signing in': 'For the console: a browser keeps a cookie that scripts cannot read instead of a token.',
  Health: 'For watchdogs, load balancers and Prometheus.',
  Documents: 'What describes this gateway to programs and people.',
  Console: 'The page for people at `/`.',
};

type Tables = (typeof tables)[keyof typeof tables];
type KeysOf<T> = T extends unknown ? keyof T : never;
/** The operationId of a route. */
export type OperationId = KeysOf<Tables>;
