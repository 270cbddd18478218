// The document of the API as a judge: is this answer one that it promises?
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface ReferenceObject {
  readonly $ref: string;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: object;
  readonly example?: string | number;
}

interface Example {
  readonly summary: string;
  readonly value: object;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderObject | ReferenceObject>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: object; readonly examples?: Readonly<Record<string, Example | ReferenceObject>> }>
  >;
}

interface HeaderObject {
  readonly required?: boolean;
  readonly schema: object;
}

export interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object; readonly examples: Readonly<Record<string, Example>> }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject | ReferenceObject>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly examples: Readonly<Record<string, Example>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

/** What came back for a request. `path` without its query; `body` undefined when there was none. */
export interface RequestContext {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly header: (name: string) => string | null | undefined;
  readonly body: unknown;
}

export interface Judge {
  /** Throws that sentence. */
  check(answered: RequestContext): void;
  /** What the document does not promise of this answer, in one sentence; undefined: nothing. */
  wrong(answered: RequestContext): string | undefined;
  /** Whether a value is what this schema of the document says. */
  fits(schema: object, value: unknown): boolean;
}

/** Statuses that are about HTTP itself and belong to no operation (the introduction of the document). */
const ofHttpItself = new Set([400, 408, 431]);

export function createJudge(document: ApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'api', ...document });
  const compiled = new WeakMap<object, ValidateFunction>();
  const patterns = Object.keys(document.paths).map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

  function validator(schema: object): ValidateFunction {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const made = ajv.compile(absolute(schema) as object);
    compiled.set(schema, made);
    return made;
  }

  function resolved<T extends object>(object: T | ReferenceObject): T {
    if (!('$ref' in object)) return object;
    const steps = object.$ref.slice(2).split('/');
    return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T;
  }

  function misfit(schema: object, value: unknown): string | undefined {
    const validate = validator(schema);
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'answer' });
  }

  function wrongWithProblem(answered: RequestContext, status: number, code?: string): string | undefined {
    if (answered.status !== status) return `${answered.status} instead of ${status}`;
    if (answered.body === undefined) return undefined;
    if (code !== undefined && (answered.body as { code?: unknown }).code !== code) return `the code is not ${code}`;
    return misfit({ $ref: '#/components/schemas/Problem' }, answered.body);
  }

  function wrong(answered: RequestContext): string | undefined {
    const { method, path, status, header, body } = answered;
    const found = patterns.find((pattern) => pattern.path === path) ?? patterns.find(({ pattern }) => pattern.test(path));
    if (found === undefined && !ofHttpItself.has(status)) return wrongWithProblem(answered, 404, 'not-found');
    const operations = document.paths[found?.path ?? ''] ?? {};
    const operation = operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
    if (operation === undefined && !ofHttpItself.has(status)) {
      if (header('allow') === null) return 'Allow is missing';
      return wrongWithProblem(answered, 405, 'method-not-allowed');
    }
    const promised = operation?.responses[String(status)];
    if (promised === undefined) {
      return ofHttpItself.has(status) ? wrongWithProblem(answered, status) : `${operation?.operationId} does not answer ${status}`;
    }
    const response = resolved(promised);
    for (const [name, reference] of Object.entries(response.headers ?? {})) {
      const problem = misfit(resolved(reference).schema, header(name) ?? undefined);
      if (problem !== undefined) return `the header ${name}: ${problem}`;
    }
    if (response.content === undefined) return body === undefined ? undefined : 'a body that is not promised';
    const mediaType = header('content-type')?.split(';')[0] ?? '';
    const content = response.content[mediaType] ?? response.content[mediaType.replace(/\/.*/, '/*')] ?? response.content['*/*'];
    if (content === undefined) return `${mediaType} is not promised`;
    return body === undefined ? undefined : misfit(content.schema, body);
  }

  function sentence(answered: RequestContext): string | undefined {
    const problem = wrong(answered);
    return problem && `${answered.method} ${answered.path} ${answered.status} is not in the document: ${problem}`;
  }

  return {
    wrong: sentence,
    check(answered) {
      const problem = sentence(answered);
      if (problem !== undefined) throw new Error(problem);
    },
    fits: (schema, value) => misfit(schema, value) === undefined,
  };
}

/** References within the document, for a schema that stands on its own. */
function absolute(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(absolute);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, key === '$ref' ? `api${String(value)}` : absolute(value)]));
}
