// Command ids that name the account, signed for one lock: the record of a remote unlock knows who it was, even after
// a restart, and a lock cannot make up that somebody else opened it (Protocol 5.1).
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { AccountId } from '../../domain/accounts/account.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { CommandId } from '../../domain/locks/lock-command.ts';
import type { CommandIds } from '../../domain/locks/lock-link.ts';

export interface CommandIdsOptions {
  /** Secret of this gateway, at least 16 bytes; the same after a restart. Asked for at each use: the store is not open before its start. */
  readonly key: () => Buffer;
  /**
   * Of this start of the gateway, from 1: higher than that of every start before it. Undefined while it has none, because another node may still
   * give out ids. Asked for as `key`.
   */
  readonly start: () => number | undefined;
}

const signatureDigits = 32;
const pattern = /^([1-9][0-9]{0,15}|[0-9a-f-]{36})\.([1-9][0-9]{0,15})\.([0-9a-f]{32})$/;
/** Commands of one lock that are numbered in one start: one a second for a year. With 2^24 starts a number has 15 digits. */
const perStart = 2 ** 25;

/**
 * Ids of the form `<number>.<accountId>.<signature>` for lock and unlock: the numbers of one lock rise, also over restarts, each by one where it
 * can; without a start a UUID is in place of the number. All other ids name nobody and are a UUID. At most 86 characters.
 */
export function createCommandIds({ key, start }: CommandIdsOptions): CommandIds {
  /** Of each lock the last one: what it names needs no signature to be known. */
  const issued = new Map<LockId, Issued>();

  function signature(text: string): string {
    const secret = key();
    if (secret.length < 16) throw new Error('the key that signs command ids must have at least 16 bytes');
    return createHmac('sha256', secret).update(text).digest('hex').slice(0, signatureDigits);
  }

  return {
    issue(lockId, accountId, op) {
      const count = (issued.get(lockId)?.count ?? -1) + 1;
      if (accountId === null || (op !== 'lock' && op !== 'unlock') || count >= perStart) return randomUUID() as string as CommandId;
      const begun = start();
      const part = begun === undefined ? randomUUID() : String(begun * perStart + count);
      const id = `${part}.${accountId}.${signature(signedText(lockId, op, part, accountId))}` as CommandId;
      issued.set(lockId, { count, id, op, named: { accountId, number: numberOf(part) } });
      return id;
    },
    read(lockId, commandId, op) {
      const last = issued.get(lockId);
      if (last?.id === commandId && last.op === op) return last.named;
      const [, part = '', account = '', signed = ''] = pattern.exec(commandId) ?? [];
      if (part === '') return undefined;
      const texts = [signedText(lockId, op, part, account), ...(isUuid(part) ? [olderText(lockId, part, account)] : [])];
      const isGenuine = texts.some((text) => timingSafeEqual(Buffer.from(signed), Buffer.from(signature(text))));
      return isGenuine ? { accountId: Number(account) as AccountId, number: numberOf(part) } : undefined;
    },
  };
}

interface Issued {
  readonly count: number;
  readonly id: CommandId;
  readonly op: string;
  readonly named: { readonly accountId: AccountId; readonly number: number };
}

function signedText(lockId: LockId, op: 'lock' | 'unlock', part: string, account: number | string): string {
  return `latchd ${op}\n${lockId}\n${part}\n${account}`;
}

/** Of the ids before there were numbers, which had a UUID, too. */
function olderText(lockId: LockId, part: string, account: string): string {
  return `latchd command id\n${lockId}\n${part}\n${account}`;
}

/** UUIDs count as numbers below all others. */
function numberOf(part: string): number {
  return isUuid(part) ? -Number.parseInt(part.replaceAll('-', '').slice(0, 12), 16) - 1 : Number(part);
}

function isUuid(part: string): boolean {
  return part.includes('-');
}
