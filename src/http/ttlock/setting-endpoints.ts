// TTLock's endpoints of what a lock is set to: auto-lock, switches, passage mode.
import { DomainError, invalidParameter } from '../../domain/errors.ts';
import type { LockSettings } from '../../domain/locks/lock.ts';
import type { LockService } from '../../domain/locks/lock-service.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import type { TtlockEndpoints } from './endpoint.ts';
import { TtlockError } from './errors.ts';
import { operationDone } from './objects.ts';
import { ttlockAutoLock, ttlockLockOnly, ttlockPassageMode, ttlockSetting, ttlockSettingChange } from './parameters.ts';

/** The switches by TTLock's numbers. */
const switches: ReadonlyMap<number, keyof LockSettings> = new Map([
  [2, 'privacyLock'],
  [3, 'tamperAlert'],
  [4, 'resetButton'],
  [6, 'lockSound'],
  [7, 'openDirection'],
]);
/** Volume, power saving and what else only TTLock's own locks have. */
const unmapped: readonly number[] = [8, 10, 11, 12];

const secondsAtMost = 65_535;

export function ttlockSettingRoutes({ endpoint }: TtlockEndpoints, locks: LockService): readonly FacadeRoute[] {
  return [
    ...endpoint('/v3/lock/setAutoLockTime', 'change', ttlockAutoLock, async ({ caller, parameters: { lockId, seconds }, gone }) => {
      if (seconds < -1 || seconds > secondsAtMost)
        throw new TtlockError(-4082, `seconds must be -1 or 0 (off), or 1 to ${secondsAtMost}`, 'invalid-parameter');
      await locks.setAutoLock(caller, lockId, Math.max(0, seconds), gone);
      return operationDone;
    }),
    ...endpoint('/v3/lock/updateSetting', 'change', ttlockSettingChange, async ({ caller, parameters, gone }) => {
      const { lockId, type, value } = parameters;
      const name = switchOf(type);
      if (value !== 1 && value !== 2) throw invalidParameter('value', 'must be 1 or 2');
      await locks.changeSettings(caller, lockId, { [name]: value }, gone);
      return operationDone;
    }),
    ...endpoint('/v3/lock/querySetting', 'read', ttlockSetting, ({ caller, parameters: { lockId, type } }) => {
      const name = switchOf(type);
      return { value: locks.detail(caller, lockId).lock.settings[name] };
    }),
    ...endpoint('/v3/lock/getPassageModeConfig', 'read', ttlockLockOnly, ({ caller, parameters: { lockId } }) => {
      const { passageMode, passageModeAutoUnlock } = locks.detail(caller, lockId).lock.settings;
      // A lock of ours is in this mode at all hours or not at all.
      return { passageMode, isAllDay: 1, weekDays: [1, 2, 3, 4, 5, 6, 7], startDate: 0, endDate: 0, autoUnlock: passageModeAutoUnlock };
    }),
    ...endpoint('/v3/lock/configPassageMode', 'change', ttlockPassageMode, async ({ caller, parameters, gone }) => {
      const { lockId, settings, isTimed } = parameters;
      if (isTimed) throw new DomainError('not-supported', 'passage mode has no hours and no days of the week here');
      await locks.changeSettings(caller, lockId, settings, gone);
      return operationDone;
    }),
  ];
}

function switchOf(type: number): keyof LockSettings {
  const name = switches.get(type);
  if (name !== undefined) return name;
  if (unmapped.includes(type)) throw new DomainError('not-supported', `the setting ${type} has no counterpart here`);
  throw invalidParameter('type', `must be one of ${[...switches.keys()].join(', ')}`);
}
