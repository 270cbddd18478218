// The words of the gateway on a German page.
import { expect, test } from '@jest/globals';
import { de } from '../../../src/console/language/de.ts';
import { DomainError, type ParameterProblem } from '../../../src/domain/errors.ts';
import { notificationChanges } from '../../../src/http/api/notification-schemas.ts';
import { callers, createDomain, lockId, otherLockId } from '../../support/domain.ts';

/** What the gateway says when it refuses this. */
async function saidOf(work: () => Promise<unknown>): Promise<string> {
  const error = await work().catch((refusal: unknown) => refusal);
  return error instanceof DomainError ? (error.parameters[0]?.message ?? error.message) : 'it was not refused';
}

test('what the gateway says of a wrong choice or a conflict is German on a German page', async () => {
  const { accountService, lockService, roleService } = await createDomain();
  const { admin, administrator } = callers;
  const rights = { gatewayAdministrator: false, accessManager: false };
  const problems: ParameterProblem[] = [];
  notificationChanges.read({ email: { address: 'a@x.org, b@x.org' }, ntfy: { topic: 'my doors' } }, problems);
  await lockService.rename(administrator, lockId, 'Yard');
  const said = [
    ...problems.map(({ message }) => message),
    await saidOf(() => accountService.createAccount(admin, 'sam', rights)),
    await saidOf(() => accountService.createAccount(admin, 'Sam', rights)),
    await saidOf(() => accountService.setRights(admin, 'admin', rights)),
    await saidOf(() => accountService.removeAccount(admin, 'ada')),
    await saidOf(() => roleService.grant(admin, lockId, 'ada', 'operator')),
    await saidOf(() => lockService.rename(administrator, lockId, '\u202edraY')),
    await saidOf(() => lockService.rename(administrator, otherLockId, 'YARD')),
  ];
  expect(said).toHaveLength(9);
  expect(said.filter((text) => de.common.wrong(text) === text)).toEqual([]);
});
