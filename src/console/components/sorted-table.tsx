// A table that is searched, filtered and ordered here. What a person asked of it is in the address, so that Back leads to it.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import type { AllRows } from './all-rows.ts';
import { Loading, ProblemCallout } from './callout.tsx';
import { SelectField } from './field.tsx';
import { pageOf } from './paged.ts';
import { Pager } from './pager.tsx';
import { SearchField } from './search-field.tsx';
import { type Column, Table } from './table.tsx';

const pageSize = 25;

interface SortedTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly all: AllRows<Row>;
  readonly keyOf: (row: Row) => string | number;
  /** What is said when there is no row at all. */
  readonly empty: string;
  /** The texts of a row in which a search looks. */
  readonly textsOf: (row: Row) => readonly string[];
  /** Which rows the fields of `children` leave. */
  readonly isWanted?: (row: Row) => boolean;
  /** Further fields beside the search. */
  readonly children?: ComponentChildren;
}

export function SortedTable<Row>({ caption, columns, all, keyOf, empty, textsOf, isWanted, children }: SortedTableProps<Row>) {
  const { router } = useApp();
  const { common } = useStrings();
  const { search = '', order = '', page = '1' } = router.query.value;
  const isDescending = order.startsWith('-');
  const by = columns.find(({ title, value }) => value && title === order.replace(/^-/, ''));
  const { rows, problem } = all;
  const ordered = useMemo(
    () => (rows === undefined || by?.value === undefined ? rows : sorted(rows, by.value, isDescending)),
    [rows, order],
  );
  if (problem !== undefined) return <ProblemCallout problem={problem} retry={all.reload} />;
  if (ordered === undefined) return <Loading />;
  if (ordered.length === 0) return <p class="empty">{empty}</p>;
  const wanted = search.trim().toLowerCase();
  const found = ordered.filter(
    (row) => (wanted === '' || textsOf(row).some((text) => text.toLowerCase().includes(wanted))) && (isWanted?.(row) ?? true),
  );
  const shown = pageOf(found, Number(page) || 1, pageSize);
  // One click orders, the next turns it round, the third leaves it as it came.
  const next = (title: string) => (by?.title !== title ? title : isDescending ? '' : `-${title}`);
  return (
    <>
      <search class="filters">
        <SearchField label={common.search} value={search} onInput={(value) => router.ask({ search: value, page: '' })} />
        {children}
        <div class="only-narrow">
          <SelectField
            label={common.orderBy}
            name="order"
            value={order}
            onInput={(value) => router.ask({ order: value, page: '' })}
            options={[
              { value: '', text: common.asItCame },
              ...columns
                .filter(({ value }) => value)
                .flatMap(({ title }) => [
                  { value: title, text: title },
                  { value: `-${title}`, text: common.descending(title) },
                ]),
            ]}
          />
        </div>
      </search>
      {found.length === 0 ? (
        <p class="empty">{common.noneFound}</p>
      ) : (
        <Table
          caption={caption}
          columns={columns}
          rows={shown.list}
          keyOf={keyOf}
          order={{ by: by?.title, isDescending, onOrder: (title) => router.ask({ order: next(title), page: '' }) }}
        />
      )}
      <Pager {...shown} onTurn={(pageNo) => router.ask({ page: pageNo === 1 ? '' : String(pageNo) })} />
    </>
  );
}

function sorted<Row>(rows: readonly Row[], keyFor: (row: Row) => string | number, isDescending: boolean): readonly Row[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const keyed = rows.map((row) => ({ row, value: keyFor(row) }));
  keyed.sort(({ value: one }, { value: other }) =>
    typeof one === 'number' && typeof other === 'number' ? one - other : compare(String(one), String(other)),
  );
  const list = keyed.map(({ row }) => row);
  return isDescending ? list.reverse() : list;
}
