// Registers a lock that does not make its own key: the gateway makes one and shows it once.
import { useState } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';

/** The name and key with which a device logs in. */
export interface IssuedKey {
  readonly deviceId: string;
  readonly deviceKey: string;
}

export function RegisterLock({ onClose, onChange }: { onClose: () => void; onChange: () => void }) {
  const { registered, devices } = useStrings();
  const { client } = useApp();
  const [issued, setIssued] = useState<IssuedKey>();
  if (issued) return <LockKeyDialog issued={issued} onClose={onClose} />;
  return (
    <FormDialog
      title={registered.add}
      onClose={onClose}
      required={['lockName', 'lockMac']}
      onSubmit={async (values) => {
        const [lockName, lockMac, groupName] = [values.text('lockName'), values.text('lockMac'), values.text('groupName')];
        const body = { lockName, lockMac, ...(groupName !== '' && { groupName }) };
        setIssued(await client.ask<IssuedKey>('POST', 'gateway/locks', { body }));
        onChange();
      }}
    >
      {(errorOf) => (
        <>
          <TextField label={registered.name} name="lockName" error={errorOf('lockName')} required maxLength={64} autoFocus />
          <TextField label={devices.mac} name="lockMac" hint={devices.macHint} error={errorOf('lockMac')} required />
          <TextField label={registered.group} name="groupName" hint={registered.groupHint} error={errorOf('groupName')} maxLength={64} />
        </>
      )}
    </FormDialog>
  );
}

export function LockKeyDialog({ issued: { deviceId, deviceKey }, onClose }: { issued: IssuedKey; onClose: () => void }) {
  const { registered, devices } = useStrings();
  const secrets = [
    { label: devices.login, value: deviceId },
    { label: devices.key, value: deviceKey },
  ];
  return <SecretDialog title={devices.keyTitle} text={registered.keyText} secrets={secrets} onClose={onClose} />;
}
