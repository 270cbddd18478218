// What a person is to be according to a table. What the table does not say stays as it is: doors that it does not name, passcodes, lost cards.
import type { LockId } from '../locks/lock.ts';
import { keyOfDoor } from './import-columns.ts';
import { keyOfTimes, type Times, type WantedPerson } from './import-lines.ts';
import type { CredentialId, Grant, Person } from './person.ts';
import type { NewCredential, PersonTarget, TargetGrant } from './person-target.ts';

/** Of one person. Beyond that, grants that have ended give way. */
export const grantsAtMost = 20;

/** The doors of a grant while it is put together, by key. */
interface DraftGrant extends Times {
  readonly grant: Grant | undefined;
  readonly doors: Set<string>;
}

export function hasGrantEnded({ endDate }: Pick<Grant, 'endDate'>, now: number): boolean {
  return endDate !== 0 && endDate < now;
}

/** The doors of a grant, by key. */
export function doorsOfGrant({ lockIds, groupIds }: Pick<Grant, 'lockIds' | 'groupIds'>): string[] {
  return [...lockIds.map((lockId) => keyOfDoor({ lockId })), ...groupIds.map((groupId) => keyOfDoor({ groupId }))];
}

/** What the person is to be; undefined: as now. */
export function targetOf(wanted: WantedPerson, now: number): PersonTarget | undefined {
  const { person } = wanted;
  const credentials = credentialsOf(wanted);
  const grants = grantsOf(wanted, now);
  const name = wanted.name === '' ? (person?.name ?? wanted.externalId ?? [...wanted.cards.keys()][0] ?? '') : wanted.name;
  const isSame = person !== undefined && name === person.name && credentials === undefined && grants === undefined;
  if (isSame) return undefined;
  return {
    externalId: wanted.externalId,
    name,
    credentials: credentials ?? person?.credentials.map(({ credentialId }) => credentialId) ?? [],
    grants: grants ?? person?.grants.map(sameGrant) ?? [],
  };
}

/** What a person is to be who is not in the table: without the doors of the table. undefined: as now. */
export function revokedTarget(person: Person, said: ReadonlySet<string>, now: number): PersonTarget | undefined {
  const { externalId, name } = person;
  const nothing = { line: 0, person, externalId, name, cards: new Map(), opens: new Map() };
  return targetOf({ ...nothing, said: new Set(said) }, now);
}

/** The grants that begin nothing new and end nothing: for a person whose every grant stays. */
function sameGrant({ grantId, lockIds, groupIds, startDate, endDate, scheduleId }: Grant): TargetGrant {
  return { grantId, lockIds, groupIds, startDate, endDate, scheduleId };
}

/** undefined: the table names no card, or just those that the person has. */
function credentialsOf({ person, cards }: WantedPerson): (CredentialId | NewCredential)[] | undefined {
  if (cards.size === 0) return undefined;
  const now = person?.credentials ?? [];
  const stay = now.filter(({ kind, number, lost }) => kind !== 'card' || lost !== null || cards.has(number));
  const there = new Set(now.filter(({ kind }) => kind === 'card').map(({ number }) => number));
  const added = [...cards.keys()].filter((number) => !there.has(number));
  if (stay.length === now.length && added.length === 0) return undefined;
  const begun = added.map((number): NewCredential => ({ kind: 'card', number, name: '', startDate: 0, endDate: 0 }));
  return [...stay.map(({ credentialId }) => credentialId), ...begun];
}

/** undefined: all grants stay as they are. */
function grantsOf(wanted: WantedPerson, now: number): TargetGrant[] | undefined {
  const { opens, said } = wanted;
  const grants = wanted.person?.grants ?? [];
  const drafts = grants.map((grant): DraftGrant => {
    const isOpen = opens.get(keyOfTimes(grant))?.doors;
    const doors = doorsOfGrant(grant).filter((key) => hasGrantEnded(grant, now) || !said.has(key) || isOpen?.has(key) === true);
    return { grant, doors: new Set(doors), startDate: grant.startDate, endDate: grant.endDate, scheduleId: grant.scheduleId };
  });
  for (const { times, doors } of opens.values()) {
    const here = drafts.filter((draft) => keyOfTimes(draft) === keyOfTimes(times));
    const missing = [...doors].filter((key) => !here.some((draft) => draft.doors.has(key)));
    if (missing.length > 0) addDoors(drafts, times, missing);
  }
  const isSame = drafts.length === grants.length && drafts.every((draft) => isUnchanged(draft));
  if (isSame) return undefined;
  const left = drafts.filter(({ doors }) => doors.size > 0);
  return (left.length > grantsAtMost ? left.filter((draft) => !hasGrantEnded(draft, now)) : left).map(finished);
}

/** To a grant that has these times already, or to one whose doors all moved to these times, or to a new one. */
function addDoors(drafts: DraftGrant[], times: Times, doors: readonly string[]): void {
  const same = drafts.find((draft) => draft.doors.size > 0 && keyOfTimes(draft) === keyOfTimes(times));
  if (same !== undefined) {
    for (const key of doors) same.doors.add(key);
    return;
  }
  const moved = drafts.findIndex(({ grant, ...draft }) => {
    if (grant === undefined || draft.doors.size > 0 || draft.scheduleId !== times.scheduleId) return false;
    const before = doorsOfGrant(grant);
    return before.length === doors.length && before.every((key) => doors.includes(key));
  });
  const draft = { ...times, grant: drafts[moved]?.grant, doors: new Set(doors) };
  if (moved === -1) drafts.push(draft);
  else drafts[moved] = draft;
}

function isUnchanged({ grant, doors, ...times }: DraftGrant): boolean {
  if (grant === undefined || keyOfTimes(grant) !== keyOfTimes(times)) return false;
  const before = doorsOfGrant(grant);
  return before.length === doors.size && before.every((key) => doors.has(key));
}

function finished({ grant, doors, startDate, endDate, scheduleId }: DraftGrant): TargetGrant {
  const keys = [...doors];
  const idsOf = (kind: string): number[] => keys.filter((key) => key.startsWith(kind)).map((key) => Number(key.slice(kind.length)));
  return {
    grantId: grant?.grantId ?? null,
    lockIds: idsOf('lock:') as LockId[],
    groupIds: idsOf('group:'),
    startDate,
    endDate,
    scheduleId,
  };
}
