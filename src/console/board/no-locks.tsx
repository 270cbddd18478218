// A board without locks: the next step, for an account that may take it.
import { useApp, useStrings } from '../app.ts';
import { href } from '../router.ts';

export function NoLocks() {
  const person = useApp().session.state.value;
  const { locks: strings } = useStrings();
  if (typeof person !== 'object' || !person.gatewayAdministrator) return <p class="empty">{strings.none}</p>;
  return (
    <div class="empty">
      <p>{strings.noneYet}</p>
      <p class="buttons">
        <a class="button main" href={href('pairing')}>
          {strings.pair}
        </a>
        <a class="button" href={href('registered')}>
          {strings.register}
        </a>
      </p>
    </div>
  );
}
