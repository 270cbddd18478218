// How long the pairing stays open.
import { useReducer } from 'preact/hooks';
import { useEvery } from '../components/polled.ts';

/** `until`: by the gateway's clock, from which that of this device may differ by a little. */
export function TimeLeft({ until }: { until: number }) {
  const [, tick] = useReducer((times: number, _: undefined) => times + 1, 0);
  useEvery(1_000, () => tick(undefined));
  const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1_000));
  return (
    <strong class="time-left">
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
    </strong>
  );
}
