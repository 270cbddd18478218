// The cards that a lock itself holds, beside those that the gateway knows.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../api/all-pages.ts';
import type { Card, CardOnLock } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Callout, Loading, ProblemCallout } from '../components/callout.tsx';
import { LockHead } from '../components/lock-head.tsx';
import { pageOf } from '../components/paged.ts';
import { Pager } from '../components/pager.tsx';
import { Table } from '../components/table.tsx';
import { ValidityText } from '../components/validity-text.tsx';
import { useProblemText } from '../format.ts';
import { href } from '../router.ts';
import type { PageProps } from './page.ts';

/** Changes only the gateway's list; the lock has the card already. */
const notedOnly = 1;
const pageSize = 50;

interface Compared {
  readonly cardNumber: string;
  readonly cardName: string;
  readonly startDate: number;
  readonly endDate: number;
  readonly isOnLock: boolean;
  readonly isKnown: boolean;
}

export function OnLockPage({ parameters }: PageProps) {
  const lockId = Number(parameters['lockId']);
  return (
    <LockHead lockId={lockId} section="cards">
      {() => <Comparison lockId={lockId} />}
    </LockHead>
  );
}

function Comparison({ lockId }: { lockId: number }) {
  const { client, toasts } = useApp();
  const { cards: strings, common } = useStrings();
  const problemText = useProblemText();
  const [rows, setRows] = useState<readonly Compared[]>();
  const [problem, setProblem] = useState<unknown>();
  const [times, setTimes] = useState(0);
  const [pageNo, setPageNo] = useState(1);
  const again = () => setTimes((before) => before + 1);

  useEffect(() => {
    const left = new AbortController();
    const numberOf = ({ cardNumber }: { cardNumber: string }) => cardNumber;
    setRows(undefined);
    setProblem(undefined);
    async function compare(): Promise<void> {
      const onLock: CardOnLock[] = [];
      const known: Card[] = [];
      for await (const { rows } of allRows<CardOnLock>(client, 'identity-card/on-lock', { lockId }, numberOf, left.signal))
        onLock.push(...rows);
      for await (const { rows } of allRows<Card>(client, 'identity-card/list', { lockId }, numberOf, left.signal)) known.push(...rows);
      if (!left.signal.aborted) setRows(compared(onLock, known));
    }
    compare().catch((error: unknown) => left.signal.aborted || setProblem(error));
    return () => left.abort();
  }, [client, lockId, times]);

  async function takeOver({ cardNumber, startDate, endDate }: Compared): Promise<void> {
    try {
      const query = { lockId, cardNumber, method: 'regular', addType: notedOnly, startDate, endDate };
      await client.ask('POST', 'identity-card/add', { query });
      toasts.show('good', strings.takenOver);
      again();
    } catch (error) {
      toasts.show('bad', problemText(error));
    }
  }

  const page = rows && pageOf(rows, pageNo, pageSize);
  const strangers = rows?.filter(({ isKnown }) => !isKnown).length ?? 0;
  const missing = rows?.filter(({ isOnLock }) => !isOnLock).length ?? 0;
  return (
    <>
      <div class="page-title">
        <div>
          <h2>{strings.compare}</h2>
          <p class="intro">{strings.compareIntro}</p>
        </div>
        <div class="buttons">
          <Button onClick={again}>{strings.askAgain}</Button>
          <a class="button" href={href('locks', lockId, 'cards')}>
            {common.back}
          </a>
        </div>
      </div>
      {problem !== undefined && <ProblemCallout problem={problem} />}
      {rows === undefined && problem === undefined && <Loading text={strings.asking} />}
      {rows && strangers > 0 && <Callout kind="warning">{strings.unknownCards(strangers)}</Callout>}
      {rows && missing > 0 && <Callout kind="warning">{strings.missingCards(missing)}</Callout>}
      {rows && strangers + missing === 0 && <Callout kind="info">{strings.same(rows.length)}</Callout>}
      {page && page.total > 0 && (
        <>
          <Table
            caption={strings.compare}
            rows={page.list}
            keyOf={({ cardNumber }) => cardNumber}
            columns={[
              { title: strings.name, cell: ({ cardName }) => cardName || '–' },
              { title: strings.number, cell: ({ cardNumber }) => <code>{cardNumber}</code> },
              { title: strings.validity, cell: (card) => <ValidityText {...card} /> },
              { title: strings.onLock, cell: ({ isOnLock }) => <YesNo value={isOnLock} /> },
              { title: strings.knownHere, cell: ({ isKnown }) => <YesNo value={isKnown} /> },
              {
                title: common.actions,
                actions: true,
                cell: (card) =>
                  !card.isKnown && (
                    <Button kind="quiet" label={strings.actionOf(strings.takeOver, card.cardNumber)} onClick={() => void takeOver(card)}>
                      {strings.takeOver}
                    </Button>
                  ),
              },
            ]}
          />
          <Pager {...page} onTurn={setPageNo} />
        </>
      )}
    </>
  );
}

function YesNo({ value }: { value: boolean }) {
  const { common } = useStrings();
  return <span class={value ? undefined : 'tag bad'}>{value ? common.yes : common.no}</span>;
}

/** Cards that differ come first. The lock's numbers have no leading zeros. */
function compared(onLock: readonly CardOnLock[], known: readonly Card[]): readonly Compared[] {
  const plain = (cardNumber: string) => cardNumber.replace(/^0+(?=\d)/, '');
  const held = new Map(onLock.map((card) => [plain(card.cardNumber), card]));
  const ours = known.map((card) => ({
    ...card,
    ...held.get(plain(card.cardNumber)),
    isOnLock: held.has(plain(card.cardNumber)),
    isKnown: true,
  }));
  const strangers = onLock.filter((card) => !card.known).map((card) => ({ ...card, cardName: '', isOnLock: true, isKnown: false }));
  const differs = (card: Compared) => (card.isKnown && card.isOnLock ? 1 : 0);
  return [...strangers, ...ours].sort((one, other) => differs(one) - differs(other));
}
