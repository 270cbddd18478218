// One lock of another make over one connection: what its protocol makes of messages, commands and waits takes effect here. Both hosts use it.
import type { OpenState } from '../domain/locks/lock.ts';
import type { CommandId, CommandOutcome, LockCommand } from '../domain/locks/lock-command.ts';
import type { LockSession } from '../domain/locks/lock-link.ts';
import type { HelloReport, LockEvent } from '../domain/locks/lock-report.ts';
import type { Effect } from './device-protocol.ts';
import type { EventReceipt } from './log-records.ts';
import type { ProtocolSessionOptions } from './session-host.ts';

/** A device that was not heard for its keep alive is asked, and has this time to be heard. */
const askedMs = 1_000;

interface UnderWay {
  readonly command: LockCommand;
  readonly commandId: CommandId;
  readonly until: number;
  /** Ends the wait; only the first call counts. A confirmed lock or unlock gets its record here and nowhere else. */
  finish(outcome: CommandOutcome, isLogged?: boolean): EventReceipt;
}

const lost: CommandOutcome = { kind: 'lost' };
/** Late or twice, these do no harm. */
const asksOnly = ({ op }: LockCommand): boolean => op === 'get-status' || op.startsWith('list-');

/** A class, for its methods are shared: there are thousands, and most of them idle. */
export class LockOverProtocol {
  readonly #options: ProtocolSessionOptions;
  #session: LockSession | undefined;
  #underWay: UnderWay | undefined;
  /** The last lock or unlock, as long as it has no record. */
  #unrecorded: { readonly type: string; readonly commandId: CommandId } | undefined;
  /** Whatever is heard now says that the device is there. */
  #isAsked = false;
  #cancelWake: (() => void) | undefined;
  #isOver = false;

  constructor(options: ProtocolSessionOptions) {
    this.#options = options;
  }

  /** Undefined while the lock is not online. */
  session(): LockSession | undefined {
    return this.#session;
  }
  /** Somebody waits for what the device says next. */
  isWaiting(): boolean {
    return this.#underWay !== undefined;
  }

  /**
   * A message of the device, or its subscriptions: makes what the protocol says of it take effect, in its order; `work` is the call of the
   * protocol. The receipt is there when all events of it are flushed.
   */
  apply(work: () => readonly Effect[]): EventReceipt {
    const receipt = this.#run(work);
    if (this.#isAsked) this.#expire({ kind: 'ok' });
    return receipt;
  }

  #run(work: () => readonly Effect[]): EventReceipt {
    if (this.#isOver) return 'leave';
    const waits: Promise<unknown>[] = [];
    let isLeft = false;
    for (const effect of this.#called(work) ?? []) {
      const receipt = this.#take(effect);
      if (receipt instanceof Promise) waits.push(receipt);
      else if (receipt === 'leave') isLeft = true;
    }
    if (isLeft) return 'leave';
    if (waits.length === 0) return 'acknowledge';
    return Promise.all(waits).then((receipts) => (receipts.every((receipt) => receipt === 'acknowledge') ? 'acknowledge' : 'leave'));
  }

  /** The connection has ended: what is under way is lost, and no timer is left. `reason` is for the operator. Idempotent. */
  end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const left = this.#called(() => this.#options.protocol.ended?.(this.#options.clock.now()) ?? []) ?? [];
    // Of what the device has said, events alone still count.
    for (const effect of left) if (effect.kind === 'event' || effect.kind === 'numbered') void this.#take(effect);
    this.#cancelWake?.();
    this.#offline(reason);
  }

