// Deletes what accounts signed in with when they are removed. It has no effect any more, because no id is given twice; the next start
// deletes what a stop or a full disk has left.
import type { EventBus } from '../event-bus.ts';
import type { Part } from '../part.ts';
import type { AccountStore } from './account-ports.ts';
import type { CredentialStore, SignInStore } from './sign-in-ports.ts';

export function createLeftCredentials(options: {
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly credentials: Pick<CredentialStore, 'forget'>;
  readonly store: Pick<SignInStore, 'invitations' | 'endInvitation'>;
  readonly events: EventBus;
}): Part {
  const { accounts, credentials, store, events } = options;

  async function forget(): Promise<void> {
    try {
      await credentials.forget((accountId) => accounts.get(accountId) !== undefined);
      for (const { accountId } of store.invitations()) if (accounts.get(accountId) === undefined) await store.endInvitation(accountId);
    } catch {
      // The disk is full: the next removal or start tries again.
    }
  }

  events.subscribe('account-changed', ({ after }) => {
    if (after === undefined) void forget();
  });
  return { name: 'left-credentials', start: forget, async stop() {} };
}
