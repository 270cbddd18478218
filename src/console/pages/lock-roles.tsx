// Who may do what on a lock, for its administrator.
import { useApp } from '../app.ts';
import { LockHead } from '../components/lock-head.tsx';
import { Roles } from '../components/roles.tsx';
import type { PageProps } from './page.ts';

export function LockRolesPage({ parameters }: PageProps) {
  const lockId = Number(parameters['lockId']);
  const person = useApp().session.state.value;
  return (
    <LockHead lockId={lockId} section="roles">
      {() => <Roles lockId={lockId} mayAppoint={typeof person === 'object' && person.gatewayAdministrator} />}
    </LockHead>
  );
}
