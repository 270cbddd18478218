// Registers a lock by hand: our own, which gets a key, or one of another make, which gets a login or is spoken to over a bridge.
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import type { Bridge, IssuedKey } from '../api/registration-types.ts';
import { useApp, useStrings } from '../app.ts';
import { FormDialog } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { driverFrom, MakeFields, ownKinds, requiredOf } from '../components/make-fields.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';

export function RegisterLock({ onClose, onChange }: { onClose: () => void; onChange: () => void }) {
  const { registered, devices, makes } = useStrings();
  const { client, toasts } = useApp();
  const [issued, setIssued] = useState<IssuedKey>();
  const [kind, setKind] = useState('native');
  const [bridges, setBridges] = useState<readonly Bridge[]>([]);
  useEffect(() => {
    client.get<Page<Bridge>>('gateway/bridges').then(
      ({ list }) => setBridges(list),
      () => undefined, // Then nothing can be registered over one.
    );
  }, [client]);
  const kinds = [...new Set(['native', ...ownKinds, ...bridges.flatMap(({ drivers }) => drivers.map((driver) => driver.kind))])];
  const having = bridges.filter(({ drivers }) => drivers.some((driver) => driver.kind === kind)).map(({ name }) => name);
  if (issued) return <LockKeyDialog issued={issued} onClose={onClose} />;
  return (
    <FormDialog
      title={registered.add}
      onClose={onClose}
      required={['lockName', ...(kind === 'native' ? ['lockMac'] : requiredOf(kind))]}
      onSubmit={async (values) => {
        const [lockName, lockMac, groupName] = [values.text('lockName'), values.text('lockMac'), values.text('groupName')];
        const device = kind === 'native' ? { lockMac } : { driver: driverFrom(values, kind) };
        const body = { lockName, ...device, ...(groupName !== '' && { groupName }) };
        const made = await client.ask<IssuedKey>('POST', 'gateway/locks', { body });
        onChange();
        if (made.deviceKey !== undefined || made.mqtt !== undefined) return setIssued(made);
        toasts.show('good', makes.added(lockName));
        onClose();
      }}
    >
      {(errorOf) => (
        <>
          <TextField label={registered.name} name="lockName" error={errorOf('lockName')} required maxLength={64} autoFocus />
          <SelectField
            label={makes.make}
            name="kind"
            value={kind}
            options={kinds.map((value) => ({ value, text: makes.kinds[value] ?? value }))}
            onInput={setKind}
          />
          {kind === 'native' ? (
            <TextField label={devices.mac} name="lockMac" hint={devices.macHint} error={errorOf('lockMac')} required />
          ) : (
            <MakeFields key={kind} kind={kind} bridges={having} errorOf={errorOf} />
          )}
          <TextField label={registered.group} name="groupName" hint={registered.groupHint} error={errorOf('groupName')} maxLength={64} />
        </>
      )}
    </FormDialog>
  );
}

export function LockKeyDialog({ issued: { deviceId, deviceKey = '', mqtt }, onClose }: { issued: IssuedKey; onClose: () => void }) {
  const { registered, devices, makes } = useStrings();
  if (mqtt === undefined) {
    const secrets = [
      { label: devices.login, value: deviceId },
      { label: devices.key, value: deviceKey },
    ];
    return <SecretDialog title={devices.keyTitle} text={registered.keyText} secrets={secrets} onClose={onClose} />;
  }
  const secrets = (['host', 'port', 'tlsPort', 'username', 'password'] as const)
    .filter((name) => mqtt[name] !== null)
    .map((name) => ({ label: makes[name], value: String(mqtt[name]) }));
  return <SecretDialog title={makes.login} text={makes.loginText} secrets={secrets} onClose={onClose} />;
}
