// A window above the page: the browser keeps the focus in it, closes it with Escape, and gives the focus back.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useStrings } from '../app.ts';
import { Form, type FormProps } from './form.tsx';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="button quiet square" aria-label={useStrings().common.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: ComponentChildren;
  readonly confirm: string;
  readonly danger?: boolean;
  /** The action; when it resolves, the caller closes the dialog. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** A dialog with a form. Its submit button has the dialog's title unless another text is given. */
export function FormDialog({ title, submit = title, onClose, ...form }: Omit<FormProps, 'onCancel' | 'submit'> & FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={submit} onCancel={onClose} {...form} />
    </Dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  readonly submit?: string;
  readonly onClose: () => void;
}

/** Asks before an action that is not easily undone. */
export function ConfirmDialog({ title, text, confirm, danger = true, onConfirm, onClose }: ConfirmProps) {
  return (
    <FormDialog title={title} submit={confirm} danger={danger} onSubmit={onConfirm} onClose={onClose}>
      {() => <p>{text}</p>}
    </FormDialog>
  );
}
