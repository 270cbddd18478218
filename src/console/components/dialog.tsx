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
  /** Done when it resolves: then the caller closes it. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for what is to be entered; the button that sends it is called as the dialog, where nothing else is said. */
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

/** Asks before something is done that is not easily undone. */
export function ConfirmDialog({ title, text, confirm, danger = true, onConfirm, onClose }: ConfirmProps) {
  return (
    <FormDialog title={title} submit={confirm} danger={danger} onSubmit={onConfirm} onClose={onClose}>
      {() => <p>{text}</p>}
    </FormDialog>
  );
}
