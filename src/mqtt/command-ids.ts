// Command ids that name the account, signed for one lock: the record of a remote unlock knows who it was, even after
// a restart, and a lock cannot make up that somebody else opened it (Protocol 5.1).
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { AccountId } from '../domain/account.ts';
import type { LockId } from '../domain/lock.ts';
import type { CommandId } from '../domain/lock-command.ts';
import type { CommandIds } from '../domain/ports.ts';

export interface CommandIdsOptions {
  /** Secret of this gateway, at least 16 bytes; the same after a restart. Asked for at each use: the store is not open before its start. */
  readonly key: () => Buffer;
  /** A part that is never given twice, at most 36 characters of 0-9, a-z and hyphen; a UUID when absent. */
  readonly unique?: () => string;
}

const signatureDigits = 32;
const pattern = /^([0-9a-z-]{1,36})\.(0|[1-9][0-9]{0,15})\.([0-9a-f]{32})$/;

/** Ids of the form `<unique>.<accountId, 0 for the gateway>.<signature>`: at most 86 characters. */
export function createCommandIds({ key, unique = randomUUID }: CommandIdsOptions): CommandIds {
  function signature(lockId: LockId, part: string, account: string): string {
    const secret = key();
    if (secret.length < 16) throw new Error('the key that signs command ids must have at least 16 bytes');
    return createHmac('sha256', secret).update(`latchd command id\n${lockId}\n${part}\n${account}`).digest('hex').slice(0, signatureDigits);
  }

  return {
    issue(lockId, accountId) {
      const part = unique();
      const account = String(accountId ?? 0);
      return `${part}.${account}.${signature(lockId, part, account)}` as CommandId;
    },
    accountOf(lockId, commandId) {
      const [, part, account, signed] = pattern.exec(commandId) ?? [];
      if (part === undefined || account === undefined || signed === undefined || account === '0') return undefined;
      const genuine = timingSafeEqual(Buffer.from(signed), Buffer.from(signature(lockId, part, account)));
      return genuine ? (Number(account) as AccountId) : undefined;
    },
  };
}
