// A board without locks: the next steps, for an account that may take them.
import { useApp, useStrings } from '../app.ts';
import { upkeepPart } from '../components/later.tsx';

const FirstRun = upkeepPart('firstRun');

export function NoLocks() {
  const person = useApp().session.state.value;
  const { locks: strings } = useStrings();
  if (typeof person !== 'object' || !person.gatewayAdministrator) return <p class="empty">{strings.none}</p>;
  return <FirstRun />;
}
