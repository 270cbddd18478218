// TTLock's endpoints that have no counterpart here. They say so, in place of a 404 that a program would take for a wrong address.
import { DomainError } from '../../domain/errors.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import type { TtlockEndpoints } from './endpoint.ts';
import { ttlockNothing } from './parameters.ts';

/** `{operation}`: all of that noun. */
const withToken = [
  ...['initialize', 'delete', 'transfer', 'freeze', 'unfreeze', 'updateLockData', 'changeAdminKeyboardPwd'].map((name) => `lock/${name}`),
  ...['resetKey', 'resetKeyboardPwd', 'deleteAllKey', 'updateElectricQuantity'].map((name) => `lock/${name}`),
  ...['upgradeCheck', 'upgradeRecheck', 'getWorkingMode', 'configWorkingMode'].map((name) => `lock/${name}`),
  ...['get', 'reset'].map((name) => `keyboardPwd/${name}`),
  ...['upload', 'clear', 'delete'].map((name) => `lockRecord/${name}`),
  ...['clear', 'upload'].map((name) => `identityCard/${name}`),
  ...['send', 'delete', 'freeze', 'unfreeze', 'changePeriod', 'authorize', 'unauthorize', 'update', 'deleteAll', 'getUnlockLink'].map(
    (name) => `key/${name}`,
  ),
  ...['detail', 'rename', 'delete', 'transfer', 'isInitSuccess', 'uploadDetail', 'upgradeCheck'].map((name) => `gateway/${name}`),
  ...['group', 'qrCode', 'doorSensor', 'fingerprint', 'face', 'palmVein', 'remote', 'wirelessKeypad', 'hotel'].map(
    (noun) => `${noun}/{operation}`,
  ),
];
/** These have a client and no token. */
const withoutToken = ['user/{operation}'];

export function ttlockUnmappedRoutes({ endpoint, open }: TtlockEndpoints): readonly FacadeRoute[] {
  const refuse = () => {
    throw new DomainError('not-supported', 'this has no counterpart here');
  };
  return [
    ...withToken.flatMap((path) => endpoint(`/v3/${path}`, 'read', ttlockNothing, refuse)),
    ...withoutToken.flatMap((path) => open(`/v3/${path}`, [], async () => refuse())),
  ];
}
