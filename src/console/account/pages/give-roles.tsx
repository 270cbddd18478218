// Gives an account a role on several locks at once.
import { useEffect, useState } from 'preact/hooks';
import { allRows } from '../../api/all-pages.ts';
import { Problem } from '../../api/problem.ts';
import type { ManagedLock } from '../../api/registration-types.ts';
import { useApp, useStrings } from '../../app.ts';
import { Loading, ProblemCallout } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { Form, type Values } from '../../components/form.tsx';
import { LocksField } from '../../components/locks-field.tsx';
import { useTexts } from '../texts.ts';

interface GiveRolesProps {
  readonly username: string;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

export function GiveRoles({ username, onClose, onDone }: GiveRolesProps) {
  const { client } = useApp();
  const { lock, roles } = useStrings();
  const { accounts } = useTexts();
  const { names, problem } = useLockNames();

  async function give(values: Values): Promise<void> {
    const lockIds = values.all('lockIds');
    if (lockIds.length === 0) throw new Problem('invalid-parameter', '', new Map([['lockIds', accounts.rolesNoLocks]]));
    const body = { role: values.text('role') };
    for (const lockId of lockIds) await client.ask('PUT', `gateway/locks/${lockId}/roles/${encodeURIComponent(username)}`, { body });
    onDone(accounts.rolesGiven(username, lockIds.length));
  }
  return (
    <Dialog title={accounts.roles(username)} onClose={onClose}>
      {problem !== undefined && <ProblemCallout problem={problem} />}
      {names === undefined && problem === undefined && <Loading />}
      {names?.size === 0 && <p class="empty">{accounts.noLocks}</p>}
      {names !== undefined && names.size > 0 && (
        <Form submit={roles.give} onCancel={onClose} onSubmit={give}>
          {(errorOf) => (
            <>
              <p>{accounts.rolesText(username)}</p>
              <SelectField
                label={roles.role}
                name="role"
                error={errorOf('role')}
                options={(['operator', 'manager'] as const).map((role) => ({
                  value: role,
                  text: `${lock.roles[role]}: ${roles.rights[role]}`,
                }))}
              />
              <LocksField label={accounts.rolesLocks} name="lockIds" names={names} values={[]} error={errorOf('lockIds')} />
            </>
          )}
        </Form>
      )}
    </Dialog>
  );
}

/** The names of all registered locks by their ids; undefined until all are known. */
function useLockNames() {
  const { client } = useApp();
  const [names, setNames] = useState<ReadonlyMap<number, string>>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    const left = new AbortController();
    async function load(): Promise<void> {
      const found = new Map<number, string>();
      const pieces = allRows<ManagedLock>(client, 'gateway/locks', {}, ({ lockId }) => lockId, left.signal);
      for await (const { rows } of pieces) for (const { lockId, lockAlias } of rows) found.set(lockId, lockAlias);
      if (!left.signal.aborted) setNames(found);
    }
    load().catch((error: unknown) => left.signal.aborted || setProblem(error));
    return () => left.abort();
  }, [client]);
  return { names, problem };
}
