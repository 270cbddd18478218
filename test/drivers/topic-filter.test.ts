import { expect, test } from '@jest/globals';
import { matchesFilter } from '../../src/drivers/topic-filter.ts';

test.each([
  ['a/b', 'a/b', true],
  ['a/b', 'a/b/c', false],
  ['a/b/c', 'a/b', false],
  ['a/+', 'a/b', true],
  ['a/+', 'a', false],
  ['a/+', 'a/b/c', false],
  ['+/b', '/b', true],
  ['a/#', 'a/b/c', true],
  ['a/#', 'a', true],
  ['#', 'a/b', true],
  ['b/#', 'a/b', false],
])('%s matches %s: %s [MQTT-4.7.1-2]', (filter, topic, is) => {
  expect(matchesFilter(filter, topic)).toBe(is);
});
