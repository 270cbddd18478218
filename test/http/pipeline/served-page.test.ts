// Links that lead others to this gateway, and the site of its passkeys.
import { describe, expect, test } from '@jest/globals';
import { createGatewayLinks } from '../../../src/http/pipeline/served-page.ts';

const everywhere = { host: '0.0.0.0', port: 8443 };
const loopback = { host: '127.0.0.1', port: 8080 };
const names = () => ['door.example.org', 'latchd-box.local', 'localhost', '192.168.1.5'];
const links = (listeners: Parameters<typeof createGatewayLinks>[0]['listeners']) => createGatewayLinks({ names, listeners });

describe('A link', () => {
  test.each([
    ['over https to the page that asks for it', { host: 'box.lan:8443', isEncrypted: true }, 'https://box.lan:8443'],
    [
      'over https to a name of the gateway, for a page over http',
      { host: '192.168.1.5:8080', isEncrypted: false },
      'https://door.example.org:8443',
    ],
    ['to that name for a page on this machine, too', { host: 'localhost:8443', isEncrypted: true }, 'https://door.example.org:8443'],
    ['and for somebody at this machine', undefined, 'https://door.example.org:8443'],
  ])('leads %s', (_title, page, origin) => {
    const { linkTo } = links(() => ({ http: loopback, https: everywhere }));
    expect(linkTo('invitation/x', page)).toBe(`${origin}/#/invitation/x`);
  });

  test('leads where people open the console by the word of the configuration, unless a page asks', () => {
    const { linkTo, originFor } = createGatewayLinks({ names, listeners: () => ({ http: loopback }), usual: 'https://doors.example.org/' });
    expect([linkTo('x', undefined), originFor(undefined)]).toEqual(['https://doors.example.org/#/x', 'https://doors.example.org']);
    expect(linkTo('x', { host: 'box.lan', isEncrypted: true })).toBe('https://box.lan/#/x');
  });

  test('leads over http where there is no https: as the page was reached, else to where the gateway listens', () => {
    const { linkTo } = links(() => ({ http: loopback }));
    expect(linkTo('x', { host: 'box.lan', isEncrypted: false })).toBe('http://box.lan/#/x');
    expect(linkTo('x', undefined)).toBe('http://127.0.0.1:8080/#/x');
    expect(links(() => ({ https: { host: '::1', port: 443 } })).linkTo('x', undefined)).toBe('https://[::1]/#/x');
  });

  test('is refused when no page is served, or the request does not say for which host it is', () => {
    expect(() => links(() => ({})).linkTo('x', undefined)).toThrow('http and https are off');
    expect(() => links(() => ({ http: loopback })).linkTo('x', { host: '', isEncrypted: false })).toThrow('which host');
  });
});

describe('The site of passkeys', () => {
  const { siteOf } = links(() => ({ https: everywhere }));

  test('is the name that the page was served from, with its port', () => {
    expect(siteOf({ host: 'Door.Example.org:8443', isEncrypted: true })).toEqual({
      host: 'door.example.org',
      origin: 'https://door.example.org:8443',
    });
  });

  test.each([
    ['without https', 'door.example.org', false, 'passkeys need https'],
    ['an address', '192.168.1.5:8443', true, 'not by an address'],
    ['an address of IPv6', '[fd00::2]:8443', true, 'not by an address'],
    ['a foreign name', 'evil.example', true, 'is no name of this gateway'],
    ['a name that only ends like one of ours', 'evil.door.example.org', true, 'is no name of this gateway'],
  ])('is not %s', (_title, host, isEncrypted, message) => {
    expect(() => siteOf({ host, isEncrypted })).toThrow(message);
  });
});
