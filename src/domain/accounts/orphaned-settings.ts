// Forgets the settings of removed accounts. The next start forgets those that a stop or a full disk has left.
import type { EventBus } from '../event-bus.ts';
import type { Part } from '../part.ts';
import type { AccountStore } from './account-ports.ts';
import type { AccountSettingsStore } from './account-settings.ts';

export function createLeftSettings(options: {
  readonly settings: AccountSettingsStore;
  readonly accounts: Pick<AccountStore, 'get'>;
  readonly events: Pick<EventBus, 'subscribe'>;
}): Part {
  const { settings, accounts, events } = options;
  events.subscribe('account-changed', ({ before: gone, after }) => {
    if (gone !== undefined && after === undefined) settings.remove(gone.accountId).catch(() => undefined);
  });
  return {
    name: 'left-settings',
    // The start does not wait for it.
    async start() {
      for (const { accountId } of settings.all())
        if (accounts.get(accountId) === undefined) settings.remove(accountId).catch(() => undefined);
    },
    async stop() {},
  };
}
