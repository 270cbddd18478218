// The parameters and answers of import and export (HTTP API 12.5).
import { z } from 'zod';
import type { DryRun, ImportProgress } from '../../domain/people/import-service.ts';
import { integer } from '../pipeline/fields.ts';
import { validate } from '../pipeline/validate.ts';

const count = z.int().min(0);
const positive = z.int().min(1);
const date = z.int().min(0);
const importId = z.string().regex(/^[0-9a-f]{16}$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

const counts = { added: count, updated: count, unchanged: count, extraneous: count };
const people = z.strictObject(counts);
const locks = z.array(z.strictObject({ lockId: positive, added: count, removed: count, different: count }));
const state = z.enum(['planned', 'applying', 'done', 'stopped']);

export const importSchemas = {
  ImportPlan: z.strictObject({
    importId: importId.nullable(),
    plan: hash.nullable(),
    lines: count,
    errors: z.array(z.strictObject({ line: positive, column: z.string().nullable(), message: z.string() })).max(1_000),
    errorCount: count,
    people,
    locks,
    removesMoreThanAQuarter: z.boolean(),
  }),
  Import: z.strictObject({
    importId,
    plan: hash,
    state,
    absent: z.enum(['keep', 'revoke']),
    lines: count,
    people,
    locks,
    removesMoreThanAQuarter: z.boolean(),
    changes: count,
    done: count,
    conflicts: z.array(z.strictObject({ line: positive.nullable(), personId: positive.nullable(), message: z.string() })).max(100),
    conflictCount: count,
    reason: z.string(),
    createDate: date,
    expireDate: date.nullable(),
  }),
};

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}` });

export const oneImport = validate(
  z.object({ importId: z.string().regex(/^[0-9a-f]{16}$/, 'must be the id of an import') }),
  (value) => value,
);

export const importFile = validate(z.object({ absent: oneOf(['keep', 'revoke']).default('keep') }), (value) => value);

export const seenPlan = validate(
  z.strictObject({ plan: z.string({ error: 'must be a string' }).regex(/^[0-9a-f]{64}$/, 'must be the plan of a dry run') }),
  (value) => value,
);

const separators = { comma: ',', semicolon: ';', tab: '\t' } as const;

export const exportedPage = validate(
  z.object({
    pageNo: integer().default(1),
    pageSize: integer(1, 20_000).default(20_000),
    separator: oneOf(['comma', 'semicolon', 'tab']).default('comma'),
  }),
  ({ separator, ...page }) => ({ page, separator: separators[separator] }),
);

export function dryRunView({ plan, stored }: DryRun): z.input<typeof importSchemas.ImportPlan> {
  const { lines, errors, errorCount, counts, locks, removesMoreThanAQuarter } = plan;
  return {
    ...{ importId: stored?.importId ?? null, plan: stored?.plan ?? null, lines, errors: [...errors], errorCount },
    ...{ people: counts, locks: [...locks], removesMoreThanAQuarter },
  };
}

export function importView({ stored, done, of, expireDate }: ImportProgress): z.input<typeof importSchemas.Import> {
  const { importId, plan, state, absent, lines, counts, locks, removesMoreThanAQuarter, conflicts, conflictCount, reason, createdAt } =
    stored;
  return {
    ...{ importId, plan, state: state === 'applied' ? 'done' : state, absent, lines, people: counts, locks: [...locks] },
    ...{ removesMoreThanAQuarter, changes: of, done, conflicts: [...conflicts], conflictCount, reason },
    ...{ createDate: createdAt, expireDate: state === 'applying' ? null : expireDate },
  };
}
