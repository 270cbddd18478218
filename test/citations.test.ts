// Every citation in the code, the tests and the pages leads to a heading, a rule or a decision of a page in this repository, or names an
// outside standard in one fixed form. Every fault of the list is cited by a test, and every link of a page leads somewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..');

/** The pages that are cited: by which name, and how their first heading reads, wherever they lie. */
const citedPages: Readonly<Record<string, string>> = {
  Specification: 'The specification',
  'HTTP API': 'The HTTP API',
  Protocol: 'The lock protocol, version 1',
  Store: 'The file store',
  Fault: 'Faults and threats',
};

/** How many normative statements each section of MQTT 3.1.1 has: those of section 3.1.0 are [MQTT-3.1.0-1] and [MQTT-3.1.0-2]. */
const mqttStatements: Readonly<Record<string, number>> = {
  ...{ '1.5.3': 3, '2.2.2': 2, '2.3.1': 7, '3.1.0': 2, '3.1.2': 24, '3.1.3': 11, '3.1.4': 5, '3.2.0': 1, '3.2.2': 6, '3.3.1': 12 },
  ...{ '3.3.2': 3, '3.3.4': 1, '3.3.5': 2, '3.6.1': 1, '3.8.1': 1, '3.8.3': 4, '3.8.4': 6, '3.9.3': 2, '3.10.1': 1, '3.10.3': 2 },
  ...{ '3.10.4': 6, '3.12.4': 1, '3.14.1': 1, '3.14.4': 3, '4.1.0': 2, '4.3.1': 1, '4.3.2': 2, '4.3.3': 2, '4.4.0': 1, '4.5.0': 2 },
  ...{ '4.6.0': 6, '4.7.1': 3, '4.7.2': 1, '4.7.3': 4, '4.8.0': 2, '6.0.0': 4, '7.0.0': 2, '7.1.1': 1, '7.1.2': 1 },
};

interface TextFile {
  readonly path: string;
  readonly text: string;
}

const files: readonly TextFile[] = ['src', 'device-sim', 'test', 'config', 'systemd', '.github']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
  .concat('README.md')
  .filter((path) => /\.(tsx?|css|md|json|ya?ml|service)$/.test(path) && path !== 'test/citations.test.ts')
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const pages = files.filter(({ path }) => path.endsWith('.md'));

/** The lines of a page without its code, in which `#` begins a comment. */
function proseOf(text: string): readonly string[] {
  return text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').split(/\n(?: {4}.*\n)*/);
}

/** What can be cited of a page: `5.4` for a heading, `5.4 rule 6` for an item of a numbered list under it. */
function placesOf(text: string): ReadonlySet<string> {
  const places = new Set<string>();
  let section = '';
  for (const line of proseOf(text)) {
    const [, heading, number] = /^##+ (?=(T?\d+(?:\.\d+)*) )|^##+ |^(\d+)\. /.exec(line) ?? [];
    if (line.startsWith('##')) section = heading ?? '';
    if (section !== '') places.add(number === undefined ? section : `${section} rule ${number}`);
  }
  return places;
}

/** The numbers of the decisions: the items under the headings Decisions, on whatever page. */
function decisionsOf(text: string): readonly string[] {
  const [, decisions = ''] = /^## (?:\d+ )?Decisions\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text) ?? [];
  return [...decisions.matchAll(/^(\d+)\. \*\*/gm)].map(([, number = '']) => number);
}

function pageCalled(title: string): string {
  const [page, ...others] = pages.filter(({ text }) => text.startsWith(`# ${title}\n`));
  if (page === undefined || others.length > 0) throw new Error(`there is not one page "${title}" but ${page ? 1 + others.length : 0}`);
  return page.text;
}

const decisions = pages.flatMap(({ text }) => decisionsOf(text));
const citable: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...Object.entries(citedPages).map(([name, title]) => [name, placesOf(pageCalled(title))] as const),
  ['Decision', new Set(decisions)],
]);

