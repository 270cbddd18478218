// A field of several lines.
import { useId } from 'preact/hooks';
import { Beneath, described, type FieldProps } from '../../components/field.tsx';

interface AreaFieldProps extends FieldProps {
  readonly value: string;
  readonly rows: number;
}

export function AreaField({ label, name, hint, error, value, rows }: AreaFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={rows}
        defaultValue={value}
        spellcheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={described(id, hint, error)}
      />
      <Beneath id={id} hint={hint} error={error} />
    </div>
  );
}
