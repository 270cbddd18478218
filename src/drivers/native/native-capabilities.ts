// What a lock of our own protocol can do: what the protocol has, and what the lock has said in its hello (Protocol 4.1).
import type { Emit, EventBus } from '../../domain/event-bus.ts';
import { type Capabilities, changesCapabilities } from '../../domain/locks/capabilities.ts';
import { type Lock, nativeKind } from '../../domain/locks/lock.ts';

/** A lock that lacks something of it answers `not-supported`. */
const ofProtocol: Capabilities = {
  ...{ success: 'bolt', late: 'never', refusals: 'named', matched: true, query: true },
  ...{ events: 'exactly-once', who: 'name', wrongCodes: true },
  ...{
    cards: true,
    passcodes: false,
    hours: false,
    once: false,
    autoLock: true,
    settings: true,
    battery: 'percent',
    encrypted: false,
    warnings: [],
  },
};
const overTls: Capabilities = { ...ofProtocol, encrypted: true };

export function nativeCapabilities({ features: said }: Pick<Lock, 'features'>, encrypted: boolean): Capabilities {
  const always = encrypted ? overTls : ofProtocol;
  if (said === undefined || !said.features.includes('credentials')) return always;
  const { features, limits } = said;
  return {
    ...always,
    cards: limits.cards !== 0,
    passcodes: (limits.passcodes ?? 0) > 0,
    hours: features.includes('hours'),
    once: features.includes('once'),
  };
}

/** Emits `capabilities-changed` when what a lock has said makes them others. */
export function followFeatures(events: Pick<EventBus, 'subscribe'>, emit: Emit): void {
  events.subscribe('lock-changed', ({ before, after }) => {
    if (before === undefined || after?.driver.kind !== nativeKind || before.features === after.features) return;
    // Whether it is encrypted is no matter of its features.
    if (changesCapabilities(nativeCapabilities(before, false), nativeCapabilities(after, false)))
      emit('capabilities-changed', { lockId: after.lockId });
  });
}
