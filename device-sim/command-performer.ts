// Executes a command that the command desk has accepted (Protocol 5.1).
import type { OpenState } from '../src/domain/locks/lock.ts';
import type { CommandMessage } from '../src/drivers/native/messages.ts';
import { type Answer, expired } from './command-desk.ts';
import { calendarOperations, credentialOperations } from './credential-operations.ts';
import type { CommandFault, MemoryFault } from './faults.ts';
import type { LockClock } from './lock-clock.ts';
import type { LockMechanics, MoveRefusal } from './lock-mechanics.ts';
import type { LockMemory } from './lock-memory.ts';
import { type Operation, operations } from './lock-operations.ts';
import type { LockProfile } from './lock-profile.ts';
import type { TimeSource } from './time-source.ts';

export interface CommandPerformerOptions {
  readonly profile: LockProfile;
  readonly memory: LockMemory;
  readonly time: TimeSource;
  readonly clock: LockClock;
  readonly mechanics: LockMechanics;
  readonly memoryFaults: ReadonlySet<MemoryFault>;
  readonly uptime: () => number;
  readonly reportStatus: () => void;
  /** Resolves after the PUBACKs; rejects without a connection. */
  readonly resendEvents: (epoch: string, from: number, to: number) => Promise<unknown>;
}

export type PerformCommand = (command: CommandMessage, fault: CommandFault, settle: (answer: Answer) => void) => void;

/** undefined: this lock does not know it. */
function operationOf({ features }: LockProfile, op: string): Operation | undefined {
  const withCredentials = features.includes('credentials') ? credentialOperations.get(op) : undefined;
  return operations.get(op) ?? withCredentials ?? (features.includes('hours') ? calendarOperations.get(op) : undefined);
}

/** A resend that is not acknowledged this long before `expires` is abandoned, so that the reply still arrives in time. */
const resendMarginMs = 300;

const messages: Readonly<Record<MoveRefusal, string>> = {
  busy: 'the bolt is moving',
  jammed: 'bolt blocked at 40 %',
  'low-battery': 'too little power to move the bolt',
  'privacy-lock': 'locked from inside',
};

export function createCommandPerformer(options: CommandPerformerOptions): PerformCommand {
  const { profile, memory, time, clock, mechanics, uptime } = options;

  function moveBolt(command: CommandMessage, target: OpenState, settle: (answer: Answer) => void): void {
    const repliesOnArrival = profile.okWhen === 'arrived';
    // A bolt that would arrive after the caller got a time-out must not start (Protocol 5.3 rules 1 and 3).
    if (repliesOnArrival && !mechanics.moving && mechanics.state !== target && command.expires < uptime() + profile.boltTravelMs) {
      settle(expired);
      return;
    }
    let isSettled = false;
    const type = target === 'locked' ? 'remote-lock' : 'remote-unlock';
    const done = (refusal?: MoveRefusal): void => {
      if (isSettled) return;
      isSettled = true;
      const status = { state: mechanics.state, battery: mechanics.batteryPercent };
      settle(refusal === undefined ? { ok: true, ...status } : { ok: false, error: refusal, message: messages[refusal], ...status });
    };
    mechanics.move({ target, event: { type, commandId: command.id }, byMotor: true, done });
    if (repliesOnArrival || isSettled) return;
    isSettled = true;
    settle({ ok: true });
  }

  /** Protocol 5.3 rule 3: the reply must come before the command expires, whether or not the PUBACKs do. */
  function resendWithin(withinMs: number, epoch: string, from: number, to: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = time.timer(Math.max(0, withinMs), () => reject(new Error('not acknowledged in time')));
      options.resendEvents(epoch, from, to).then(() => {
        cancel();
        resolve();
      }, reject);
    });
  }

  return (command, fault, settle) => {
    if (command.op === 'lock' || command.op === 'unlock') {
      const target = command.op === 'lock' ? 'locked' : 'unlocked';
      if (fault.kind === 'jam' && target !== mechanics.state) mechanics.jam('once');
      moveBolt(command, target, settle);
      return;
    }
    const operation = operationOf(profile, command.op);
    if (operation === undefined) {
      settle({ ok: false, error: 'not-supported', message: `this lock does not know ${command.op}` });
      return;
    }
    const target = {
      memory,
      clock,
      profile,
      faults: options.memoryFaults,
      reportStatus: options.reportStatus,
      autoLockChanged: () => mechanics.armAutoLock(),
      resendEvents: (epoch: string, from: number, to: number) => resendWithin(command.expires - uptime() - resendMarginMs, epoch, from, to),
    };
    Promise.resolve(operation(target, command.args)).then(settle, (error: Error) =>
      settle({ ok: false, error: 'failed', message: error.message.slice(0, 256) }),
    );
  };
}
