// A lock that waits to be confirmed: what it reports about itself, and the warnings about it.
import type { PendingDevice } from '../api/registration-types.ts';
import { useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Callout } from '../components/callout.tsx';
import { useFormats } from '../format.ts';

export function WaitingDevice({ device, onConfirm }: { device: PendingDevice; onConfirm: () => void }) {
  const { pairing, devices, states } = useStrings();
  const { timeOfDay } = useFormats();
  const { lockMac, keyFingerprint, hello, replaces, contested, connected, address, since } = device;
  const claimed = replaces?.online === true;
  return (
    <article class="panel device">
      <dl>
        <div>
          <dt>{devices.fingerprint}</dt>
          <dd class="fingerprint">{keyFingerprint}</dd>
        </div>
        <div>
          <dt>{devices.mac}</dt>
          <dd>
            <code>{lockMac}</code>
          </dd>
        </div>
        <div>
          <dt>{pairing.model}</dt>
          <dd>
            {hello === null
              ? pairing.notSaid
              : [hello.modelNum, hello.firmwareRevision, hello.electricQuantity >= 0 && states.battery(hello.electricQuantity)]
                  .filter(Boolean)
                  .join(' · ')}
          </dd>
        </div>
        <div>
          <dt>{pairing.from}</dt>
          <dd>
            {address} <span class="faint">{connected ? pairing.since(timeOfDay(since)) : pairing.left}</span>
          </dd>
        </div>
      </dl>
      {contested && <Callout kind="bad">{pairing.contested}</Callout>}
      {replaces && !claimed && <Callout kind="info">{pairing.replaces(replaces.lockName)}</Callout>}
      {replaces && claimed && <Callout kind="bad">{pairing.claimed(replaces.lockName)}</Callout>}
      {!claimed && (
        <div class="buttons">
          <Button kind="main" label={pairing.confirmOne(lockMac)} onClick={onConfirm}>
            {pairing.confirm}
          </Button>
        </div>
      )}
    </article>
  );
}
