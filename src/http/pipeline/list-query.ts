// What people ask of long lists: a text, an order, and filters (HTTP API 1.3).
import { z } from 'zod';
import { accountColumns, tokenColumns } from '../../domain/accounts/account-lists.ts';
import { cardColumns, cardTimes } from '../../domain/credentials/card-list.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import { managedLockColumns } from '../../domain/locks/managed-locks.ts';
import { ttlockLoginColumns } from '../../domain/ttlock/ttlock-login-service.ts';
import { id, integer, text } from './fields.ts';
import { ofManagement, page, wantedLocks } from './query.ts';
import { validate } from './validate.ts';

const flag = integer(0, 1)
  .transform((value) => value === 1)
  .exactOptional();

/** `sort=name` is rising, `sort=-name` falling. */
function sortBy<Column extends string>(columns: readonly Column[]) {
  return z
    .enum([...columns, ...columns.map((column) => `-${column}` as const)], `must be one of ${columns.join(', ')}, or that after a -`)
    .transform((given) => ({ by: given.replace(/^-/, '') as Column, isDescending: given.startsWith('-') }))
    .exactOptional();
}

const asked = <Column extends string>(columns: readonly Column[]) => ({ search: text(0, 64).exactOptional(), sort: sortBy(columns) });

export const managedLockList = validate(
  z.object({ ...ofManagement, ...wantedLocks, ...asked(managedLockColumns), online: flag }),
  ({ lockAlias, ...wanted }) => ({ ...wanted, alias: lockAlias }),
);

export const accountList = validate(
  z.object({ ...ofManagement, ...asked(accountColumns), gatewayAdministrator: flag, accessManager: flag }),
  (wanted) => wanted,
);

export const tokenList = validate(z.object({ ...ofManagement, ...asked(tokenColumns), expired: flag }), (wanted) => wanted);

export const ttlockLoginList = validate(z.object({ ...ofManagement, ...asked(ttlockLoginColumns) }), (wanted) => wanted);

export const cardList = validate(
  z.object({
    ...{ lockId: id<LockId>(), ...page, ...asked(cardColumns) },
    valid: z.enum(cardTimes, `must be one of ${cardTimes.join(', ')}`).exactOptional(),
  }),
  ({ lockId, ...wanted }) => ({ lockId, wanted }),
);
