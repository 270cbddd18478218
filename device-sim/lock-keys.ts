// How locks get the device keys in their memories: the gateway makes them, or each lock makes its own (Protocol 2 and 7).
import { randomBytes } from 'node:crypto';
import type { DeviceId } from '../src/domain/locks/lock.ts';
import type { FleetLock } from './fleet-lock.ts';
import type { KnownLock, LockRegistration, Registrar } from './registration.ts';

/** Gives every lock a key of its own making, whether it is registered or not (Protocol 7). */
export async function makeKeys(locks: readonly FleetLock[]): Promise<void> {
  for (const { memory } of locks) {
    if (memory.contents.deviceKey === undefined) memory.change({ deviceKey: randomBytes(24).toString('base64url') });
  }
  await Promise.all(locks.map(({ memory }) => memory.saved()));
}

/** Gives the lock, in its memory, a key that the gateway knows, and binds it to its hub, if it has one. */
export async function giveKey(
  registrar: Registrar,
  lock: FleetLock,
  hubId: DeviceId | undefined,
  known: ReadonlyMap<DeviceId, KnownLock>,
  renew: boolean,
): Promise<void> {
  const { deviceId } = lock.handle;
  const registered = known.get(deviceId);
  if (registered !== undefined && registered.hubId !== (hubId ?? null)) await registrar.bind(registered.lockId, hubId ?? null);
  if (registered !== undefined && lock.memory.contents.deviceKey !== undefined && !renew) return;
  const issued =
    registered === undefined
      ? await registrar.register({ ...registrationOf(lock), ...(hubId !== undefined && { hubId }) })
      : await registrar.renewKey(registered.lockId);
  if (issued !== undefined) {
    lock.memory.change({ deviceKey: issued.deviceKey, lockId: issued.lockId });
    await lock.memory.saved();
    return;
  }
  // Another client registered it between our check and our request.
  const now = await registrar.known();
  if (!now.has(deviceId)) throw new Error(`the gateway says that ${lock.handle.mac} is registered and does not list it`);
  await giveKey(registrar, lock, hubId, now, true);
}

function registrationOf({ handle, profile }: FleetLock): LockRegistration {
  return {
    lockMac: handle.mac,
    lockName: handle.name,
    ...(profile.group !== '' && { groupName: profile.group }),
    ...(profile.superPasscode !== '' && { noKeyPwd: profile.superPasscode }),
    ...(profile.timezoneRawOffset !== 0 && { timezoneRawOffset: profile.timezoneRawOffset }),
  };
}
