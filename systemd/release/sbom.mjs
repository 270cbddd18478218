// node systemd/release/sbom.mjs TREE VERSION [DEBIAN_PACKAGES]: prints a bill of materials (CycloneDX 1.6, JSON) of the installed tree: latchd,
// and the packages of npm that are in its program and its console, as package-lock.json names them; with the list of Debian packages, that of
// the image. The same tree gives the same bytes: SOURCE_DATE_EPOCH is its date, its serial number follows from what it lists.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [tree, version, debianPackages] = process.argv.slice(2);
const root = new URL('../../', import.meta.url);
const { name, description, license } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const locked = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')).packages;

const byRef = (a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1);
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Where in the lock file a package finds another one: beside itself, or further up. */
function resolve(path, dependency) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${dependency}`;
    if (locked[place] !== undefined) return place;
    if (folder === '') return undefined;
  }
}

/** The packages that are really in the tree, as paths in the lock file: its page of licences has a heading for each, `## name - version (MIT)`. */
function bundledPaths() {
  const page = gunzipSync(readFileSync(join(tree, 'usr/share/doc/latchd/THIRD-PARTY.md.gz'))).toString('utf8');
  return [...page.matchAll(/^## (\S+) - (\S+) \(/gm)].map(([, name, version]) => {
    const path = Object.keys(locked).find((place) => place !== '' && nameOf(place) === name && locked[place].version === version);
    if (path === undefined) throw new Error(`package-lock.json has no ${name} ${version}, which is in the tree`);
    return path;
  });
}

/** A licence by its identifier of SPDX, or an expression of several. */
const licensesOf = (text) => (/^[\w.+-]+$/.test(text) ? [{ license: { id: text } }] : [{ expression: text }]);

function npmComponent(path) {
  const { version, license, integrity } = locked[path];
  const [scope, plain] = nameOf(path).startsWith('@') ? nameOf(path).split('/') : [undefined, nameOf(path)];
  const purl = `pkg:npm/${scope === undefined ? '' : `${scope.replace('@', '%40')}/`}${plain}@${version}`;
  const [, sha512 = ''] = /sha512-(\S+)/.exec(integrity) ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(scope !== undefined && { group: scope }),
    name: plain,
    version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
    licenses: licensesOf(license),
    purl,
  };
}

/** The packages of Debian, one for each processor. */
function debianComponents() {
  const lines = readFileSync(debianPackages, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [name, version, architecture] = line.split(' ');
    const purl = `pkg:deb/debian/${name.replaceAll('+', '%2B')}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-13`;
    return { type: 'library', 'bom-ref': purl, name, version, purl };
  });
}

const paths = [...new Set(bundledPaths())];
const refs = new Map(paths.map((path) => [path, npmComponent(path)['bom-ref']]));
/** What a package needs of what is in the tree. */
const needsOf = (path) => {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, devDependencies = {} } = locked[path];
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies, ...(path === '' && devDependencies) });
  return names.flatMap((dependency) => refs.get(resolve(path, dependency)) ?? []);
};

const latchd = `pkg:generic/latchd@${encodeURIComponent(version)}`;
const debian = debianPackages === undefined ? [] : debianComponents();
const components = [...paths.map(npmComponent), ...debian].sort(byRef);
const dependencies = [
  { ref: latchd, dependsOn: [...new Set([...needsOf(''), ...debian.map((component) => component['bom-ref'])])].sort() },
  ...paths.map((path) => ({ ref: refs.get(path), dependsOn: [...new Set(needsOf(path))].sort() })).sort((a, b) => (a.ref < b.ref ? -1 : 1)),
];
const content = {
  metadata: {
    timestamp: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString(),
    component: {
      type: debianPackages === undefined ? 'application' : 'container',
      'bom-ref': latchd,
      name,
      version,
      description,
      licenses: licensesOf(license),
      purl: latchd,
    },
  },
  components,
  dependencies,
};
// A UUID of version 8 (RFC 9562 section 5.8), made of what is listed.
const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: `urn:uuid:${uuid}`,
  version: 1,
  ...content,
};
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
