// A board without locks: the next steps, for an account that may take them.
import { useApp, useStrings } from '../app.ts';
import { upkeepPart } from '../components/later.tsx';
import { useAnswer } from '../components/polled.ts';

const FirstRun = upkeepPart('firstRun');

export function NoLocks() {
  const person = useApp().session.state.value;
  if (typeof person !== 'object' || !person.gatewayAdministrator) return <NoRole />;
  return <FirstRun />;
}

/** Whom to ask, and for what. */
function NoRole() {
  const { locks: strings } = useStrings();
  const { value: own, problem } = useAnswer<{ readonly username: string; readonly invitedBy?: string }>('session');
  if (own === undefined && problem === undefined) return null;
  return (
    <div class="empty">
      <p>{strings.none}</p>
      <p>{strings.askForRole(own?.username ?? '', own?.invitedBy)}</p>
    </div>
  );
}
