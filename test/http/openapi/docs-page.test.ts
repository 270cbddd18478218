// The page at /docs: whole, from this gateway alone, and under a policy without inline script (HTTP API 10).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { createServerUnderTest } from '../../support/fake-services.ts';

const under = createServerUnderTest();
beforeAll(() => under.server.start());
afterAll(() => under.server.stop());

const get = (path: string) => request(under.origin()).get(path);

describe('/docs', () => {
  test('has a policy that allows scripts and connections of this gateway alone, and needs no more', async () => {
    const { status, headers, text } = await get('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(text).not.toMatch(/<script>|<style|style=|\son\w+=|https?:/);
    expect([...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url)).toEqual([
      'data:,',
      'docs/swagger-ui.css',
      'docs/swagger-ui-bundle.js',
      'docs/start.js',
    ]);
  });

  test.each([
    ['swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['start.js', 'text/javascript; charset=utf-8', "url: 'openapi.json'"],
  ])('serves its %s whole, and once', async (file, contentType, part) => {
    const answer = await fetch(`${under.origin()}/docs/${file}`);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-encoding')]).toEqual([200, contentType, 'gzip']);
    expect(await answer.text()).toContain(part);
    const plain = await get(`/docs/${file}`).set('Accept-Encoding', 'identity').buffer();
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
    expect(plain.headers['etag']).not.toBe(answer.headers.get('etag'));
    const again = await get(`/docs/${file}`).set('If-None-Match', answer.headers.get('etag') as string);
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test.each(['package.json', '..%2f..%2fserver.ts', '__proto__', 'constructor'])('serves nothing else: %s', async (file) => {
    const { status, body } = await get(`/docs/${file}`);
    expect([status, body.code]).toEqual([404, 'not-found']);
  });

  test('HEAD has the headers alone', async () => {
    const head = await request(under.origin()).head('/docs/swagger-ui-bundle.js').buffer();
    expect(head.status).toBe(200);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100_000);
  });
});
