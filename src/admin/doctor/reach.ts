// Checks whether a lock elsewhere in the building could reach this gateway at all.
import type { Config } from '../../app/config.ts';
import { good, type Verdict, warn } from './verdict.ts';

export function checkReach({ http, https, mqtt, mqtts, devices, webSocket }: Config): readonly Verdict[] {
  const ways = [
    { name: 'mqtt', ...mqtt },
    { name: 'mqtts', ...mqtts },
    { name: 'devices', ...devices },
    { name: 'MQTT over WebSocket (https)', ...https },
    { name: 'MQTT over WebSocket (http)', ...http, enabled: http.enabled && webSocket.plain },
  ].filter(({ enabled }) => enabled);
  const open = ways.filter(({ host }) => !isLoopback(host));
  if (open.length > 0) return [good(`locks can come by ${open.map(({ name, host, port }) => `${name} ${host}:${port}`).join(', ')}`)];
  return [
    warn(
      'locks reach this gateway from this machine alone: every listener for them is on a loopback address',
      'set enabled: true below mqtts (or devices, for other makes) in the configuration and restart; fine as it is with a bridge or a simulator on this machine',
    ),
  ];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(::ffff:)?127\./i.test(host);
}
