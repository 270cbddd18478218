// A program on the broker beside latchd: hears everything, says what a test tells it.
import { joinBroker } from '../support/mosquitto.ts';

export interface Heard {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
}

export interface Listener {
  /** All messages since the last `forget`, oldest first. */
  readonly heard: readonly Heard[];
  forget(): void;
  publish(topic: string, payload: object): Promise<void>;
  /** The first that fits since the last `forget`, there or to come. */
  until(fits: (message: Heard) => boolean): Promise<Heard>;
  /** What was published on this topic since the last `forget`, without what tells nothing of a lock. */
  said(topic: string): Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

export async function listenTo(port: number): Promise<Listener> {
  const neighbour = await joinBroker(port);
  const heard: Heard[] = [];
  const looking = new Set<() => void>();
  await neighbour.hear('#', (topic, text, { retain }) => {
    heard.push({ topic, text, retain });
    for (const look of [...looking]) look();
  });
  return {
    heard,
    forget() {
      heard.length = 0;
    },
    publish: (topic, payload) => neighbour.say(topic, payload, { qos: 0 }),
    until: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = heard.find(fits);
          if (found === undefined) return;
          looking.delete(look);
          resolve(found);
        };
        looking.add(look);
        look();
      }),
    said: (topic) =>
      heard
        .filter((message) => message.topic === topic)
        .map(({ text }) => {
          const { linkquality: _linkquality, last_seen: _lastSeen, ...rest } = JSON.parse(text) as Record<string, unknown>;
          return rest;
        }),
    stop: () => neighbour.leave(),
  };
}
