// What all commands that make a lock share: its name, its group, and its administrator.
import type { AccountView } from './accounts.ts';
import type { Option } from './command.ts';
import { type Ask, askForAll } from './management.ts';

export interface NewLockOptions {
  readonly name?: string;
  readonly alias?: string;
  readonly group?: string;
  readonly administrator?: string;
}

export const newLockOptions: readonly Option[] = [
  { flag: '--alias', value: '<alias>', says: 'what people call it; the name when not given' },
  { flag: '--group', value: '<name>', says: 'the group it belongs to' },
  {
    flag: '--administrator',
    value: '<username>',
    says: 'who says who may do what on it; the gateway administrator, when there is only one',
  },
];

/** The option for each member of the API's body. */
export const newLockNames = { lockName: '--name', lockAlias: '--alias', groupName: '--group', administrator: '--administrator' };

/** Without the members that were not given. */
export function newLockBody({ name, alias, group, administrator }: NewLockOptions): object {
  const members = { lockName: name, lockAlias: alias, groupName: group, administrator };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The administrator of a lock when the command names none. Rejects when there is more than one candidate. */
export async function onlyAdministrator(ask: Ask): Promise<string> {
  const all = await askForAll<AccountView>(ask, 'GET /api/v1/gateway/accounts');
  const administrators = all.filter(({ gatewayAdministrator }) => gatewayAdministrator).map(({ username }) => username);
  const [only] = administrators;
  if (only !== undefined && administrators.length === 1) return only;
  throw new Error(`--administrator is needed, because there are several gateway administrators: ${administrators.join(', ')}`);
}
