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
  /** Of this start of the gateway, from 1: higher than that of every start before it. Asked for as `key`. */
  readonly start: () => number;
}

const signatureDigits = 32;
const pattern = /^([1-9][0-9]{0,15}|[0-9a-f-]{36})\.([1-9][0-9]{0,15})\.([0-9a-f]{32})$/;
/** Commands of one lock that are numbered in one start: one a second for a year. With 2^24 starts a number has 15 digits. */
const perStart = 2 ** 25;

/**
 * Ids of the form `<number>.<accountId>.<signature>` for lock and unlock: the numbers of one lock rise, also over restarts, each by one where it
 * can. All other ids name nobody and are a UUID. At most 65 characters.
 */
export function createCommandIds({ key, start }: CommandIdsOptions): CommandIds {
  /** Of each lock the last one: what it names needs no signature to be known. */
  const issued = new Map<LockId, { readonly count: number; readonly id: CommandId; readonly op: string; readonly accountId: AccountId }>();

  function signature(text: string): string {
    const secret = key();
    if (secret.length < 16) throw new Error('the key that signs command ids must have at least 16 bytes');
    return createHmac('sha256', secret).update(text).digest('hex').slice(0, signatureDigits);
  }

  return {
    issue(lockId, accountId, op) {
      const count = (issued.get(lockId)?.count ?? -1) + 1;
      if (accountId === null || (op !== 'lock' && op !== 'unlock') || count >= perStart) return randomUUID() as string as CommandId;
      const part = String(start() * perStart + count);
      const id = `${part}.${accountId}.${signature(signedText(lockId, op, part, accountId))}` as CommandId;
      issued.set(lockId, { count, id, op, accountId });
      return id;
    },
    read(lockId, commandId, op) {
      const last = issued.get(lockId);
      if (last?.id === commandId && last.op === op) return { accountId: last.accountId, number: start() * perStart + last.count };
      const [, part = '', account = '', signed = ''] = pattern.exec(commandId) ?? [];
      if (part === '') return undefined;
      const isNumber = !part.includes('-');
      const text = isNumber ? signedText(lockId, op, part, account) : `latchd command id\n${lockId}\n${part}\n${account}`;
      const isGenuine = timingSafeEqual(Buffer.from(signed), Buffer.from(signature(text)));
      if (!isGenuine) return undefined;
      return { accountId: Number(account) as AccountId, number: isNumber ? Number(part) : numberOfOld(part) };
    },
  };
}

function signedText(lockId: LockId, op: 'lock' | 'unlock', part: string, account: number | string): string {
  return `latchd ${op}\n${lockId}\n${part}\n${account}`;
}

/** Ids of the form before this one have a UUID: they count as numbers below all others. */
function numberOfOld(uuid: string): number {
  return -Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16) - 1;
}
