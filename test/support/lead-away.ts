// Locks that go from one of two nodes to the other, also while an unlock of theirs is under way.
import { faultsOf, lockDoor, rest, unlock } from './freeze-trials.ts';
import { type Site, until } from './site.ts';

/** As a lock does that loses its connection, and whose next address is that of this node; resolves when it is there. */
export async function leadTo({ gateway, wire, lock }: Site, number: number): Promise<void> {
  const { session } = lock(number);
  wire.lead(gateway.mqttUrl);
  lock(number).cutNetwork();
  lock(number).restoreNetwork();
  await until(() => lock(number).online && lock(number).session !== session, `lock ${number} is back`);
}

/** How far an unlock has come when its lock goes. `channel`, `way`: of the message that shows it; `isHeld`: it comes no further. */
export const leadAwaySteps = [
  { name: 'has not come to the lock', channel: '/command', way: 'to-lock', isHeld: true },
  { name: 'has come, and the bolt does not move yet,', channel: '/command', way: 'to-lock', isHeld: false },
  { name: 'is done, and the reply has not come,', channel: '/reply', way: 'from-lock', isHeld: true },
] as const;

/** Unlocks at the node at which the lock is, and leads it to the other one and back; what the caller hears, and what is wrong with it. */
export async function leadAway(number: number, from: Site, to: Site, { channel, way, isHeld }: (typeof leadAwaySteps)[number]) {
  const { wire } = from;
  const lock = from.lock(number);
  await lockDoor(from, number);
  const before = lock.movements.length;
  let hasCome = false;
  wire.freezeAt(lock.deviceId, (bytes, passing) => {
    const isUnlock = way === 'to-lock' ? bytes.includes('"op":"unlock"') : lock.movements.length > before;
    const isIt = passing === way && bytes.includes(channel) && isUnlock;
    hasCome ||= isIt;
    return isIt && isHeld ? 0 : undefined;
  });
  // The next one is slow as well: when it is answered, this one is over.
  if (way === 'to-lock' && !isHeld) lock.script([1, 2].map(() => ({ kind: 'slow', delayMs: 500 })));
  const asking = unlock(from, number);
  await until(() => hasCome, 'the unlock has come so far');
  await leadTo(to, number);
  const outcome = await asking;
  const answeredAt = performance.now();
  wire.thaw(lock.deviceId);
  const silence = await rest(to, number);
  const movements = lock.movements.slice(before);
  const faults = [...silence, ...faultsOf({ site: from, number, outcome, answeredAt, movements })];
  await leadTo(from, number);
  return { outcome, faults };
}
