// What the lines of the access log say about an entry, a role and an account.
import type { Account, AccountId } from '../accounts/account.ts';
import { type Entry, type Held, isSameWindow, type ValidWindow } from '../credentials/entry.ts';
import type { ProofOfGone } from '../credentials/lock-entries.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { AccessDraft, AccessFact } from './access-log.ts';

/** Between these two it became true. */
export interface FactSpan {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface EntryNames {
  /** Of the person with this credential; undefined: there is none. */
  readonly personOf: (credentialId: number) => { readonly personId: number; readonly name: string } | undefined;
}

const nothing = {
  kind: null,
  number: null,
  entryId: null,
  credentialId: null,
  personId: null,
  accountId: null,
  name: '',
  startDate: 0,
  endDate: 0,
  hours: '',
  basis: null,
  commandId: null,
  detail: '',
} as const;

/** What lines about an entry say besides whose number it is. */
type Said = Pick<AccessDraft, 'what'> &
  Partial<Pick<AccessDraft, 'basis' | 'commandId' | 'detail'>> & { readonly window?: ValidWindow | null };

/** What two lines say about an entry: what the lock holds, and whether somebody wants it, which was decided in the span `decided`. */
export function draftsOf(
  entry: Entry,
  span: FactSpan,
  { personOf }: EntryNames,
  decided = span,
  proof?: ProofOfGone,
): readonly [held: AccessDraft, wanted: AccessDraft] {
  const { lockId, entryId, kind, credentialId } = entry;
  const person = credentialId === null ? undefined : personOf(credentialId);
  const name = person?.name ?? entry.name;
  // A passcode is in no log.
  const number = kind === 'card' ? entry.number : null;
  // One literal: spreading copies each member one by one, and an import makes very many lines.
  const draft = ({ notBefore, notAfter }: FactSpan, { what, window, basis = null, commandId = null, detail = '' }: Said): AccessDraft => ({
    what,
    lockId,
    kind,
    number,
    entryId,
    credentialId,
    personId: person?.personId ?? null,
    accountId: null,
    name,
    notBefore,
    notAfter,
    startDate: window?.startDate ?? 0,
    endDate: window?.endDate ?? 0,
    hours: window?.hours ?? '',
    basis,
    commandId,
    detail,
  });
  return [draft(span, heldOf(entry, proof)), draft(decided, wantedOf(entry))];
}

/** What the same lines say once the entry is gone. */
export function goneDraftsOf(
  entry: Entry,
  span: FactSpan,
  names: EntryNames,
  decided = span,
  proof?: ProofOfGone,
): readonly [held: AccessDraft, wanted: AccessDraft] {
  return draftsOf({ ...entry, held: null, managed: false }, span, names, decided, proof);
}

function heldOf({ held, managed }: Entry, proof: ProofOfGone | undefined): Said {
  if (held === null) return { what: 'gone', ...proof };
  const { window, sure, basis, commandId = null } = held;
  // The lock has confirmed that it is gone.
  if (sure && window === null) return { what: 'gone', basis, commandId };
  const words = [...(window?.once ? ['once'] : []), ...(managed ? [] : ['noted']), ...(window === null ? ['remove'] : [])];
  return { what: sure ? 'held' : 'unsure', window, basis, commandId, detail: words.join(' ') };
}

function wantedOf({ managed, used, direct, credentialId }: Entry): Said {
  if (!managed || used || (direct === null && credentialId === null)) return { what: 'unwanted' };
  return { what: 'wanted', window: direct, detail: direct === null ? 'granted' : '' };
}

/** Whether as much is known of what the lock holds, and it is the same. */
export function isSameHeld(one: Held | null, other: Held | null): boolean {
  return one?.sure === other?.sure && isSameWindow(one?.window ?? null, other?.window ?? null);
}

/** Between when what the lock holds became as it is now: since the last proof of what was before. */
export function spanOf(before: Entry | undefined, after: Entry | undefined, now: number): FactSpan {
  const held = after?.held ?? null;
  const was = before?.held ?? null;
  // The same as before is somebody else's from now on.
  if (was !== null && isSameHeld(was, held)) return { notBefore: now, notAfter: now };
  // The command that was sent has done it, and its outcome is known now.
  if (was !== null && !was.sure) return { notBefore: was.since, notAfter: now };
  if (held === null) return { notBefore: was?.basisDate ?? now, notAfter: now };
  if (!held.sure || held.basis === 'reply') return { notBefore: held.since, notAfter: now };
  // The gateway found it there: it may have come at any time since it was surely not there, or otherwise.
  return { notBefore: was?.basisDate ?? 0, notAfter: now };
}

export function roleDraft(lockId: LockId, account: Pick<Account, 'accountId' | 'username'>, role: string, span: FactSpan): AccessDraft {
  return { ...nothing, ...span, what: 'role', lockId, accountId: account.accountId, name: account.username, detail: role };
}

/** The roles on a lock by accountId, its administrator's among them. */
export function rolesOn({ administrator, roles }: Lock): ReadonlyMap<AccountId, string> {
  return new Map<AccountId, string>([...roles.map(({ accountId, role }) => [accountId, role] as const), [administrator, 'administrator']]);
}

export function accountDraft({ accountId, username, gatewayAdministrator }: Account, isThere: boolean, span: FactSpan): AccessDraft {
  const detail = isThere ? (gatewayAdministrator ? 'gateway administrator' : 'account') : '';
  return { ...nothing, ...span, what: 'account', lockId: null, accountId, name: username, detail };
}

/** About a lock, or with null about the gateway itself. */
export function lockDraft(
  lockId: LockId | null,
  what: Extract<AccessFact, 'online' | 'offline' | 'clock'>,
  detail: string,
  span: FactSpan,
): AccessDraft {
  return { ...nothing, ...span, what, lockId, detail };
}