const list = (item: string) => `${item}(?:(?:, | and | or | to )${item})*`;
const section = '\\d+(?:\\.\\d+)*';
const place = `${section}(?: rules? ${list('\\d+(?!\\d*\\.\\d)')})?`;
const ours = new RegExp(`\\b(${[...citable.keys()].join('|')})s? (${list('T\\d+')}|${list(place)})(?!\\.?\\d)`, 'g');
/** In a page with numbered sections, one of its own. */
const ownSection = new RegExp(`\\bsections? (${list(place)})`, 'g');
const standard = new RegExp(`\\b(?:RFC \\d+(?:bis)?|MQTT 3\\.1\\.1)(?: sections? ${list(section)})?(?![\\d.]*\\d)`, 'g');
const statement = /\[MQTT-([\d.]+)-(\d+)\]/g;
/** What looks like a citation when the known forms, each now a `¶`, are gone. */
const unknown =
  /\b(?:API|Store|[Ss]pec|Specification|Protocol|[Dd]ecision|Fault|[Ss]ection|[Rr]ule|[Cc]lause|[Cc]hapter|RFC)s?,? T?\d[\d.]*|§ ?\d|\bMQTT-\d[\d.-]*|\bT\d{1,2}\b(?!:)|¶,? \d[\d.]*/g;

/** The places that a list names: `4.2 to 4.4, 5.4 rules 1 and 6` are 4.2, 4.3, 4.4, 5.4 rule 1 and 5.4 rule 6. */
function placesIn(cited: string): readonly string[] {
  const found: string[] = [];
  let before = '';
  for (const [, to, item = '', rule] of cited.matchAll(/(?:^|( to )|, | and | or )([T\d.]+)(?: rules? (\d+))?/g)) {
    if (rule !== undefined) before = `${item} rule `;
    else if (item.includes('.')) before = '';
    const last = rule === undefined ? before + item : before + rule;
    const first = to === undefined ? last : (found.at(-1) ?? last);
    const [from, until] = [first, last].map((name) => Number(/\d+$/.exec(name)?.[0])) as [number, number];
    if (to === undefined || from >= until) found.push(last);
    else for (let n = from + 1; n <= until; n += 1) found.push(last.replace(/\d+$/, String(n)));
  }
  return found;
}

interface Citations {
  /** Of our pages: `Protocol 5.4 rule 6`. */
  readonly places: readonly string[];
  /** What leads nowhere. */
  readonly dead: readonly string[];
}

