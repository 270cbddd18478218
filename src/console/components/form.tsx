// A form that sends a request to the gateway: one at a time; errors appear at their fields, or else above the buttons.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Problem } from '../api/problem.ts';
import { useStrings } from '../app.ts';
import { Button } from './button.tsx';
import { ProblemCallout } from './callout.tsx';

/** The values of a form by the names of its fields. */
export interface Values {
  /** The value without the blanks around it. */
  text(name: string): string;
  /** The value as it was typed, blanks and all. */
  typed(name: string): string;
  checked(name: string): boolean;
  /** The values of several checkboxes that are checked. */
  all(name: string): readonly string[];
}

export interface FormProps {
  /** Draws the fields, given the error of each. */
  readonly children: (errorOf: (name: string) => string | undefined) => ComponentChildren;
  readonly submit: string;
  readonly danger?: boolean;
  readonly required?: readonly string[];
  /** Sends the form; if it rejects, the form shows the error. */
  readonly onSubmit: (values: Values) => Promise<void>;
  readonly onCancel?: () => void;
  /** Gives a sentence of its own for an error, instead of the usual one. */
  readonly explain?: (problem: Problem) => string | undefined;
}

export function Form({ children, submit, danger = false, required = [], onSubmit, onCancel, explain }: FormProps) {
  const { common } = useStrings();
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [missing, setMissing] = useState<readonly string[]>([]);

  /** The fields that show their own error. */
  const asked = new Set<string>();
  function errorOf(name: string): string | undefined {
    asked.add(name);
    if (missing.includes(name)) return common.required;
    const message = problem instanceof Problem ? problem.parameters.get(name) : undefined;
    return message && common.wrong(message);
  }
  const own = problem instanceof Problem ? explain?.(problem) : undefined;
  const fields = children(errorOf);
  const wrong = problem instanceof Problem && own === undefined ? [...problem.parameters.keys()] : [];
  /** Each error is said once, at its field. */
  const isSaid = wrong.length > 0 && wrong.every((name) => asked.has(name));

  async function send(): Promise<void> {
    if (busy || !form.current) return;
    const entries = new FormData(form.current);
    const typed = (name: string) => String(entries.get(name) ?? '');
    const values: Values = {
      typed,
      text: (name) => typed(name).trim(),
      checked: (name) => entries.has(name),
      all: (name) => entries.getAll(name).map(String),
    };
    const empty = required.filter((name) => values.text(name) === '');
    setMissing(empty);
    setProblem(undefined);
    if (empty.length > 0) return focus(empty);
    setBusy(true);
    try {
      await onSubmit(values);
    } catch (error) {
      setProblem(error);
      if (error instanceof Problem) focus([...error.parameters.keys()]);
    } finally {
      setBusy(false);
    }
  }
  function focus(names: readonly string[]): void {
    const first = [...(form.current?.elements ?? [])].find((element) => names.includes((element as HTMLInputElement).name));
    (first as HTMLElement | undefined)?.focus();
  }

  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {fields}
      {problem !== undefined && !isSaid && (own === undefined ? <ProblemCallout problem={problem} /> : <ProblemCallout problem={own} />)}
      <div class="buttons">
        <Button type="submit" kind={danger ? 'danger' : 'main'} busy={busy}>
          {submit}
        </Button>
        {onCancel && <Button onClick={onCancel}>{common.cancel}</Button>}
      </div>
    </form>
  );
}
