// The page Install: one screen, its ports, and what it puts into the firewall and into apt. The packages themselves are installed by .ci/package.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/app/config.ts';
import { blocksOf, blockWith } from '../support/page-blocks.ts';
import { ownMounts } from '../support/private-box.ts';
import { programNamed } from '../support/reverse-proxy.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'systemd/install/README.md'), 'utf8');
const firewall = '## Ports for the firewall';
const folder = mkdtempSync(join(tmpdir(), 'latchd-install-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('it is one screen', () => {
  expect(page.split('\n').length).toBeLessThanOrEqual(60);
});

test('its ports are those of the configuration that comes with latchd, each with its setting, on and off as there', () => {
  const { config } = loadConfig({ file: join(root, 'config/latchd.yaml'), environment: {}, flags: {} });
  const row = (setting: string) => page.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${setting}\``)) ?? '';
  for (const setting of ['http', 'https', 'mqtt', 'mqtts', 'devices'] as const) {
    expect(row(setting)).toContain(`${config[setting].port}/tcp`);
    expect(row(setting)).toMatch(config[setting].enabled ? / on \|$/ : / off \|$/);
  }
  for (const setting of ['http', 'mqtt'] as const) expect(config[setting].host).toBe('127.0.0.1');
});

const inOwnNetwork = ownMounts ? test : test.skip;
const ports = [8443, 8883, 8080, 1883];

inOwnNetwork('behind its lines for nftables, programs and locks reach the box, and nobody reaches what is in clear', () => {
  const nft = programNamed('nft');
  const rules = blockWith(page, firewall, 'tcp dport {');
  writeFileSync(
    join(folder, 'rules.nft'),
    `table inet filter {\n chain input {\n type filter hook input priority 0; policy drop;\n ${rules}\n tcp dport 1024-65535 reject with tcp reset\n }\n}\n`,
  );
  expect(reachable(`${nft} -f "$0/rules.nft"`)).toEqual({ ...allOpen, 8080: false, 1883: false });
});

inOwnNetwork('behind its line for ufw as well, and who looks for the box by mDNS finds it', () => {
  programNamed('ufw');
  // Of /etc it changes a copy. What it does not let through, it refuses here, for nobody to wait for it.
  const commands = `
    cp -a /etc "$0/etc"; mount --bind "$0/etc" /etc
    sudo() { "$@" >>"$0/ufw.log"; }
    sudo ufw default reject incoming; sudo ufw --force enable
    ${blockWith(page, firewall, 'ufw allow')}`;
  expect(reachable(commands)).toEqual({ ...allOpen, 8080: false, 1883: false });
});

inOwnNetwork('without them everything is reached, which shows that the test would see it', () => {
  expect(reachable('true')).toEqual(allOpen);
});

test('apt adds its line to the origins of unattended upgrades', () => {
  const [, command = ''] = blocksOf(page, '## New versions by themselves')[0]?.split('\n') ?? [];
  const [, line = '', target = ''] = /^echo '(.+)' \| sudo tee (\S+)$/.exec(command) ?? [];
  expect(target).toBe('/etc/apt/apt.conf.d/52latchd');
  writeFileSync(join(folder, '52latchd'), `Unattended-Upgrade::Origins-Pattern { "origin=Debian"; };\n${line}\n`);
  const { stdout } = spawnSync('apt-config', ['dump', '--format', '%v%n', 'Unattended-Upgrade::Origins-Pattern'], {
    ...{ encoding: 'utf8', env: { PATH: process.env['PATH'], APT_CONFIG: join(folder, '52latchd') } },
  });
  expect(stdout.trim().split('\n').slice(-2)).toEqual(['origin=Debian', 'origin=latchd']);
});

const allOpen = { ...Object.fromEntries(ports.map((port) => [port, true])), mDNS: true };

/**
 * Which ports of a box, with a server on each, another machine reaches after these commands on the box, and whether it hears multicast; both
 * have a network of their own.
 */
function reachable(commands: string): object {
  const serve = `for (const port of ${JSON.stringify(ports)}) require('node:net').createServer().listen(port, '192.0.2.1');
    const mdns = require('node:dgram').createSocket('udp4');
    mdns.on('message', (_, { port, address }) => mdns.send('found', port, address));
    mdns.bind(5353, () => mdns.addMembership('224.0.0.251', '192.0.2.1'));`;
  const visit = `const open = {}; let left = ${ports.length + 1};
    const end = (name, is) => { open[name] = is; if (--left === 0) { console.log(JSON.stringify(open)); process.exit() } };
    for (const port of ${JSON.stringify(ports)}) {
      const socket = require('node:net').connect(port, '192.0.2.1', () => end(port, true)); socket.on('error', () => end(port, false));
    }
    const mdns = require('node:dgram').createSocket('udp4');
    const asking = setInterval(() => mdns.send('', 5353, '224.0.0.251'), 50);
    const heard = (is) => { clearInterval(asking); mdns.removeAllListeners('message'); end('mDNS', is) };
    mdns.once('message', () => heard(true)).bind(() => mdns.setMulticastInterface('192.0.2.2'));
    setTimeout(heard, 10_000, false);`;
  const script = `
    unshare --net sleep infinity & other=$!
    until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do :; done
    ip link add box type veth peer name visitor netns $other
    ip addr add 192.0.2.1/24 dev box; ip link set box up
    nsenter --target $other --net sh -c 'ip addr add 192.0.2.2/24 dev visitor; ip link set visitor up'
    ${commands}
    ${process.execPath} -e "$1" & server=$!
    until [ "$(ss -Hltn | wc -l)" = ${ports.length} ]; do :; done
    nsenter --target $other --net ${process.execPath} -e "$2"
    kill $server $other`;
  const flags = [...(ownMounts ?? []), '--net', 'bash', '-eu', '-c', script, folder, serve, visit];
  const { status, stdout, stderr } = spawnSync('unshare', flags, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as object;
}
