// The devices that are there and not registered: those that wait with a key of their own, and behind them those that programs on bridges
// announce. A person says which of them is a lock here.
import type { Caller } from '../accounts/account.ts';
import { requireGatewayAdministrator } from '../accounts/permissions.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { AnnouncedDevice, Bridges } from './bridges.ts';
import type { DeviceId } from './lock.ts';
import type { Confirmation, PairingService, PendingDevice } from './pairing.ts';
import type { RegistrationService } from './registration-service.ts';

/** Pairing, and what bridges announce, whether pairing is open or not. */
export interface FoundDevices extends Omit<PairingService, 'devices'> {
  /** Those that wait, in the order in which they came, then those that are announced, by bridge and name. */
  devices(caller: Caller, page: PageRequest): Page<PendingDevice | AnnouncedDevice>;
}

interface FoundDevicesOptions {
  readonly pairing: PairingService;
  readonly bridges: Pick<Bridges, 'announced' | 'announcedAs'>;
  readonly registrations: Pick<RegistrationService, 'register'>;
  readonly emit: Emit;
}

/** More than may wait. */
const everyWaiting = { pageNo: 1, pageSize: 1_000 };

export function createFoundDevices({ pairing, bridges, registrations, emit }: FoundDevicesOptions): FoundDevices {
  /** Whoever says a fingerprint means a device that has a key. */
  function waits(caller: Caller, deviceId: DeviceId, { keyFingerprint }: Confirmation): boolean {
    return keyFingerprint !== undefined && pairing.devices(caller, everyWaiting).list.some((device) => device.deviceId === deviceId);
  }

  return {
    ...pairing,

    devices: (caller, page) => paginate([...pairing.devices(caller, everyWaiting).list, ...bridges.announced()], page),

    async confirm(caller, deviceId, confirmation) {
      requireGatewayAdministrator(caller);
      const device = bridges.announcedAs(deviceId);
      if (device === undefined || waits(caller, deviceId, confirmation)) return pairing.confirm(caller, deviceId, confirmation);
      const { keyFingerprint, lock } = confirmation;
      if (keyFingerprint !== undefined)
        throw invalidParameter('keyFingerprint', 'must not be there: this device is announced and has no key');
      if (device.refused !== null)
        throw new DomainError('conflict', `what is announced of ${deviceId} is not understood: ${device.refused}`);
      if (lock === undefined) throw invalidParameter('lockName', 'is required');
      const { lockId } = await registrations.register(caller, { ...lock, driver: device.driver });
      emit('device-confirmed', { deviceId, lockId, by: caller.username });
      return { lockId, replaced: false };
    },
  };
}
