// Unlocks that did not end in a record of their own, for the audit log: refused, not sent, without an answer, or with nothing to do. They are
// written when the answer has been given, and nobody waits for that: neither a door nor a full disk is held up by it.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockService } from '../locks/lock-service.ts';
import type { Part } from '../part.ts';
import { auditOutcomeOf } from './audit.ts';
import type { AuditEntry } from './audit-action.ts';
import type { AuditStore } from './audit-ports.ts';

/** One line stands for all attempts of an account on a lock that ended the same way within it. */
const windowMs = 60_000;
/** So that the answers go first, and what comes together is written together. */
const writtenAfterMs = 100;
/** Lines of a window: of one account, and of all. More of them are counted only. */
const mostOfAccount = 100;
const mostLines = 1_000;

/** What is in one line. */
interface Line {
  readonly id: Promise<number>;
  readonly entry: Omit<AuditEntry, 'id'>;
  readonly accountId: AccountId;
  count: number;
  /** Of them, those that are on the disk. */
  kept: number;
}

export interface UnlockAttempts extends Part {
  /** The same service, of which every unlock is noted that has no record. */
  around(service: LockService): LockService;
}

export function createUnlockAttempts({ clock, audit }: { readonly clock: Clock; readonly audit: AuditStore }): UnlockAttempts {
  /** Of this window, by account, lock and outcome. */
  let lines = new Map<string, Line>();
  let ofAccount = new Map<AccountId, number>();
  /** Attempts that are in no line, of each account: told in its next one. */
  const missed = new Map<AccountId, number>();
  let cancelWrite: (() => void) | undefined;
  let cancelWindow: (() => void) | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  function miss(accountId: AccountId, count: number): void {
    missed.set(accountId, (missed.get(accountId) ?? 0) + count);
  }
  function begin(caller: Caller, lockId: LockId, outcome: AuditEntry['outcome'], detail: string): Line | undefined {
    const { accountId, username, address = '' } = caller;
    const own = ofAccount.get(accountId) ?? 0;
    if (own >= mostOfAccount || lines.size >= mostLines) return undefined;
    ofAccount.set(accountId, own + 1);
    const before = missed.get(accountId);
    missed.delete(accountId);
    const made = { at: clock.now(), username, address, action: 'unlock', object: `lock ${lockId}`, detail, outcome };
    const entry = before === undefined ? made : { ...made, missed: before };
    const id = audit.nextId();
    // That there is none is seen when it is written.
    id.catch(() => undefined);
    return { accountId, id, entry, count: 0, kept: 0 };
  }
  function note(caller: Caller, lockId: LockId, outcome: AuditEntry['outcome'], detail = ''): void {
    const key = `${caller.accountId} ${lockId} ${outcome}`;
    const line = lines.get(key) ?? begin(caller, lockId, outcome, detail);
    if (line === undefined) {
      miss(caller.accountId, 1);
      return;
    }
    lines.set(key, line);
    line.count += 1;
    cancelWindow ??= clock.timer(windowMs, endWindow);
    // What is counted into a line that was written is written at the end.
    if (line.count === 1) cancelWrite ??= clock.timer(writtenAfterMs, writeNew);
  }
  async function write(line: Line, isLastTime: boolean): Promise<void> {
    const { count, entry, accountId } = line;
    try {
      const id = await line.id;
      await audit.appendAttempt(count > 1 ? { id, ...entry, count } : { id, ...entry });
      line.kept = count;
    } catch {
      // That the disk refuses is seen, and said, without this.
      if (isLastTime) miss(accountId, count - line.kept + (line.kept === 0 ? (entry.missed ?? 0) : 0));
    }
  }
  function writeAll(some: readonly Line[], isLastTime: boolean): void {
    writing = Promise.all([writing, ...some.map((line) => write(line, isLastTime))]);
  }
  function writeNew(): void {
    cancelWrite = undefined;
    writeAll(
      [...lines.values()].filter(({ kept }) => kept === 0),
      false,
    );
  }
  function endWindow(): void {
    cancelWrite?.();
    cancelWindow?.();
    cancelWrite = cancelWindow = undefined;
    const ended = lines;
    lines = new Map();
    ofAccount = new Map();
    writeAll(
      [...ended.values()].filter(({ count, kept }) => count > kept),
      true,
    );
  }

  return {
    name: 'unlock-attempts',
    async start() {},
    async stop() {
      endWindow();
      await writing;
    },
    around: (service) => ({
      ...service,
      async move(caller, lockId, wanted, gone) {
        if (wanted === 'locked') return service.move(caller, lockId, wanted, gone);
        try {
          const result = await service.move(caller, lockId, wanted, gone);
          if (!result.success) note(caller, lockId, 'lock-refused', result.reason);
          else if (result.nothingToDo) note(caller, lockId, 'nothing-to-do');
          return result;
        } catch (error) {
          note(caller, lockId, auditOutcomeOf(error));
          throw error;
        }
      },
    }),
  };
}
