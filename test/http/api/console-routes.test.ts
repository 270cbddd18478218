// The console as static files: its page, what that needs, and nothing else.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { createServerUnderTest } from '../../support/fake-services.ts';

const page = '<!doctype html><title>latchd</title><script type="module" src="/assets/main-abc123.js"></script>';
let directory: string;
let under: ReturnType<typeof createServerUnderTest>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchd-console-'));
  await mkdir(join(directory, 'assets'));
  await writeFile(join(directory, 'index.html'), page);
  await writeFile(join(directory, 'assets/main-abc123.js'), 'export {};');
  await writeFile(join(directory, 'assets/main-abc123.js.map'), '{}');
  await writeFile(join(directory, 'assets/logo-def456.png'), Buffer.from([137, 80, 78, 71]));
  under = createServerUnderTest(undefined, undefined, undefined, directory);
  await under.server.start();
});
afterAll(async () => {
  await under.server.stop();
  await rm(directory, { recursive: true });
});

const get = (path: string) => request(under.origin()).get(path);

describe('The console', () => {
  test('is the page at /, under a policy without anything inline, and is asked for again each time', async () => {
    const { status, headers, text } = await get('/');
    expect([status, text, headers['content-type'], headers['cache-control']]).toEqual([200, page, 'text/html; charset=utf-8', 'no-cache']);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    // No page may show it in a frame and have its buttons clicked.
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    const again = await get('/').set('If-None-Match', headers['etag'] as string);
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('has assets that browsers cache for ever, text compressed, pictures as they are', async () => {
    const script = await get('/assets/main-abc123.js');
    expect([script.status, script.text]).toEqual([200, 'export {};']);
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const plain = await get('/assets/main-abc123.js').set('Accept-Encoding', 'gzip;q=0');
    expect([plain.text, plain.headers['content-encoding']]).toEqual(['export {};', undefined]);
    const picture = await get('/assets/logo-def456.png');
    expect([picture.headers['content-type'], picture.headers['content-length'], picture.headers['content-encoding']]).toEqual([
      'image/png',
      '4',
      undefined,
    ]);
    const head = await request(under.origin()).head('/assets/logo-def456.png');
    expect([head.status, head.headers['content-length']]).toEqual([200, '4']);
  });

  test.each([
    '/index.html',
    '/assets/main-abc123.js.map',
    '/assets/..%2findex.html',
    '/assets/__proto__',
    '/assets/',
    '/assets',
    '/locks/7',
  ])('serves nothing else: %s', async (path) => {
    const { status, body } = await get(path);
    expect([status, body.code]).toEqual([404, 'not-found']);
  });

  test('takes no other method', async () => {
    const { status, headers } = await request(under.origin()).post('/');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  test('says so if it was not built', async () => {
    const without = createServerUnderTest();
    await without.server.start();
    try {
      const { status, text } = await request(without.origin()).get('/');
      expect([status, text]).toEqual([200, expect.stringContaining('built without its console')]);
    } finally {
      await without.server.stop();
    }
  });
});
