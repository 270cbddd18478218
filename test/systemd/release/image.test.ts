// The image that systemd/release/image.mjs describes: an OCI layout with true digests, run by nobody special, as compose.yaml says, too.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const release = join(import.meta.dirname, '../../../systemd/release');
const folders: string[] = [];
let layout = '';

/** Makes an image of two small layers; resolves with its folder. */
async function made(version: string, architecture: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchd-image-'));
  folders.push(folder);
  await writeFile(join(folder, 'debian.tar'), 'the layer of Debian');
  await writeFile(join(folder, 'latchd.tar'), 'the layer of latchd');
  const environment = { ...process.env, SOURCE_DATE_EPOCH: String(Date.UTC(2026, 10, 23) / 1000) };
  await promisify(execFile)(process.execPath, [join(release, 'image.mjs'), folder, version, architecture], { env: environment });
  return join(folder, 'image');
}

beforeAll(async () => {
  layout = await made('1.2.3+4', 'arm64');
});
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const json = async (file: string) => JSON.parse(await readFile(join(layout, file), 'utf8'));
const sha256 = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const blob = ({ digest }: Descriptor) => readFile(join(layout, 'blobs', digest.replace(':', '/')));

async function manifestAndConfig() {
  const [descriptor] = (await json('index.json')).manifests;
  const manifest = JSON.parse((await blob(descriptor)).toString());
  return { descriptor, manifest, config: JSON.parse((await blob(manifest.config)).toString()) };
}

test('every digest and size is that of its blob, and no blob is left over', async () => {
  const { descriptor, manifest, config } = await manifestAndConfig();
  const descriptors: readonly Descriptor[] = [descriptor, manifest.config, ...manifest.layers];
  for (const { digest, size, mediaType } of descriptors) {
    const content = await blob({ digest, size, mediaType });
    expect([sha256(content), content.length]).toEqual([digest, size]);
  }
  expect((await readdir(join(layout, 'blobs/sha256'))).sort()).toEqual(descriptors.map(({ digest }) => digest.slice(7)).sort());
  const layers = await Promise.all(manifest.layers.map(async (layer: Descriptor) => gunzipSync(await blob(layer))));
  expect(layers.map(String)).toEqual(['the layer of Debian', 'the layer of latchd']);
  expect(config.rootfs).toEqual({ type: 'layers', diff_ids: layers.map(sha256) });
});

test('it says for which processor it is, and has a tag that registries take', async () => {
  const { descriptor, config } = await manifestAndConfig();
  expect(descriptor.platform).toEqual({ architecture: 'arm64', os: 'linux', variant: 'v8' });
  expect(config).toMatchObject({ architecture: 'arm64', os: 'linux', variant: 'v8', created: '2026-11-23T00:00:00.000Z' });
  expect(descriptor.annotations['org.opencontainers.image.ref.name']).toBe('1.2.3_4');
  expect(config.config.Labels['org.opencontainers.image.version']).toBe('1.2.3+4');
});

test('a docker that knows no OCI layout finds the same image', async () => {
  const { manifest } = await manifestAndConfig();
  const path = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`;
  expect(await json('manifest.json')).toEqual([
    { Config: path(manifest.config), RepoTags: ['latchd:1.2.3_4'], Layers: manifest.layers.map(path) },
  ]);
});

test('two of one tree are the same bytes', async () => {
  const again = await made('1.2.3+4', 'arm64');
  for (const file of ['index.json', 'manifest.json', 'oci-layout']) {
    expect(await readFile(join(again, file), 'utf8')).toBe(await readFile(join(layout, file), 'utf8'));
  }
});

test('image and compose file agree: a user without rights, the ports, the volume, the health check', async () => {
  const { config } = (await manifestAndConfig()).config;
  const { services, volumes } = parse(await readFile(join(release, 'compose.yaml'), 'utf8'));
  const { latchd } = services;
  expect(config.User).toBe('65532:65532');
  expect(latchd).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], image: 'latchd:@VERSION@' });
  expect(latchd).not.toHaveProperty('privileged');
  expect(latchd).not.toHaveProperty('cap_add');
  expect(Object.keys(config.ExposedPorts).sort()).toEqual(latchd.ports.map((port: string) => `${port.split(':').at(-1)}/tcp`).sort());
  // What is not encrypted leaves the machine nowhere.
  expect(latchd.ports.filter((port: string) => !/^(8443|8883):/.test(port))).toEqual(['127.0.0.1:8080:8080']);
  expect([Object.keys(config.Volumes), latchd.volumes, Object.keys(volumes)]).toEqual([
    ['/var/lib/latchd'],
    ['data:/var/lib/latchd'],
    ['data'],
  ]);
  expect(config.Healthcheck.Test).toEqual(latchd.healthcheck.test);
  expect(latchd.healthcheck.interval).toBe(`${config.Healthcheck.Interval / 1e9}s`);
});
