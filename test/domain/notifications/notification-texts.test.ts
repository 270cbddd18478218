import { describe, expect, test } from '@jest/globals';
import { alarmKinds } from '../../../src/domain/alarms/alarm.ts';
import { languages } from '../../../src/domain/notifications/notification.ts';
import { type Happening, messageOf, notificationTexts, plain } from '../../../src/domain/notifications/notification-texts.ts';

const at = Date.UTC(2026, 10, 23, 8, 30);
const record = (username: string, event: 'unlock' | 'refused' = 'unlock'): Happening => ({
  ...{ record: { type: 'card-unlock', success: event === 'unlock', username }, event, lockName: 'Front door', at },
});
const message = (happenings: readonly Happening[], more = 0, language: 'en' | 'de' = 'en') =>
  messageOf({ language, timeZone: 'Europe/Berlin', username: 'erika', kind: 'unlock', happenings, more });

describe('a name', () => {
  test.each([
    ['line breaks', 'Door\r\nBcc: thief@example.org', 'Door Bcc: thief@example.org'],
    ['other line breaks', 'a\u2028b\u2029c\u0085d\ve', 'a b c d e'],
    ['marks of text direction', 'Ab\u202Egnp.exe\u2066x\u200F', 'Ab gnp.exe x'],
    ['what reads like an encoded word', '=?utf-8?B?SGVsbG8=?=', '= ?utf-8?B?SGVsbG8= ?='],
    ['a NUL and an escape', 'x\u0000y\u001B[31m', 'x y [31m'],
    ['blanks around it', '  Küche  ', 'Küche'],
  ])('has no %s in a message', (_what, given, shown) => {
    expect(plain(given)).toBe(shown);
  });

  test('is cut when it is long, between characters', () => {
    expect([...plain('🚪'.repeat(200))]).toHaveLength(80);
    expect(plain('x'.repeat(80))).toHaveLength(80);
  });
});

describe('a message', () => {
  test('says what happened where, by whom and when, in the time of the building', () => {
    expect(message([record('Maria')])).toEqual({
      title: 'Front door: unlocked by Maria',
      text: expect.stringMatching(/^23\/11\/2026, 09:30:00 {2}Front door: unlocked by Maria\n\nThe account erika /),
    });
    expect(message([record('Maria')], 0, 'de')).toEqual({
      title: 'Front door: geöffnet von Maria',
      text: expect.stringMatching(/^23\.11\.26, 09:30:00 {2}Front door: geöffnet von Maria\n\nDas Konto erika /),
    });
  });

  test('says of the rest how much it is, in one line', () => {
    const { title, text } = message([record('Maria'), record('')], 37);
    expect(title).toBe('Front door: unlocked by Maria (+38)');
    expect(text.split('\n').slice(0, 3)).toEqual([
      expect.stringContaining('Front door: unlocked by Maria'),
      expect.stringMatching(/Front door: unlocked$/),
      'and 37 more: unlocked',
    ]);
    expect(message([], 4).title).toBe('4: unlocked');
  });

  test('has one line as title, whatever the names are', () => {
    const hostile = { ...record('Eve\r\nTo: all@example.org'), lockName: 'A\nSubject: x' };
    expect(message([hostile]).title).toBe('A Subject: x: unlocked by Eve To: all@example.org');
  });
});

test('every kind of alarm has a text in every language', () => {
  for (const language of languages) for (const kind of alarmKinds) expect(notificationTexts[language].alarms[kind]).not.toBe('');
});
