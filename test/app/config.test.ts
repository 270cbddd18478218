// The configuration promises: file, then environment, then flags; every problem at once, with its place.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '../../src/app/config.ts';
import { enabledHome, homeWarnings } from '../../src/app/config-home.ts';

const defaults = {
  dataDir: './data',
  store: 'files',
  cluster: { leaseSeconds: 30 },
  http: { enabled: true, host: '127.0.0.1', port: 8080, hosts: [], trustedProxies: [] },
  https: { enabled: false, host: '0.0.0.0', port: 8443 },
  mqtt: { enabled: true, host: '127.0.0.1', port: 1883, topicRoot: 'latchd/v1', connections: 12_000, connectionsPerAddress: 1_200 },
  mqtts: { enabled: false, host: '0.0.0.0', port: 8883 },
  devices: { enabled: false, host: '127.0.0.1', port: 1883, networks: [] },
  bridges: [],
  homeAssistant: { enabled: false, commands: false, prefix: 'latchd', discoveryPrefix: 'homeassistant', maxAgeMs: 5_000 },
  webSocket: { plain: false },
  tls: 'auto',
  tlsNames: [],
  timeZone: 'auto',
  commandTimeoutMs: 10_000,
  retention: { at: '03:30', records: 184 },
  metrics: { enabled: false },
  discovery: { enabled: true },
  updates: { check: true },
  backup: { at: '02:30', folder: 'backups', keep: 7 },
  alarms: { offlineAfterSeconds: 60, endAfterSeconds: 60, silentAfterHours: 26, lowBatteryPercent: 20, openAfterMinutes: 60 },
  webhooks: { networks: [], timeoutMs: 10_000 },
  notifications: { networks: [] },
  ttlock: { enabled: false },
  signIn: { administratorsNeedPasskey: false },
  logLevel: 'info',
};

const folder = mkdtempSync(join(tmpdir(), 'latchd-config-'));
let files = 0;

afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const file = join(folder, `latchd-${++files}.yaml`);
  writeFileSync(file, text);
  return file;
}

