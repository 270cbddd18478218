// A table, which becomes a list of cards on a narrow screen, and the buttons to its pages.
import type { ComponentChildren } from 'preact';
import { Loading, ProblemCallout } from './callout.tsx';
import { Icon } from './icon.tsx';
import type { Paged } from './paged.ts';
import { Pager } from './pager.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Buttons: at the end of the row, without a title of their own. */
  readonly actions?: boolean;
  /** The name under which the gateway orders by this column. */
  readonly sort?: string;
}

interface TableProps<Row> {
  /** The name that a screen reader says. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The column by which the rows are ordered, and what orders them by another; without it nobody is asked. */
  readonly order?: { readonly by: string; readonly isDescending: boolean; readonly onOrder: (sort: string) => void };
}

// The roles are explicit, because browsers drop them when CSS lays a table out in another way.
export function Table<Row>({ caption, columns, rows, keyOf, order }: TableProps<Row>) {
  return (
    // biome-ignore-start lint/a11y: see above
    <table role="table" class={order && 'ordered'}>
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, actions, sort }) => {
            const direction = order?.isDescending ? 'descending' : 'ascending';
            const isBy = sort !== undefined && order?.by === sort;
            return (
              <th key={title} scope="col" role="columnheader" aria-sort={isBy ? direction : undefined}>
                {actions && <span class="unseen">{title}</span>}
                {!actions && (!order || !sort) && title}
                {order && sort && (
                  <button type="button" class="order" onClick={() => order.onOrder(sort)}>
                    {title}
                    {isBy && <Icon name={order.isDescending ? 'down' : 'up'} />}
                  </button>
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ title, cell, actions }) => (
              <td key={title} role="cell" data-title={actions ? undefined : title} class={actions ? 'actions' : undefined}>
                {/* A single element beside the title, whatever the cell contains. */}
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y: see above
  );
}

/** A table of a list that the gateway gives page by page. It says when it loads, is empty, or has failed. */
export function PagedTable<Row>({ paged, empty, ...table }: Omit<TableProps<Row>, 'rows'> & { paged: Paged<Row>; empty: string }) {
  const { page, problem, reload } = paged;
  if (problem !== undefined) return <ProblemCallout problem={problem} retry={reload} />;
  if (page === undefined) return <Loading />;
  if (page.total === 0) return <p class="empty">{empty}</p>;
  return (
    <>
      <Table {...table} rows={page.list} />
      <Pager {...page} onTurn={paged.turnTo} />
    </>
  );
}
