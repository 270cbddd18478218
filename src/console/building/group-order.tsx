// In which order the board shows the groups, for everybody. Buttons move them, so that it is as easy by keyboard.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import type { BoardGroup } from '../board/board.ts';
import { Button } from '../components/button.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { useSaid } from '../components/said.tsx';
import { useTexts } from './texts.ts';

interface GroupOrderProps {
  readonly groups: readonly BoardGroup[];
  readonly onClose: () => void;
}

export function GroupOrder({ groups, onClose }: GroupOrderProps) {
  const { client, board, toasts } = useApp();
  const { common } = useStrings();
  const texts = useTexts();
  const [order, setOrder] = useState(groups.filter(({ groupId }) => groupId !== 0));
  const [movedTo, setMovedTo] = useState<number>();
  const { say, region } = useSaid();
  const list = useRef<HTMLOListElement>(null);

  function move(from: number, to: number): void {
    const next = [...order];
    const [moved] = next.splice(from, 1);
    if (moved === undefined) return;
    next.splice(to, 0, moved);
    setOrder(next);
    say(texts.movedTo(moved.name, to + 1, next.length));
    setMovedTo(to);
  }
  // The focus goes along; at an end its button can do nothing, and another one takes it.
  useEffect(() => {
    const row = movedTo === undefined ? undefined : list.current?.children[movedTo];
    if (!row) return;
    const focused = document.activeElement;
    const isThere = row.contains(focused) && !(focused as HTMLButtonElement).disabled;
    if (!isThere) row.querySelector<HTMLButtonElement>('button:not(:disabled)')?.focus();
  }, [order]);
  function byName(): void {
    const { compare } = new Intl.Collator(undefined, { numeric: true });
    setMovedTo(undefined);
    setOrder([...order].sort((one, other) => compare(one.name, other.name)));
    say(texts.byNameDone);
  }
  const button = (icon: IconName, label: string, from: number, to: number) => (
    <button
      type="button"
      class="button quiet square"
      aria-label={label}
      disabled={to < 0 || to >= order.length || from === to}
      onClick={() => move(from, to)}
    >
      <Icon name={icon} />
    </button>
  );

  return (
    <FormDialog
      title={texts.order}
      submit={common.save}
      onClose={onClose}
      onSubmit={async () => {
        await client.ask('PUT', 'gateway/groups/order', { body: { groupIds: order.map(({ groupId }) => groupId) } });
        board.reload();
        toasts.show('good', texts.ordered);
        onClose();
      }}
    >
      {() => (
        <>
          <p>{texts.orderText}</p>
          <ol ref={list} class="group-order">
            {order.map(({ groupId, name }, at) => (
              <li key={groupId}>
                <span>{name}</span>
                {button('first', texts.toTop(name), at, 0)}
                {button('up', texts.up(name), at, at - 1)}
                {button('down', texts.down(name), at, at + 1)}
              </li>
            ))}
          </ol>
          <Button kind="quiet" onClick={byName}>
            {texts.byName}
          </Button>
          {region}
        </>
      )}
    </FormDialog>
  );
}
