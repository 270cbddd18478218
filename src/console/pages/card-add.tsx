// Adds a card to a lock, and explains both byte orders.
import { useState } from 'preact/hooks';
import { Problem } from '../api/problem.ts';
import { useApp, useStrings } from '../app.ts';
import { isCardNumber, reversed } from '../card-number.ts';
import { FormDialog } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/field.tsx';
import type { Values } from '../components/form.tsx';
import { ValidityFields, validityOf } from '../components/validity.tsx';

/** The gateway tells the lock, and keeps the change once the lock has confirmed it. */
const viaGateway = 2;

interface AddCardProps {
  readonly lockId: number;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

export function AddCardDialog({ lockId, onClose, onDone }: AddCardProps) {
  const { client } = useApp();
  const strings = useStrings();
  const { cards } = strings;
  const [number, setNumber] = useState('');
  const [method, setMethod] = useState<'regular' | 'reverse'>('regular');
  const shown = number.replaceAll(/[\s-]/g, '');
  const stored = isCardNumber(shown) ? cards.stored(method === 'reverse' ? reversed(shown) : shown) : undefined;

  async function add(values: Values): Promise<void> {
    if (!isCardNumber(shown)) throw new Problem('invalid-parameter', '', new Map([['cardNumber', cards.numberWrong]]));
    const validity = validityOf(values, strings);
    const query = { lockId, cardNumber: shown, method, addType: viaGateway, cardName: values.text('cardName'), ...validity };
    await client.ask('POST', 'identity-card/add', { query });
    onDone(validity.startDate <= Date.now() ? cards.added : cards.addedFor);
  }

  return (
    <FormDialog title={cards.add} onClose={onClose} required={['cardNumber']} onSubmit={add}>
      {(errorOf) => (
        <>
          <TextField label={cards.name} name="cardName" maxLength={64} error={errorOf('cardName')} autoFocus />
          <TextField
            label={cards.number}
            name="cardNumber"
            hint={cards.numberHint}
            error={errorOf('cardNumber')}
            onInput={setNumber}
            required
          />
          <ChoiceField
            label={cards.order}
            name="method"
            value={method}
            hint={stored}
            onInput={(value) => setMethod(value as 'regular' | 'reverse')}
            options={(['regular', 'reverse'] as const).map((value) => ({
              value,
              text: cards.orders[value],
              hint: cards.orderHints[value],
            }))}
          />
          <ValidityFields errorOf={errorOf} />
        </>
      )}
    </FormDialog>
  );
}
