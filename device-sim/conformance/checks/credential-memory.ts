// How the checks put cards and passcodes into a lock with the feature credentials, and look at what it holds (Protocol 5.1).
import type { z } from 'zod';
import { type Credential, credentialDigest, credentialList, credentialResult } from '../lock-messages.ts';
import type { LockSession } from '../session.ts';
import { expectThat, heldUnless, type Verdict } from '../verdict.ts';
import { resultOf } from './listing.ts';

type Result = z.infer<typeof credentialResult>;

export function card(number: string, more: Partial<Credential> = {}): Credential {
  return { kind: 'card', number, startDate: 0, endDate: 0, ...more };
}

export function passcode(number: string, more: Partial<Credential> = {}): Credential {
  return { kind: 'passcode', number, startDate: 0, endDate: 0, ...more };
}

/** A code with as many digits as the lock takes, which begins with zeros. `end`: its last digits. */
export function codeFor(session: LockSession, end: string): string {
  const [fewest, most] = session.hello.limits?.passcodeDigits ?? [4, 9];
  return end.padStart(Math.min(most, Math.max(fewest, 6)), '0');
}

/** @throws Broken when the lock refuses the batch, or its result is none */
export async function batch(session: LockSession, op: 'put-credentials' | 'remove-credentials', items: readonly object[]): Promise<Result> {
  return resultOf(session, op, { items }, credentialResult, 'result.count and result.digest');
}

/** Puts all of them. @throws Broken when one is not stored */
export async function put(session: LockSession, ...items: readonly Credential[]): Promise<Result> {
  const result = await batch(session, 'put-credentials', items);
  const { failed = [] } = result;
  expectThat(
    failed.length === 0,
    `not stored: ${failed.map(({ index, error }) => `${items[index]?.number} ${error}`).join(', ')}`,
    'all stored',
  );
  return result;
}

/** One page of list-credentials. @throws Broken when the result is none */
export async function page(session: LockSession, offset: number, limit: number) {
  const due = 'result.credentials, total, count and digest';
  const { credentials, ...rest } = await resultOf(session, 'list-credentials', { offset, limit }, credentialList, due);
  return { list: credentials, ...rest };
}

export type Listed = z.infer<typeof credentialList>['credentials'][number];

/** In the order of the digits where the lock shows them. */
export function textOf(all: readonly Listed[]): string {
  const lines = all.map((one) => {
    const { kind, startDate, endDate, hours, once } = one;
    return `${kind} ${one.number ?? '(not shown)'} from ${startDate} to ${endDate}${hours === undefined ? '' : ` at ${hours}`}${once ? ' once' : ''}`;
  });
  return lines.length === 0 ? 'nothing' : lines.sort().join(', ');
}

/** Whether the lock lists exactly these, and has their digest. A lock that shows no passcodes is believed their digits by the digest. */
export async function holds(session: LockSession, ...items: readonly Credential[]): Promise<Verdict> {
  const { list, total, digest, count } = await page(session, 0, 100);
  const isHidden = list.some(({ number }) => number === null);
  const shown = (one: Listed): Listed => (isHidden && one.kind === 'passcode' ? { ...one, number: null } : one);
  const due = `${textOf(items.map(shown))}; count and total ${items.length}, digest ${credentialDigest(items)}`;
  const came = `${textOf(list)}; count and total ${count === total ? total : `${count} and ${total}`}, digest ${digest}`;
  return heldUnless(came === due ? undefined : came, due);
}
