// The buttons to the pages of a long list.
import { useStrings } from '../app.ts';
import { Icon } from './icon.tsx';

interface PagerProps {
  /** From 1. */
  readonly pageNo: number;
  readonly pages: number;
  readonly total: number;
  readonly onTurn: (pageNo: number) => void;
  /** The list is part of a form or a page: turning a page does not scroll to the top. */
  readonly isPart?: boolean;
}

/** Draws nothing if there is only one page. */
export function Pager({ pageNo, pages, total, onTurn, isPart = false }: PagerProps) {
  const { common } = useStrings();
  if (pages <= 1) return null;
  const turn = (to: number) => {
    onTurn(to);
    // A person reads the new page from its beginning.
    if (!isPart) document.getElementById('content')?.scrollTo(0, 0);
  };
  return (
    <nav class="pager" aria-label={common.pages}>
      <button type="button" class="button square" aria-label={common.previousPage} disabled={pageNo <= 1} onClick={() => turn(pageNo - 1)}>
        <Icon name="left" />
      </button>
      <span role="status">
        {common.pageOf(pageNo, pages)} <span class="faint">({common.total(total)})</span>
      </span>
      <button type="button" class="button square" aria-label={common.nextPage} disabled={pageNo >= pages} onClick={() => turn(pageNo + 1)}>
        <Icon name="right" />
      </button>
    </nav>
  );
}
