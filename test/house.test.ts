// The rules of the house (src/README.md): who may import whom, and that there are no cycles.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = resolve(import.meta.dirname, '..');

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file));
}

/** What a file imports, type imports included: paths from the root for our own files, names for packages. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|import\s*\(?\s*['"]([^'"]+)['"]/g)];
  return specifiers
    .map((match) => match[1] ?? match[2] ?? '')
    .map((specifier) => (specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier));
}

/** The room of a file: `domain`, `broker`, `app/config`, `admin/cli`, `device-sim`, `conformance`, or `npm` for a package or a node: module. */
function roomOf(path: string): string {
  if (/^src\/app\/config(-\w+)?\.ts$/.test(path)) return 'app/config';
  const ours = /^src\/(admin\/\w+|[\w-]+)/.exec(path);
  if (ours) return ours[1] ?? '';
  if (path.startsWith('device-sim/conformance/')) return 'conformance';
  return path.startsWith('device-sim/') ? 'device-sim' : 'npm';
}

const allowed: Readonly<Record<string, readonly string[]>> = {
  main: ['app', 'app/config', 'admin/cli', 'platform', 'npm'],
  app: ['app', 'app/config', 'domain', 'http', 'broker', 'drivers', 'stores', 'integrations', 'platform', 'npm'],
  'app/config': ['app/config', 'platform', 'npm'],
  'admin/cli': ['admin/cli', 'admin/doctor', 'admin/mcp', 'admin/offline', 'app/config', 'conformance', 'platform', 'domain', 'npm'],
  'admin/doctor': ['admin/doctor', 'app/config', 'stores', 'platform', 'domain', 'npm'],
  'admin/mcp': ['admin/mcp', 'npm'],
  'admin/offline': ['admin/offline', 'domain', 'drivers', 'http', 'stores', 'platform', 'npm'],
  domain: ['domain'],
  http: ['http', 'domain', 'npm'],
  broker: ['broker', 'domain', 'npm'],
  drivers: ['drivers', 'broker', 'domain', 'npm'],
  stores: ['stores', 'domain', 'npm'],
  integrations: ['integrations', 'domain', 'npm'],
  platform: ['platform', 'domain', 'npm'],
  console: ['console', 'npm'],
  // It judges by the page of the protocol, and shares no code with the gateway or the simulator.
  conformance: ['conformance', 'npm'],
};
const sharedWithLocks = ['src/drivers/native/topics.ts', 'src/drivers/native/messages.ts', 'src/domain/'];
/** Each dependency is named in one adapter only (in device-sim: in one file). */
const homes: Readonly<Record<string, RegExp>> = {
  aedes: /^src\/broker\/aedes\.ts$/,
  'mqtt-packet': /^src\/broker\/aedes\.ts$/,
  express: /^src\/http\/pipeline\/server\.ts$/,
  lowdb: /^src\/stores\/files\/documents\/durable-file\.ts$/,
  pg: /^src\/stores\/postgres\/connection\.ts$/,
  yaml: /^(src\/app\/config-file|device-sim\/fleet-file)\.ts$/,
  tar: /^src\/stores\/files\/backup\/tar\.ts$/,
  ws: /^src\/http\/pipeline\/web-socket\.ts$/,
  '@peculiar/x509': /^src\/platform\/tls\/x509\.ts$/,
  'prom-client': /^src\/platform\/metrics\.ts$/,
  pino: /^src\/platform\/logger\.ts$/,
  '@homebridge/ciao': /^src\/platform\/mdns\/discovery-thread\.ts$/,
  'node-cron': /^src\/platform\/jobs\.ts$/,
  mqtt: /^(src\/platform\/mqtt-connection|device-sim\/mqtt-line)\.ts$/,
  commander: /^(src\/admin\/cli\/program|device-sim\/main)\.ts$/,
};

