// The console says everything in both languages.
import { describe, expect, test } from '@jest/globals';
import { accessDe } from '../../src/console/access/language/access-de.ts';
import { accessEn } from '../../src/console/access/language/access-en.ts';
import { accountDe } from '../../src/console/account/language/account-de.ts';
import { accountEn } from '../../src/console/account/language/account-en.ts';
import { buildingDe } from '../../src/console/building/language/building-de.ts';
import { buildingEn } from '../../src/console/building/language/building-en.ts';
import { facadesDe } from '../../src/console/facades/language/facades-de.ts';
import { facadesEn } from '../../src/console/facades/language/facades-en.ts';
import { de } from '../../src/console/language/de.ts';
import { en } from '../../src/console/language/en.ts';
import { warningsDe } from '../../src/console/upkeep/language/warnings-de.ts';
import { warningsEn } from '../../src/console/upkeep/language/warnings-en.ts';
import { revokedState } from '../../src/domain/revocations/revoked-state.ts';
import { lockId, sampleEntry } from '../stores/files/support/samples.ts';

/** The path of each text, with how many values it takes. */
function texts(section: object, path = ''): string[] {
  return Object.entries(section).flatMap(([name, text]) => {
    if (typeof text === 'object') return texts(text, `${path}${name}.`);
    return typeof text === 'function' ? [`${path}${name}(${text.length})`] : [`${path}${name}${text === '' ? ' is empty' : ''}`];
  });
}

/** Each text under its path. */
function flat(section: object, path = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(section).flatMap(([name, text]) =>
      typeof text === 'object' ? Object.entries(flat(text, `${path}${name}.`)) : [[`${path}${name}`, String(text)]],
    ),
  );
}

describe('the languages of the console', () => {
  test.each([
    ['for all pages', en, de],
    ['about people and what they may open', accessEn, accessDe],
    ['about accounts', accountEn, accountDe],
    ['about the building', buildingEn, buildingDe],
    ['about Home Assistant and TTLock', facadesEn, facadesDe],
  ])('German and English have the same texts %s', (_, english, german) => {
    expect(texts(german).sort()).toEqual(texts(english).sort());
    expect(texts(english).filter((text) => text.endsWith('is empty'))).toEqual([]);
  });

  test.each([
    ['English', en, warningsEn, /\bdisk\b/i, /\bdatabase\b/i],
    ['German', de, warningsDe, /platte/i, /datenbank/i],
  ])('%s blames no disk for what may be the fault of a database', (_, pages, warnings, disk, database) => {
    const all = Object.entries(flat({ ...pages, warnings }));
    const ofStorage = all.filter(([path]) => /(^|\.)(storage-unavailable|change-refused)$/.test(path)).map(([, text]) => text);
    expect(ofStorage).toHaveLength(5);
    expect(ofStorage.filter((text) => disk.test(text) !== database.test(text))).toEqual([]);
  });
});

test('each step that the gateway advises about a lost card has its text', () => {
  const here = { lockId: lockId(7), lines: [], isRegistered: true, isOnline: true, isClockRight: true, isFailing: false };
  const entry = sampleEntry(1, 7);
  const held = entry.held && { ...entry.held, window: { startDate: 0, endDate: 2_000, hours: '', once: false } };
  const gone = {
    id: 1,
    recordedAt: 1,
    what: 'gone',
    lockId: lockId(7),
    kind: 'card',
    number: '1',
    entryId: 1,
    credentialId: null,
  } as const;
  const line = {
    ...gone,
    personId: null,
    accountId: null,
    name: '',
    notBefore: 1,
    notAfter: 1,
    startDate: 0,
    endDate: 0,
    hours: '',
  } as const;
  const lines = (basis: 'phone' | 'reset') => ({ entries: [], lines: [{ ...line, basis, commandId: null, detail: '' }] });
  const on = { entries: [{ ...entry, held }] };
  const advised = [{ ...on, isOnline: false }, { ...on, isFailing: true }, lines('phone'), lines('reset')].flatMap(
    (changes) => revokedState({ ...here, ...changes, lastSeenAt: 1, batteryPercent: 12, now: 1_000 }).advice,
  );
  expect([...new Set(advised)].sort()).toEqual(Object.keys(accessEn.report.steps).sort());
});