function citationsIn({ path, text }: TextFile): Citations {
  const places: string[] = [];
  const dead: string[] = [];
  const own = path.endsWith('.md') ? placesOf(text) : new Set<string>();
  // A citation may go over the end of a line, also of a comment.
  const rest = (path.endsWith('.md') ? text.replaceAll(/^##.*$/gm, '') : text)
    .replaceAll(/\n[ \t]*(?:\/\/|\*(?!\/)|#(?!#))?[ \t]*/g, ' ')
    .replaceAll(ours, (_citation, name: string, cited: string) => {
      for (const place of placesIn(cited)) (citable.get(name)?.has(place) ? places : dead).push(`${name} ${place}`);
      return '¶';
    })
    .replaceAll(standard, '¶')
    .replaceAll(statement, (citation, section: string, number: string) =>
      Number(number) >= 1 && Number(number) <= (mqttStatements[section] ?? 0) ? '' : citation,
    )
    .replaceAll(ownSection, (citation, cited: string) => (placesIn(cited).every((place) => own.has(place)) ? '¶' : citation));
  dead.push(
    ...[...rest.matchAll(unknown)].map(({ 0: citation, index }) =>
      citation.startsWith('¶') ? rest.slice(index - 20, index + 20) : citation,
    ),
  );
  return { places, dead };
}

/** The anchor that a heading has where pages are shown. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(path: string): readonly string[] {
  return proseOf(readFileSync(path, 'utf8'))
    .flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? [])
    .map(anchorOf);
}

describe('what is cited is there', () => {
  test('in code, tests and pages every citation has a known form and leads to a place that exists', () => {
    const found = files.map((file) => ({ path: file.path, ...citationsIn(file) }));
    expect(found.flatMap(({ places }) => places).length).toBeGreaterThan(500);
    expect(found.flatMap(({ path, dead }) => dead.map((citation) => `${path}: ${citation}`))).toEqual([]);
  });

  test('no two decisions have the same number', () => {
    expect(decisions.length).toBeGreaterThan(20);
    expect(decisions.filter((number, at) => decisions.indexOf(number) !== at)).toEqual([]);
  });

  test('every fault of the list is cited by a test', () => {
    const tested = new Set(files.filter(({ path }) => /^test\/.*\.ts$/.test(path)).flatMap((file) => citationsIn(file).places));
    const faults = [...(citable.get('Fault') ?? [])].map((number) => `Fault ${number}`);
    expect(faults.length).toBeGreaterThan(20);
    expect(faults.filter((fault) => !tested.has(fault))).toEqual([]);
  });

  test('every link of a page leads to a file, and to a heading of it', () => {
    const links = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([link, target = '', anchor]) => {
        const file = target === '' ? join(root, path) : join(root, dirname(path), target);
        return { link: `${path}: ${link}`, leads: existsSync(file) && (anchor === undefined || anchorsOf(file).includes(anchor)) };
      }),
    );
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ leads }) => !leads).map(({ link }) => link)).toEqual([]);
  });

  test('every source file that a comment or a page names exists', () => {
    const sources = [...files.map(({ path }) => path), 'test/citations.test.ts', ...readdirSync(root)].map((path) => `/${path}\n`).join('');
    const exists = (name: string) =>
      name.includes('*')
        ? new RegExp(`/${name.replaceAll('.', '\\.').replaceAll('*', '[^/\n]*')}\n`).test(sources)
        : sources.includes(`/${name}\n`);
    const gone = files.flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w/%.-])(?:\.\.?\/)*((?:[\w.*-]+\/)*[\w*][\w.*-]*\.tsx?)\b/g)]
        .filter(([, name = '']) => !exists(name))
        .map(([name]) => `${path}: ${name}`),
    );
    expect(gone).toEqual([]);
  });

  test.each([
    ['API 6', 'HTTP API 99', 'spec 3', 'Specification 2.9', 'Protocol 5.4 rule 99', 'Protocol 5.9', 'Decision 999'],
    ['Fault T10', 'Faults T3 and T99', 'T11', 'Store 99', 'rule 1', 'section 3', 'decision 1', '§ 4'],
    ['RFC 9110 12.5.1', 'MQTT-3.1.2-24', '[MQTT-3.1.2-25]', '[MQTT-9.9.9-1]', 'MQTT 3.1.1, 3.3', '// Protocol\n// 5.9'],
  ])('what leads nowhere, or has another form, is found: %s', (...texts) => {
    for (const text of texts) expect([text, citationsIn({ path: 'a.ts', text }).dead]).toEqual([text, [expect.any(String)]]);
  });

  test.each([
    ['Protocol 2, 3 to 5 and 5.4 rules 1 and 6', ['2', '3', '4', '5', '5.4 rule 1', '5.4 rule 6'].map((place) => `Protocol ${place}`)],
    ['(Faults T6 to T8, Specification 4.2 rule 3)', ['Fault T6', 'Fault T7', 'Fault T8', 'Specification 4.2 rule 3']],
    ['RFC 9110 section 12.5.1, MQTT 3.1.1 sections 3.3 and 3.4, [MQTT-3.1.2-24]', []],
  ])('what is cited is read as it is meant: %s', (text, places) => {
    const found = citationsIn({ path: 'a.ts', text });
    expect({ ...found, places: [...found.places].sort() }).toEqual({ places: [...places].sort(), dead: [] });
  });
});
