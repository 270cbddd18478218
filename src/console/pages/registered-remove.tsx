// Asks before a lock is removed, and warns that the lock itself goes on opening for the cards in its memory.
import type { ManagedLock } from '../api/registration-types.ts';
import { useApp, useStrings } from '../app.ts';
import { FormDialog } from '../components/dialog.tsx';
import { CheckField } from '../components/field.tsx';
import { go } from '../router.ts';

export function RemoveLock({ lock, onClose }: { lock: ManagedLock; onClose: () => void }) {
  const { registered } = useStrings();
  const { client, toasts } = useApp();
  const { lockId, lockName, cardsOnLock, online, capabilities } = lock;
  return (
    <FormDialog
      title={registered.removeOne(lockName)}
      submit={registered.remove}
      danger
      onClose={onClose}
      explain={({ code }) => (code.startsWith('lock-') && code !== 'lock-not-found' ? registered.notCleared : undefined)}
      onSubmit={async (values) => {
        const clear = values.checked('clear') ? 'true' : 'false';
        const { cardsOnLock: left } = await client.ask<{ cardsOnLock: number | null }>('DELETE', `gateway/locks/${lockId}`, {
          query: { clear },
        });
        toasts.show('good', registered.removed(lockName, left));
        go('registered');
      }}
    >
      {() => (
        <>
          <p>{registered.removeText}</p>
          {capabilities.cards && <p>{registered.stillOpens(cardsOnLock)}</p>}
          {capabilities.cards && cardsOnLock !== 0 && (
            <CheckField label={registered.clear} name="clear" hint={online ? undefined : registered.clearOffline} />
          )}
        </>
      )}
    </FormDialog>
  );
}
