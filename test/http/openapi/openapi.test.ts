// The document of the API against the API itself (HTTP API 10): complete, well-formed, and every example real.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import request from 'supertest';
import { memberDocs } from '../../../src/http/openapi/field-descriptions.ts';
import { tables } from '../../../src/http/openapi/operations.ts';
import { type ApiDocument, createJudge, type Operation } from '../../support/api-document.ts';
import { createServerUnderTest, sampleToken } from '../../support/fake-services.ts';
import { answerWithSamples } from '../../support/sample-services.ts';

const readiness = { ready: true, since: 1_763_715_600_000, parts: { store: 'ok', mqtt: 'ok' } };
const metrics = { exposition: async () => ({ contentType: 'text/plain; version=0.0.4', text: '# none\n' }), request: () => undefined };
const under = createServerUnderTest(() => readiness, undefined, metrics);
answerWithSamples(under);
let text = '';
let document: ApiDocument;

beforeAll(async () => {
  await under.server.start();
  text = (await request(under.origin()).get('/openapi.json')).text;
  document = JSON.parse(text);
});
afterAll(() => under.server.stop());

/** All of them, with where they are. */
function operations(): readonly { readonly method: string; readonly path: string; readonly operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

describe('/openapi.json', () => {
  test('is OpenAPI 3.1 without a complaint of the linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'operation-4xx-response': 'error',
        'no-invalid-media-type-examples': 'error',
        'no-invalid-parameter-examples': 'error',
        'no-invalid-schema-examples': 'error',
        'operation-operationId-url-safe': 'error',
        'operation-singular-tag': 'error',
        // Its one server is the gateway that it comes from.
        'no-server-example.com': 'error',
        // people/external/ID and people/ID/grants: no personId is a word, and their methods differ.
        'no-ambiguous-paths': 'off',
        // The table of all codes has more examples than operations refer to.
        'no-unused-components': 'off',
      },
    });
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
  });

  test('describes every route of the tables, once, and nothing that is none', () => {
    const described = Object.values(tables).flatMap((table) => Object.keys(table));
    const served = operations().map(({ operation }) => operation.operationId);
    expect([...served].sort()).toEqual([...described].sort());
    expect(new Set(served).size).toBe(served.length);
  });

  test('says of each parameter and member what it means, and explains no name that is nowhere', () => {
    const used = new Set<string>();
    const silent: string[] = [];
    const walk = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'examples' || key === 'example') continue;
        if (key === 'properties' && !at.includes('/responses/')) {
          for (const [name, member] of Object.entries(inner as Record<string, { description?: string }>)) {
            used.add(name);
            if (member.description === undefined) silent.push(`${at}/${name}`);
          }
        }
        walk(inner, `${at}/${key}`);
      }
    };
    walk(document, '');
    for (const { operation } of operations()) {
      for (const { name, description } of operation.parameters ?? []) {
        used.add(name);
        if (description === undefined) silent.push(`${operation.operationId} ${name}`);
      }
    }
    expect(silent).toEqual([]);
    expect(Object.keys(memberDocs).filter((name) => !used.has(name))).toEqual([]);
  });

  test('gives of every operation that answers JSON a real example: the request gets that answer', async () => {
    const judge = createJudge(document);
    const asked: string[] = [];
    for (const { method, path, operation } of operations()) {
      const [content] = Object.values(operation.requestBody?.content ?? {});
      const bodies = content?.examples ?? {};
      for (const [status, response] of Object.entries(operation.responses)) {
        if ('$ref' in response) continue;
        for (const [key, example] of Object.entries(response.content?.['application/json']?.examples ?? {})) {
          const answer = await ask(method, path, operation, bodies[key]);
          expect([operation.operationId, answer.status, { value: answer.body }]).toEqual([
            operation.operationId,
            Number(status),
            { value: answer.body, ...example, summary: undefined },
          ]);
          const header = (name: string) => answer.headers[name.toLowerCase()];
          expect(judge.wrong({ method, path, status: answer.status, header, body: answer.body })).toBeUndefined();
          asked.push(operation.operationId);
        }
      }
    }
    const json = operations().filter(({ operation }) => '200' in operation.responses || '201' in operation.responses);
    const documents = [
      'metrics',
      'liveEvents',
      'exportAccess',
      'downloadBackup',
      'rootCertificate',
      ...Object.keys(tables.Documents),
      ...Object.keys(tables.Console),
    ];
    expect(json.map(({ operation }) => operation.operationId).filter((id) => !asked.includes(id) && !documents.includes(id))).toEqual([]);
  });

  test('takes no token, and a client that has it already gets 304 and nothing else', async () => {
    const first = await request(under.origin()).get('/openapi.json');
    expect(first.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' });
    const again = await request(under.origin())
      .get('/openapi.json')
      .set('If-None-Match', first.headers['etag'] as string);
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', first.headers['etag']]);
  });
});

async function ask(
  method: string,
  path: string,
  { parameters = [], security }: Operation,
  body: { readonly value: object | string } | undefined,
) {
  const given = parameters.flatMap(({ name, in: place, example }) =>
    example === undefined ? [] : [{ name, place, value: String(example) }],
  );
  const url = given
    .filter(({ place }) => place === 'path')
    .reduce((so, { name, value }) => so.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = Object.fromEntries(given.filter(({ place }) => place === 'query').map(({ name, value }) => [name, value]));
  const asking = request(under.origin())[method as 'get'](url).query(query);
  if (security === undefined) asking.set('Authorization', `Bearer ${sampleToken}`);
  if (typeof body?.value === 'string') return asking.set('Content-Type', 'text/csv').send(body.value);
  return body === undefined ? asking : asking.send(body.value);
}
