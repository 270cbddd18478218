// .github/CHANGELOG.md is the one place that says what a version brings. This prints what is made of it:
//   node systemd/release/changelog.mjs debian [VERSION]   the changelog of the Debian package; with VERSION, of a build between two releases
//   node systemd/release/changelog.mjs notes [VERSION]    the release notes of a version, by default of the newest
//   node systemd/release/changelog.mjs epoch              the date of the newest version in seconds since 1970, for SOURCE_DATE_EPOCH
import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const maintainer = 'The latchd authors <maintainers@users.noreply.latchd.example>';
const heading = /^## \[(\d+\.\d+\.\d+(?:-[\dA-Za-z.]+)?)\] - (\d{4}-\d{2}-\d{2})$/;

/** The versions of the changelog, the newest first: { version, date, lines }; the date at midnight, UTC. Throws when it does not read. */
function readVersions() {
  const versions = [];
  let section = { lines: [] };
  for (const line of readFileSync(new URL('.github/CHANGELOG.md', root), 'utf8').split('\n')) {
    if (line.startsWith('## ')) {
      const [, version, date] = heading.exec(line) ?? [];
      if (version === undefined && line !== '## [Unreleased]')
        throw new Error(`a heading must be "## [1.2.3] - 2026-11-23", not "${line}"`);
      section = { version, date: new Date(`${date}T00:00:00Z`), lines: [] };
      if (version !== undefined) versions.push(section);
      else continue;
      if (Number.isNaN(section.date.getTime())) throw new Error(`${version} has no date of the calendar`);
    } else section.lines.push(line);
  }
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  if (versions[0]?.version !== version) throw new Error(`package.json says ${version}, the newest version is ${versions[0]?.version}`);
  return versions;
}

/** What a version brings, each with its kind: [{ kind: 'Added', text }]. Lines that go on are joined. */
function itemsOf({ version, lines }) {
  const items = [];
  let kind;
  for (const line of lines) {
    if (line.startsWith('### ')) kind = line.slice(4);
    else if (line.startsWith('- ')) items.push({ kind, text: line.slice(2) });
    else if (line.startsWith('  ') && items.length > 0) items.at(-1).text += ` ${line.trim()}`;
  }
  if (items.length === 0) throw new Error(`${version} has no line that says what it brings`);
  return items;
}

/** A pre-release comes before its release: 1.2.0-rc.1 is 1.2.0~rc.1 to dpkg. */
function debianVersion(version) {
  return version.replace('-', '~');
}

/** A line of a Debian changelog, at most 78 columns wide, with its Markdown links and emphasis taken off. */
function wrapped(text) {
  const words = text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '')
    .split(' ');
  const lines = ['  *'];
  for (const word of words) {
    if (lines.at(-1).length + word.length >= 78) lines.push('   ');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.join('\n');
}

function debianEntry(version, date, items, urgency) {
  const day = date.toUTCString().replace('GMT', '+0000');
  return `latchd (${version}) unstable; urgency=${urgency}\n\n${items.map(wrapped).join('\n')}\n\n -- ${maintainer}  ${day}\n`;
}

function debianChangelog(versions, between) {
  const [newest] = versions;
  const entries = versions.map((section) => {
    const items = itemsOf(section);
    const urgency = items.some(({ kind }) => kind === 'Security') ? 'high' : 'medium';
    return debianEntry(
      debianVersion(section.version),
      section.date,
      items.map(({ kind, text }) => `${kind}: ${text}`),
      urgency,
    );
  });
  if (between !== undefined && between !== debianVersion(newest.version))
    entries.unshift(debianEntry(between, newest.date, [`Built from the tree of ${newest.version}.`], 'medium'));
  return entries.join('\n');
}

function notes(versions, wanted = versions[0].version) {
  const section = versions.find(({ version }) => version === wanted);
  if (section === undefined) throw new Error(`it has no version ${wanted}`);
  itemsOf(section);
  return `# latchd ${section.version}\n\n${section.lines.join('\n').trim()}\n`;
}

const [wanted, version] = process.argv.slice(2);
try {
  const versions = readVersions();
  if (wanted === 'debian') process.stdout.write(debianChangelog(versions, version));
  else if (wanted === 'notes') process.stdout.write(notes(versions, version));
  else if (wanted === 'epoch') process.stdout.write(`${versions[0].date.getTime() / 1000}\n`);
  else throw new Error('say what is to be made of it: debian, notes or epoch');
} catch (error) {
  process.stderr.write(`.github/CHANGELOG.md: ${error.message}\n`);
  process.exitCode = 1;
}
