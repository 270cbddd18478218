// A search that runs while a person types; / leads to it.
import { useId } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export function SearchField({ label, value, onInput }: SearchFieldProps) {
  const { searchKey } = useApp().preferences;
  const { common } = useStrings();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        name="search"
        value={value}
        placeholder={searchKey.value ? common.searchKey : undefined}
        aria-keyshortcuts={searchKey.value ? '/' : undefined}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}
