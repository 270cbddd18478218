// Checks the TTLock logins.
import { type TtlockRow, ttlockLoginsName } from '../documents/ttlock-login-file.ts';
import { type Report, repeated } from './verify-lines.ts';

/** Returns their ids. `rows` by their keys; undefined: there are none, or they could not be read. Logins of removed accounts are no error. */
export function verifyTtlockLogins(rows: ReadonlyMap<string, TtlockRow> | undefined, report: Report): readonly number[] {
  const all = [...(rows ?? [])];
  for (const [key, row] of all) {
    const kind = 'clientId' in row ? 'login' : 'used';
    if (key !== `${kind} ${row.loginId}`) report(ttlockLoginsName, `has the login ${row.loginId} under the key ${key}`);
  }
  const clientIds = all.flatMap(([, row]) => ('clientId' in row ? [row.clientId] : []));
  for (const clientId of repeated(clientIds)) report(ttlockLoginsName, `has the clientId ${clientId} twice`);
  return all.map(([, { loginId }]) => loginId);
}