/** Words that say nothing to a newcomer, or something else than meant, each with what is said instead. */
const refusedWords = new Map([
  ['kept', 'stored, cached, buffered'],
  ['deed', 'audit action, audit entry'],
  ['supervision', 'alarm detector'],
  ['supervised', 'observed'],
  ['standing', 'active'],
  ['told', 'notified'],
  ['tried', 'delivery log'],
  ['courier', 'delivery worker'],
  ['keeper', 'progress checkpoint'],
  ['lane', 'queue'],
  ['lanes', 'queues'],
  ['pace', 'rate limiter'],
  ['pacing', 'read scheduler'],
  ['paced', 'scheduled'],
  ['sequence', 'mutex'],
  ['standstill', 'stall detector'],
  ['aftermath', 'settled'],
  ['notice', 'domain event'],
  ['notices', 'domain events'],
  ['follower', 'subscriber'],
  ['audience', 'subscribers'],
  ['settlement', 'reconciliation'],
  ['settle', 'reconcile'],
  ['exchange', 'request context'],
  ['crowd', 'connection limit'],
  ['visit', 'connection'],
  ['visits', 'connections'],
  ['visitor', 'connection'],
  ['visitors', 'connection table'],
  ['inside', 'inbound pipeline'],
  ['entered', 'accepted'],
  ['gate', 'packet filter'],
  ['occupant', 'connection'],
  ['intake', 'inbound pipeline'],
  ['speaking', 'client handler'],
  ['newcomer', 'pending device'],
  ['diverted', 'publish fast path'],
  ['taker', 'publish fast path'],
  ['frame', 'packet'],
  ['frames', 'packets'],
  ['outbox', 'write buffer'],
  ['trouble', 'broker stats'],
  ['figures', 'stats'],
  ['containment', 'try and catch'],
  ['stretch', 'range'],
  ['survey', 'inspect'],
  ['remedy', 'repair hint'],
  ['remedies', 'repair hints'],
  ['metering', 'metrics wiring'],
  ['daily', 'schedule'],
  ['administration', 'admin wiring'],
  ['info', 'what it is'],
  ['util', 'what it does'],
  ['utils', 'what it does'],
  ['helper', 'what it does'],
  ['helpers', 'what they do'],
  ['manager', 'what it does'],
  ['common', 'where it belongs'],
  ['misc', 'where it belongs'],
]);

