import { describe, expect, it } from '@jest/globals';
import type { AccessLine } from '../../../../src/domain/access/access-log.ts';
import { keysOf } from '../../../../src/stores/files/access/access-line.ts';
import { createLinePlaces, placesIn } from '../../../../src/stores/files/access/line-places.ts';

describe('an index', () => {
  it('finds each of thousands of keys, of whatever length they are', async () => {
    const places = createLinePlaces();
    const keys = new Set<string>();
    for (let id = 1; id <= 12_500; id += 1) {
      const line = { id, recordedAt: id, lockId: id % 21, entryId: id, personId: id * 7, credentialId: id, kind: 'card', number: `${id}` };
      places.add(line as unknown as AccessLine, { position: id, length: 1 });
      for (const key of keysOf(line as unknown as AccessLine)) keys.add(key);
    }
    const index = await places.encode(places.head(12_500, false));
    const written = index.toString().trimEnd().split('\n').slice(1);
    expect(written.map((line) => (JSON.parse(line) as { key: string }).key)).toEqual([...keys].sort());
    for (const key of [...keys].filter((_, n) => n % 97 === 0)) expect(placesIn(index, key)).toEqual(places.under(key));
  });
});
