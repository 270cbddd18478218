// Removes the logins of removed accounts. They have no effect any more, because no id is given twice; the next start removes those that a stop
// or a full disk has left.
import type { AccountStore } from '../accounts/account-ports.ts';
import type { EventBus } from '../event-bus.ts';
import type { Part } from '../part.ts';
import type { TtlockLogin } from './ttlock-login.ts';
import type { TtlockLoginStore } from './ttlock-ports.ts';

export function createLeftTtlockLogins(options: {
  readonly logins: Pick<TtlockLoginStore, 'all' | 'remove'>;
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly events: Pick<EventBus, 'subscribe'>;
}): Part {
  const { logins, accounts, events } = options;

  function drop(isLeft: (login: TtlockLogin) => boolean): void {
    const left = logins.all().filter(isLeft);
    if (left.length > 0) logins.remove(left.map(({ loginId }) => loginId)).catch(() => undefined);
  }
  events.subscribe('account-changed', ({ before: gone, after }) => {
    if (gone !== undefined && after === undefined) drop(({ accountId }) => accountId === gone.accountId);
  });
  return {
    name: 'left-ttlock-logins',
    // The start does not wait for it.
    async start() {
      drop(({ accountId }) => accounts.get(accountId) === undefined);
    },
    async stop() {},
  };
}
