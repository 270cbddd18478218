// What an installation has: the bundle that a start reads, whose code is in it, and what it takes on the disk.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const clone = resolve(import.meta.dirname, '../../..');
const built = join(clone, 'dist/src');
let folder: string;
let tree: string;
let files: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-tree-'));
  tree = join(folder, 'tree');
  await promisify(execFile)('sh', ['systemd/release/tree', tree, '9.9.9'], { cwd: clone });
  const all = await readdir(tree, { recursive: true, withFileTypes: true });
  files = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(tree.length + 1));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The sources of a file of the bundle: `npm:NAME` for those of a package. A file that only passes on what others export has no map. */
async function sourcesOf(file: string): Promise<readonly string[]> {
  const map = await readFile(`${file}.map`, 'utf8').catch(() => '{ "sources": [] }');
  const { sources } = JSON.parse(map) as { sources: readonly string[] };
  return sources
    .map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1])
    .map((name, index) => (name === undefined ? (sources[index] ?? '') : `npm:${name}`));
}

/** The file, and all that it imports before it runs. */
async function readAtStart(file: string, found = new Set<string>()): Promise<ReadonlySet<string>> {
  if (found.has(file)) return found;
  found.add(file);
  const text = await readFile(file, 'utf8');
  for (const [, path = ''] of text.matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+)"/g)) await readAtStart(resolve(dirname(file), path), found);
  return found;
}

test('a start reads nothing of the packages that only some settings and requests need', async () => {
  const chunks = (await readdir(join(built, 'app'))).filter((name) => name.endsWith('.js')).map((name) => join(built, 'app', name));
  const gateway: string[] = [];
  for (const chunk of chunks) if ((await sourcesOf(chunk)).some((source) => source.endsWith('src/app/gateway.ts'))) gateway.push(chunk);
  expect(gateway.length).toBe(1);
  const start = new Set([...(await readAtStart(join(built, 'main.js'))), ...(await readAtStart(gateway[0] ?? ''))]);
  const sources = new Set((await Promise.all([...start].map(sourcesOf))).flat());
  expect(['npm:zod', 'npm:router', 'npm:aedes', 'npm:yaml'].filter((name) => !sources.has(name))).toEqual([]);
  const late = [
    'nodemailer',
    'mqtt',
    'age-encryption',
    '@peculiar/x509',
    '@simplewebauthn/server',
    '@zxcvbn-ts/language-common',
    'prom-client',
  ];
  expect([...late, 'body-parser', '@homebridge/ciao'].filter((name) => sources.has(`npm:${name}`))).toEqual([]);
  expect([...sources].filter((source) => /src\/http\/openapi\/openapi|src\/admin\/(doctor|mcp|offline)\//.test(source))).toEqual([]);
});

test('THIRD-PARTY.md.gz names each package whose code is installed, with its licence', async () => {
  const page = gunzipSync(await readFile(join(tree, 'usr/share/doc/latchd/THIRD-PARTY.md.gz'))).toString('utf8');
  const programs = files
    .filter((file) => /usr\/lib\/latchd\/dist\/src\/.*\.js$/.test(file))
    .map((file) => join(clone, file.slice('usr/lib/latchd/'.length)));
  const sources = new Set((await Promise.all(programs.map((file) => sourcesOf(file)))).flat());
  const names = [...sources].flatMap((source) => (source.startsWith('npm:') ? [source.slice('npm:'.length)] : []));
  expect(names.length).toBeGreaterThan(50);
  const unnamed = [...names, 'preact', 'swagger-ui-dist'].filter((name) => !page.includes(`\n## ${name} - `));
  expect(unnamed).toEqual([]);
});

test('the client for Python and the lock in C are beside the pages that name them', async () => {
  const lock = (await readdir(join(clone, 'device-sim/reference'))).map((name) => `device-sim/reference/${name}`);
  expect(lock.length).toBeGreaterThan(5);
  for (const name of ['src/http/clients/latchd.py', ...lock.filter((file) => !file.endsWith('.md'))])
    expect(await readFile(join(tree, 'usr/share/doc/latchd', name), 'utf8')).toBe(await readFile(join(clone, name), 'utf8'));
});

test('it takes at most 6 MB, with pages, pictures and console, and no map or package of others', async () => {
  const bytes = await Promise.all(files.map(async (file) => (await stat(join(tree, file))).size));
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(6_000_000);
  expect(files.filter((file) => /\.map$|node_modules|licenses\.md/.test(file))).toEqual([]);
  expect(JSON.parse(await readFile(join(tree, 'usr/lib/latchd/package.json'), 'utf8'))).toMatchObject({ version: '9.9.9' });
});

test('a picture is as large to the eye as it was, and half as large on the disk', async () => {
  const name = 'src/console/screenshots/board.png';
  const [before, after] = [await readFile(join(clone, name)), await readFile(join(tree, 'usr/share/doc/latchd', name))];
  expect(after.subarray(16, 24)).toEqual(before.subarray(16, 24));
  expect(after.length).toBeLessThan(before.length / 2);
});
