// The names of a lock of another make: the deviceId by which the gateway knows it, and the user name under which it logs in.
import type { DeviceId } from '../domain/locks/lock.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { DeviceKind } from './device-protocol.ts';

export interface DeviceIdentity {
  /** Looks like a locally administered MAC address, so it is nobody's real one. */
  readonly deviceId: DeviceId;
  readonly username: string;
}

/**
 * `0200` and the device's own last bytes, for a kind that has them; else `02` and the first 10 hex digits of the SHA-256 of kind and address.
 * The user name is the kind and the same digits.
 */
export function deviceIdentity<Options>(
  kind: Pick<DeviceKind<Options>, 'kind' | 'address' | 'deviceIdOf'>,
  options: Options,
  secrets: Pick<Secrets, 'hash'>,
): DeviceIdentity {
  const own = kind.deviceIdOf?.(options).toLowerCase();
  const digits = own ?? secrets.hash(`${kind.kind}:${kind.address(options)}`).slice(0, 10);
  return { deviceId: `${own === undefined ? '02' : '0200'}${digits}` as DeviceId, username: `${kind.kind}-${digits}` };
}
