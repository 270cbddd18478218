// node systemd/release/apt-repository.mjs FOLDER PACKAGE: adds the file of a Debian package to the apt repository in FOLDER, beside all that are
// there already, and writes its indexes anew; whoever calls signs FOLDER/dists/stable/Release. SOURCE_DATE_EPOCH is its date. The form is that
// of https://wiki.debian.org/DebianRepository/Format.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [folder, added] = process.argv.slice(2);
const pool = 'pool/main/l/latchd';
const suite = join(folder, 'dists/stable');
/** Those of Debian 13; the package is for all of them. */
const architectures = ['amd64', 'arm64', 'armel', 'armhf', 'i386', 'ppc64el', 'riscv64', 's390x'];

const sha256Of = (content) => createHash('sha256').update(content).digest('hex');

/** What Packages says of a file in the pool: the package's own fields, and where and what it is. */
function stanzaOf(file) {
  const path = join(folder, pool, file);
  const fields = execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' }).trimEnd();
  return `${fields}\nFilename: ${pool}/${file}\nSize: ${statSync(path).size}\nSHA256: ${sha256Of(readFileSync(path))}\n`;
}

/** Writes an index under its name and under its digest, by which apt finds it while a newer one is copied over it. */
function writeIndex(name, content) {
  const digest = sha256Of(content);
  const path = join(suite, name);
  const byHash = join(path, '../by-hash/SHA256');
  mkdirSync(byHash, { recursive: true });
  writeFileSync(path, content);
  writeFileSync(join(byHash, digest), content);
  return ` ${digest} ${content.length} ${name}`;
}

mkdirSync(join(folder, pool), { recursive: true });
const target = join(folder, pool, basename(added));
// Boxes have it under this name: another content would be refused by those that know its digest, and trusted by others.
if (existsSync(target) && !readFileSync(target).equals(readFileSync(added))) {
  process.stderr.write(
    `${target} is there with another content: a version that was published stays as it is; give the new one a new version\n`,
  );
  process.exit(1);
}
copyFileSync(added, target);

const packages = Buffer.from(readdirSync(join(folder, pool)).sort().map(stanzaOf).join('\n'));
const indexes = architectures.flatMap((architecture) => [
  writeIndex(`main/binary-${architecture}/Packages`, packages),
  writeIndex(`main/binary-${architecture}/Packages.gz`, gzipSync(packages, { level: 9 })),
]);
const release = {
  Origin: 'latchd',
  Label: 'latchd',
  Suite: 'stable',
  Codename: 'stable',
  Date: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toUTCString().replace('GMT', 'UTC'),
  Architectures: architectures.join(' '),
  'No-Support-for-Architecture-all': 'Packages',
  Components: 'main',
  Description: "latchd, a gateway for a building's door locks",
  'Acquire-By-Hash': 'yes',
  SHA256: `\n${indexes.join('\n')}`,
};
writeFileSync(
  join(suite, 'Release'),
  `${Object.entries(release)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n`,
);
