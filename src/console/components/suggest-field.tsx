// A field that suggests what it could mean while a person types: the browser draws the list.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Beneath, described, type FieldProps } from './field.tsx';

const waitMs = 200;

interface Suggestion {
  readonly id: number;
  readonly text: string;
}

interface SuggestFieldProps extends Omit<FieldProps, 'name'> {
  /** In a form: the name under which it finds the text. */
  readonly name?: string;
  readonly value: string;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly suggest: (text: string) => Promise<readonly Suggestion[]>;
  /** `picked`: what was suggested with just this text, once a person has chosen it or gone on. */
  readonly onPick?: (picked: Suggestion | undefined, text: string) => void;
}

export function SuggestField({ label, name, value, hint, error, required = false, autoFocus = false, suggest, onPick }: SuggestFieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  const newest = useRef(text);
  newest.current = text;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    const timer = setTimeout(() => {
      suggest(text.trim()).then(
        (list) => newest.current === text && setFound(list),
        () => setFound([]), // Then it is the text alone.
      );
    }, waitMs);
    return () => clearTimeout(timer);
  }, [text]);
  const named = (list: readonly Suggestion[], typed: string) => list.find((one) => one.text.toLowerCase() === typed.toLowerCase());

  async function take(typed: string): Promise<void> {
    if (onPick === undefined) return;
    const picked = typed === '' ? undefined : (named(found, typed) ?? named(await suggest(typed).catch(() => []), typed));
    onPick(picked, typed);
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        value={text}
        list={`${id}-list`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-required={required}
        aria-invalid={error !== undefined}
        aria-describedby={described(id, hint, error)}
        data-autofocus={autoFocus || undefined}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => void take(event.currentTarget.value.trim())}
      />
      <datalist id={`${id}-list`}>
        {found.map((one) => (
          <option key={one.id} value={one.text} />
        ))}
      </datalist>
      <Beneath id={id} hint={hint} error={error} />
    </div>
  );
}
