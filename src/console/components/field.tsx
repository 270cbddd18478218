// Form fields: a label, a hint and an error that a screen reader says with the field.
import { useId } from 'preact/hooks';

export interface FieldProps {
  readonly label: string;
  /** The name under which the form finds its value. */
  readonly name: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

interface TextFieldProps extends FieldProps {
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'url';
  readonly value?: string | undefined;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly min?: string | number;
  readonly max?: string | number;
  readonly pattern?: string;
  readonly autoFocus?: boolean;
  /** What a password manager or the browser may fill in. */
  readonly autocomplete?: 'off' | 'username' | 'current-password' | 'new-password';
  readonly onInput?: (value: string) => void;
}

export function TextField({
  label,
  name,
  hint,
  error,
  type = 'text',
  value,
  required = false,
  onInput,
  autoFocus = false,
  autocomplete = 'off',
  ...more
}: TextFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        // Preact has a separate type for each type of input.
        {...({ type } as { type: 'text' })}
        defaultValue={value}
        aria-required={required}
        aria-invalid={error !== undefined}
        aria-describedby={described(id, hint, error)}
        autocomplete={autocomplete}
        autocapitalize="none"
        spellcheck={false}
        data-autofocus={autoFocus || undefined}
        onInput={({ currentTarget }) => {
          // A year that is still being typed has zeros in front.
          if (type !== 'date' || !currentTarget.value.startsWith('0')) onInput?.(currentTarget.value);
        }}
        {...more}
      />
      <Beneath id={id} hint={hint} error={error} />
    </div>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly value?: string | undefined;
  readonly onInput?: (value: string) => void;
}

export function SelectField({ label, name, hint, error, options, value, onInput }: SelectFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        aria-invalid={error !== undefined}
        aria-describedby={described(id, hint, error)}
        onInput={(event) => onInput?.(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
      <Beneath id={id} hint={hint} error={error} />
    </div>
  );
}

interface CheckFieldProps extends FieldProps {
  readonly checked?: boolean;
  readonly onInput?: (checked: boolean) => void;
}

export function CheckField({ label, name, hint, error, checked = false, onInput }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="field check">
      <input
        id={id}
        name={name}
        type="checkbox"
        defaultChecked={checked}
        aria-describedby={described(id, hint, error)}
        onInput={(event) => onInput?.(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Beneath id={id} hint={hint} error={error} />
    </div>
  );
}

interface ChoiceFieldProps extends FieldProps {
  readonly options: readonly { readonly value: string; readonly text: string; readonly hint?: string }[];
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** A few choices, all visible at once; one can be chosen. */
export function ChoiceField({ label, name, hint, error, options, value, onInput }: ChoiceFieldProps) {
  const id = useId();
  return (
    <fieldset class="field choice" aria-describedby={described(id, hint, error)}>
      <legend>{label}</legend>
      {options.map((option) => (
        <div key={option.value} class="field check">
          <input
            id={`${id}-${option.value}`}
            name={name}
            type="radio"
            value={option.value}
            checked={option.value === value}
            aria-describedby={option.hint ? `${id}-${option.value}-hint` : undefined}
            onInput={() => onInput(option.value)}
          />
          <label for={`${id}-${option.value}`}>{option.text}</label>
          <Beneath id={`${id}-${option.value}`} hint={option.hint} error={undefined} />
        </div>
      ))}
      <Beneath id={id} hint={hint} error={error} />
    </fieldset>
  );
}

interface ManyFieldProps extends FieldProps {
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly values: readonly string[];
}

/** A few choices, all visible at once; any number can be chosen. */
export function ManyField({ label, name, hint, error, options, values }: ManyFieldProps) {
  const id = useId();
  return (
    <fieldset class="field choice" aria-describedby={described(id, hint, error)}>
      <legend>{label}</legend>
      <div class="many">
        {options.map(({ value, text }) => (
          <div key={value} class="field check">
            <input id={`${id}-${value}`} name={name} type="checkbox" value={value} defaultChecked={values.includes(value)} />
            <label for={`${id}-${value}`}>{text}</label>
          </div>
        ))}
      </div>
      <Beneath id={id} hint={hint} error={error} />
    </fieldset>
  );
}

export function Beneath({ id, hint, error }: { id: string; hint: string | undefined; error: string | undefined }) {
  return (
    <>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  );
}

export function described(id: string, hint: string | undefined, error: string | undefined): string | undefined {
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return ids.length > 0 ? ids.join(' ') : undefined;
}
