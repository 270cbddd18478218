// The makes of lock that this gateway has, as a person registers them (HTTP API 8.10).
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { deviceKinds } from '../../src/app/makes.ts';

test('each has a kind of its own', () => {
  expect(new Set(deviceKinds.map(({ kind }) => kind)).size).toBe(deviceKinds.length);
});

test.each(deviceKinds.map(({ kind, schema }) => [kind, schema] as const))(
  '%s takes a strict object of members that each say what they mean',
  (kind, schema) => {
    const { properties = {}, additionalProperties, required } = z.toJSONSchema(schema, { io: 'input' });
    const { kind: literal, ...members } = properties as Record<string, z.core.JSONSchema.JSONSchema>;
    expect([literal?.const, additionalProperties, required?.includes('kind')]).toEqual([kind, false, true]);
    for (const [name, { description }] of Object.entries(members))
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
    // A value of no type that any member has.
    const wrong = Object.fromEntries(Object.keys(members).map((name) => [name, [true]]));
    const issues = schema.safeParse({ kind, ...wrong }).error?.issues ?? [];
    expect(issues.map(({ path }) => path[0]).sort()).toEqual(Object.keys(members).sort());
    for (const { message } of issues) expect(message).toMatch(/^must /);
  },
);
