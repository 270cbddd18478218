// The stack of an error names the sources, though the program is bundled.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { inSources } from '../../src/platform/stack-traces.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-stack-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a place in the bundled program becomes the place in the sources that it was built from', async () => {
  const bundled = resolve(import.meta.dirname, '../../dist/src/main.js');
  const lines = (await readFile(bundled, 'utf8')).split('\n');
  const line = lines.findIndex((text) => text.includes('function serve('));
  const column = lines[line]?.indexOf('function serve(') ?? -1;
  const stack = `Error: no\n    at async serve (${pathToFileURL(bundled)}:${line + 1}:${column + 1})`;
  expect(inSources(stack)).toMatch(/^Error: no\n {4}at async serve \(\/.*\/src\/main\.ts:\d+:\d+\)$/);
  const source = await readFile(resolve(import.meta.dirname, '../../src/main.ts'), 'utf8');
  const named = Number(/main\.ts:(\d+)/.exec(inSources(stack))?.[1]);
  expect(source.split('\n')[named - 1]).toContain('function serve(');
});

test('without a map, with a damaged one and at places of Node itself, the stack stays as it is', async () => {
  const file = join(folder, 'main.js');
  await writeFile(join(folder, 'damaged.js.map'), '{');
  for (const place of [`${pathToFileURL(file)}:3:7`, `${pathToFileURL(join(folder, 'damaged.js'))}:1:1`, 'node:fs:10:3', '<anonymous>']) {
    expect(inSources(`Error: no\n    at read (${place})`)).toBe(`Error: no\n    at read (${place})`);
  }
});
