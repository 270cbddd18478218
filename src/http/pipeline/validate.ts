// Ties a zod schema to the domain value it stands for, and collects all problems instead of stopping at the first.
import type { z } from 'zod';
import type { ParameterProblem } from '../../domain/errors.ts';

/** What a client may send: `object` documents and validates it, `read` turns it into a `T`. */
export interface Validated<T> {
  readonly object: z.ZodObject;
  readonly names: ReadonlySet<string>;
  /** Returns the value, or undefined after adding the problems to `problems` (one for each parameter). */
  read(raw: unknown, problems: ParameterProblem[]): T | undefined;
}

/** Joins a schema that has the names of the specification and a function that gives its values their names in the domain. */
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
    for (const key of issue.keys) problems.push({ parameter: [...issue.path, key.slice(0, 64)].join('.'), message: 'is not known' });
    return;
  }
  const parameter = issue.path.length === 0 ? 'body' : issue.path.join('.');
  if (problems.some((problem) => problem.parameter === parameter)) return;
  const missing = issue.code !== 'custom' && issue.path.length > 0 && isMissing(raw, issue.path);
  problems.push({ parameter, message: missing ? 'is required' : issue.message });
}

/** Whether the member at this path is not there, in a value that has the objects on the way to it. */
function isMissing(raw: unknown, path: readonly PropertyKey[]): boolean {
  const [name = '', ...rest] = path;
  if (!Object.hasOwn(raw as object, name)) return true;
  return rest.length > 0 && isMissing((raw as Readonly<Record<PropertyKey, unknown>>)[name], rest);
}

/** For a rule about several members: it runs when these are valid, whatever else is wrong, so that all problems are reported at once. */
export function whenValid(...names: readonly string[]) {
  return ({ issues }: z.core.ParsePayload) =>
    !issues.some(({ code, path = [] }) => (path.length === 0 ? code !== 'unrecognized_keys' : names.includes(String(path[0]))));
}

/** The members that are present: an absent one stays absent instead of becoming undefined. */
export function present<T extends object>(members: { readonly [Key in keyof T]: T[Key] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
