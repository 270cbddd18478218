// Commands of Home Assistant: past the fences, they are those of an ordinary account with its roles, by the same service as over HTTP.
import { type Caller, type LockRole, roleSuffices } from '../../domain/accounts/account.ts';
import { type Alarm, endsByPerson } from '../../domain/alarms/alarm.ts';
import type { AlarmService } from '../../domain/alarms/alarm-service.ts';
import type { UnlockAttempts } from '../../domain/audit/unlock-attempts.ts';
import type { CancelSignal } from '../../domain/cancel-signal.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { HomeCodeService } from '../../domain/home-assistant/home-code-service.ts';
import { createKeyedQueue } from '../../domain/keyed-queue.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { LockService } from '../../domain/locks/lock-service.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';
import type { Log } from '../../domain/part.ts';
import type { HomeBroker, HomeMessage } from './broker-port.ts';
import { createFences, type Refused, type TimelyCommand } from './fences.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import type { HomeTopics } from './topics.ts';

export interface HomeCommands extends Pick<Refusals, 'refusedCounts' | 'lastRefusal'> {
  /** The filters of the commands; to be subscribed without what the broker has retained. */
  filters(): readonly string[];
  /** Ignores messages on other topics. Never throws. */
  onMessage(message: HomeMessage): void;
}

export interface HomeCommandsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly stallDetector: Pick<StallDetector, 'requestTime'>;
  readonly clockIsSuspect: () => boolean;
  /** 1,000 to 30,000. */
  readonly maxAgeMs: number;
  /** The account of Home Assistant as it is now; undefined: there is no such account. */
  readonly caller: () => Caller | undefined;
  /** The audited services. */
  readonly locks: Pick<LockService, 'setBolt' | 'setAutoLock'>;
  readonly alarms: Pick<AlarmService, 'end'>;
  readonly alarmsOf: (lockId: LockId) => readonly Alarm[];
  readonly attempts: Pick<UnlockAttempts, 'note'>;
  readonly code: Pick<HomeCodeService, 'isSet' | 'check'>;
  readonly topics: Pick<HomeTopics, 'commandFilters' | 'commandOf'>;
  readonly announcer: {
    /** Undefined: Home Assistant does not know the lock. */
    says(lockId: LockId): { readonly role: LockRole } | undefined;
    refused(lockId: LockId, refused: Refused): void;
  };
  readonly broker: Pick<HomeBroker, 'publish'>;
}

/** Commands of one lock that wait behind the one under way. More are refused: they leave room for those of other callers. */
const waitingAtMost = 3;
/** Nobody waits who could go away: what ends a command here is its age. */
const stays: CancelSignal = { aborted: false, addEventListener() {}, removeEventListener() {} };

export function createHomeCommands(options: HomeCommandsOptions): HomeCommands {
  const { clock, log, locks, alarms, code, topics, announcer, broker } = options;
  const fences = createFences(options);
  const refusals = createRefusals(options);
  /** In the order in which they came, although a code takes time: a LOCK never overtakes the UNLOCK before it. */
  const turns = createKeyedQueue<LockId>({ clock, limit: waitingAtMost });

  async function unlock(
    caller: Caller,
    lockId: LockId,
    given: string | undefined,
    requireTimely: () => void,
  ): Promise<Refused | undefined> {
    const verdict = code.isSet() ? await code.check(given) : 'right';
    if (verdict === 'right') return moved(await locks.setBolt(caller, lockId, 'unlocked', stays, requireTimely));
    options.attempts.note(caller, lockId, verdict === 'wrong' ? 'credentials-invalid' : 'rate-limited');
    return { reason: verdict === 'wrong' ? 'code' : 'throttled' };
  }

  async function endAlarms(caller: Caller, lockId: LockId): Promise<Refused | undefined> {
    if (!roleSuffices(announcer.says(lockId)?.role, 'manager')) return { reason: 'forbidden' };
    for (const { kind } of options.alarmsOf(lockId)) if (endsByPerson(kind)) await alarms.end(caller, kind, lockId);
    return undefined;
  }

  /**
   * Resolves with why nothing was done; undefined: it is as asked. `wasAnnounced`: its date is remembered. The services check the role, behind the
   * code, and the audit log has who was refused.
   */
  async function obey(lockId: LockId, { command, lateMs }: TimelyCommand, wasAnnounced: boolean): Promise<Refused | undefined> {
    const requireTimely = (): void => {
      if (lateMs() !== undefined) throw new DomainError('lock-busy', 'the command has waited for too long; nothing was sent');
    };
    const requireStill = (): void => {
      if (!wasAnnounced) throw new DomainError('forbidden', 'Home Assistant does not know this lock');
      requireTimely();
    };
    requireTimely();
    const caller = options.caller();
    if (caller === undefined) return { reason: 'forbidden' };
    if (command.kind === 'alarm') return endAlarms(caller, lockId);
    if (command.kind === 'auto-lock') {
      await locks.setAutoLock(caller, lockId, command.seconds, stays, requireStill);
      return undefined;
    }
    if (command.wanted === 'unlocked') return unlock(caller, lockId, command.code, requireStill);
    return moved(await locks.setBolt(caller, lockId, 'locked', stays, requireStill));
  }

  return {
    ...refusals,
    filters: () => topics.commandFilters,

    onMessage(message) {
      const { topic, payload, isRetained } = message;
      const target = topics.commandOf(topic);
      if (target === undefined) return;
      // Somebody takes a retained command away.
      if (isRetained && payload.length === 0) return;
      if (isRetained) broker.publish(topic, '', { retain: true, qos: 0 });
      const { kind, lockId } = target;
      const isAnnounced = announcer.says(lockId) !== undefined;
      const judged = fences.judge(kind, message, isAnnounced);
      if ('reason' in judged) {
        refusals.add(lockId, judged);
        return;
      }
      void turns
        .run(lockId, { priority: 0, deadline: judged.lateBy }, () => obey(lockId, judged, isAnnounced))
        .catch((error: unknown) => {
          if (!(error instanceof DomainError))
            log.error({ code: 'bug', err: error }, 'a command from Home Assistant failed because of a bug');
          return refusedBy(error, judged);
        })
        .then((refused) => refused && refusals.add(lockId, refused));
    },
  };
}

function moved(result: Awaited<ReturnType<LockService['setBolt']>>): Refused | undefined {
  return result.success ? undefined : { reason: 'failed', detail: result.reason };
}

/** What waited until it was late is late, whatever it waited for. */
function refusedBy(error: unknown, { lateMs }: TimelyCommand): Refused {
  const { code, lockError } = error instanceof DomainError ? error : { code: 'internal-error' as const, lockError: undefined };
  const ageMs = lateMs();
  switch (code) {
    case 'lock-busy':
      return ageMs === undefined ? { reason: code } : { reason: 'late', ageMs };
    case 'lock-offline':
    case 'lock-timeout':
      return { reason: code };
    case 'forbidden':
    case 'lock-not-found':
      return { reason: 'forbidden' };
    default:
      return { reason: 'failed', detail: lockError ?? code };
  }
}
