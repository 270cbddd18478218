// The alarm of the gateway's own clock.
import type { Clock } from '../clock.ts';
import type { AlarmService } from './alarm-service.ts';

/** The evidence of the locks is added a minute later, when those that reconnected with the gateway have reported their dates. */
const clockSaidMs = 60_000;
const clockReason =
  'the clock of the gateway is probably wrong, so no lock is told the time: cards with dates stay shut at locks whose clock is not set. ' +
  'Let NTP set it; or, when it is right, say so on the gateway: latchd clock accept';

/** The returned function looks at the clock: it begins, amends or clears the alarm. */
export function createClockAlarm(options: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly alarms: Pick<AlarmService, 'raise' | 'amend' | 'clear' | 'active'>;
  readonly clockIsSuspect: () => boolean;
  /** Returns the evidence against the gateway's clock, if there is any. */
  readonly clockEvidence: () => string | undefined;
}): () => void {
  const { clock, alarms, clockIsSuspect, clockEvidence } = options;
  let saidAt = clock.monotonic();

  return () => {
    if (!clockIsSuspect()) {
      alarms.clear('clock-suspect', null);
      return;
    }
    const evidence = clockEvidence();
    const reason = evidence === undefined ? clockReason : `${clockReason}; ${evidence}`;
    const now = clock.monotonic();
    if (alarms.active('clock-suspect', null) === undefined) saidAt = now;
    alarms.raise('clock-suspect', null, { reason });
    if (now - saidAt < clockSaidMs) return;
    saidAt = now;
    alarms.amend('clock-suspect', null, reason);
  };
}
