import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { credentialsDigest } from '../../../src/domain/credentials/credentials-digest.ts';
import { always } from '../../../src/domain/credentials/entry.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the digest of what a lock holds (Protocol 4.1)', () => {
  const card = { kind: 'card', number: '1325672378', window: always } as const;
  const atWork = { kind: 'card', number: '998877', window: { ...always, hours: '12345:480-1080' } } as const;
  const once = {
    kind: 'passcode',
    number: '0042',
    window: { startDate: 1767225600000, endDate: 1767312000000, hours: '', once: true },
  } as const;

  it('is that of the example on the page, whatever the order', () => {
    expect(credentialsDigest([card, atWork, once], hash)).toBe('af3940b65ba070e2');
    expect(credentialsDigest([once, atWork, card], hash)).toBe('af3940b65ba070e2');
  });

  it('is that of nothing for an empty lock', () => {
    expect(credentialsDigest([], hash)).toBe('e3b0c44298fc1c14');
  });

  it('ignores the leading zeros of a card and counts those of a passcode', () => {
    expect(credentialsDigest([{ ...card, number: '0001325672378' }, atWork, once], hash)).toBe('af3940b65ba070e2');
    expect(credentialsDigest([card, atWork, { ...once, number: '42' }], hash)).not.toBe('af3940b65ba070e2');
  });
});
