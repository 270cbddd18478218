// The details of the audit log, for people.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { auditWords } from '../../src/console/language/audit-words.ts';
import { de } from '../../src/console/language/de.ts';
import { en } from '../../src/console/language/en.ts';
import { auditDetail } from '../../src/console/pages/audit-detail.ts';

const date = (ms: number) => `on ${new Date(ms).toISOString().slice(0, 10)}`;
const [german, english] = (['de', 'en'] as const).map(
  (language) => (action: string, detail: string) => auditDetail({ action, detail }, auditWords[language], date),
) as [(action: string, detail: string) => string, (action: string, detail: string) => string];

test.each([
  ['account-create', 'gateway administrator, access manager', 'Gateway-Administrator, verwaltet den Zutritt'],
  ['role-grant', 'token: manager', 'token: Verwalter'],
  ['session-end', '2 sessions', '2 Sitzungen'],
  ['group-lock', '3 locked, 1 jammed', '3 abgeschlossen, 1 klemmt'],
  ['person-change', 'name, suspended true', 'Name, gesperrt ja'],
  ['grant-add', 'locks 7 12, startDate 1763715600000', 'Schlösser 7 12, von on 2025-11-21'],
  ['grant-add', 'locks 7, startDate 0, endDate 0', 'Schlösser 7, immer'],
  ['credential-add', 'card: gesperrt, locked', 'Karte: gesperrt, locked'],
  ['credential-add', 'passcode', 'Code'],
  ['lock-remove', 'Attic, 02bb, cards still on it: 3', 'Attic, 02bb, Karten noch darauf: 3'],
  ['invitation', '24 h', '24 h'],
  ['handover', 'Safari, iPhone at 192.168.1.9', 'Safari, iPhone an 192.168.1.9'],
  ['handover', 'a browser at 192.168.1.9', 'ein Browser an 192.168.1.9'],
  ['home-assistant-code', 'removed', 'entfernt'],
])('the words of the gateway are translated: %s', (action, detail, said) => {
  expect(german(action, detail)).toBe(said);
});

test('dates are dates in English, too', () => {
  expect(english('card-validity', 'startDate 1763715600000, endDate 0')).toBe('from on 2025-11-21');
});

test.each([
  ['person-create', 'manager, token'],
  ['session-end', 'operator'],
  ['lock-rename', 'locked'],
])('what somebody typed stays as it is: %s', (action, detail) => {
  expect(german(action, detail)).toBe(detail);
});

test.each([
  ['English', en],
  ['German', de],
])('what an entry is about has a noun in %s', (_, { audit }) => {
  const domain = join(import.meta.dirname, '../../src/domain');
  const text = readdirSync(domain, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(domain, name), 'utf8'))
    .join('\n');
  // As in: object: 'groups', or object: `session ${sessionId}`.
  const nouns = [...text.matchAll(/object: (?:'([a-z -]+)'|`([a-z -]+) \$)/g)].map(([, alone, before]) => alone ?? before ?? '');
  expect(nouns).toEqual(expect.arrayContaining(['groups', 'session']));
  expect(nouns.filter((noun) => !(noun in audit.nouns))).toEqual([]);
});