describe('the house', () => {
  const files = [...sourceFiles('src'), ...sourceFiles('device-sim')];
  const graph = new Map(files.map((file) => [file, importsOf(file)]));

  test('every import goes where the map allows it', () => {
    const breaches = [...graph].flatMap(([file, imports]) =>
      imports
        .filter((target) => {
          if (roomOf(file) !== 'device-sim') return !allowed[roomOf(file)]?.includes(roomOf(target));
          return (
            roomOf(target) !== 'device-sim' && roomOf(target) !== 'npm' && !sharedWithLocks.some((shared) => target.startsWith(shared))
          );
        })
        .map((target) => `${file} imports ${target}`),
    );
    expect(graph.size).toBeGreaterThan(20);
    expect(breaches).toEqual([]);
  });

  test('a driver sees of the broker what its clients are, and nothing of another driver', () => {
    const driverOf = (path: string) => /^src\/drivers\/([\w-]+)\//.exec(path)?.[1];
    const breaches = [...graph].flatMap(([file, imports]) =>
      imports
        .filter((target) => {
          if (roomOf(file) !== 'drivers') return false;
          if (roomOf(target) === 'broker') return target !== 'src/broker/client-handlers.ts';
          return driverOf(target) !== undefined && driverOf(target) !== driverOf(file);
        })
        .map((target) => `${file} imports ${target}`),
    );
    expect(breaches).toEqual([]);
  });

  test('a simulated device of another make shares no code with the gateway', () => {
    const devices = [...graph].filter(([file]) => file.startsWith('device-sim/devices/'));
    expect(devices.length).toBeGreaterThan(5);
    expect(
      devices.flatMap(([file, imports]) =>
        imports.filter((target) => target.startsWith('src/')).map((target) => `${file} imports ${target}`),
      ),
    ).toEqual([]);
  });

  test('the domain cites no clause of a protocol: it speaks to locks of any kind', () => {
    const citing = sourceFiles('src/domain').filter((file) => /\bProtocol \d|PROTOCOL\.md/.test(readFileSync(join(root, file), 'utf8')));
    expect(citing).toEqual([]);
  });

  test('what delivers knows no channel: neither webhooks nor messages to people', () => {
    const deliveries = [...graph].filter(([file]) => file.startsWith('src/domain/delivery/'));
    expect(deliveries.length).toBeGreaterThan(2);
    const channels = /^src\/domain\/(webhooks|notifications)\//;
    expect(deliveries.flatMap(([, imports]) => imports.filter((target) => channels.test(target)))).toEqual([]);
  });

  test('each dependency is named in one place', () => {
    const strays = [...graph].flatMap(([file, imports]) =>
      imports.filter((target) => homes[target] && !homes[target].test(file)).map((target) => `${file} imports ${target}`),
    );
    expect(strays).toEqual([]);
  });

  test('there are no cycles, type imports included', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' > '));
      if (path.includes(file) || done.has(file)) return;
      for (const target of graph.get(file) ?? []) walk(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) walk(file, []);
    expect(cycles).toEqual([]);
  });

  /** What each file of the gateway exports, by name. */
  const exported = files
    .filter((file) => file.startsWith('src/') && !file.startsWith('src/console/'))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const names = text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm);
      return [...names].map(([, name = '']) => ({ file, name }));
    });

  test('no exported name exists twice', () => {
    const homesOf = new Map<string, string[]>();
    for (const { file, name } of exported) homesOf.set(name, [...(homesOf.get(name) ?? []), file]);
    expect(homesOf.size).toBeGreaterThan(500);
    expect([...homesOf].filter(([, homes]) => homes.length > 1)).toEqual([]);
  });

  const words = (name: string) => name.split(/[-./_]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());

  test("names are the field's own words, in files and exports", () => {
    const named = [...exported, ...files.map((file) => ({ file, name: file.replace(/\.tsx?$/, '') }))];
    const strange = named.flatMap(({ file, name }) =>
      words(name)
        .filter((word) => refusedWords.has(word))
        .map((word) => `${word} in ${name} (${file})`),
    );
    expect(strange).toEqual([]);
  });

  /** Names that others gave, and publish: OpenAPI, loggers, RFC 6455, MQTT, fields and roles of the API; and what says exactly what is meant. */
  const given = new Set([
    ...['info', 'idleFrames', 'refusedFrames', 'sequenceEnd', 'remedy', 'privilegedRemedy'],
    ...['createContainment', 'noticeTurn', 'triedAt', 'administration'],
    ...['manager', 'common', 'accessManager', 'accessManagerHint'],
  ]);

  test('names inside a file are no such words either', () => {
    const strange = files
      .filter((file) => file.startsWith('src/'))
      .flatMap((file) => {
        const declared = readFileSync(join(root, file), 'utf8').matchAll(
          /(?:\b(?:const|let|function\*?|readonly) |#|^ {2,4}(?:async )?)(\w+)(?=[(:=?]| =)/gm,
        );
        return [...new Set([...declared].map(([, name = '']) => name))]
          .filter((name) => !given.has(name) && words(name).some((word) => refusedWords.has(word)))
          .map((name) => `${name} (${file})`);
      });
    expect(strange).toEqual([]);
  });

  test('the map names every room, and nothing that is not there', () => {
    const map = readFileSync(join(root, 'src/README.md'), 'utf8');
    const named = [...map.matchAll(/^\| `([\w.-]+?)\/?` \|/gm)].map(([, room = '']) => room);
    const rooms = readdirSync(join(root, 'src')).filter((name) => !/\.(md|svg)$/.test(name));
    expect(named.sort()).toEqual(rooms.sort());
  });

  test('the map says on which page each decision is', () => {
    const textOf = (page: string) => readFileSync(join(root, 'src', page), 'utf8');
    const listed = [...textOf('README.md').matchAll(/^\| \[.*?\]\(([\w/-]+README\.md)\) \| \[([\d, ]+)\]/gm)];
    const pages = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('/README.md'));
    const there = pages.map((page) => [page, [...textOf(page).matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => number).join(', ')]);
    expect(listed.map(([, page, numbers]) => [page, numbers]).sort()).toEqual(there.filter(([, numbers]) => numbers !== '').sort());
  });

  test('the first page has at most 150 lines, and the map fewer than 200', () => {
    const linesOf = (page: string) => readFileSync(join(root, page), 'utf8').split('\n').length - 1;
    expect(linesOf('README.md')).toBeLessThanOrEqual(150);
    expect(linesOf('src/README.md')).toBeLessThan(200);
  });

  test('the map and the pages of the rooms name no file that is not there', () => {
    const pages = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('README.md'));
    expect(pages.length).toBeGreaterThan(10);
    const paths = pages.flatMap((page) => {
      const text = readFileSync(join(root, 'src', page), 'utf8').replaceAll(/\]\([^)]*\)/g, '');
      return text.match(/(?<![\w/])(admin|app|broker|console|domain|drivers|http|integrations|platform|stores)(\/[\w-]+)+(\.\w+)?/g) ?? [];
    });
    expect(paths.length).toBeGreaterThan(100);
    const isThere = (path: string) => ['', '.ts'].some((ending) => existsSync(join(root, 'src', path + ending)));
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });
});
