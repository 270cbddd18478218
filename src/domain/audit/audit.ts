// The audit log: who changed what, when, from where, and with what outcome. It wraps the services, so that no adapter can bypass it.
import type { AccountId, Caller } from '../accounts/account.ts';
import { requireGatewayAdministrator } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import { DomainError, type ErrorCode } from '../errors.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { createQuestionTurns } from '../question-turns.ts';
import type { AuditAction, AuditEntry } from './audit-action.ts';
import type { AuditStore, AuditWanted } from './audit-ports.ts';

export interface AuditRange extends PageRequest, AuditWanted {
  /** Lowest and highest time, both included; 0: open. */
  readonly startDate: number;
  readonly endDate: number;
  readonly oldestFirst?: boolean;
}

export interface AuditService {
  /**
   * The newest first, unless it is asked otherwise; for gateway administrators. Rejects with `storage-unavailable`, and with `rate-limited`
   * when too many such questions of this account wait.
   */
  page(caller: Caller, range: AuditRange, gone?: CancelSignal): Promise<Page<AuditEntry>>;
}

export interface AuditTrail extends AuditService {
  /**
   * Runs `work` between its two lines: it does not run if its first line could not be written (`storage-unavailable`), and this resolves
   * when the outcome is on the disk. `auditAction` is called again with the result.
   */
  record<T>(caller: Caller, auditAction: (result: T | undefined) => AuditAction, work: () => Promise<T>): Promise<T>;
  /** For actions that must work on a full disk, too: runs `work` first, then writes its entry if possible. */
  note<T>(caller: Caller, auditAction: AuditAction, work: () => Promise<T>): Promise<T>;
}

/**
 * Refusals of one account within a minute that are written; more are only counted, so that a client with any token cannot fill the disk.
 */
const refusalsWritten = 30;
const windowMs = 60_000;

interface Refusals {
  readonly since: number;
  count: number;
  missed: number;
}

export function createAuditTrail({ clock, audit }: { readonly clock: Clock; readonly audit: AuditStore }): AuditTrail {
  const refusals = new Map<AccountId, Refusals>();
  const turns = createQuestionTurns({ clock });

  function refusalsOf({ accountId }: Caller): Refusals {
    const now = clock.monotonic();
    const known = refusals.get(accountId);
    if (known !== undefined && now - known.since < windowMs) return known;
    const fresh = { since: now, count: 0, missed: known?.missed ?? 0 };
    refusals.set(accountId, fresh);
    return fresh;
  }
  async function begun({ username, address = '', session }: Caller, { action, object, detail = '' }: AuditAction): Promise<AuditEntry> {
    const at = clock.now();
    const through = session === undefined ? {} : { sessionId: session.sessionId };
    return { id: await audit.nextId(), at, username, address, action, object, detail, outcome: 'unknown', ...through };
  }
  /** Never rejects: an action cannot be undone because its entry is missing, and the store reports the failed write. */
  async function append(entry: AuditEntry): Promise<void> {
    await audit.append(entry).catch(() => undefined);
  }

  return {
    async record(caller, auditAction, work) {
      const refused = refusalsOf(caller);
      const isWritten = refused.count < refusalsWritten;
      const missed = refused.missed > 0 ? { missed: refused.missed } : {};
      const entry = { ...(await begun(caller, auditAction(undefined))), ...missed };
      if (isWritten) await audit.append(entry);
      const end = async (outcome: AuditEntry['outcome'], known: AuditAction): Promise<void> => {
        const { action, object, detail = '' } = known;
        await append({ ...entry, action, object, detail, outcome });
        refused.missed = 0;
      };
      let result: Awaited<ReturnType<typeof work>>;
      try {
        result = await work();
      } catch (error) {
        refused.count += 1;
        if (isWritten) await end(auditOutcomeOf(error), auditAction(undefined));
        else refused.missed += 1;
        throw error;
      }
      await end('ok', auditAction(result));
      return result;
    },

    async note(caller, auditAction, work) {
      // The action runs, whether its first line can be written or not.
      const entry = begun(caller, auditAction).catch(() => undefined);
      const end = async (outcome: AuditEntry['outcome']): Promise<void> => {
        const known = await entry;
        if (known !== undefined) await append({ ...known, outcome });
      };
      try {
        const result = await work();
        await end('ok');
        return result;
      } catch (error) {
        await end(auditOutcomeOf(error));
        throw error;
      }
    },

    async page(caller, { startDate, endDate, ...request }, gone) {
      requireGatewayAdministrator(caller);
      const to = endDate === 0 ? Number.MAX_SAFE_INTEGER : endDate;
      const { list, total } = await turns.run(caller, gone, () => audit.page({ from: startDate, to, ...request, gone }));
      return pageOf(list, total, request);
    },
  };
}

/** The code of an error; `internal-error` for anything that is not a DomainError. */
export function auditOutcomeOf(error: unknown): ErrorCode {
  return error instanceof DomainError ? error.code : 'internal-error';
}

/** Makes the audit action from the arguments of a method and, once known, its result. */
export type AuditActionOf<Args extends readonly unknown[], Result> = (args: Args, result: Result | undefined) => AuditAction;

/**
 * For every method of a service its audit action, or that it has none: a forgotten method does not compile. An audited method takes the
 * caller first and returns a promise, because its answer waits for the disk.
 */
export type AuditTable<Service> = {
  readonly [Method in keyof Service]:
    | 'not-audited'
    | (Service[Method] extends (caller: Caller, ...args: infer Args) => Promise<infer Result>
        ? AuditActionOf<[Caller, ...Args], Result>
        : never);
};

type Action = (caller: Caller, ...args: unknown[]) => Promise<unknown>;

/** The same service, with each of its audited methods recorded in `trail`. */
export function audited<Service extends object>(service: Service, table: AuditTable<Service>, trail: AuditTrail): Service {
  const entries = Object.entries(table).map(([method, auditActionOf]) => {
    const act = (service as Record<string, Action>)[method] as Action;
    if (auditActionOf === 'not-audited') return [method, act];
    const describe = auditActionOf as AuditActionOf<unknown[], unknown>;
    const recorded: Action = (caller, ...args) =>
      trail.record(
        caller,
        (result) => describe([caller, ...args], result),
        () => act(caller, ...args),
      );
    return [method, recorded];
  });
  return Object.fromEntries(entries) as Service;
}
