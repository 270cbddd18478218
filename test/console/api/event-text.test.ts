// Live events as the console reads them.
import { describe, expect, test } from '@jest/globals';
import { createEventReader, type StreamEvent } from '../../../src/console/api/event-text.ts';

const text =
  'event: lock\ndata: {"lockId":7,"lockAlias":"Tür: vorn"}\n\nid: 1200\nevent: ready\ndata: {}\n\n: heartbeat\nid: 1204\n\nid: 1205\nevent: record\ndata: {}\n\n';
const events: StreamEvent[] = [
  { type: 'lock', data: '{"lockId":7,"lockAlias":"Tür: vorn"}', id: undefined },
  { type: 'ready', data: '{}', id: '1200' },
  { type: '', data: '', id: '1204' },
  { type: 'record', data: '{}', id: '1205' },
];

describe('the reader of live events', () => {
  test('finds each event once, wherever the pieces of the stream end', () => {
    for (let size = 1; size <= text.length; size += 1) {
      const read = createEventReader();
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
      expect(pieces.flatMap(read)).toEqual(events);
    }
  });

  test('keeps back an event that is not complete', () => {
    expect(createEventReader()('event: ready\ndata: {}\n')).toEqual([]);
  });
});
