// What the gateway announces on the local network, and that a failing responder is only a line in the log.
import { hostname } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { announcedNames, announcementsOf } from '../../../src/platform/mdns/announcement.ts';
import { createDiscovery, type StartResponder } from '../../../src/platform/mdns/discovery.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

const everywhere = (port: number) => ({ host: '0.0.0.0', port });
const here = (port: number) => ({ host: '127.0.0.1', port });
const summary = (listeners: Parameters<typeof announcementsOf>[0]) =>
  announcementsOf(listeners, 'latchd/v1').map(({ type, port, address, txt }) => [type, port, txt['scheme'], address]);

describe('announcements', () => {
  test('name no listener that only this machine can reach', () => {
    expect(summary({ http: here(8080), mqtt: { host: '::1', port: 1883 }, mqtts: { host: '::ffff:127.0.0.1', port: 8883 } })).toEqual([]);
    expect(summary({ http: here(8080), https: everywhere(8443), mqtt: here(1883), mqtts: everywhere(8883) })).toEqual([
      ['latchd', 8443, 'https', undefined],
      ['mqtt', 8883, 'mqtts', undefined],
      ['secure-mqtt', 8883, 'mqtts', undefined],
    ]);
  });

  test('send clients to HTTPS when there are both, and name plain and encrypted MQTT as such', () => {
    const listeners = { http: everywhere(8080), https: everywhere(8443), mqtt: everywhere(1883), mqtts: everywhere(8883) };
    expect(summary(listeners)).toEqual([
      ['latchd', 8443, 'https', undefined],
      ['mqtt', 1883, 'mqtt', undefined],
      ['secure-mqtt', 8883, 'mqtts', undefined],
    ]);
  });

  test('keep to the one address of a listener, and lead to names that certificates have', () => {
    expect(summary({ https: { host: '192.168.1.5', port: 443 } })).toEqual([['latchd', 443, 'https', '192.168.1.5']]);
    const all = announcementsOf({ https: everywhere(443), mqtts: { host: '::', port: 8883 } }, 'x');
    expect(all.map(({ host }) => `${host}.local`)).toEqual(announcedNames());
    expect(new Set(announcedNames()).size).toBe(3);
    expect(announcedNames()).toContain(`latchd-${hostname().split('.')[0]?.toLowerCase()}.local`);
    expect(all.map(({ ipv4Only }) => ipv4Only)).toEqual([true, false, false]);
  });
});

describe('discovery', () => {
  function site(listeners: Parameters<typeof announcementsOf>[0]) {
    const clock = createSettableClock();
    const lines: string[] = [];
    const note = (level: string) => (fields: object) => void lines.push(`${level} ${(fields as { code?: string }).code}`);
    const running: Parameters<StartResponder>[1][] = [];
    let stops = 0;
    const discovery = createDiscovery({
      announcements: () => announcementsOf(listeners, 'latchd/v1'),
      clock,
      log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error'), fatal: note('fatal') },
      respond: (_, events) => {
        running.push(events);
        return {
          stop: async () => {
            stops += 1;
          },
        };
      },
    });
    return { clock, lines, running, discovery, stops: () => stops };
  }

  test('starts nothing when no listener can be reached', async () => {
    const { discovery, running } = site({ http: here(8080) });
    await discovery.start();
    await discovery.stop();
    expect(running).toEqual([]);
  });

  test('starts a responder that ends again each minute, with one warning in all, until the stop', async () => {
    const { clock, lines, running, discovery } = site({ https: everywhere(8443) });
    await discovery.start();
    running[0]?.ended('there is no network');
    await clock.advance(59_000);
    expect(running).toHaveLength(1);
    await clock.advance(1_000);
    expect(running).toHaveLength(2);
    running[1]?.ended('there is no network');
    await clock.advance(60_000);
    expect(discovery.state()).toEqual({ names: [], renamed: null, failed: 'there is no network' });
    running[2]?.renamed('latchd-gateway-2');
    running[2]?.announced(['latchd on gateway']);
    expect(discovery.state()).toEqual({ names: ['latchd on gateway'], renamed: 'latchd-gateway-2', failed: null });
    running[2]?.ended('there is no network');
    expect(lines).toEqual(['warn discovery-failed', 'warn discovery-renamed', 'info discovery', 'warn discovery-failed']);
    await discovery.stop();
    await clock.advance(120_000);
    expect(running).toHaveLength(3);
    expect(clock.timers()).toBe(0);
  });

  test('waits for the goodbye when it stops', async () => {
    const { discovery, stops } = site({ https: everywhere(8443) });
    await discovery.start();
    await discovery.stop();
    expect(stops()).toBe(1);
  });
});
