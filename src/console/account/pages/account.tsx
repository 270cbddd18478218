// One's own account: the password, passkeys, a phone, and where one is signed in.
import { useState } from 'preact/hooks';
import { useApp } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Loading, ProblemCallout } from '../../components/callout.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useAnswer } from '../../components/polled.ts';
import { href } from '../../router.ts';
import { useTexts } from '../texts.ts';
import type { OwnSession } from '../types.ts';
import { HandoverDialog } from './handover-dialog.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { Sessions } from './sessions.tsx';

export function AccountPage() {
  const { toasts } = useApp();
  const { account, notifications, phone, password, passkeys, sessions } = useTexts();
  const { value: own, problem, reload } = useAnswer<OwnSession>('session');
  const [open, setOpen] = useState<'password' | 'phone'>();
  /** How often sessions have begun or ended elsewhere on this page: their list is loaded again. */
  const [changes, setChanges] = useState(0);
  const done = (text: string) => {
    setOpen(undefined);
    toasts.show('good', text);
    setChanges(changes + 1);
    reload();
  };

  return (
    <>
      <PageHead title={account.title} intro={own && account.rights(own.username, own.gatewayAdministrator, own.accessManager)} />
      {own === undefined && (problem === undefined ? <Loading /> : <ProblemCallout problem={problem} retry={reload} />)}
      {own && (
        <>
          <div class="status-panels">
            <section class="panel about">
              <h2>{phone.title}</h2>
              <p>{phone.intro}</p>
              <Button onClick={() => setOpen('phone')}>{phone.open}</Button>
            </section>
            <section class="panel about">
              <h2>{password.title}</h2>
              <p>{own.hasPassword ? password.intro : password.none}</p>
              <Button onClick={() => setOpen('password')}>{own.hasPassword ? password.change : password.set}</Button>
            </section>
            <section class="panel about">
              <h2>{notifications.title}</h2>
              <p>{notifications.about}</p>
              <a class="button" href={href('notifications')}>
                {notifications.choose}
              </a>
            </section>
          </div>
          <section>
            <h2>{passkeys.title}</h2>
            <Passkeys onChange={() => setChanges(changes + 1)} />
          </section>
          <section>
            <h2>{sessions.title}</h2>
            <Sessions key={changes} />
          </section>
        </>
      )}
      {open === 'phone' && <HandoverDialog onClose={() => setOpen(undefined)} onDone={() => done(phone.done)} />}
      {open === 'password' && own && <PasswordDialog own={own} onClose={() => setOpen(undefined)} onDone={() => done(password.done)} />}
    </>
  );
}
