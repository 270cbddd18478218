// The answers of an operation as OpenAPI writes them: its own, and every error that it may answer, by status.
import type { ErrorCode } from '../../domain/errors.ts';
import { DomainError } from '../../domain/errors.ts';
import type { EventSchemaName } from '../api/event-schemas.ts';
import { problemKinds, problemOf } from '../pipeline/problem.ts';
import type { AnyRoute } from '../pipeline/route.ts';
import type { OperationDocs, RequiredRole } from './operation.ts';
import { problemDocs } from './problem-docs.ts';

const exampleRequestId = '3f9c0a17be52';
const codes = Object.keys(problemKinds) as ErrorCode[];

/** One real problem of each code, made by the same function that answers requests. */
export function problemExamples(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    codes.map((code) => {
      const { meaning, example } = problemDocs[code];
      const { detail, ...details } = example;
      return [code, { summary: meaning, value: JSON.parse(problemOf(new DomainError(code, detail, details), exampleRequestId).body) }];
    }),
  );
}

/** A table of all codes, for people. */
export function problemTable(): string {
  const rows = codes.map(
    (code) => `| ${problemKinds[code].status} | \`${code}\` | ${problemDocs[code].meaning} | ${problemDocs[code].again} |`,
  );
  return ['| status | code | meaning | again? |', '|---|---|---|---|', ...rows].join('\n');
}

/** The errors that every request of its kind may get, in the order of HTTP API 1.4, with those of the route itself. */
function refusalsOf(route: AnyRoute, { requiredRole, refusals = [] }: OperationDocs): readonly ErrorCode[] {
  if ('open' in route) return ['invalid-parameter', ...refusals, 'internal-error'];
  return [
    'token-missing',
    'token-invalid',
    'token-expired',
    'rate-limited',
    'not-acceptable',
    'invalid-parameter',
    ...(route.body === undefined && !('textBody' in route && route.textBody !== undefined)
      ? []
      : (['too-large', 'unsupported-media-type'] as const)),
    ...rightsRefusals(requiredRole, refusals),
    ...refusals,
    'internal-error',
    // Of a node that does not serve.
    'storage-unavailable',
  ];
}

function rightsRefusals(requiredRole: RequiredRole, own: readonly ErrorCode[]): readonly ErrorCode[] {
  if (requiredRole === 'nobody' || requiredRole === 'any account') return [];
  if (requiredRole === 'gateway administrator' || requiredRole === 'access manager') return ['forbidden'];
  return own.includes('not-lock-administrator') ? ['lock-not-found'] : ['lock-not-found', 'forbidden'];
}

/** The answers by status; an error is a reference to a component of `refusalComponents`. */
export function responsesOf(route: AnyRoute, docs: OperationDocs): Readonly<Record<string, object>> {
  const own = Object.entries(docs.answers).map(([status, answer]) => {
    const examples = docs.examples
      .filter((example) => String(example.status ?? 200) === status)
      .map(({ title, answer }) => [keyOf(title), { summary: title, value: answer }]);
    const headers = { 'X-Request-Id': requestIdHeader, ...(status === '200' && ownHeaders(docs)) };
    if (answer === 'nothing') return [status, { description: titles[status], headers }] as const;
    const content =
      typeof answer === 'object'
        ? { [answer.mediaType]: { schema: textSchema(answer) } }
        : {
            'application/json': {
              schema: { $ref: `#/components/schemas/${answer}` },
              ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
            },
          };
    return [status, { description: titles[status] ?? docs.summary, headers, content }] as const;
  });
  const refused = [...byStatus(refusalsOf(route, docs))].map(([status, together]) => [
    String(status),
    { $ref: `#/components/responses/${together.join('.')}` },
  ]);
  return Object.fromEntries([...refused, ...own]);
}

/** OpenAPI 3.1 has no streams, so JSON Schema describes what the text contains (2020-12, Validation 8.5). */
function textSchema({ mediaType, streamOf }: { readonly mediaType: string; readonly streamOf?: EventSchemaName }): object {
  if (streamOf === undefined) return { type: mediaType === 'application/json' ? 'object' : 'string' };
  const items = { $ref: `#/components/schemas/${streamOf}` };
  return { type: 'string', contentMediaType: mediaType, contentSchema: { type: 'array', items } };
}

const titles: Readonly<Record<string, string>> = { 200: 'Done.', 201: 'Made.', 202: 'Begun.', 304: 'Unchanged.', 503: 'Not now.' };
const requestIdHeader = { $ref: '#/components/headers/RequestId' };

function ownHeaders({ headers = {} }: OperationDocs): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, required: true, schema: { type: 'string' } }]),
  );
}

/** Every set of errors with one status that one of these operations may answer, named by its codes. */
export function refusalComponents(described: readonly (readonly [AnyRoute, OperationDocs])[]): Readonly<Record<string, object>> {
  const sets = described.flatMap(([route, docs]) => [...byStatus(refusalsOf(route, docs)).values()]);
  return Object.fromEntries(sets.map((together) => [together.join('.'), refusal(together)]));
}

function byStatus(refusals: readonly ErrorCode[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes.filter((code) => refusals.includes(code))) {
    const { status } = problemKinds[code];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

function refusal(together: readonly ErrorCode[]): object {
  const [first] = together as readonly [ErrorCode];
  const { status } = problemKinds[first];
  return {
    description: together.map((code) => `\`${code}\`: ${problemDocs[code].meaning}`).join('\n\n'),
    headers: {
      'X-Request-Id': requestIdHeader,
      ...(status === 401 && { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } }),
      ...(status === 429 && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }],
          properties: { status: { const: status }, code: { enum: together } },
        },
        examples: Object.fromEntries(together.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** The key of an example, made from its title: `The bolt has moved` becomes `the-bolt-has-moved`. */
export function keyOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
