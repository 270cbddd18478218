// node systemd/release/image.mjs FOLDER VERSION ARCHITECTURE: makes FOLDER/image, an OCI image layout (OCI Image Format 1.1), of the layers
// FOLDER/debian.tar and FOLDER/latchd.tar. SOURCE_DATE_EPOCH is its date.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, version, architecture] = process.argv.slice(2);
const layout = join(folder, 'image');
const blobs = join(layout, 'blobs/sha256');
const created = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString();
const { description, license } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
/** In a tag neither + nor ~ is allowed (OCI Distribution 1.1). */
const tag = version.replaceAll(/[+~]/g, '_');
const second = 1_000_000_000;

/** The hexadecimal SHA-256 of a file of any size. */
async function sha256Of(file) {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest('hex');
}

/** Moves a file into the layout; returns its descriptor. */
async function addBlob(mediaType, file) {
  const digest = await sha256Of(file);
  const { size } = statSync(file);
  renameSync(file, join(blobs, digest));
  return { mediaType, digest: `sha256:${digest}`, size };
}

function addDocument(mediaType, document) {
  const file = join(folder, 'document.json');
  writeFileSync(file, JSON.stringify(document));
  return addBlob(mediaType, file);
}

/** Compresses a layer and adds it; returns its descriptor, and the digest of what it unpacks to. */
async function addLayer(name) {
  const file = join(folder, name);
  const diffId = `sha256:${await sha256Of(file)}`;
  execFileSync('gzip', ['--no-name', file]);
  return { ...(await addBlob('application/vnd.oci.image.layer.v1.tar+gzip', `${file}.gz`)), diffId };
}

/** How docker and podman run it. Healthcheck is docker's own member, which others pass over. */
const run = {
  User: '65532:65532',
  ExposedPorts: { '8080/tcp': {}, '8443/tcp': {}, '8883/tcp': {} },
  Env: [
    'PATH=/usr/bin',
    // Every network of a container is its own; compose.yaml says what of it others reach.
    'LATCHD_HTTP_HOST=0.0.0.0',
    'LATCHD_HTTPS_ENABLED=true',
    'LATCHD_MQTTS_ENABLED=true',
    // Multicast does not leave the network of a container.
    'LATCHD_DISCOVERY_ENABLED=false',
  ],
  Entrypoint: ['/usr/bin/latchd'],
  Cmd: ['serve'],
  Volumes: { '/var/lib/latchd': {} },
  WorkingDir: '/var/lib/latchd',
  StopSignal: 'SIGTERM',
  Healthcheck: {
    Test: ['CMD', '/usr/bin/latchd', 'health'],
    Interval: 30 * second,
    Timeout: 10 * second,
    StartPeriod: 60 * second,
    Retries: 3,
  },
  Labels: {
    'org.opencontainers.image.title': 'latchd',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': license,
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.base.name': 'debian:trixie',
  },
};

mkdirSync(blobs, { recursive: true });
const layers = [await addLayer('debian.tar'), await addLayer('latchd.tar')];
const platform = { architecture, os: 'linux', ...(architecture === 'arm64' && { variant: 'v8' }) };
const config = await addDocument('application/vnd.oci.image.config.v1+json', {
  created,
  ...platform,
  config: run,
  rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  history: [
    { created, created_by: 'packages of Debian 13, systemd/release/debian-packages.txt' },
    { created, created_by: `latchd ${version}` },
  ],
});
const manifest = await addDocument('application/vnd.oci.image.manifest.v1+json', {
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  config,
  layers: layers.map(({ diffId: _, ...descriptor }) => descriptor),
});
const names = { 'org.opencontainers.image.ref.name': tag, 'io.containerd.image.name': `docker.io/library/latchd:${tag}` };
const index = {
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.index.v1+json',
  manifests: [{ ...manifest, platform, annotations: names }],
};
writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
// What docker reads that knows no OCI layout.
const pathOf = ({ digest }) => `blobs/${digest.replace(':', '/')}`;
const forDocker = [{ Config: pathOf(config), RepoTags: [`latchd:${tag}`], Layers: layers.map(pathOf) }];
writeFileSync(join(layout, 'manifest.json'), JSON.stringify(forDocker));
