// Short messages about the result of an action; a screen reader says them without losing its place.
import { type ReadonlySignal, signal } from '@preact/signals';

/** Long enough to find a message and read it. */
const shownForMs = 6_000;
const msForACharacter = 100;
const takenBackWithinMs = 10_000;

export interface Toast {
  readonly id: number;
  readonly kind: 'good' | 'bad';
  readonly text: string;
  /** What the message speaks of is not done yet: this takes it back. */
  readonly undo?: () => void;
}

/** A removal that a person may take back. */
interface Removal {
  /** Names what is removed: `lock 7`. */
  readonly key: string;
  readonly text: string;
  readonly act: () => Promise<void>;
  /** The sentence for what `act` rejected with. */
  readonly explain: (error: unknown) => string;
}

export interface Toasts {
  readonly list: ReadonlySignal<readonly Toast[]>;
  /** A bad one stays until it is dismissed. */
  show(kind: Toast['kind'], text: string): void;
  /**
   * Removes after ten seconds, unless a person takes it back before; whoever dismisses the message, signs out or closes the page does not
   * take it back. Not for what opens a door: a browser may end before it has asked (Decision 47).
   */
  soon(removal: Removal): void;
  /** Whether it is removed, or soon will be. */
  isGone(key: string): boolean;
  /** The time of a message stands still while a person is at it. */
  hold(id: number, isHeld: boolean): void;
  dismiss(id: number): void;
  /** Does now what was to be done soon. */
  finish(): Promise<void>;
}

export function createToasts(): Toasts {
  const list = signal<readonly Toast[]>([]);
  const gone = signal<ReadonlySet<string>>(new Set());
  /** What happens to a message when its time is over. */
  const endings = new Map<number, { readonly ms: number; readonly end: () => Promise<void>; timer: ReturnType<typeof setTimeout> }>();
  let lastId = 0;

  function forget(id: number): void {
    clearTimeout(endings.get(id)?.timer);
    endings.delete(id);
    list.value = list.value.filter((toast) => toast.id !== id);
  }
  async function over(id: number): Promise<void> {
    const ending = endings.get(id);
    forget(id);
    await ending?.end();
  }
  function add(toast: Toast, ms: number, end: () => Promise<void>): void {
    const plain = list.value.filter(({ undo }) => undo === undefined);
    for (const [n, { id, text }] of plain.entries()) if (text === toast.text || n < plain.length - 2) forget(id);
    list.value = [...list.value, toast];
    if (ms > 0) endings.set(toast.id, { ms, end, timer: setTimeout(() => over(toast.id), ms) });
  }
  function show(kind: Toast['kind'], text: string): void {
    lastId += 1;
    const ms = Math.max(shownForMs, text.length * msForACharacter);
    add({ id: lastId, kind, text }, kind === 'good' ? ms : 0, async () => undefined);
  }
  function setGone(key: string, isGone: boolean): void {
    const next = new Set(gone.value);
    if (isGone) next.add(key);
    else next.delete(key);
    gone.value = next;
  }

  const toasts: Toasts = {
    list,
    show,
    soon({ key, text, act, explain }) {
      lastId += 1;
      const id = lastId;
      const back = () => setGone(key, false);
      setGone(key, true);
      const undo = () => {
        forget(id);
        back();
      };
      add({ id, kind: 'good', text, undo }, takenBackWithinMs, () =>
        act().catch((error: unknown) => {
          back();
          show('bad', explain(error));
        }),
      );
    },
    isGone: (key) => gone.value.has(key),
    hold(id, isHeld) {
      const ending = endings.get(id);
      if (!ending) return;
      clearTimeout(ending.timer);
      if (!isHeld) ending.timer = setTimeout(() => over(id), ending.ms);
    },
    dismiss: (id) => void over(id),
    async finish() {
      await Promise.all(list.value.filter(({ undo }) => undo !== undefined).map(({ id }) => over(id)));
    },
  };
  window.addEventListener('pagehide', () => void toasts.finish());
  return toasts;
}
