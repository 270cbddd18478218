// An account for which the gateway acts by itself, such as to send what it has asked for.
import type { Account, Caller } from './account.ts';
import type { AccountStore } from './account-ports.ts';

/** The account as a caller, with the rights that it has whenever it is asked; none when it is gone. */
export function presentCaller(
  accounts: Pick<AccountStore, 'get'>,
  { accountId, username }: Pick<Account, 'accountId' | 'username'>,
): Caller {
  return {
    ...{ accountId, username },
    get gatewayAdministrator() {
      return accounts.get(accountId)?.gatewayAdministrator === true;
    },
    get accessManager() {
      return accounts.get(accountId)?.accessManager === true;
    },
  };
}
