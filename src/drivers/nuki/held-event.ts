// A Nuki tells of an action before it executes it. The event waits for its outcome, for a few seconds at most.
import type { OpenState } from '../../domain/locks/lock.ts';
import type { LockEvent } from '../../domain/locks/lock-report.ts';
import type { Effect } from '../device-protocol.ts';

type UnnumberedEvent = Omit<LockEvent, 'seq'>;

export interface HeldEvent {
  /** The event waits for this state of the bolt. One that waits already is not waited for any longer. */
  hold(event: UnnumberedEvent, wanted: OpenState): readonly Effect[];
  /** The bolt has arrived there. */
  arrived(state: OpenState): readonly Effect[];
  /** It did not get there. */
  failed(reason: string): readonly Effect[];
  /** Nothing more is to be heard of it. */
  release(): readonly Effect[];
}

export function createHeldEvent(): HeldEvent {
  let held: { readonly event: UnnumberedEvent; readonly wanted: OpenState } | undefined;

  function release(failure: Partial<UnnumberedEvent> = {}): readonly Effect[] {
    if (held === undefined) return [];
    const { event } = held;
    held = undefined;
    return [{ kind: 'event', event: { ...event, ...failure } }];
  }

  return {
    hold(event, wanted) {
      const released = release();
      held = { event, wanted };
      return released;
    },
    arrived: (state) => (held?.wanted === state ? release() : []),
    failed: (reason) => release({ success: false, reason }),
    release: () => release(),
  };
}
