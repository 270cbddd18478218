import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTopicTable } from '../../src/drivers/topic-table.ts';

test.each([
  ['a/b', 'a/b', true],
  ['a/b', 'a/b/c', false],
  ['a/+/c', 'a/b/c', true],
  ['a/+/c', 'a/c', false],
  ['a/+/c', 'a/b/b/c', false],
  ['+/b', 'a/b', true],
  ['a/+', 'a/', true],
])('the filter %s takes the topic %s: %s', (filter, topic, isTaken) => {
  const table = createTopicTable();
  table.add([filter]);
  expect(table.matches(topic)).toBe(isTaken);
  table.remove([filter]);
  expect([table.matches(topic), table.hasFilter(filter)]).toEqual([false, false]);
});

test('an exact filter takes its own topic alone, whatever else there is', () => {
  const topic = fc.string({ minLength: 1 }).filter((text) => !/[+#]/.test(text));
  fc.assert(
    fc.property(fc.uniqueArray(topic, { minLength: 2 }), ([wanted = '', ...others]) => {
      const table = createTopicTable();
      table.add([wanted]);
      expect([table.matches(wanted), ...others.map((other) => table.matches(other))]).toEqual([true, ...others.map(() => false)]);
    }),
  );
});
