import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bodyOf, checksummedLine } from '../../../../src/stores/files/checksummed-line.ts';
import { LineBuffer } from '../../../../src/stores/files/records/line-buffer.ts';
import { decodeRecord, putRecord, readRecord, recordLine } from '../../../../src/stores/files/records/record-line.ts';
import { lockId, sampleEvent } from '../support/samples.ts';

const lineOf = (text: string): Buffer => Buffer.from(text.slice(0, -1));
const written = (changes: Parameters<typeof sampleEvent>[1]): Buffer => lineOf(recordLine(12, lockId(7), '7d3f', sampleEvent(3, changes)));

describe('a line of a record', () => {
  test.each([
    { username: 'Resident 17', credential: '' },
    { username: 'Zoë "the" ünïcode 🔑' },
    { username: 'back\\slash', success: false },
    { username: '\u007f\u0001', lockDate: 0 },
    { username: 'plain', lockDate: -5, reportedDate: 1_763_000_000_000 },
    { username: 'plain', undated: true as const },
    { username: 'plain', reason: 'unknown-card' },
    { username: 'plain', reason: '' },
    { username: 'plain', reason: 'its "own" wörd', command: 33_554_433 },
    { username: 'plain', reportedDate: 0, undated: true as const, reason: 'schedule', command: -281_474_976_710_655 },
    { username: '","seq":9,"x":"' },
    { username: '\ud83d\ud83d', credential: '\u2028é' },
    ...[
      9_999_999,
      10_000_000,
      99_999_999,
      100_000_000,
      1_000_000_001,
      -100_000_000,
      -1,
      Number.MAX_SAFE_INTEGER,
      -Number.MAX_SAFE_INTEGER,
    ].map((lockDate) => ({ lockDate, username: '' })),
  ])('is read back as it was written: %j', (changes) => {
    const { reportedDate, undated, reason, command, ...event } = sampleEvent(3, changes);
    const last = Object.entries({ reportedDate, undated, reason, command }).filter(([, value]) => value !== undefined);
    const expected = { recordId: 12, lockId: 7, epoch: '7d3f', ...event, ...Object.fromEntries(last) };
    expect(readRecord(written(changes))).toEqual(expected);
    expect(written(changes)).toEqual(lineOf(checksummedLine(expected)));
  });

  test('has exactly the bytes of its JSON and checksum for any texts and whole numbers, and is read back', () => {
    const date = fc.maxSafeInteger();
    const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ minLength: 1, maxLength: 1 }),
        fc.nat(0xffff).map((code) => String.fromCharCode(code)),
      ),
    });
    const record = fc.record(
      {
        recordId: id,
        lockId: id,
        epoch: text,
        seq: id,
        type: text,
        success: fc.boolean(),
        credential: text,
        username: text,
        lockDate: date,
        serverDate: date,
        reportedDate: date,
        undated: fc.constant(true as const),
        reason: text,
        command: date,
      },
      { requiredKeys: ['recordId', 'lockId', 'epoch', 'seq', 'type', 'success', 'credential', 'username', 'lockDate', 'serverDate'] },
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        const lines = new LineBuffer();
        for (const { recordId, lockId: lock, epoch, ...draft } of records) putRecord(lines, recordId, lockId(lock), epoch, draft);
        const text = records.map((one) => checksummedLine(one)).join('');
        expect(lines.bytes()).toEqual(Buffer.from(text));
        let at = 0;
        for (const [n, length] of lines.lengths.entries()) {
          const line = lines.bytes().subarray(at, at + length - 1);
          expect(readRecord(line)).toEqual({ ...records[n] });
          at += length;
        }
        expect(at).toBe(lines.bytes().length);
      }),
    );
  });

  test.each([{ reportedDate: 5 }, { undated: true as const, reason: 'schedule' }, { reason: 'schedule', command: 12 }])(
    'with any one byte changed is read as JSON would read it, or not at all: %j',
    (changes) => {
      const line = written({ username: 'Resident 17', ...changes });
      for (let at = 0; at < line.length - '00000000"}'.length; at++) {
        for (const byte of Buffer.from('"\\,:{}0-9atz\u0001')) {
          const other = Buffer.from(line);
          other[at] = byte;
          const found = decodeRecord(other);
          // latchd never writes a line that begins with a space.
          const asJson = decodeRecord(Buffer.concat([Buffer.from(' '), other]));
          expect(found).toEqual(asJson);
        }
      }
    },
  );

  test('is written behind others, whatever space they leave', () => {
    const lines = new LineBuffer();
    const texts: string[] = [];
    for (let n = 1; n <= 2_000; n++) {
      const record = sampleEvent(n, { username: '\u0000'.repeat(n % 64) });
      // A line that was begun and never ended does not count.
      lines.begin(10);
      lines.putInteger(n);
      putRecord(lines, n, lockId(7), 'e', record);
      if (n % 2 === 0) lines.add(bodyOf({ n, text: '€'.repeat(n) }));
      texts.push(recordLine(n, lockId(7), 'e', record), ...(n % 2 === 0 ? [checksummedLine({ n, text: '€'.repeat(n) })] : []));
    }
    expect(lines.bytes().toString()).toBe(texts.join(''));
    expect(lines.lengths).toEqual(texts.map((text) => Buffer.byteLength(text)));
    lines.clear();
    expect([lines.bytes().length, lines.lengths]).toEqual([0, []]);
  });

  test('is also read with its members in another order, as a person may write them', () => {
    const { recordId, ...rest } = { recordId: 12, lockId: 7, epoch: '7d3f', ...sampleEvent(3, { username: 'plain' }) };
    expect(readRecord(lineOf(checksummedLine({ ...rest, recordId })))).toEqual({ recordId, ...rest });
  });

  test.each([{ recordId: 0 }, { lockId: -1 }, { seq: 1.5 }, { success: 'true' }, { lockDate: '5' }, { epoch: undefined }])(
    'is not one when it has other content: %j',
    (changes) => {
      const line = { recordId: 12, lockId: 7, epoch: '7d3f', ...sampleEvent(3, { username: 'plain' }), ...changes };
      expect(readRecord(lineOf(checksummedLine(line)))).toBeUndefined();
    },
  );
});
