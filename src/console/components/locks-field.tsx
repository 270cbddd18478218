// A field to choose locks, or groups of them: with a search by name and pages, because a building may have thousands.
import { useId, useMemo, useState } from 'preact/hooks';
import { useStrings } from '../app.ts';
import { Button } from './button.tsx';
import { Beneath, described, type FieldProps } from './field.tsx';
import { pageOf } from './paged.ts';
import { Pager } from './pager.tsx';

const locksOnAPage = 12;

interface LocksFieldProps extends FieldProps {
  /** The name of each lock, by its id. */
  readonly names: ReadonlyMap<number, string>;
  /** The locks that were chosen before; they come first. */
  readonly values: readonly number[];
  /** The words for what is no lock. */
  readonly words?: { readonly search: string; readonly noneFound: string };
}

export function LocksField({ label, name, hint, error, names, values, words }: LocksFieldProps) {
  const { common, locks } = useStrings();
  const strings = words ?? locks;
  const id = useId();
  const [search, setSearch] = useState('');
  const [pageNo, setPageNo] = useState(1);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set(values));
  const all = useMemo(() => sorted(names, new Set(values)), [names]);
  const wanted = search.trim().toLowerCase();
  const page = pageOf(
    all.filter(({ alias }) => alias.toLowerCase().includes(wanted)),
    pageNo,
    locksOnAPage,
  );

  function choose(lockId: number, isChosen: boolean): void {
    const next = new Set(chosen);
    if (isChosen) next.add(lockId);
    else next.delete(lockId);
    setChosen(next);
  }

  return (
    <fieldset class="field choice" aria-describedby={described(id, hint, error)}>
      <legend>{label}</legend>
      {/* The chosen locks on other pages are part of the form as well. */}
      {[...chosen].map((lockId) => (
        <input key={lockId} type="hidden" name={name} value={lockId} />
      ))}
      <input
        type="search"
        aria-label={strings.search}
        placeholder={strings.search}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          setSearch(event.currentTarget.value);
          setPageNo(1);
        }}
        // The search runs while a person types; Enter must not send the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <div class="many">
        {page.list.map(({ lockId, alias }) => (
          <div key={lockId} class="field check">
            <input
              id={`${id}-${lockId}`}
              type="checkbox"
              checked={chosen.has(lockId)}
              onInput={(event) => choose(lockId, event.currentTarget.checked)}
            />
            <label for={`${id}-${lockId}`}>{alias}</label>
          </div>
        ))}
      </div>
      {page.total === 0 && <p>{strings.noneFound}</p>}
      <Pager {...page} onTurn={setPageNo} isPart />
      <div class="chosen">
        <span role="status">{common.chosen(chosen.size, names.size)}</span>
        {chosen.size > 0 && (
          <Button kind="quiet" onClick={() => setChosen(new Set())}>
            {common.chooseNone}
          </Button>
        )}
      </div>
      <Beneath id={id} hint={hint} error={error} />
    </fieldset>
  );
}

interface NamedLock {
  readonly lockId: number;
  readonly alias: string;
}

function sorted(names: ReadonlyMap<number, string>, first: ReadonlySet<number>): readonly NamedLock[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const rank = ({ lockId }: NamedLock) => (first.has(lockId) ? 0 : 1);
  return [...names]
    .map(([lockId, alias]) => ({ lockId, alias }))
    .sort((one, other) => rank(one) - rank(other) || compare(one.alias, other.alias));
}
