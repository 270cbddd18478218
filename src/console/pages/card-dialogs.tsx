// Changes one card of a lock: its name or validity; or removes it.
import type { Card } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { ConfirmDialog, FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { ValidityFields, validityOf } from '../components/validity.tsx';

/** The gateway tells the lock, and keeps the change once the lock has confirmed it. */
const viaGateway = 2;

interface CardDialogProps {
  readonly card: Card;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

export function RenameCardDialog({ card: { lockId, cardId, cardName }, onClose, onDone }: CardDialogProps) {
  const { client } = useApp();
  const { cards, common } = useStrings();
  return (
    <FormDialog
      title={cards.rename}
      onClose={onClose}
      submit={common.save}
      required={['cardName']}
      onSubmit={async (values) => {
        const query = { lockId, cardId, cardName: values.text('cardName'), changeType: viaGateway };
        await client.ask('PUT', 'identity-card/rename', { query });
        onDone(cards.renamed);
      }}
    >
      {(errorOf) => (
        <TextField label={cards.name} name="cardName" value={cardName} maxLength={64} error={errorOf('cardName')} required autoFocus />
      )}
    </FormDialog>
  );
}

export function CardValidityDialog({ card, onClose, onDone }: CardDialogProps) {
  const { client } = useApp();
  const strings = useStrings();
  const { lockId, cardId } = card;
  return (
    <FormDialog
      title={strings.cards.changeValidity}
      onClose={onClose}
      submit={strings.common.save}
      onSubmit={async (values) => {
        const query = { lockId, cardId, changeType: viaGateway, ...validityOf(values, strings) };
        await client.ask('PUT', 'identity-card/change-validity', { query });
        onDone(strings.cards.validityChanged);
      }}
    >
      {(errorOf) => <ValidityFields errorOf={errorOf} value={card} />}
    </FormDialog>
  );
}

export function RemoveCardDialog({ card: { lockId, cardId }, title, onClose, onDone }: CardDialogProps & { title: string }) {
  const { client } = useApp();
  const { cards, common } = useStrings();
  return (
    <ConfirmDialog
      title={cards.removeTitle(title)}
      text={cards.removeText}
      confirm={common.remove}
      onClose={onClose}
      onConfirm={async () => {
        await client.ask('DELETE', 'identity-card/delete', { query: { lockId, cardId, deleteType: viaGateway } });
        onDone(cards.removed);
      }}
    />
  );
}
