// Ties a zod schema to the domain value it stands for, and collects all that is wrong instead of stopping at the first.
import type { z } from 'zod';
import type { ParameterProblem } from '../../domain/errors.ts';

/** What a client may send: `object` documents and validates it, `read` turns it into `T`. */
export interface Validated<T> {
  readonly object: z.ZodObject;
  readonly names: ReadonlySet<string>;
  /** The value, or undefined when something was wrong and has been added to `problems` (one a parameter). */
  read(raw: unknown, problems: ParameterProblem[]): T | undefined;
}

/** A schema with specification names, and how its values are called inside. */
export function validate<Shape extends z.ZodRawShape, T>(
  object: z.ZodObject<Shape>,
  translate: (value: z.output<z.ZodObject<Shape>>) => T,
): Validated<T> {
  return {
    object: object as unknown as z.ZodObject,
    names: new Set(Object.keys(object.shape)),
    read(raw, problems) {
      const result = object.safeParse(raw);
      if (result.success) return translate(result.data);
      for (const issue of result.error.issues) addProblems(issue, raw, problems);
      return undefined;
    },
  };
}

function addProblems(issue: z.core.$ZodIssue, raw: unknown, problems: ParameterProblem[]): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) problems.push({ parameter: key.slice(0, 64), message: 'is not known' });
    return;
  }
  const parameter = issue.path.length === 0 ? 'body' : issue.path.join('.');
  if (problems.some((problem) => problem.parameter === parameter)) return;
  const missing = issue.code !== 'custom' && issue.path.length === 1 && !Object.hasOwn(raw as object, parameter);
  problems.push({ parameter, message: missing ? 'is required' : issue.message });
}

/** For a rule about several members: run it when those are right, whatever else is wrong, so that all is reported at once. */
export function whenValid(...names: readonly string[]) {
  return ({ issues }: z.core.ParsePayload) => !issues.some((issue) => names.includes(String(issue.path?.[0])));
}

/** The members that are there, under new names: an absent member stays absent instead of becoming undefined. */
export function present<T extends object>(members: { readonly [Key in keyof T]: T[Key] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
