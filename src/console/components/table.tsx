// A table, which becomes a list of cards on a narrow screen, and the way through its pages.
import type { ComponentChildren } from 'preact';
import { Loading, ProblemNotice } from './notice.tsx';
import type { Paged } from './paged.ts';
import { Pager } from './pager.tsx';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Buttons: at the end of the row, without a title of their own. */
  readonly actions?: boolean;
}

interface TableProps<Row> {
  /** What a screen reader calls it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

// The roles are said because CSS that lays a table out in another way takes them from it.
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore-start lint/a11y: see above
    <table role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, actions }) => (
            <th key={title} scope="col" role="columnheader">
              {actions ? <span class="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ title, cell, actions }) => (
              <td key={title} role="cell" data-title={actions ? undefined : title} class={actions ? 'actions' : undefined}>
                {/* One thing beside its title, whatever it is made of. */}
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

/** A table of what the gateway gives page by page; says that it loads, that there is nothing, or what went wrong. */
export function PagedTable<Row>({ paged, empty, ...table }: Omit<TableProps<Row>, 'rows'> & { paged: Paged<Row>; empty: string }) {
  const { page, problem, reload } = paged;
  if (problem !== undefined) return <ProblemNotice problem={problem} retry={reload} />;
  if (page === undefined) return <Loading />;
  if (page.total === 0) return <p class="empty">{empty}</p>;
  return (
    <>
      <Table {...table} rows={page.list} />
      <Pager {...page} onTurn={paged.turnTo} />
    </>
  );
}
