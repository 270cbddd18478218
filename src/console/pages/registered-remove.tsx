// Asks before a lock is removed, and warns that the lock itself goes on opening for the cards in its memory.
import type { ManagedLock } from '../api/registration-types.ts';
import { useApp, useStrings } from '../app.ts';
import { FormDialog } from '../components/dialog.tsx';
import { CheckField } from '../components/field.tsx';
import { useProblemText } from '../format.ts';
import { go } from '../router.ts';

export function RemoveLock({ lock, onClose }: { lock: ManagedLock; onClose: () => void }) {
  const { registered } = useStrings();
  const { client, toasts } = useApp();
  const explain = useProblemText();
  const { lockId, lockName, cardsOnLock, online, capabilities } = lock;
  async function remove(clear: 'true' | 'false'): Promise<void> {
    const { cardsOnLock: left } = await client.ask<{ cardsOnLock: number | null }>('DELETE', `gateway/locks/${lockId}`, {
      query: { clear },
    });
    toasts.show('good', registered.removed(lockName, left));
  }
  return (
    <FormDialog
      title={registered.removeOne(lockName)}
      submit={registered.remove}
      danger
      onClose={onClose}
      explain={({ code }) => (code.startsWith('lock-') && code !== 'lock-not-found' ? registered.notCleared : undefined)}
      onSubmit={async (values) => {
        // Cards are taken off the lock at once: they open a door.
        if (values.checked('clear')) await remove('true');
        else
          toasts.soon({
            key: `lock ${lockId}`,
            text: registered.removesSoon(lockName),
            act: () => remove('false'),
            explain,
          });
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
