// Where webhooks may be sent: a table of addresses, each with what may and may not be.
import { describe, expect, test } from '@jest/globals';
import { createNetworks } from '../../src/integrations/networks.ts';

const own = ['127.0.0.1', '::1', '192.168.1.10', 'fe80::1', 'fd12::10'];
const networksOf = (...networks: string[]) =>
  createNetworks({ networks, setting: 'webhooks.networks', ownPorts: () => [8080, 1883], ownAddresses: () => own });
const lan = networksOf('192.168.0.0/16', 'fd00::/8');
const everywhere = networksOf('0.0.0.0/0', '::/0');
const withThisMachine = networksOf('192.168.0.0/16', '127.0.0.1');

describe('an address', () => {
  test.each([
    ['one of a network that is named', lan, '192.168.1.20', undefined],
    ['the same, written as IPv6', lan, '::ffff:192.168.1.20', undefined],
    ['one of an IPv6 network', lan, 'fd12::20', undefined],
    ['one of another network', lan, '10.0.0.1', 'is in none of the networks'],
    ['one of the internet', lan, '93.184.216.34', 'is in none of the networks'],
    ['one of the internet, where everything is named', everywhere, '93.184.216.34', undefined],
    ['loopback', lan, '127.0.0.1', 'is this machine itself'],
    ['another loopback, where everything is named', everywhere, '127.9.9.9', 'is this machine itself'],
    ['loopback of IPv6', everywhere, '::1', 'is this machine itself'],
    ['loopback, as IPv6', everywhere, '::ffff:127.0.0.1', 'is this machine itself'],
    ['loopback, as IPv6 in hex', everywhere, '::ffff:7f00:1', 'is this machine itself'],
    ["this machine's own address in the network", lan, '192.168.1.10', 'is this machine itself'],
    ['the same in IPv6, otherwise written', lan, 'fd12:0:0:0:0:0:0:10', 'is this machine itself'],
    ['this machine, where loopback is named', withThisMachine, '127.0.0.1', undefined],
    ['this machine by its address, where loopback is named', withThisMachine, '192.168.1.10', undefined],
    ['nobody', everywhere, '0.0.0.0', 'nothing is ever sent'],
    ['nobody in IPv6', everywhere, '::', 'nothing is ever sent'],
    ['link-local, and the metadata service of clouds', everywhere, '169.254.169.254', 'nothing is ever sent'],
    ['the same, where it is named', networksOf('169.254.0.0/16'), '169.254.169.254', 'nothing is ever sent'],
    ['the same, as IPv6', everywhere, '::ffff:169.254.169.254', 'nothing is ever sent'],
    ['the same, in the way of NAT64', everywhere, '64:ff9b::a9fe:a9fe', 'nothing is ever sent'],
    ['the same, in the way of 6to4', everywhere, '2002:a9fe:a9fe::1', 'nothing is ever sent'],
    ['the same, in an old way', everywhere, '::a9fe:a9fe', 'nothing is ever sent'],
    ['a metadata service in IPv6', lan, 'fd00:ec2::254', 'nothing is ever sent'],
    ['link-local of IPv6', everywhere, 'fe80::1', 'nothing is ever sent'],
    ['link-local of IPv6 with a zone', everywhere, 'fe80::1%eth0', 'nothing is ever sent'],
    ['everybody', everywhere, '255.255.255.255', 'nothing is ever sent'],
    ['many', everywhere, '224.0.0.251', 'nothing is ever sent'],
    ['many in IPv6', everywhere, 'ff02::1', 'nothing is ever sent'],
  ])('%s', (_what, networks, address, refusal) => {
    const said = networks.refusalOfAddress(address, 80);
    if (refusal === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(refusal);
  });

  test('of this machine with a port of the gateway itself is never one, whatever is named', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '192.168.1.10', '::ffff:127.0.0.1'])
      for (const port of [8080, 1883]) expect(withThisMachine.refusalOfAddress(address, port)).toMatch(/ port \d+ is this gateway itself$/);
  });
});

test.each([
  ['https://building.example.org/doors?key=1', undefined],
  ['http://192.168.1.20:9000', undefined],
  ['http://[fd12::20]/', undefined],
  ['ftp://192.168.1.20/', 'must be a URL that begins with http:// or https://'],
  ['file:///etc/passwd', 'must be a URL that begins with http:// or https://'],
  ['http:192.168.1.20', 'must be a URL that begins with http:// or https://'],
  ['http://192.168.1.20:99999/', 'must be a URL that begins with http:// or https://'],
  [`http://192.168.1.20/${'x'.repeat(2_048)}`, 'must be a URL that begins with http:// or https://'],
  ['http://bob@192.168.1.20/', 'must not hold a name or a password'],
  ['http://192.168.1.20/#x', 'must not have a fragment'],
  ['http://2130706433/', '127.0.0.1 is this machine itself'],
  ['http://0177.0.0.1/', '127.0.0.1 is this machine itself'],
  ['http://127.1/', '127.0.0.1 is this machine itself'],
  ['http://１２７.0.0.1/', '127.0.0.1 is this machine itself'],
  ['http://[::ffff:169.254.169.254]/', 'nothing is ever sent'],
])('the URL %s', (url, refusal) => {
  if (refusal === undefined) expect(lan.refusalOfUrl(url)).toBeUndefined();
  else expect(lan.refusalOfUrl(url)).toContain(refusal);
});

test('where no network is named, nothing is sent', () => {
  expect(networksOf().refusalOfUrl('http://192.168.1.20/')).toMatch(
    /^cannot be used: webhooks\.networks in the configuration names no network/,
  );
});
