// The table of a list that is searched, filtered and ordered (`asked-list.ts`), with the fields for that.
import type { ComponentChildren } from 'preact';
import { useApp, useStrings } from '../app.ts';
import type { AskedList } from './asked-list.ts';
import { Loading, ProblemCallout } from './callout.tsx';
import { SelectField } from './field.tsx';
import { Pager } from './pager.tsx';
import { SearchField } from './search-field.tsx';
import { type Column, Table } from './table.tsx';

interface AskedRowsProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly list: AskedList<Row>;
  readonly keyOf: (row: Row) => string | number;
  /** What is said when nothing was found. */
  readonly noneFound?: string;
  /** Rows of which a person has said already that they are to go. */
  readonly isGone?: (row: Row) => boolean;
}

interface AskedTableProps<Row> extends AskedRowsProps<Row> {
  /** What is said when there is no row at all. */
  readonly empty: string;
  /** Further fields beside the search. */
  readonly children?: ComponentChildren;
}

/** One click orders, the next turns it round, the third leaves it as it came. */
function useOrder() {
  const { router } = useApp();
  const { order = '' } = router.query.value;
  const isDescending = order.startsWith('-');
  const by = order.replace(/^-/, '');
  const choose = (chosen: string) => router.ask({ order: chosen, page: '' });
  return { order, choose, by, isDescending, onOrder: (sort: string) => choose(by !== sort ? sort : isDescending ? '' : `-${sort}`) };
}

export function AskedTable<Row>({ empty, children, ...rows }: AskedTableProps<Row>) {
  const { common } = useStrings();
  const { order, choose } = useOrder();
  const { page, isFiltered } = rows.list;
  if (page?.total === 0 && !isFiltered) return <p class="empty">{empty}</p>;
  return (
    <>
      <search class="filters">
        <AskedSearch />
        {children}
        <div class="only-narrow">
          <SelectField
            label={common.orderBy}
            name="order"
            value={order}
            onInput={choose}
            options={[
              { value: '', text: common.asItCame },
              ...rows.columns.flatMap(({ title, sort }) =>
                sort === undefined
                  ? []
                  : [
                      { value: sort, text: title },
                      { value: `-${sort}`, text: common.descending(title) },
                    ],
              ),
            ]}
          />
        </div>
      </search>
      <AskedRows {...rows} />
    </>
  );
}

export function AskedSearch() {
  const { router } = useApp();
  const { common } = useStrings();
  const { search = '' } = router.query.value;
  return <SearchField label={common.search} value={search} onInput={(value) => router.ask({ search: value, page: '' })} />;
}

/** The rows alone. */
export function AskedRows<Row>({ caption, columns, list, keyOf, noneFound, isGone }: AskedRowsProps<Row>) {
  const { router } = useApp();
  const { common } = useStrings();
  const { page, problem, isFiltered, reload } = list;
  const order = useOrder();
  if (page === undefined && problem === undefined) return <Loading />;
  return (
    <>
      {problem !== undefined && <ProblemCallout problem={problem} retry={reload} />}
      {page?.total === 0 && <p class="empty">{noneFound ?? common.noneFound}</p>}
      {page !== undefined && page.total > 0 && (
        <>
          <Table caption={caption} columns={columns} rows={page.list.filter((row) => !isGone?.(row))} keyOf={keyOf} order={order} />
          <Pager {...page} onTurn={(pageNo) => router.ask({ page: pageNo === 1 ? '' : String(pageNo) })} />
        </>
      )}
      <p class="unseen" role="status">
        {isFiltered && page !== undefined && common.total(page.total)}
      </p>
    </>
  );
}
