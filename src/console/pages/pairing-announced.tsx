// A lock that a program on a bridge announces: what it says of it, and the question whether it is to be a lock here.
import type { AnnouncedDevice } from '../api/registration-types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Callout } from '../components/callout.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';

export function Announced({ device, onConfirm }: { device: AnnouncedDevice; onConfirm: () => void }) {
  const { pairing, makes } = useStrings();
  const { name, make, model, address, driver, connected, refused } = device;
  const facts = [
    { title: makes.make, value: [make, model].filter(Boolean).join(' ') || pairing.notSaid },
    { title: pairing.from, value: makes.kinds[driver.kind] ?? driver.kind },
    { title: pairing.address, value: connected ? address : `${address} (${pairing.bridgeAway})` },
  ];
  return (
    <article class="panel device">
      <h3>{name}</h3>
      <dl>
        {facts.map(({ title, value }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {refused === null ? (
        <div class="buttons">
          <Button kind="main" label={pairing.registerOne(name)} onClick={onConfirm}>
            {pairing.register}
          </Button>
        </div>
      ) : (
        <Callout kind="warning">{pairing.refused(refused)}</Callout>
      )}
    </article>
  );
}

interface RegisterAnnouncedProps {
  readonly device: AnnouncedDevice;
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

/** A name of this building for it; the program's own is the beginning. */
export function RegisterAnnounced({ device: { deviceId, name, address }, onClose, onDone }: RegisterAnnouncedProps) {
  const { pairing, registered } = useStrings();
  const { client } = useApp();
  return (
    <FormDialog
      title={pairing.registerOne(name)}
      submit={pairing.register}
      onClose={onClose}
      required={['lockName']}
      onSubmit={async (values) => {
        const [lockName, groupName] = [values.text('lockName'), values.text('groupName')];
        const body = { lockName, ...(groupName !== '' && { groupName }) };
        await client.ask('POST', `gateway/devices/${deviceId}/confirm`, { body });
        onDone(lockName);
      }}
    >
      {(errorOf) => (
        <>
          <p class="faint">{address}</p>
          <TextField label={registered.name} name="lockName" value={name} error={errorOf('lockName')} required maxLength={64} autoFocus />
          <TextField label={registered.group} name="groupName" hint={registered.groupHint} error={errorOf('groupName')} maxLength={64} />
        </>
      )}
    </FormDialog>
  );
}
