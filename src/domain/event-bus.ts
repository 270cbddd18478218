// One bus for what happens in the domain: whoever makes it happen emits an event, and each subscriber hears it.
import type { DomainEvents } from './domain-events.ts';

export type EventName = keyof DomainEvents;

/** Calls every subscriber of this event, in the order of their subscriptions, before it returns. Never throws. */
export type Emit = <Name extends EventName>(name: Name, payload: DomainEvents[Name]) => void;

export interface EventBus {
  readonly emit: Emit;
  /** From now on `onEvent` is called for every event of this name; the returned function ends that. */
  subscribe<Name extends EventName>(name: Name, onEvent: (payload: DomainEvents[Name]) => void): () => void;
}

type Subscriber<Name extends EventName> = (payload: DomainEvents[Name]) => void;

/** `onFailed` is called with what a subscriber has thrown; the other subscribers, and whoever emits, do not notice. */
export function createEventBus(onFailed: (name: EventName, error: unknown) => void): EventBus {
  /** Each list is replaced, never changed: whoever subscribes or ends while an event is emitted disturbs nobody. */
  const subscribers = new Map<EventName, readonly Subscriber<never>[]>();

  return {
    emit<Name extends EventName>(name: Name, payload: DomainEvents[Name]) {
      for (const onEvent of subscribers.get(name) ?? []) {
        try {
          (onEvent as Subscriber<Name>)(payload);
        } catch (error) {
          onFailed(name, error);
        }
      }
    },
    subscribe<Name extends EventName>(name: Name, onEvent: Subscriber<Name>) {
      const one: Subscriber<Name> = (payload) => onEvent(payload);
      subscribers.set(name, [...(subscribers.get(name) ?? []), one]);
      return () => void subscribers.set(name, subscribers.get(name)?.filter((other) => other !== one) ?? []);
    },
  };
}
