// What is known about a lock now, always in words and not by colour alone.
import type { ManagedLock } from '../api/registration-types.ts';
import { useStrings } from '../app.ts';
import type { LiveLock } from '../live.ts';
import { Icon } from './icon.tsx';

/** Whether the bolt may have moved since the lock last reported it. Nothing is certain of an offline lock; another text says that. */
export function isUnsure({ online, state, stateSure }: LiveLock): boolean {
  return online && state !== null && !stateSure;
}

export function LockState({ lock }: { lock: LiveLock }) {
  const { states } = useStrings();
  const { state } = lock;
  const unsure = isUnsure(lock);
  return (
    <span class={`fact state ${unsure || state === null ? 'unknown' : state}`}>
      <Icon name={state === 'unlocked' ? 'unlock' : 'lock'} />
      {unsure ? states.unsure(states[state ?? 'unknown']) : states[state ?? 'unknown']}
    </span>
  );
}

/** Draws nothing for a lock that never tells its battery. `isShort`: the picture stands for the word. */
export function Battery({ lock: { electricQuantity: percent, capabilities }, isShort = false }: { lock: LiveLock; isShort?: boolean }) {
  const { states } = useStrings();
  if (capabilities.battery === 'none') return null;
  if (percent < 0) return <span class="fact faint">{states.batteryUnknown}</span>;
  return (
    <span class={`fact battery ${percent < 20 ? 'low' : ''}`}>
      <svg class="cell" viewBox="0 0 26 14" aria-hidden="true" focusable="false">
        <rect x="1" y="1" width="21" height="12" rx="3" />
        <path d="M24.5 5v4" />
        <rect class="level" x="3.5" y="3.5" width={(16 * percent) / 100} height="7" rx="1" />
      </svg>
      {isShort ? (
        <>
          <span class="unseen">{states.battery(percent)}</span>
          <span aria-hidden="true">{states.percent(percent)}</span>
        </>
      ) : (
        states.battery(percent)
      )}
    </span>
  );
}

/** How the gateway reaches it. */
export function Way({ lock: { hubId, driver } }: { lock: Pick<ManagedLock, 'hubId' | 'driver'> }) {
  const { registered } = useStrings();
  if (hubId !== null) return <>{registered.hub(hubId)}</>;
  return <>{driver?.['bridge'] === undefined ? registered.direct : registered.bridge(String(driver['bridge']))}</>;
}

export function Online({ lock: { online } }: { lock: Pick<LiveLock, 'online'> }) {
  const { states } = useStrings();
  return <span class={`fact online ${online ? 'yes' : 'no'}`}>{online ? states.online : states.offline}</span>;
}