function problemsOf(text: string, environment: Record<string, string> = {}, flags: Record<string, string> = {}) {
  const file = fileWith(text);
  try {
    loadConfig({ file, environment, flags });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => problem.replace(file, 'FILE'));
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  test('the commented file that comes with latchd says exactly the built-in defaults', () => {
    const file = resolve(import.meta.dirname, '../../config/latchd.yaml');
    expect(loadConfig({ file, environment: {}, flags: {} }).config).toEqual(defaults);
    expect(loadConfig({ file: fileWith(''), environment: {}, flags: {} }).config).toEqual(defaults);
  });

  test('the page of the settings has all of them, and nothing else', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../config/README.md'), 'utf8');
    const named = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => {
      const names = [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
      const group = names[0]?.split('.')[0] ?? '';
      return names.map((name) => (name.startsWith('.') ? group + name : name));
    });
    const settings = Object.entries(defaults).flatMap(([name, value]) =>
      typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : name,
    );
    // It has no default.
    expect(named.sort()).toEqual([...settings, 'storePasswordFile'].sort());
  });

  test('a flag wins over the environment, which wins over the file', () => {
    const file = fileWith('http:\n  port: 1001\n  host: 127.0.0.2\nmqtt:\n  port: 1002\n');
    const { config, originOf } = loadConfig({
      file,
      environment: { LATCHD_HTTP_PORT: '2001', LATCHD_MQTT_PORT: '2002' },
      flags: { '--http-port': '3001' },
    });
    expect(config).toMatchObject({ http: { port: 3001, host: '127.0.0.2' }, mqtt: { port: 2002 } });
    const origins = ['http.port', 'http.host', 'mqtt.port', 'mqtt.host', 'tls'].map((name) => originOf(name.split('.')));
    expect(origins).toEqual(['--http-port', `${file}:3`, 'LATCHD_MQTT_PORT', 'default', 'default']);
  });

  test.each([
    ['LATCHD_DATA_DIR', '/srv/doors', { dataDir: '/srv/doors' }],
    ['LATCHD_HTTP_HOST', '0.0.0.0', { http: { host: '0.0.0.0' } }],
    ['LATCHD_HTTP_PORT', '0', { http: { port: 0 } }],
    ['LATCHD_MQTT_HOST', '::1', { mqtt: { host: '::1' } }],
    ['LATCHD_MQTT_PORT', '65535', { mqtt: { port: 65_535 } }],
    ['LATCHD_TTLOCK_ENABLED', 'true', { ttlock: { enabled: true } }],
    ['LATCHD_HTTPS_ENABLED', 'true', { https: { enabled: true } }],
    ['LATCHD_HTTPS_HOST', '127.0.0.3', { https: { host: '127.0.0.3' } }],
    ['LATCHD_HTTPS_PORT', '443', { https: { port: 443 } }],
    ['LATCHD_MQTTS_ENABLED', 'true', { mqtts: { enabled: true } }],
    ['LATCHD_MQTTS_HOST', '::', { mqtts: { host: '::' } }],
    ['LATCHD_MQTTS_PORT', '0', { mqtts: { port: 0 } }],
    ['LATCHD_DEVICES_HOST', '192.168.20.1', { devices: { host: '192.168.20.1' } }],
    ['LATCHD_DEVICES_PORT', '1884', { devices: { port: 1884 } }],
    ['LATCHD_DEVICES_NETWORKS', '192.168.20.0/24, fd00::7', { devices: { networks: ['192.168.20.0/24', 'fd00::7'] } }],
    ['LATCHD_WEB_SOCKET_PLAIN', 'true', { webSocket: { plain: true } }],
    ['LATCHD_TIME_ZONE', 'Europe/Berlin', { timeZone: 'Europe/Berlin' }],
    ['LATCHD_COMMAND_TIMEOUT_MS', '2500', { commandTimeoutMs: 2500 }],
    ['LATCHD_METRICS_ENABLED', 'true', { metrics: { enabled: true } }],
    ['LATCHD_DISCOVERY_ENABLED', 'false', { discovery: { enabled: false } }],
    ['LATCHD_HTTP_TRUSTED_PROXIES', '127.0.0.1, fd00::/8', { http: { trustedProxies: ['127.0.0.1', 'fd00::/8'] } }],
    ['LATCHD_UPDATES_CHECK', 'false', { updates: { check: false } }],
    ['LATCHD_LOG_LEVEL', 'debug', { logLevel: 'debug' }],
  ])('%s sets what it names', (variable, text, expected) => {
    expect(loadConfig({ file: fileWith(''), environment: { [variable]: text }, flags: {} }).config).toMatchObject(expected);
  });

  test('an empty variable counts as not given', () => {
    expect(loadConfig({ file: fileWith(''), environment: { LATCHD_HTTP_PORT: '' }, flags: {} }).config).toEqual(defaults);
  });

  test.each([
    [29, '30 to 184'],
    [185, '30 to 184'],
    [90.5, 'a whole number'],
  ])('records are not kept for %s days, which is said with its line', (days, sentence) => {
    const file = fileWith(`retention:\n  records: ${days}\n`);
    expect(() => loadConfig({ file, environment: {}, flags: {} })).toThrow(
      `${file}:2: retention.records: must be ${sentence}, not ${days}`,
    );
  });

  test('every problem of every source is listed, with its line, its path and what it must be', () => {
    const problems = problemsOf(
      'http:\n  prot: 80\n  port: 99999\nlogLevel: loud\nextra: 1\nhomeAssistant:\n  passwordfile: secret\n',
      { LATCHD_MQTT_PORT: '0x10', LATCHD_COMMAND_TIMEOUT_MS: '5', LATCHD_TIME_ZONE: 'Middle/Earth' },
      { '--http-port': ' 1' },
    );
    expect(problems).toEqual(
      expect.arrayContaining([
        'FILE:2: http.prot: there is no such setting; there are enabled, host, port, hosts, trustedProxies',
        'FILE:3: http.port: must be 0 to 65535, not 99999',
        expect.stringMatching(/^FILE:4: logLevel: must be one of fatal, /),
        expect.stringMatching(/^FILE:5: extra: there is no such setting; there are dataDir, store, storePasswordFile, cluster, http, /),
        // Those without a default, too.
        expect.stringMatching(
          /^FILE:7: homeAssistant.passwordfile: there is no such setting; there are enabled, url, .*passwordFile, .*account, /,
        ),
        'LATCHD_MQTT_PORT: must be a whole number, not "0x10"',
        'LATCHD_COMMAND_TIMEOUT_MS: must be 100 to 120000, not "5"',
        'LATCHD_TIME_ZONE: must be auto, or a time zone such as Europe/Berlin, not "Middle/Earth"',
        '--http-port: must be a whole number, not " 1"',
      ]),
    );
    expect(problems).toHaveLength(9);
  });

  test('each listener is switched on and off on its own, as long as people and locks keep one each', () => {
    const both = { LATCHD_HTTP_ENABLED: 'false', LATCHD_HTTPS_ENABLED: 'true', LATCHD_MQTT_ENABLED: 'false', LATCHD_MQTTS_ENABLED: 'true' };
    expect(loadConfig({ file: fileWith(''), environment: both, flags: {} }).config).toMatchObject({
      ...{ http: { enabled: false }, https: { enabled: true }, mqtt: { enabled: false }, mqtts: { enabled: true } },
    });
    expect(problemsOf('http: { enabled: false }\nmqtt: { enabled: false }\n')).toEqual([
      'http.enabled, https.enabled: one of them must be true, or nobody could ask for anything',
      'mqtt.enabled, mqtts.enabled: one of them must be true, or no lock could connect',
    ]);
    expect(problemsOf('http: { enabled: yes }\n', { LATCHD_MQTT_ENABLED: '1' })).toEqual([
      'FILE:1: http.enabled: must be true or false, not "yes"',
      'LATCHD_MQTT_ENABLED: must be true or false, not "1"',
    ]);
  });

  test('two listeners do not share a port of one address', () => {
    const text = 'http: { port: 1000 }\nmqtt: { port: 1000 }\nmqtts: { enabled: true, port: 1000 }\n';
    const pairs = ['http.port, mqtt.port', 'http.port, mqtts.port', 'mqtt.port, mqtts.port'];
    expect(problemsOf(text)).toEqual(pairs.map((pair) => `${pair}: they must not both be 1000`));
    for (const apart of ['http: { port: 1000 }\nmqtt: { port: 1000, host: 127.0.0.2 }', 'http: { port: 0 }\nmqtt: { port: 0 }'])
      expect(problemsOf(apart)).toEqual([]);
  });

  test('other nodes have a port of their own, which both settings that share it are named for, with the place', () => {
    const store = 'store: postgres://latchd@127.0.0.1/doors\n';
    const shared = (setting: string) => `FILE:2: ${setting}, cluster.url: they must not both have the port 1000`;
    for (const [url, problems] of [
      ['https://box-1.lan:1000', [shared('http.port'), shared('mqtt.port')]],
      ['https://127.0.0.2:1000', [shared('mqtt.port')]],
      ['https://127.0.0.3:1000', []],
      ['https://box-1.lan:1001', []],
    ] as const) {
      const listeners = 'http: { port: 1000 }\nmqtt: { port: 1000, host: 127.0.0.2 }\n';
      expect([url, problemsOf(`${store}cluster: { url: '${url}' }\n${listeners}`)]).toEqual([url, problems]);
    }
    expect(problemsOf(store, {}, { '--cluster-url': 'https://box-1.lan:8080' })).toEqual([
      '--cluster-url: http.port, cluster.url: they must not both have the port 8080',
    ]);
    expect(problemsOf(store, {}, { '--cluster-url': 'https://box-1.lan:0' })[0]).toContain('must be https:// with a host and a port');
  });

  test('devices must have networks, and a port of their own where mqtt listens, too; both are said with their place', () => {
    const missing = 'devices.networks: must name the networks of the devices, because devices.enabled is true';
    const shared = 'mqtt.port, devices.port: they must not both be 1883';
    expect(problemsOf('devices:\n  enabled: true\n  port: 0\n')).toEqual([`FILE:2: ${missing}`]);
    expect(problemsOf('devices:\n  enabled: true\n  port: 0\n  networks: []\n')).toEqual([`FILE:4: ${missing}`]);
    const flags = { '--devices-enabled': 'true', '--devices-port': '0' };
    expect(problemsOf('', {}, flags)).toEqual([`--devices-enabled: ${missing}`]);
    const networks = 'networks: [192.168.20.0/24]';
    expect(problemsOf(`devices:\n  enabled: true\n  ${networks}\n`)).toEqual([`FILE:2: ${shared}`]);
    expect(problemsOf(`devices:\n  enabled: true\n  port: 1883\n  host: 0.0.0.0\n  ${networks}\n`)).toEqual([`FILE:3: ${shared}`]);
    expect(problemsOf(`devices: { enabled: true, host: 192.168.20.1, ${networks} }\n`)).toEqual([]);
    expect(problemsOf('devices: { networks: [192.168.20.0/33, home] }\n')).toEqual(
      ['192.168.20.0/33', 'home'].map(
        (text, at) => `FILE:1: devices.networks.${at}: must be a network such as 192.168.0.0/16 or fd00::/8, or an address, not "${text}"`,
      ),
    );
  });

  test('not every address is a trusted proxy', () => {
    const all = 'must not be every address: anybody could then pass for somebody else';
    expect(problemsOf('http: { trustedProxies: [127.0.0.1, 0.0.0.0/0, "::/0", fd00::/8] }\n')).toEqual([
      `FILE:1: http.trustedProxies.1: ${all}, not "0.0.0.0/0"`,
      `FILE:1: http.trustedProxies.2: ${all}, not "::/0"`,
    ]);
  });

  test('what is no text where one must be says what it must be', () => {
    expect(problemsOf('dataDir: ~\nbackup: { at: 230, folder: 7 }\nmqtt: { topicRoot: [a] }\ntlsNames: [7]\n')).toEqual(
      expect.arrayContaining([
        'FILE:1: dataDir: must name a folder',
        'FILE:2: backup.at: must be a time of day in UTC such as "02:30", or off, not 230',
        'FILE:2: backup.folder: must name a folder, not 7',
        'FILE:3: mqtt.topicRoot: must be topic levels of letters, digits, _ and -, separated by /',
        'FILE:4: tlsNames.0: must be a name, not 7',
      ]),
    );
  });

  test('tls is auto, or a certificate with its key; further names are host names or addresses', () => {
    const files = { certificate: '/etc/tls.crt', key: '/etc/tls.key' };
    const names = ['doors.example.org', '192.0.2.7', '2001:db8::7'];
    const text = JSON.stringify({ tls: files, tlsNames: names });
    expect(loadConfig({ file: fileWith(text), environment: {}, flags: {} }).config).toMatchObject({ tls: files, tlsNames: names });
    for (const [wrong, shown] of [
      ['tls: off', ', not "off"'],
      ['tls: { certificate: /etc/tls.crt }', ''],
    ])
      expect(problemsOf(String(wrong))).toEqual([`FILE:1: tls: must be auto, or the files certificate and key${shown}`]);
    expect(problemsOf('tls: { certificate: /a, key: /b, ca: /c }')).toEqual(['FILE:1: tls.ca: there is no such setting']);
    const problem = 'must be a host name or an IP address, without port or wildcard';
    expect(problemsOf('tlsNames: ["*.example.org", "a:8443", ""]')).toEqual(
      ['*.example.org', 'a:8443', ''].map((name, at) => `FILE:1: tlsNames.${at}: ${problem}, not "${name}"`),
    );
  });

  test('files for TLS that systemd hands over are where it says; where it says nothing, they keep their names', () => {
    const text = JSON.stringify({ tls: { certificate: '/etc/tls.crt', key: '$CREDENTIALS_DIRECTORY/latchd.tls.key' } });
    const keyFor = (environment: Record<string, string>) => loadConfig({ file: fileWith(text), environment, flags: {} }).config.tls;
    expect(keyFor({ CREDENTIALS_DIRECTORY: '/run/credentials/latchd.service' })).toEqual({
      certificate: '/etc/tls.crt',
      key: '/run/credentials/latchd.service/latchd.tls.key',
    });
    expect(keyFor({})).toMatchObject({ key: '$CREDENTIALS_DIRECTORY/latchd.tls.key' });
  });

  test('a file that is not there, is not YAML, or is no mapping is one clear problem', () => {
    expect(() => loadConfig({ file: '/nowhere/latchd.yaml', environment: {}, flags: {} })).toThrow(
      '/nowhere/latchd.yaml: there is no such file (ENOENT)',
    );
    expect(() => loadConfig({ file: folder, environment: {}, flags: {} })).toThrow(`${folder}: it is a folder (EISDIR)`);
    expect(problemsOf('http: [\n')).toEqual([expect.stringMatching(/^FILE:\d: /)]);
    expect(problemsOf('logLevel: info\nlogLevel: warn\n')).toEqual(['FILE:2: Map keys must be unique']);
    expect(problemsOf('logLevel: info\n---\nlogLevel: warn\n')).toEqual(['FILE:2: a second document begins here: the settings are one']);
    expect(problemsOf('logLevel: *loud\n')).toEqual([expect.stringMatching(/^FILE: Unresolved alias /)]);
    expect(problemsOf('- 1\n')).toEqual([expect.stringMatching(/^FILE: the file: must have settings below it/)]);
    expect(problemsOf('http:\nlogLevel: info\n')).toEqual([
      expect.stringMatching(/^FILE:1: http: must have settings below it, or be left out$/),
    ]);
  });

  const bridge = 'name: house, url: "mqtts://broker.example.org:8883"';
  const drivers = 'drivers: [{ kind: zigbee2mqtt }, { kind: discovery, prefix: ha/lock }]';

  test('a bridge has defaults for its topics, and its files may be credentials of systemd', () => {
    const text = `bridges:\n  - { ${bridge}, username: latchd, passwordFile: $CREDENTIALS_DIRECTORY/house, ca: /etc/ca.crt, ${drivers} }\n`;
    const { config } = loadConfig({ file: fileWith(text), environment: { CREDENTIALS_DIRECTORY: '/run/c' }, flags: {} });
    expect(config.bridges).toEqual([
      {
        ...{ name: 'house', url: 'mqtts://broker.example.org:8883', username: 'latchd', passwordFile: '/run/c/house', ca: '/etc/ca.crt' },
        drivers: [
          { kind: 'zigbee2mqtt', base: 'zigbee2mqtt' },
          { kind: 'discovery', prefix: 'ha/lock' },
        ],
      },
    ]);
  });

  test.each([
    [`{ ${bridge}, ${drivers}, colour: 1 }`, 'bridges.0.colour: there is no such setting'],
    [`{ name: House, url: "mqtt://a", ${drivers} }`, 'bridges.0.name: must be 1 to 32 of a-z, 0-9 and -, not "House"'],
    [`{ name: a, url: "http://a", ${drivers} }`, 'bridges.0.url: must be mqtt:// or mqtts:// with a host'],
    [`{ name: a, url: "mqtt://u:p@a", ${drivers} }`, 'bridges.0.url: must be mqtt:// or mqtts:// with a host'],
    [`{ name: a, url: "mqtt://a/x", ${drivers} }`, 'bridges.0.url: must be mqtt:// or mqtts:// with a host'],
    [`{ name: a, url: "mqtt://a:70000", ${drivers} }`, 'bridges.0.url: must be mqtt:// or mqtts:// with a host'],
    [`{ ${bridge}, username: u, ${drivers} }`, 'bridges.0.username: must come with passwordFile, not "u"'],
    [`{ ${bridge}, passwordFile: p, ${drivers} }`, 'bridges.0.passwordFile: must come with username, not "p"'],
    [`{ name: a, url: "mqtt://a", ca: c, ${drivers} }`, 'bridges.0.ca: must come with an mqtts url, not "c"'],
    [`{ ${bridge}, drivers: [] }`, 'bridges.0.drivers: must be 1 to 8 programs'],
    [`{ ${bridge}, drivers: [{ kind: zwave }] }`, 'bridges.0.drivers.0.kind: must be zigbee2mqtt or discovery, not "zwave"'],
    [`{ ${bridge}, drivers: [{ kind: discovery }, { kind: discovery }] }`, 'bridges.0.drivers: must have each program once'],
    [`{ ${bridge}, drivers: [{ kind: zigbee2mqtt, base: "a/#" }] }`, 'bridges.0.drivers.0.base: must be 1 to 64 letters'],
    [`{ ${bridge}, drivers: [{ kind: zigbee2mqtt, prefix: a }] }`, 'bridges.0.drivers.0.prefix: there is no such setting'],
    ['house', 'bridges.0: must have name, url and drivers'],
  ])('the bridge %s is refused with its line: %s', (given, sentence) => {
    expect(problemsOf(`bridges:\n  - ${given}\n`)).toEqual([expect.stringContaining(`FILE:2: ${sentence}`)]);
  });

  test('Home Assistant takes its broker, a login and an account; a file of systemd is where systemd has put it', () => {
    const given = 'enabled: true, url: "mqtts://core-mosquitto:8883", username: latchd, account: home-assistant, ca: /etc/ca.crt';
    const text = `homeAssistant: { ${given}, passwordFile: $CREDENTIALS_DIRECTORY/latchd.mqtt, maxAgeMs: 1000 }\n`;
    const { config } = loadConfig({ file: fileWith(text), environment: { CREDENTIALS_DIRECTORY: '/run/credentials' }, flags: {} });
    expect(enabledHome(config)).toEqual({
      ...{ enabled: true, url: 'mqtts://core-mosquitto:8883', username: 'latchd', passwordFile: '/run/credentials/latchd.mqtt' },
      ...{
        ca: '/etc/ca.crt',
        account: 'home-assistant',
        commands: false,
        prefix: 'latchd',
        discoveryPrefix: 'homeassistant',
        maxAgeMs: 1_000,
      },
    });
  });

  test.each([
    ['enabled: true', 'FILE:1: homeAssistant.url: must be given, because homeAssistant.enabled is true'],
    ['enabled: true, url: "mqtt://a"', 'FILE:1: homeAssistant.account: must be given, because homeAssistant.enabled is true'],
    ['url: "http://a"', 'FILE:1: homeAssistant.url: must be mqtt:// or mqtts:// with a host'],
    ['username: u', 'FILE:1: homeAssistant.username: must come with passwordFile'],
    ['passwordFile: p', 'FILE:1: homeAssistant.passwordFile: must come with username'],
    ['url: "mqtt://a", ca: c', 'FILE:1: homeAssistant.ca: must come with an mqtts url'],
    ['account: ""', 'FILE:1: homeAssistant.account: must be the name of an account'],
    ['commands: 1', 'FILE:1: homeAssistant.commands: must be true or false'],
    ['prefix: "a/#"', 'FILE:1: homeAssistant.prefix: must be 1 to 64 letters'],
    ['maxAgeMs: 999', 'FILE:1: homeAssistant.maxAgeMs: must be 1000 to 30000'],
    ['password: secret', 'FILE:1: homeAssistant.password: there is no such setting'],
  ])('homeAssistant with %s is refused with its place', (given, sentence) => {
    expect(problemsOf(`homeAssistant: { ${given} }\n`)[0]).toContain(sentence);
  });

  test.each([
    ['mqtt://192.168.1.20', ['192.168.1.20']],
    ['mqtt://core-mosquitto', ['core-mosquitto']],
    ['mqtt://127.example.org', ['127.example.org']],
    ['mqtt://127.0.0.1:1884', []],
    ['mqtt://localhost', []],
    ['mqtt://[::1]', []],
    ['mqtts://192.168.1.20', []],
  ])('a broker of Home Assistant at %s is warned of when others can read what is said to it', (url, hosts) => {
    const text = `homeAssistant: { enabled: true, account: a, url: "${url}" }\n`;
    const { config } = loadConfig({ file: fileWith(text), environment: {}, flags: {} });
    expect(homeWarnings(config)).toEqual(hosts.map((host) => expect.stringContaining(`what is said to ${host} is in clear`)));
    expect(homeWarnings({ homeAssistant: { ...config.homeAssistant, enabled: false } })).toEqual([]);
  });

  test('two bridges of one name, and more than 8, are refused', () => {
    const one = `  - { ${bridge}, ${drivers} }\n`;
    expect(problemsOf(`bridges:\n${one}${one}`)[0]).toContain('bridges.1.name: must be another name');
    const nine = Array.from({ length: 9 }, (_, n) => one.replace('house', `house-${n}`)).join('');
    expect(problemsOf(`bridges:\n${nine}`)[0]).toContain('bridges: must be at most 8 bridges');
  });
});
