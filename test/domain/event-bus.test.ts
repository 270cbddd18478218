import { describe, expect, it } from '@jest/globals';
import { createEventBus, type EventName, heardUnless } from '../../src/domain/event-bus.ts';
import { lockId } from '../support/domain.ts';

describe('the event bus', () => {
  function setUp() {
    const failed: (readonly [EventName, unknown])[] = [];
    const bus = createEventBus((name, error) => void failed.push([name, error]));
    const heard: string[] = [];
    return { ...bus, failed, heard };
  }

  it('calls the subscribers of an event in the order of their subscriptions, before emit returns, and nobody else', () => {
    const { emit, subscribe, heard } = setUp();
    subscribe('stood-still', ({ ms }) => void heard.push(`first ${ms}`));
    subscribe('stood-still', ({ ms }) => void heard.push(`second ${ms}`));
    subscribe('lock-online', () => void heard.push('another event'));
    emit('stood-still', { ms: 5 });
    expect(heard).toEqual(['first 5', 'second 5']);
  });

  it('lets a failing subscriber disturb neither the others nor the emitter, and reports the event', () => {
    const { emit, subscribe, heard, failed } = setUp();
    const error = new Error('a bug');
    subscribe('lock-online', () => {
      throw error;
    });
    subscribe('lock-online', (event) => void heard.push(`lock ${event.lockId}`));
    emit('lock-online', { lockId });
    expect(heard).toEqual(['lock 7']);
    expect(failed).toEqual([['lock-online', error]]);
  });

  it('is quiet for some, who may still be heard, and goes on for the others', () => {
    const bus = setUp();
    const { heard } = bus;
    let isQuiet = true;
    const acting = heardUnless(() => isQuiet, bus);
    acting.subscribe('stood-still', ({ ms }) => void heard.push(`acts ${ms}`));
    bus.subscribe('stood-still', ({ ms }) => void heard.push(`shows ${ms}`));
    acting.emit('stood-still', { ms: 1 });
    isQuiet = false;
    bus.emit('stood-still', { ms: 2 });
    expect(heard).toEqual(['shows 1', 'acts 2', 'shows 2']);
  });

  it('ends one subscription alone, also of a function that has subscribed twice', () => {
    const { emit, subscribe, heard } = setUp();
    const hear = () => void heard.push('heard');
    const end = subscribe('storage-works', hear);
    subscribe('storage-works', hear);
    end();
    end();
    emit('storage-works', {});
    expect(heard).toEqual(['heard']);
  });

  it('lets a subscriber subscribe and end subscriptions during an event: both count from the next event on', () => {
    const { emit, subscribe, heard } = setUp();
    const end = subscribe('storage-works', () => {
      end();
      subscribe('storage-works', () => void heard.push('later'));
    });
    subscribe('storage-works', () => void heard.push('second'));
    emit('storage-works', {});
    expect(heard).toEqual(['second']);
    emit('storage-works', {});
    expect(heard).toEqual(['second', 'second', 'later']);
  });

  it('emits what a subscriber emits at once, before the next subscriber hears of the first event', () => {
    const { emit, subscribe, heard } = setUp();
    subscribe('lock-offline', () => emit('storage-works', {}));
    subscribe('lock-offline', () => void heard.push('offline'));
    subscribe('storage-works', () => void heard.push('works'));
    emit('lock-offline', { lockId, reason: 'x' });
    expect(heard).toEqual(['works', 'offline']);
  });
});