  /** What the protocol says; undefined when it has thrown. */
  #called<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#options.onBug(error);
      return undefined;
    }
  }

  #take(effect: Effect): EventReceipt {
    const { lockId, reports, records } = this.#options;
    switch (effect.kind) {
      case 'publish':
        this.#publish(effect.topic, effect.payload);
        break;
      case 'online':
        this.#online(effect.hello);
        break;
      case 'offline':
        this.#offline(effect.reason);
        break;
      case 'state':
        reports.state(lockId, effect);
        break;
      case 'battery':
        reports.battery(lockId, effect);
        break;
      case 'battery-critical':
        reports.batteryCritical(lockId, effect.isCritical);
        break;
      case 'end':
        return this.#answered(effect.outcome, effect.isLogged === true);
      case 'event':
        return records.live(lockId, this.#withCommand(effect.event));
      case 'numbered':
        return records.numbered(lockId, effect.epoch, effect.events);
      case 'lost-events':
        records.lost(lockId, effect);
        break;
      case 'capabilities':
        this.#options.capabilities(effect.changed);
        break;
      case 'wake':
        this.#wakeIn(effect.afterMs);
    }
    return 'acknowledge';
  }

  /** What the device tells of a command that was not confirmed is its record, with the account. */
  #withCommand(event: Omit<LockEvent, 'seq'>): Omit<LockEvent, 'seq'> {
    const { type, commandId } = this.#unrecorded ?? {};
    const mayBeConfirmed = this.#underWay !== undefined && !this.#isOver;
    if (commandId === undefined || event.type !== type || mayBeConfirmed) return event;
    this.#unrecorded = undefined;
    return { ...event, commandId };
  }

  #publish(topic: string, payload: string): void {
    if (this.#isOver) return;
    const leftMs = this.#underWay && this.#underWay.until - this.#options.clock.monotonic();
    // The timer of the deadline is a little late.
    if (leftMs === undefined || leftMs > 0) this.#options.publish(topic, payload, leftMs);
  }

  #wakeIn(afterMs: number): void {
    const { clock, protocol } = this.#options;
    this.#cancelWake?.();
    this.#cancelWake = clock.timer(afterMs, () => void this.#run(() => protocol.wake(clock.now())));
  }

  #online(hello: HelloReport): void {
    const { lockId, clock, reports } = this.#options;
    if (this.#session === undefined) {
      const session: LockSession = {
        lockId,
        send: (command, commandId, ttlMs, from = clock.monotonic()) => this.#send(session, command, commandId, from + ttlMs),
      };
      this.#session = session;
      reports.hello(lockId, hello);
      return;
    }
    // The session goes on: what is sure of its state stays sure.
    const { state, battery, isHistory = false } = hello;
    reports.properties(lockId, hello);
    if (state !== undefined) reports.state(lockId, { state, isHistory });
    if (battery !== undefined) reports.battery(lockId, { level: battery });
  }

  #offline(reason: string): void {
    const { lockId, reports } = this.#options;
    const wasOnline = this.#session !== undefined;
    this.#session = undefined;
    void this.#underWay?.finish(lost);
    if (wasOnline) reports.offline(lockId, reason);
  }

  async #send(session: LockSession, command: LockCommand, commandId: CommandId, until: number): Promise<CommandOutcome> {
    if (this.#session !== session) return lost;
    const leftMs = (): number => Math.floor(until - this.#options.clock.monotonic());
    const silence = asksOnly(command) ? undefined : this.#options.isSilent?.();
    if (silence !== undefined && !(await this.#isHeardWhenAsked(commandId, leftMs()))) return { kind: 'unsent', message: silence };
    if (this.#session !== session) return lost;
    return this.#sendNow(command, commandId, leftMs());
  }

  /** Asks for the state, only to hear from the device at all: an unlock that waits for a dead link would come out of it late. */
  async #isHeardWhenAsked(commandId: CommandId, ttlMs: number): Promise<boolean> {
    const { isSilent } = this.#options;
    const answer = this.#sendNow({ op: 'get-status' }, commandId, Math.min(askedMs, ttlMs));
    this.#isAsked = this.#underWay !== undefined;
    const { kind } = await answer;
    return kind === 'ok' || isSilent?.() === undefined;
  }

  #sendNow(command: LockCommand, commandId: CommandId, ttlMs: number): Promise<CommandOutcome> {
    const { lockId, clock, protocol, records } = this.#options;
    // Without time left nothing is sent, and one at a time: no bolt moves late, or by the answer to another command.
    if (!(ttlMs > 0)) return Promise.resolve({ kind: 'unsent', message: 'no time was left' });
    if (this.#underWay !== undefined)
      return Promise.resolve({ kind: 'refused', error: 'busy', message: 'another command is under way at this lock' });
    const said = this.#called(() => protocol.command(command, clock.now()));
    if (said === undefined) return Promise.resolve(lost);
    if ('refuse' in said) return Promise.resolve({ kind: 'refused', error: said.refuse, message: said.message });
    const { op } = command;
    if (op === 'lock' || op === 'unlock') {
      records.sent(lockId, op, commandId);
      this.#unrecorded = { type: `remote-${op}`, commandId };
    }
    return new Promise((resolve) => {
      const cancelTimer = clock.timer(ttlMs, () => this.#expire({ kind: 'no-reply' }));
      const finish = (outcome: CommandOutcome, isLogged = false) => {
        this.#underWay = undefined;
        this.#isAsked = false;
        cancelTimer();
        if (outcome.kind === 'ok' && this.#unrecorded?.commandId === commandId) this.#unrecorded = undefined;
        resolve(outcome);
        return records.ended(lockId, commandId, outcome.kind, isLogged);
      };
      this.#underWay = { command, commandId, until: clock.monotonic() + ttlMs, finish };
      void this.#run(() => said);
    });
  }

  #expire(outcome: CommandOutcome): void {
    const { clock, protocol, onDeadline } = this.#options;
    const ended = this.#underWay;
    if (ended === undefined) return;
    this.#underWay = undefined;
    // First nothing can arrive any more, then the caller learns that nobody knows.
    if (!asksOnly(ended.command)) onDeadline();
    void ended.finish(outcome);
    if (!this.#isOver) void this.#run(() => protocol.expire(clock.now()));
  }

  #answered(outcome: CommandOutcome, isLogged: boolean): EventReceipt {
    const ended = this.#underWay;
    if (ended === undefined) return 'acknowledge';
    const { lockId, reports } = this.#options;
    const { command, finish } = ended;
    if (outcome.kind === 'ok' || outcome.kind === 'refused') {
      const state: OpenState | undefined = outcome.kind === 'ok' ? outcome.state : undefined;
      reports.reply(lockId, command, outcome, state === undefined ? {} : { state });
    }
    return finish(outcome, isLogged);
  }
}
