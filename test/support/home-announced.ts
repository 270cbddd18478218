// What Home Assistant hears of a domain in memory: a broker that writes everything down, and what it has retained.

import { createDoorStates } from '../../src/domain/records/door-states.ts';
import { createHomeAnnouncer } from '../../src/integrations/home-assistant/announcer.ts';
import { homeTopics } from '../../src/integrations/home-assistant/topics.ts';
import type { Domain } from './domain.ts';
import { type DiscoveredDevice, discovered } from './home-assistant-rules.ts';
import { settled } from './settable-clock.ts';

export interface Published {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
  readonly qos: 0 | 1;
}

export const gatewayId = '3f9c0a17';

export function createHome(
  domain: Domain,
  options: { readonly account?: string; readonly takesCommands?: boolean; readonly nextTurn?: () => Promise<void> } = {},
) {
  const published: Published[] = [];
  const retained = new Map<string, string>();
  const code = { isSet: false };
  const doors = createDoorStates(domain);
  const topics = homeTopics({ prefix: 'latchd', discoveryPrefix: 'homeassistant', gatewayId });
  const { account = 'ada', takesCommands = false, nextTurn = settled } = options;
  const announcer = createHomeAnnouncer({
    ...domain,
    ...{ topics, account, takesCommands, nextTurn, doors, version: '1.4.0', supportUrl: 'https://gateway.local:8443/docs' },
    link: domain.drivers,
    hasCode: () => code.isSet,
    broker: {
      room: () => Promise.resolve(),
      publish(topic, text, { retain, qos }) {
        published.push({ topic, text, retain, qos });
        if (retain && text === '') retained.delete(topic);
        else if (retain) retained.set(topic, text);
        return true;
      },
    },
  });

  return {
    announcer,
    topics,
    published,
    retained,
    /** Everything has been said that was to be said. */
    async quiet(): Promise<void> {
      for (let turns = 0; turns < 4; turns++) await settled();
    },
    setCode(isSet: boolean): void {
      code.isSet = isSet;
      domain.emit('home-code-changed', { isSet });
    },
    /** As Home Assistant takes it over; throws when it would not, as it is. */
    device(lockId?: number): DiscoveredDevice {
      const topic = `homeassistant/device/latchd_${gatewayId}${lockId === undefined ? '' : `_${lockId}`}/config`;
      return discovered(topic, retained.get(topic) ?? 'null');
    },
    /** The retained message of a lock, such as its `state`; undefined: there is none. */
    says(lockId: number, what: string) {
      const text = retained.get(`latchd/${gatewayId}/${lockId}/${what}`);
      return text?.startsWith('{') ? JSON.parse(text) : text;
    },
    /** What was said on this topic of a lock since the last question. */
    heard(lockId: number, what: string) {
      const found = published.filter(({ topic }) => topic === `latchd/${gatewayId}/${lockId}/${what}`).map(({ text }) => JSON.parse(text));
      published.length = 0;
      return found;
    },
  };
}
