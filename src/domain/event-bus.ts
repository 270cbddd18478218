// One bus for the events of the domain: stores and services emit them, and each subscriber gets them.
import type { DomainEvents } from './domain-events.ts';

export type EventName = keyof DomainEvents;

/** Calls every subscriber of this event, in the order of their subscriptions, before it returns. Never throws. */
export type Emit = <Name extends EventName>(name: Name, payload: DomainEvents[Name]) => void;

export interface EventBus {
  readonly emit: Emit;
  /** Calls `onEvent` for every event of this name from now on; the returned function ends the subscription. */
  subscribe<Name extends EventName>(name: Name, onEvent: (payload: DomainEvents[Name]) => void): () => void;
}

/** The same bus for those who act on what they hear: they hear nothing while `isQuiet`. */
export function heardUnless(isQuiet: () => boolean, { emit, subscribe }: EventBus): EventBus {
  return {
    emit,
    subscribe: (name, onEvent) =>
      subscribe(name, (payload) => {
        if (!isQuiet()) onEvent(payload);
      }),
  };
}

type Subscriber<Name extends EventName> = (payload: DomainEvents[Name]) => void;

/** The bus calls `onFailed` with an error that a subscriber throws; the other subscribers and the emitter do not notice. */
export function createEventBus(onFailed: (name: EventName, error: unknown) => void): EventBus {
  /** Each list is replaced, never changed, so that subscriptions may begin and end while an event is emitted. */
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
