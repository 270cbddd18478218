// Patterns in the documents that programs read: they mean the same in every language, so they need no flags and no classes of one language
// alone.
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import request from 'supertest';
import { createAsyncApi } from '../../../src/drivers/native/asyncapi.ts';
import { createServerUnderTest } from '../../support/fake-services.ts';

const under = createServerUnderTest(() => ({ ready: true, since: 1_763_715_600_000, parts: { store: 'ok' } }));
const patterns = new Set<string>();

function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'pattern' && typeof member === 'string') patterns.add(member);
    else if (name === 'patternProperties' && typeof member === 'object')
      for (const pattern of Object.keys(member ?? {})) patterns.add(pattern);
    collect(member);
  }
}

beforeAll(async () => {
  await under.server.start();
  collect(JSON.parse((await request(under.origin()).get('/openapi.json')).text));
  collect(createAsyncApi({ topicRoot: 'latchd/v1', ports: { mqtt: 1883, mqtts: 8883, wss: 8443 } }));
});
afterAll(() => under.server.stop());

test('every pattern compiles without flags in JavaScript', () => {
  expect(patterns.size).toBeGreaterThan(5);
  for (const pattern of patterns) {
    expect(() => new RegExp(pattern)).not.toThrow();
    // Without a flag, \p is the letter p.
    expect(pattern).not.toMatch(/\\[pPk]/);
  }
});

test("every pattern compiles in Python's re", () => {
  const script = 'import json, re, sys\nfor pattern in json.load(sys.stdin): re.compile(pattern)';
  const { status, stderr } = spawnSync('python3', ['-W', 'error', '-c', script], {
    input: JSON.stringify([...patterns]),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});

test('the pattern of names refuses control characters and nothing else', () => {
  const [ofNames] = [...patterns].filter((pattern) => pattern.includes('u001f') && !pattern.includes('u200e'));
  const refused = Array.from({ length: 0x1_00 }, (_, code) => code).filter(
    (code) => !new RegExp(ofNames as string).test(String.fromCharCode(code)),
  );
  expect(refused).toEqual(Array.from({ length: 0x1_00 }, (_, code) => code).filter((code) => /\p{Cc}/u.test(String.fromCharCode(code))));
  expect(new RegExp(ofNames as string).test('Tür 🔑 باب')).toBe(true);
});
