// Makes the OpenAPI 3.1 document from the route tables, the schemas that validate, and the descriptions of the operations.
// It is loaded and made at the first request for it.

import type { AnyRoute, OpenRoute } from '../pipeline/route.ts';
import { deliveryRequest } from './delivery-request.ts';
import { memberDocs } from './field-descriptions.ts';
import { bodySchema, parameterSchema, responseJsonSchemas } from './json-schemas.ts';
import { keyOf, problemExamples, problemTable, refusalComponents, responsesOf } from './openapi-responses.ts';
import type { OperationDocs } from './operation.ts';
import { tableDocs, tables } from './operations.ts';

type AskedRoute = Exclude<AnyRoute, OpenRoute>;

interface Described {
  readonly tag: string;
  readonly docs: OperationDocs;
}

const descriptions: ReadonlyMap<string, Described> = new Map(
  Object.entries(tables).flatMap(([tag, table]) => Object.entries<OperationDocs>(table).map(([id, docs]) => [id, { tag, docs }])),
);

const introduction = `The HTTP API of a latchd gateway: door locks of one building, without any cloud.

- Each request carries \`Authorization: Bearer TOKEN\`, but for what says otherwise. \`HEAD\` works wherever \`GET\` does.
- Unknown parameters are ignored, a repeated one is refused; unknown or repeated members of a body are refused.
- Checks come in this order: path, method, token, \`Accept\`, parameters and body, existence, rights; then the work.
- A request that was refused has changed nothing, except as said for \`lock-timeout\`.
- A path that is not here answers 404 \`not-found\`, a method that is not here 405 \`method-not-allowed\` with \`Allow\`. URL and headers of
  more than 16 KiB, or more than 1000 headers, answer 431 \`too-large\`; a request that stalls 408, and one that is not valid HTTP 400, both \`invalid-parameter\`.

Every error is a problem (RFC 9457). Decide by \`code\`:

`;

/** The whole document for these routes. */
export function createOpenApi(routes: readonly AnyRoute[]): object {
  const described = routes.map((route) => [route, descriptionOf(route)] as const);
  const tags = Object.entries(tableDocs).filter(([name]) => described.some(([, { tag }]) => tag === name));
  const schemas: Readonly<Record<string, object>> = responseJsonSchemas();
  const sendsDeliveries = described.some(([{ operation }]) => operation === 'createWebhook');
  return {
    openapi: '3.1.1',
    info: {
      title: 'latchd',
      version: '1',
      summary: 'A local gateway for door locks',
      description: introduction + problemTable(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    security: [{ token: [] }, { signIn: [] }, { signInHttps: [] }],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      [...new Set(routes.map(({ path }) => path))].map((path) => [
        path,
        Object.fromEntries(
          described
            .filter(([route]) => route.path === path)
            .map(([route, { tag, docs }]) => [route.method.toLowerCase(), operation(route, tag, docs)]),
        ),
      ]),
    ),
    ...(sendsDeliveries && { webhooks: { delivery: { post: deliveryRequest } } }),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token made by a gateway administrator.' },
        signIn: { type: 'apiKey', in: 'cookie', name: 'latchd', description: 'Of a browser that is signed in, over plain http.' },
        signInHttps: { type: 'apiKey', in: 'cookie', name: '__Host-latchd', description: 'The same over https.' },
      },
      schemas: usedSchemas(
        schemas,
        described.map(([, { docs }]) => docs),
        sendsDeliveries ? ['WebhookDelivery'] : [],
      ),
      responses: refusalComponents(described.map(([route, { docs }]) => [route, docs])),
      examples: problemExamples(),
      headers: {
        RequestId: {
          description: 'Names the request in the log of the gateway.',
          required: true,
          schema: { type: 'string', pattern: '^[0-9a-f]{12}$' },
        },
        Challenge: { description: 'A Bearer challenge (RFC 6750).', required: true, schema: { type: 'string', pattern: '^Bearer ' } },
        RetryAfter: {
          description: 'Ask again after so many seconds.',
          required: true,
          schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
        },
      },
    },
  };
}

function descriptionOf({ method, path, operation }: AnyRoute): Described {
  const description = descriptions.get(operation);
  if (description === undefined) throw new Error(`${method} ${path} has no description`);
  return description;
}

function operation(route: AnyRoute, tag: string, docs: OperationDocs): object {
  const { summary, description, requiredRole } = docs;
  const needs = requiredRole === 'nobody' ? 'Takes no token.' : requiredRole === 'any account' ? undefined : `For: ${requiredRole}.`;
  const text = [needs, description].filter((part) => part !== undefined).join(' ');
  const responses = responsesOf(route, docs);
  const open = requiredRole === 'nobody' && { security: [] };
  const about = { operationId: route.operation, tags: [tag], summary, ...(text !== '' && { description: text }), ...open };
  if ('open' in route) return { ...about, ...withParameters(pathParameters(route.path)), responses };
  return { ...about, ...withParameters(parameters(route, docs)), ...requestBody(route, docs), responses };
}

function withParameters(list: readonly object[]): object {
  return list.length > 0 ? { parameters: list } : {};
}

function parameters({ path, parameters: { object } }: AskedRoute, { examples }: OperationDocs): readonly object[] {
  return Object.entries(object.shape).map(([name, zod]) => {
    const { required, schema } = parameterSchema(zod as never);
    const example = examples[0]?.parameters?.[name];
    const place = path.includes(`{${name}}`) ? 'path' : 'query';
    return { name, in: place, required, description: memberDocs[name], schema, ...(example !== undefined && { example }) };
  });
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, description: memberDocs[name], schema: { type: 'string' } },
  }));
}

function requestBody(route: AskedRoute, { examples }: OperationDocs): object {
  const { body } = route;
  if ('textBody' in route && route.textBody !== undefined) {
    const [mediaType] = route.textBody.mediaTypes;
    const texts = examples.map(({ title, text }) => [keyOf(title), { summary: title, value: text }]);
    return {
      requestBody: { required: true, content: { [mediaType]: { schema: { type: 'string' }, examples: Object.fromEntries(texts) } } },
    };
  }
  if (body === undefined) return {};
  const sent = examples.map(({ title, body }) => [keyOf(title), { summary: title, value: body }]);
  return {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: bodySchema(body.object), examples: Object.fromEntries(sent) } },
    },
  };
}

/** Only the schemas of what these operations answer, of what the gateway sends besides, and of what those refer to. */
function usedSchemas(all: Readonly<Record<string, object>>, docs: readonly OperationDocs[], sent: readonly string[]): object {
  const used = new Set<string>();
  const use = (name: string): void => {
    if (used.has(name)) return;
    used.add(name);
    for (const [, inner = ''] of JSON.stringify(all[name]).matchAll(/#\/components\/schemas\/(\w+)/g)) use(inner);
  };
  for (const name of ['Problem', ...sent]) use(name);
  for (const { answers } of docs)
    for (const answer of Object.values(answers)) {
      if (typeof answer === 'object' && answer.streamOf !== undefined) use(answer.streamOf);
      if (typeof answer === 'string' && answer !== 'nothing') use(answer);
    }
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
}
