// What needs a person, on top of the board, each with the one thing to do.
import { useComputed } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import { Ago } from '../components/ago.tsx';
import { useBolt } from '../components/bolt.tsx';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { useProblemText } from '../format.ts';
import type { LiveLock } from '../live.ts';
import { href } from '../router.ts';
import type { Concern } from './concerns.ts';
import type { BoardView } from './view.ts';

/** Of each kind; a link leads to the others. */
const shownOfAKind = 3;

/** The same trouble again is another one. */
const keyOf = ({ kind, lockId, since }: Concern) => `alarm ${kind} ${lockId} ${since}`;

export function Attention({ view, say }: { view: BoardView; say: (text: string) => void }) {
  const { locks: strings, alarmKinds } = useStrings();
  const { toasts } = useApp();
  const all = view.concerns.value.filter((concern) => !toasts.isGone(keyOf(concern)));
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  if (all.length === 0) return null;
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">{strings.attention(all.length)}</h2>
      <ul>
        {kinds.map((kind) => {
          const concerns = all.filter((concern) => concern.kind === kind);
          return (
            <Fragment key={kind}>
              {concerns.slice(0, shownOfAKind).map((concern) => (
                <li key={keyOf(concern)}>
                  <ConcernRow concern={concern} say={say} />
                </li>
              ))}
              {concerns.length > shownOfAKind && (
                <li class="others">
                  <a href={`${href()}?show=${kind === 'offline' ? 'offline' : 'alarm'}`}>
                    {strings.moreOfKind(concerns.length - shownOfAKind, alarmKinds[kind] ?? kind)}
                  </a>
                </li>
              )}
            </Fragment>
          );
        })}
      </ul>
    </section>
  );
}

interface ConcernProps {
  readonly concern: Concern;
  readonly say: (text: string) => void;
}

function ConcernRow(props: ConcernProps) {
  const { concern } = props;
  const { live } = useApp();
  const { alarms, alarmKinds } = useStrings();
  const lock = useComputed(() => live.locks.value?.get(concern.lockId)).value;
  const advice = alarms.advice[concern.kind];
  if (lock === undefined) return null;
  return (
    <>
      <Icon name={concern.kind === 'offline' ? 'offline' : 'alert'} />
      <div>
        <p>
          <a href={href('locks', concern.lockId)}>
            <strong>{lock.lockAlias}</strong>
          </a>{' '}
          <span class="kind">{alarmKinds[concern.kind] ?? concern.kind}</span>
          {concern.since !== null && (
            <span class="faint">
              {' · '}
              <Ago at={concern.since} />
            </span>
          )}
        </p>
        {advice && <p class="faint">{advice}</p>}
      </div>
      <Act {...props} lock={lock} />
    </>
  );
}

/** The one thing to do here. What has to be done at the door itself is in the advice. */
function Act({ concern, lock, say }: ConcernProps & { lock: LiveLock }) {
  const { locks: strings, lock: words, alarmKinds } = useStrings();
  const { client, toasts } = useApp();
  const problemText = useProblemText();
  const { button, outcome } = useBolt(lock, (text) => say(`${lock.lockAlias}: ${text}`));
  const { kind, lockId, endsByItself } = concern;
  const what = `${alarmKinds[kind] ?? kind}: ${lock.lockAlias}`;
  if (kind === 'jammed' || kind === 'auto-lock-late' || kind === 'open-too-long')
    return (
      <div class="act">
        {button('lock', lock.lockAlias)}
        {outcome && <p class={`outcome ${outcome.kind}`}>{outcome.text}</p>}
      </div>
    );
  if (kind === 'credentials-differ')
    return (
      <a class="button" href={href('locks', lockId, 'cards', 'on-lock')} aria-label={`${strings.compare}: ${lock.lockAlias}`}>
        {strings.compare}
      </a>
    );
  if (endsByItself) return null;
  return (
    <Button
      label={`${words.seen}: ${what}`}
      onClick={() =>
        toasts.soon({
          key: keyOf(concern),
          text: strings.seen(what),
          act: async () => void (await client.ask('DELETE', `gateway/alarms/${kind}/${lockId}`)),
          explain: problemText,
        })
      }
    >
      {words.seen}
    </Button>
  );
}

/** Says how much there is to look after once it is another number for a while: many locks that go at once are one sentence. */
export function useAttentionNews(view: BoardView, say: (text: string) => void): void {
  const { locks: strings } = useStrings();
  const count = view.concerns.value.length;
  const [told, setTold] = useState(count);
  useEffect(() => {
    if (count === told) return;
    const timer = setTimeout(() => {
      setTold(count);
      say(strings.attention(count));
    }, 2_000);
    return () => clearTimeout(timer);
  }, [count, told]);
}
