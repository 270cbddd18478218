// The cards that open a lock.
import { useEffect, useState } from 'preact/hooks';
import type { Card } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { useAskedList } from '../components/asked-list.ts';
import { AskedTable } from '../components/asked-table.tsx';
import { Button } from '../components/button.tsx';
import { SelectField } from '../components/field.tsx';
import { accessPart } from '../components/later.tsx';
import { LockHead } from '../components/lock-head.tsx';
import { ValidityText } from '../components/validity-text.tsx';
import { href } from '../router.ts';
import { AddCardDialog } from './card-add.tsx';
import { CardValidityDialog, RemoveCardDialog, RenameCardDialog } from './card-dialogs.tsx';
import type { PageProps } from './page.ts';

export function LockCardsPage({ parameters }: PageProps) {
  const lockId = Number(parameters['lockId']);
  return (
    <LockHead lockId={lockId} section="cards">
      {({ capabilities }) => (
        <>
          {capabilities.cards && <Cards lockId={lockId} />}
          <LockEntries lockId={lockId} />
        </>
      )}
    </LockHead>
  );
}

const LockEntries = accessPart('lockEntries');

type Open = { readonly what: 'add' } | { readonly what: 'rename' | 'validity' | 'remove'; readonly card: Card };

function Cards({ lockId }: { lockId: number }) {
  const { live, toasts, router } = useApp();
  const { cards: strings, common, locks } = useStrings();
  const { show = 'all' } = router.query.value;
  const list = useAskedList<Card>('identity-card/list', { lockId, valid: show === 'all' ? undefined : show });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    list.reload();
  };
  // Loads again when somebody else changes a card.
  useEffect(() =>
    live.listen((happening) => {
      if (happening.type === 'locks' || (happening.type === 'card' && happening.card.lockId === lockId)) list.reload();
    }),
  );

  const titleOf = (card: Card) => card.cardName || card.cardNumber;
  const action = (text: string, what: 'rename' | 'validity' | 'remove', card: Card, title = text) => (
    <Button kind="quiet" label={strings.actionOf(title, titleOf(card))} onClick={() => setOpen({ what, card })}>
      {text}
    </Button>
  );
  return (
    <>
      <div class="page-title">
        <p class="intro">{strings.intro}</p>
        <div class="buttons">
          <Button kind="main" icon="plus" onClick={() => setOpen({ what: 'add' })}>
            {strings.add}
          </Button>
          <a class="button" href={href('locks', lockId, 'cards', 'on-lock')}>
            {strings.compare}
          </a>
        </div>
      </div>
      <AskedTable
        caption={strings.intro}
        list={list}
        empty={strings.none}
        keyOf={({ cardId }) => cardId}
        columns={[
          {
            title: strings.name,
            sort: 'cardName',
            cell: ({ cardName, senderUsername }) => (
              <>
                {cardName === '' ? <span class="faint">{strings.unnamed}</span> : <strong>{cardName}</strong>}
                {senderUsername !== '' && <span class="below">{strings.by(senderUsername)}</span>}
              </>
            ),
          },
          { title: strings.number, sort: 'cardNumber', cell: ({ cardNumber }) => <code>{cardNumber}</code> },
          {
            title: strings.validity,
            sort: 'endDate',
            cell: (card) => <ValidityText {...card} />,
          },
          {
            title: common.actions,
            actions: true,
            cell: (card) => (
              <>
                {action(strings.rename, 'rename', card)}
                {action(strings.validity, 'validity', card, strings.changeValidity)}
                {action(common.remove, 'remove', card)}
              </>
            ),
          },
        ]}
      >
        <SelectField
          label={locks.show}
          name="show"
          value={show}
          onInput={(value) => router.ask({ show: value === 'all' ? '' : value, page: '' })}
          options={Object.entries(strings.shows).map(([value, text]) => ({ value, text }))}
        />
      </AskedTable>
      {open?.what === 'add' && <AddCardDialog lockId={lockId} onClose={close} onDone={done} />}
      {open?.what === 'rename' && <RenameCardDialog card={open.card} onClose={close} onDone={done} />}
      {open?.what === 'validity' && <CardValidityDialog card={open.card} onClose={close} onDone={done} />}
      {open?.what === 'remove' && <RemoveCardDialog card={open.card} title={titleOf(open.card)} onClose={close} onDone={done} />}
    </>
  );
}
