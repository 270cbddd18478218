// Passage mode: a door that is to stay open for a while, such as a shop's by day.
import { useState } from 'preact/hooks';
import type { LockDetail } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { useProblemText } from '../format.ts';

const on = 1;
const off = 2;

export function Passage({ detail, onChange }: { readonly detail: LockDetail; readonly onChange: () => void }) {
  const { client, toasts } = useApp();
  const { lock: strings } = useStrings();
  const problemText = useProblemText();
  const [busy, setBusy] = useState(false);
  const { lockId, passageMode, passageModeAutoUnlock } = detail;
  const isOn = passageMode === on;
  async function change(): Promise<void> {
    setBusy(true);
    try {
      await client.ask('PUT', 'lock/settings', { query: { lockId, passageMode: isOn ? off : on } });
      toasts.show('good', isOn ? strings.passageEnded : strings.passageBegun);
      onChange();
    } catch (error) {
      toasts.show('bad', problemText(error));
    }
    setBusy(false);
  }
  return (
    <section class="panel" aria-labelledby="passage">
      <h2 id="passage">{strings.passage}</h2>
      <p class="intro">
        {strings.passageText} {!isOn && passageModeAutoUnlock === on && strings.passageUnlocks}
      </p>
      <p>{isOn ? strings.passageIsOn : strings.passageIsOff}</p>
      <Button busy={busy} onClick={() => void change()}>
        {isOn ? strings.passageEnd : strings.passageBegin}
      </Button>
    </section>
  );
}
