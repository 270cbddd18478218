// Writes unlocks without a record of their own to the audit log: refused, not sent, without a reply, or with nothing to do. They are
// written after the answer, and nothing waits for that: they delay no door, and a full disk stops no door.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { Clock } from '../clock.ts';
import type { ErrorCode } from '../errors.ts';
import type { LockId } from '../locks/lock.ts';
import type { LockService } from '../locks/lock-service.ts';
import type { Part } from '../part.ts';
import { auditOutcomeOf } from './audit.ts';
import type { AuditEntry } from './audit-action.ts';
import type { AuditStore } from './audit-ports.ts';

/** One entry stands for all attempts of an account, by the same session, on a lock with the same outcome within this time. */
const windowMs = 60_000;
/** The delay lets the answers go first, and attempts that come together are written together. */
const writtenAfterMs = 100;
/** Entries of a window: of one account, and of all accounts. More attempts are only counted. */
const mostOfAccount = 100;
const mostLines = 1_000;

/** The attempts in one entry. */
interface Line {
  readonly id: Promise<number>;
  readonly entry: Omit<AuditEntry, 'id'>;
  readonly accountId: AccountId;
  count: number;
  /** How many of them are on the disk. */
  written: number;
}

export interface UnlockAttempts extends Part {
  /** The same service, which also notes every unlock that has no record. */
  around(service: LockService): LockService;
  /** An unlock that was refused before it came to the service. */
  note(caller: Caller, lockId: LockId, outcome: ErrorCode): void;
}

export function createUnlockAttempts({ clock, audit }: { readonly clock: Clock; readonly audit: AuditStore }): UnlockAttempts {
  /** The entries of this window, by account, session, lock and outcome. */
  let lines = new Map<string, Line>();
  let ofAccount = new Map<AccountId, number>();
  /** For each account, the attempts that are in no entry; its next entry contains the number. */
  const missed = new Map<AccountId, number>();
  let cancelWrite: (() => void) | undefined;
  let cancelWindow: (() => void) | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  function miss(accountId: AccountId, count: number): void {
    missed.set(accountId, (missed.get(accountId) ?? 0) + count);
  }
  function begin(caller: Caller, lockId: LockId, outcome: AuditEntry['outcome'], detail: string): Line | undefined {
    const { accountId, username, address = '', session } = caller;
    const own = ofAccount.get(accountId) ?? 0;
    if (own >= mostOfAccount || lines.size >= mostLines) return undefined;
    ofAccount.set(accountId, own + 1);
    const before = missed.get(accountId);
    missed.delete(accountId);
    const through = session === undefined ? {} : { sessionId: session.sessionId };
    const made = { at: clock.now(), username, address, action: 'unlock', object: `lock ${lockId}`, detail, outcome, ...through };
    const entry = before === undefined ? made : { ...made, missed: before };
    const id = audit.nextId();
    // The write handles an id that could not be had.
    id.catch(() => undefined);
    return { accountId, id, entry, count: 0, written: 0 };
  }
  function note(caller: Caller, lockId: LockId, outcome: AuditEntry['outcome'], detail = ''): void {
    const key = `${caller.accountId} ${caller.session?.sessionId ?? ''} ${lockId} ${outcome}`;
    const line = lines.get(key) ?? begin(caller, lockId, outcome, detail);
    if (line === undefined) {
      miss(caller.accountId, 1);
      return;
    }
    lines.set(key, line);
    line.count += 1;
    cancelWindow ??= clock.timer(windowMs, endWindow);
    // Attempts that are added to a stored entry are written at the end of the window.
    if (line.count === 1) cancelWrite ??= clock.timer(writtenAfterMs, writeNew);
  }
  async function write(line: Line, isLastTime: boolean): Promise<void> {
    const { count, entry, accountId } = line;
    try {
      const id = await line.id;
      await audit.appendAttempt(count > 1 ? { id, ...entry, count } : { id, ...entry });
      line.written = count;
    } catch {
      // The store reports the failed write.
      if (isLastTime) miss(accountId, count - line.written + (line.written === 0 ? (entry.missed ?? 0) : 0));
    }
  }
  function writeAll(some: readonly Line[], isLastTime: boolean): void {
    writing = Promise.all([writing, ...some.map((line) => write(line, isLastTime))]);
  }
  function writeNew(): void {
    cancelWrite = undefined;
    writeAll(
      [...lines.values()].filter(({ written }) => written === 0),
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
      [...ended.values()].filter(({ count, written }) => count > written),
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
    note,
    around: (service) => ({
      ...service,
      async setBolt(caller, lockId, wanted, ...rest) {
        if (wanted === 'locked') return service.setBolt(caller, lockId, wanted, ...rest);
        try {
          const result = await service.setBolt(caller, lockId, wanted, ...rest);
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
