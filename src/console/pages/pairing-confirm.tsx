// A person confirms a device: they have compared the fingerprint, and name the lock.
import type { PendingDevice } from '../api/registration-types.ts';
import { useApp, useStrings } from '../app.ts';
import { FormDialog } from '../components/dialog.tsx';
import { CheckField, TextField } from '../components/field.tsx';

interface ConfirmDeviceProps {
  readonly device: PendingDevice;
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

export function ConfirmDevice({ device, onClose, onDone }: ConfirmDeviceProps) {
  const { pairing, registered } = useStrings();
  const { client } = useApp();
  const { deviceId, lockMac, keyFingerprint, replaces, contested } = device;
  const decisive = contested ? 'keyFingerprint' : 'compared';
  return (
    <FormDialog
      title={pairing.confirmOne(lockMac)}
      onClose={onClose}
      submit={pairing.confirm}
      required={replaces ? [decisive] : [decisive, 'lockName']}
      onSubmit={async (values) => {
        const name = values.text('lockName');
        const lock = { lockName: name, ...(values.text('groupName') !== '' && { groupName: values.text('groupName') }) };
        const body = { keyFingerprint: contested ? inFours(values.text('keyFingerprint')) : keyFingerprint, ...(!replaces && lock) };
        await client.ask('POST', `gateway/devices/${deviceId}/confirm`, { body });
        onDone(replaces?.lockName ?? name);
      }}
    >
      {(errorOf) => (
        <>
          {contested ? (
            <TextField
              label={pairing.shown}
              name="keyFingerprint"
              hint={pairing.shownHint}
              error={errorOf('keyFingerprint')}
              required
              maxLength={32}
            />
          ) : (
            <>
              <div>
                <p>{pairing.compare}</p>
                <p class="fingerprint large">{keyFingerprint}</p>
              </div>
              <CheckField label={pairing.compared} name="compared" error={errorOf('compared')} />
            </>
          )}
          {!replaces && (
            <>
              <TextField label={registered.name} name="lockName" error={errorOf('lockName')} required maxLength={64} />
              <TextField
                label={registered.group}
                name="groupName"
                hint={registered.groupHint}
                error={errorOf('groupName')}
                maxLength={64}
              />
            </>
          )}
          {replaces && <p>{pairing.replaces(replaces.lockName)}</p>}
        </>
      )}
    </FormDialog>
  );
}

/** A fingerprint in the gateway's spelling, however the lock writes it. */
function inFours(typed: string): string {
  return (
    typed
      .toLowerCase()
      .replace(/[^0-9a-f]/g, '')
      .match(/.{1,4}/g) ?? []
  ).join('-');
}
