// The lock itself, without a network: bolt, cards, keypad, thumb turn, battery, timers. What it says goes to whoever
// listens at the moment (lock-connection.ts); what happened goes into its memory first.
import { randomBytes } from 'node:crypto';
import type { OpenState } from '../src/domain/lock.ts';
import type { LockEvent } from '../src/domain/lock-report.ts';
import type { BatteryMessage, CommandMessage, HelloMessage, ReplyMessage, StateMessage } from '../src/mqtt/messages.ts';
import { type Bolt, createBolt } from './bolt.ts';
import { admits, cardDigest, findCard, seenByReader } from './card-memory.ts';
import { type Answer, type CommandDesk, createCommandDesk, expired } from './command-desk.ts';
import type { CommandFault } from './faults.ts';
import { createLockClock, type LockClock } from './lock-clock.ts';
import type { LockMemory } from './lock-memory.ts';
import { type OperationTarget, operations } from './lock-operations.ts';
import type { LockProfile } from './lock-profile.ts';
import type { TimeSource } from './time-source.ts';

/** Where a lock speaks while it is connected. */
export interface LockVoice {
  state(message: StateMessage): void;
  battery(message: BatteryMessage): void;
  reply(message: ReplyMessage): void;
  /** There are new events in the memory, flushed. */
  eventsKept(): void;
  /** Resolves after the PUBACKs. */
  resendEvents(epoch: string, from: number, to: number): Promise<unknown>;
}

/** What came of an act at the door; `reason` when the lock did not do it. */
export interface DoorResult {
  readonly done: boolean;
  readonly reason?: string;
}

export interface SimulatedLockOptions {
  readonly profile: LockProfile;
  readonly memory: LockMemory;
  readonly time: TimeSource;
  /** What happens at the door, in words, for whoever watches. */
  readonly tell: (line: string) => void;
}

type EventDraft = Omit<LockEvent, 'seq' | 'date' | 'success'>;

/** Below this the motor does not start. */
const motorNeedsPercent = 5;
/** From here on down the lock warns. */
const warnAtPercent = 20;
/** A resend that is not acknowledged this long before `expires` is given up, so that the reply still comes in time. */
const resendMarginMs = 300;

export class SimulatedLock {
  readonly #profile: LockProfile;
  readonly #memory: LockMemory;
  readonly #time: TimeSource;
  readonly #tell: (line: string) => void;
  readonly #bolt: Bolt;
  readonly #clock: LockClock;
  readonly #desk: CommandDesk;
  readonly #bootedAt: number;
  #session: string | undefined;
  #voice: LockVoice | undefined;
  #autoLock: (() => void) | undefined;
  #doorOpen = false;
  #privacyBolt = false;
  #reportedPercent: number;

