// One lock, for gateway administrators: its name and group, its key, its hub, the roles on it, and its removal.
import { useState } from 'preact/hooks';
import type { IssuedKey, ManagedLock } from '../api/registration-types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { CapabilityList, Warnings } from '../components/capabilities.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { Online, Way } from '../components/lock-facts.tsx';
import { useOneOf } from '../components/one-of.ts';
import { PageHead } from '../components/page-head.tsx';
import { Roles } from '../components/roles.tsx';
import { useFormats } from '../format.ts';
import { href } from '../router.ts';
import { NotFoundPage } from './not-found.tsx';
import type { PageProps } from './page.ts';
import { LockDescription } from './registered-change.tsx';
import { LockKeyDialog } from './registered-new.tsx';
import { RemoveLock } from './registered-remove.tsx';

type Open = 'change' | 'renew' | 'remove' | IssuedKey;

export function RegisteredLockPage({ parameters }: PageProps) {
  const { registered, devices, common } = useStrings();
  const { client, toasts } = useApp();
  const { dateTime } = useFormats();
  const lockId = Number(parameters['lockId']);
  const { one: lock, problem, isGone, reload } = useOneOf<ManagedLock>('gateway/locks', (one) => one.lockId, lockId);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);

  if (isGone) return <NotFoundPage />;
  if (lock === undefined) return problem === undefined ? <Loading /> : <ProblemCallout problem={problem} retry={reload} />;
  const path = `gateway/locks/${lockId}`;
  return (
    <>
      <PageHead title={lock.lockName} up={{ href: href('registered'), text: registered.title }}>
        <a class="button" href={`${href('audit')}?object=lock%20${lockId}`}>
          {registered.changes}
        </a>
        <Button onClick={() => setOpen('change')}>{registered.change}</Button>
      </PageHead>
      <Warnings capabilities={lock.capabilities} />
      <Facts lock={lock} lastSeen={lock.lastSeen === null ? common.never : dateTime(lock.lastSeen)} />
      <Roles lockId={lockId} mayAppoint onAppointed={reload} />
      <section class="panel ends">
        {lock.driver?.['bridge'] === undefined && (
          <div>
            <h2>{devices.newKey}</h2>
            <p class="faint">{registered.renewText}</p>
            <Button label={registered.renew(lock.lockName)} onClick={() => setOpen('renew')}>
              {devices.newKey}
            </Button>
          </div>
        )}
        <div>
          <h2>{registered.remove}</h2>
          <p class="faint">{registered.removeText}</p>
          <Button kind="danger" onClick={() => setOpen('remove')}>
            {registered.remove}
          </Button>
        </div>
      </section>
      {open === 'change' && (
        <LockDescription
          lock={lock}
          onClose={close}
          onDone={() => {
            close();
            toasts.show('good', registered.changed);
            reload();
          }}
        />
      )}
      {open === 'renew' && (
        <ConfirmDialog
          title={registered.renew(lock.lockName)}
          text={registered.renewText}
          confirm={devices.newKey}
          onClose={close}
          onConfirm={async () => setOpen(await client.ask<IssuedKey>('POST', `${path}/key`))}
        />
      )}
      {typeof open === 'object' && <LockKeyDialog issued={open} onClose={close} />}
      {open === 'remove' && <RemoveLock lock={lock} onClose={close} />}
    </>
  );
}

function Facts({ lock, lastSeen }: { lock: ManagedLock; lastSeen: string }) {
  const { registered, devices, makes } = useStrings();
  const kind = lock.driver?.kind ?? 'native';
  const facts = [
    { name: registered.connection, value: <Online lock={lock} /> },
    { name: registered.lastSeen, value: lastSeen },
    { name: registered.alias, value: lock.lockAlias },
    { name: registered.group, value: lock.groupName === '' ? '–' : lock.groupName },
    { name: devices.mac, value: <code>{lock.lockMac}</code> },
    { name: makes.make, value: makes.kinds[kind] ?? kind },
    { name: registered.way, value: <Way lock={lock} /> },
  ];
  return (
    <section class="panel">
      <dl class="facts-list">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <CapabilityList capabilities={lock.capabilities} />
    </section>
  );
}
