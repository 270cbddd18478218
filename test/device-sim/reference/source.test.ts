// The source of the reference lock: what a port keeps is small and portable.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sources } from '../support/reference-lock.ts';

test('what a port keeps has at most 600 lines, headers, comments and blank ones included, and uses nothing of Linux', () => {
  const portable = readdirSync(sources).filter((name) => /\.[ch]$/.test(name) && name !== 'port-linux.c');
  const text = portable.map((name) => readFileSync(join(sources, name), 'utf8')).join('');
  expect(portable.sort()).toEqual(['commands.c', 'door.c', 'lock.h', 'memory.c', 'port.h', 'talk.c']);
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(600);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(140);
  const included = [...text.matchAll(/#include (\S+)/g)].map(([, name]) => name);
  expect([...new Set(included)].sort()).toEqual([
    ...['"lock.h"', '"port.h"', '<cjson/cJSON.h>', '<inttypes.h>', '<stdarg.h>', '<stdbool.h>'],
    ...['<stddef.h>', '<stdint.h>', '<stdio.h>', '<string.h>'],
  ]);
});
