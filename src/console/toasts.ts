// Short messages about the result of an action; a screen reader says them without losing its place.
import { type ReadonlySignal, signal } from '@preact/signals';

const shownForMs = 6_000;

export interface Toast {
  readonly id: number;
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

export interface Toasts {
  readonly list: ReadonlySignal<readonly Toast[]>;
  /** A bad one stays until it is dismissed. */
  show(kind: Toast['kind'], text: string): void;
  dismiss(id: number): void;
}

export function createToasts(): Toasts {
  const list = signal<readonly Toast[]>([]);
  let lastId = 0;
  const dismiss = (id: number) => {
    list.value = list.value.filter((toast) => toast.id !== id);
  };
  return {
    list,
    show(kind, text) {
      lastId += 1;
      const id = lastId;
      list.value = [...list.value.filter((toast) => toast.text !== text), { id, kind, text }].slice(-3);
      if (kind === 'good') setTimeout(() => dismiss(id), shownForMs);
    },
    dismiss,
  };
}