  constructor({ profile, memory, time, tell }: SimulatedLockOptions) {
    this.#profile = profile;
    this.#memory = memory;
    this.#time = time;
    this.#tell = tell;
    this.#bolt = createBolt({ time, travelMs: profile.boltTravelMs, state: memory.contents.bolt });
    this.#clock = createLockClock({ time, kind: profile.clock, offsetMs: profile.clockOffsetMs, driftPpm: profile.clockDriftPpm });
    this.#bootedAt = time.monotonic();
    this.#reportedPercent = this.batteryPercent;
    this.#desk = createCommandDesk({
      time,
      uptime: () => this.uptime,
      session: () => this.#session,
      perform: (command, fault, settle) => this.#perform(command, fault, settle),
    });
    this.#armAutoLock();
  }

  get state(): OpenState {
    return this.#bolt.state;
  }

  /** Whole percent, as it is reported. */
  get batteryPercent(): number {
    return Math.round(this.#memory.contents.batteryPercent);
  }

  /** Milliseconds since this lock booted; only rises. */
  get uptime(): number {
    return Math.floor(this.#time.monotonic() - this.#bootedAt);
  }

  get doorOpen(): boolean {
    return this.#doorOpen;
  }

  /** The current session; undefined without a connection. */
  get session(): string | undefined {
    return this.#session;
  }

  /** By the lock's own clock; undefined while it is not set. */
  get clockNow(): number | undefined {
    return this.#clock.now();
  }

  /** A connection is up: a new session begins. The hello that says so (Protocol 4.1). */
  connect(voice: LockVoice): HelloMessage {
    const { profile } = { profile: this.#profile };
    const { contents } = this.#memory;
    this.#voice = voice;
    this.#session = randomBytes(9).toString('base64url');
    return {
      protocol: 1,
      session: this.#session,
      uptime: this.uptime,
      modelNum: profile.modelNum,
      hardwareRevision: profile.hardwareRevision,
      firmwareRevision: profile.firmwareRevision,
      featureValue: profile.featureValue,
      ...this.#dated(),
      state: this.state,
      battery: this.batteryPercent,
      autoLockTime: contents.autoLockSeconds,
      settings: contents.settings,
      cards: { count: contents.cards.length, digest: cardDigest(contents.cards) },
      epoch: contents.epoch,
      lastSeq: this.#memory.flushedSeq,
    };
  }

  /** The connection is gone: nobody hears what is said now, and no command of that session will be executed. */
  disconnect(): void {
    this.#voice = undefined;
    this.#session = undefined;
  }

  /** Publishes state and battery, as after each connect (Protocol 4.2, 4.3). */
  reportStatus(): void {
    if (this.#session === undefined) return;
    this.#voice?.state({ session: this.#session, state: this.state, ...this.#dated() });
    this.#reportBattery();
  }

  /** A command has arrived; its reply goes to the connection it came on, or nowhere (Protocol 5.3). */
  receive(command: CommandMessage, fault: CommandFault = { kind: 'none' }): void {
    const voice = this.#voice;
    this.#desk.receive(command, fault, (reply) => {
      if (voice === this.#voice) voice?.reply(reply);
    });
  }

  /** Holds a card to the reader; `cardNumber` is what is printed on it, the reader sees it in its own byte order. */
  swipeCard(cardNumber: string): Promise<DoorResult> {
    if (!/^[0-9]{1,20}$/.test(cardNumber)) return Promise.reject(new Error('a card number is 1 to 20 digits'));
    const { cards } = this.#memory.contents;
    const seen = seenByReader(cardNumber, this.#profile.byteOrder);
    const card = findCard(cards, seen);
    if (card === undefined) return this.#refuse('card-unlock', seen, 'unknown-card');
    const now = this.#clock.now();
    if (!admits(card, now)) return this.#refuse('card-unlock', seen, now === undefined ? 'clock-not-set' : 'not-valid-now');
    return this.#openOrClose('card', seen);
  }

  enterPasscode(code: string): Promise<DoorResult> {
    if (!this.#profile.passcodes.includes(code)) return this.#refuse('passcode-unlock', code, 'wrong-passcode');
    return this.#openOrClose('passcode', code);
  }

  /** Turns the thumb turn on the inside: the other state, by hand; it takes the privacy bolt back as well. */
  turnThumb(): Promise<DoorResult> {
    const target = this.state === 'locked' ? 'unlocked' : 'locked';
    this.#privacyBolt = false;
    return this.#moveAtDoor(target, { type: target === 'unlocked' ? 'inside-unlock' : 'inside-lock' }, false);
  }

  /** The privacy bolt on the inside: while it is out, nothing unlocks from outside. */
  setPrivacyBolt(out: boolean): void {
    this.#privacyBolt = out;
    this.#tell(out ? 'privacy bolt is out' : 'privacy bolt is in');
  }

  /** False: it is locked and stays shut. An open door does not lock itself. */
  openDoor(): boolean {
    if (this.state === 'locked' || this.#doorOpen) return this.#doorOpen;
    this.#doorOpen = true;
    this.#record({ type: 'door-open' });
    this.#armAutoLock();
    return true;
  }

  closeDoor(): void {
    if (!this.#doorOpen) return;
    this.#doorOpen = false;
    this.#record({ type: 'door-close' });
    this.#armAutoLock();
  }

  /** Somebody opens the case: an alarm, unless the tamper alert is off (setting 2). */
  tamper(): void {
    if (this.#memory.contents.settings.tamperAlert !== 2) this.#record({ type: 'tamper' });
  }

  jam(on: boolean): void {
    this.#bolt.jam(on);
    this.#tell(on ? 'something blocks the bolt' : 'the bolt is free');
  }

  /** New or worn batteries. */
  setBattery(percent: number): void {
    this.#setBattery(percent);
  }

  /** Power is gone: no timer runs on, nothing is said any more. */
  halt(): void {
    this.disconnect();
    this.#bolt.halt();
    this.#autoLock?.();
  }

  #perform(command: CommandMessage, fault: CommandFault, settle: (answer: Answer) => void): void {
    if (command.op === 'lock' || command.op === 'unlock') {
      if (fault.kind === 'jam') this.#bolt.jamOnce();
      this.#moveOnCommand(command, command.op === 'lock' ? 'locked' : 'unlocked', settle);
      return;
    }
    const operation = operations.get(command.op);
    if (operation === undefined) {
      settle({ ok: false, error: 'not-supported', message: `this lock does not know ${command.op}` });
      return;
    }
    Promise.resolve(operation(this.#target(command), command.args)).then(settle, (error: Error) =>
      settle({ ok: false, error: 'failed', message: error.message.slice(0, 256) }),
    );
  }

  #target(command: CommandMessage): OperationTarget {
    return {
      memory: this.#memory,
      clock: this.#clock,
      cardCapacity: this.#profile.cardCapacity,
      reportStatus: () => this.reportStatus(),
      autoLockChanged: () => this.#armAutoLock(),
      resendEvents: (epoch, from, to) => this.#resend(epoch, from, to, command.expires - this.uptime - resendMarginMs),
    };
  }

  /** Protocol 5.3 rule 3: the reply must come before the command expires, whether or not the PUBACKs do. */
  #resend(epoch: string, from: number, to: number, withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#time.timer(Math.max(0, withinMs), () => reject(new Error('not acknowledged in time')));
      const voice = this.#voice;
      if (voice === undefined) return;
      voice.resendEvents(epoch, from, to).then(() => {
        cancel();
        resolve();
      }, reject);
    });
  }

  #moveOnCommand(command: CommandMessage, target: OpenState, settle: (answer: Answer) => void): void {
    // A bolt that would arrive after the caller has been told of a time-out had better not start (rules 1 and 3).
    if (!this.#bolt.moving && this.state !== target && command.expires < this.uptime + this.#profile.boltTravelMs) {
      settle(expired);
      return;
    }
    const event: EventDraft = { type: target === 'locked' ? 'remote-lock' : 'remote-unlock', commandId: command.id };
    this.#move(target, event, true, (reason) => {
      const status = { state: this.state, battery: this.batteryPercent };
      if (reason === undefined) settle({ ok: true, ...status });
      else settle({ ok: false, error: reason, message: refusalMessages[reason], ...status });
    });
  }

  /** A good card or passcode unlocks; on an open lock that does not lock itself it locks. */
  #openOrClose(by: 'card' | 'passcode', credential: string): Promise<DoorResult> {
    const closes = this.state === 'unlocked' && this.#memory.contents.autoLockSeconds === 0;
    return this.#moveAtDoor(closes ? 'locked' : 'unlocked', { type: closes ? `${by}-lock` : `${by}-unlock`, credential }, true);
  }

  #moveAtDoor(target: OpenState, event: EventDraft, byMotor: boolean): Promise<DoorResult> {
    return new Promise((resolve) => {
      const alreadyThere = this.state === target && !this.#bolt.moving;
      if (alreadyThere) this.#record(event);
      this.#move(target, event, byMotor, (reason) => resolve(reason === undefined ? { done: true } : { done: false, reason }));
    });
  }

  /**
   * The one way in which the bolt moves. Then, in this order: state report, battery report, `done` (the reply of a
   * command), the event. Nothing but `done` when the bolt is there already.
   */
  #move(target: OpenState, event: EventDraft, byMotor: boolean, done: (reason?: Refusal) => void): void {
    if (this.#bolt.moving) {
      done('busy');
      return;
    }
    if (this.state === target) {
      this.#armAutoLock();
      done();
      return;
    }
    const refusal = byMotor ? this.#motorRefusal(target) : undefined;
    if (refusal !== undefined) {
      done(refusal);
      this.#record(event, refusal);
      return;
    }
    this.#autoLock?.();
    this.#bolt.move(target, (arrived) => {
      if (arrived) this.#memory.change({ bolt: target });
      if (arrived && this.#session !== undefined) this.#voice?.state({ session: this.#session, state: target, ...this.#dated() });
      if (byMotor) this.#setBattery(this.#memory.contents.batteryPercent - this.#profile.batteryDrainPercent);
      done(arrived ? undefined : 'jammed');
      this.#record(event, arrived ? undefined : 'jammed');
      if (arrived) this.#armAutoLock();
      else this.#record({ type: 'jammed' });
    });
  }

  #motorRefusal(target: OpenState): Refusal | undefined {
    if (this.#memory.contents.batteryPercent < motorNeedsPercent) return 'low-battery';
    return target === 'unlocked' && this.#privacyBolt ? 'privacy-lock' : undefined;
  }

  /** The timer runs while the bolt is back, the door shut and passage mode off (setting other than 1). */
  #armAutoLock(): void {
    this.#autoLock?.();
    this.#autoLock = undefined;
    const { autoLockSeconds, settings } = this.#memory.contents;
    if (this.state === 'locked' || autoLockSeconds === 0 || settings.passageMode === 1 || this.#doorOpen) return;
    this.#autoLock = this.#time.timer(autoLockSeconds * 1_000, () => this.#move('locked', { type: 'auto-lock' }, true, () => undefined));
  }

  #setBattery(percent: number): void {
    const before = this.batteryPercent;
    this.#memory.change({ batteryPercent: Math.min(100, Math.max(0, percent)) });
    if (this.batteryPercent !== this.#reportedPercent) this.#reportBattery();
    if (before > warnAtPercent && this.batteryPercent <= warnAtPercent) this.#record({ type: 'low-battery' });
  }

  #reportBattery(): void {
    this.#reportedPercent = this.batteryPercent;
    if (this.#session !== undefined) this.#voice?.battery({ session: this.#session, level: this.batteryPercent, ...this.#dated() });
  }

  #refuse(type: string, credential: string, reason: string): Promise<DoorResult> {
    this.#record({ type, credential }, reason);
    return Promise.resolve({ done: false, reason });
  }

  /** Into the memory, and from there to the gateway once it is flushed. */
  #record(draft: EventDraft, refusal?: string): void {
    const { type, ...rest } = draft;
    this.#memory.addEvent({ type, ...(refusal !== undefined && { success: false }), ...this.#dated(), ...rest });
    this.#tell(refusal === undefined ? type : `${type} refused: ${refusal}`);
    this.#memory.saved().then(
      () => this.#voice?.eventsKept(),
      (error: Error) => this.#tell(`event not kept yet: ${error.message}`),
    );
  }

  #dated(): { date?: number } {
    const now = this.#clock.now();
    return now === undefined ? {} : { date: now };
  }
}

type Refusal = 'busy' | 'jammed' | 'low-battery' | 'privacy-lock';

const refusalMessages: Readonly<Record<Refusal, string>> = {
  busy: 'the bolt is moving',
  jammed: 'bolt blocked at 40 %',
  'low-battery': 'too little power to move the bolt',
  'privacy-lock': 'locked from inside',
};
