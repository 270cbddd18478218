// Times as people say them, which go on by themselves: "5 minutes ago", "locks in 12 s".
import { signal, useComputed } from '@preact/signals';
import { useStrings } from '../app.ts';
import { useFormats } from '../format.ts';

let timer: ReturnType<typeof setInterval> | undefined;

/** Epoch ms, each second anew while something on the page depends on it. */
const now = signal(Date.now(), {
  watched() {
    now.value = Date.now();
    timer = setInterval(() => {
      now.value = Date.now();
    }, 1_000);
  },
  unwatched() {
    clearInterval(timer);
  },
});

/** How long ago it was, with the date and time in the title. */
export function Ago({ at }: { at: number }) {
  const { ago, time } = useFormats();
  const text = useComputed(() => ago(at, now.value));
  return (
    <time dateTime={new Date(at).toISOString()} title={time(at)}>
      {text}
    </time>
  );
}

/** The seconds until the lock locks itself; nothing once they are over: then the lock says what it did. */
export function LocksIn({ at }: { at: number }) {
  const { states } = useStrings();
  const { time } = useFormats();
  const seconds = useComputed(() => Math.ceil((at - now.value) / 1_000));
  if (seconds.value <= 0) return null;
  return (
    <span class="fact locks-in" title={time(at)}>
      {states.locksIn(seconds.value)}
    </span>
  );
}
