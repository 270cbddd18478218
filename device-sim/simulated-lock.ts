// The lock itself, without a network: bolt, cards, keypad, thumb turn, battery, timers. What it says goes to whoever
// listens at the moment (lock-connection.ts); what happened goes into its memory first.
import { randomBytes } from 'node:crypto';
import type { OpenState } from '../src/domain/locks/lock.ts';
import type { BatteryMessage, CommandMessage, HelloMessage, ReplyMessage, StateMessage } from '../src/drivers/native/messages.ts';
import { admits, cardDigest, findCard, seenByReader } from './card-memory.ts';
import { type CommandDesk, createCommandDesk } from './command-desk.ts';
import { createCommandPerformer } from './command-performer.ts';
import type { CommandFault } from './faults.ts';
import { createLockClock, type LockClock } from './lock-clock.ts';
import { createLockMechanics, type EventDraft, type LockMechanics } from './lock-mechanics.ts';
import type { LockMemory } from './lock-memory.ts';
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

/** The beginning of a movement of the bolt, as this lock saw it. */
export interface Movement {
  readonly target: OpenState;
  /** The lock's own counter, that of `expires` (Protocol 5.1). */
  readonly uptime: number;
  /** On the monotonic clock of the simulator. */
  readonly at: number;
  readonly session: string | undefined;
  /** The command that caused it. */
  readonly commandId: string | undefined;
}

/** Movements that are remembered. */
const movementsKept = 32;

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
  /** 8 to 32 characters, new at every connect; random ones by default. */
  readonly newSession?: () => string;
}

export class SimulatedLock {
  readonly #profile: LockProfile;
  readonly #memory: LockMemory;
  readonly #time: TimeSource;
  readonly #tell: (line: string) => void;
  readonly #newSession: () => string;
  readonly #mechanics: LockMechanics;
  readonly #clock: LockClock;
  readonly #desk: CommandDesk;
  readonly #bootedAt: number;
  readonly #movements: Movement[] = [];
  #session: string | undefined;
  #voice: LockVoice | undefined;

  constructor({ profile, memory, time, tell, newSession = randomSession }: SimulatedLockOptions) {
    this.#newSession = newSession;
    this.#profile = profile;
    this.#memory = memory;
    this.#time = time;
    this.#tell = tell;
    this.#clock = createLockClock({ time, kind: profile.clock, offsetMs: profile.clockOffsetMs, driftPpm: profile.clockDriftPpm });
    this.#bootedAt = time.monotonic();
    this.#mechanics = createLockMechanics({
      profile,
      memory,
      time,
      begins: (target, { commandId }) => this.#noteMovement({ target, commandId }),
      reportState: () => this.#reportState(),
      reportBattery: () => this.#reportBattery(),
      record: (event, refusal) => this.#record(event, refusal),
    });
    this.#desk = createCommandDesk({
      time,
      uptime: () => this.uptime,
      session: () => this.#session,
      perform: createCommandPerformer({
        profile,
        memory,
        time,
        clock: this.#clock,
        mechanics: this.#mechanics,
        uptime: () => this.uptime,
        reportStatus: () => this.reportStatus(),
        resendEvents: (epoch, from, to) => this.#voice?.resendEvents(epoch, from, to) ?? Promise.reject(new Error('no connection')),
      }),
    });
  }

  get state(): OpenState {
    return this.#mechanics.state;
  }

  /** Whole percent, as it is reported. */
  get batteryPercent(): number {
    return this.#mechanics.batteryPercent;
  }

  /** Milliseconds since this lock booted; only rises. */
  get uptime(): number {
    return Math.floor(this.#time.monotonic() - this.#bootedAt);
  }

  get doorOpen(): boolean {
    return this.#mechanics.doorOpen;
  }

  /** The current session; undefined without a connection. */
  get session(): string | undefined {
    return this.#session;
  }

  /** The last ones, oldest first. */
  get movements(): readonly Movement[] {
    return this.#movements;
  }

  /** By the lock's own clock; undefined while it is not set. */
  get clockNow(): number | undefined {
    return this.#clock.now();
  }

  /** A connection is up: a new session begins. The hello that says so (Protocol 4.1). */
  connect(voice: LockVoice): HelloMessage {
    const profile = this.#profile;
    const { contents } = this.#memory;
    this.#voice = voice;
    this.#session = this.#newSession();
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
    this.#reportState();
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
    if (!/^[0-9]{1,20}$/.test(cardNumber) || BigInt(cardNumber) >= 2n ** 64n)
      return Promise.reject(new Error('a card number is 1 to 20 digits, at most 18446744073709551615'));
    const { cards } = this.#memory.contents;
    const seen = seenByReader(cardNumber, this.#profile.byteOrder);
    const card = findCard(cards, seen);
    if (card === undefined) return this.#refuse('card-unlock', seen, 'unknown-card');
    const now = this.#clock.now();
    if (!admits(card, now)) return this.#refuse('card-unlock', seen, now === undefined ? 'clock-not-set' : 'not-valid-now');
    return this.#openOrClose('card', seen);
  }

  enterPasscode(code: string): Promise<DoorResult> {
    if (!/^[0-9]{1,64}$/.test(code)) return Promise.reject(new Error('a keypad has digits only'));
    if (!this.#profile.passcodes.includes(code)) return this.#refuse('passcode-unlock', code, 'wrong-passcode');
    return this.#openOrClose('passcode', code);
  }

  /** Turns the thumb turn on the inside: the other state, by hand; it takes the privacy bolt back as well. */
  turnThumb(): Promise<DoorResult> {
    const target = this.state === 'locked' ? 'unlocked' : 'locked';
    return this.#moveAtDoor(target, { type: target === 'unlocked' ? 'inside-unlock' : 'inside-lock' }, false);
  }

  /** The privacy bolt on the inside: while it is out, nothing unlocks from outside. */
  setPrivacyBolt(out: boolean): void {
    this.#mechanics.setPrivacyBolt(out);
    this.#tell(out ? 'privacy bolt is out' : 'privacy bolt is in');
  }

  /** False: it is locked and stays shut. An open door does not lock itself. */
  openDoor(): boolean {
    if (!this.doorOpen && this.state === 'unlocked') this.#mechanics.setDoor(true);
    return this.doorOpen;
  }

  closeDoor(): void {
    if (this.doorOpen) this.#mechanics.setDoor(false);
  }

  /** Somebody opens the case: an alarm, unless the tamper alert is off (setting 2). */
  tamper(): void {
    if (this.#memory.contents.settings.tamperAlert !== 2) this.#record({ type: 'tamper' });
  }

  jam(on: boolean): void {
    this.#mechanics.jam(on);
    this.#tell(on ? 'something blocks the bolt' : 'the bolt is free');
  }

  /** New or worn batteries. */
  setBattery(percent: number): void {
    this.#mechanics.setBattery(percent);
  }

  /** Power is gone: no timer runs on, nothing is said any more. */
  halt(): void {
    this.disconnect();
    this.#mechanics.halt();
  }

  /** A good card or passcode unlocks; on an open lock that does not lock itself it locks. */
  #openOrClose(by: 'card' | 'passcode', credential: string): Promise<DoorResult> {
    const closes = this.state === 'unlocked' && this.#memory.contents.autoLockSeconds === 0;
    return this.#moveAtDoor(closes ? 'locked' : 'unlocked', { type: closes ? `${by}-lock` : `${by}-unlock`, credential }, true);
  }

  #moveAtDoor(target: OpenState, event: EventDraft, byMotor: boolean): Promise<DoorResult> {
    return new Promise((resolve) => {
      // Opening what is open is worth a record as well: somebody came in.
      if (this.state === target && !this.#mechanics.moving) this.#record(event);
      const done = (refusal?: string): void => resolve(refusal === undefined ? { done: true } : { done: false, reason: refusal });
      this.#mechanics.move({ target, event, byMotor, done });
    });
  }

  #noteMovement(movement: Pick<Movement, 'target' | 'commandId'>): void {
    this.#movements.push({ ...movement, uptime: this.uptime, at: this.#time.monotonic(), session: this.#session });
    if (this.#movements.length > movementsKept) this.#movements.shift();
  }

  #reportState(): void {
    if (this.#session !== undefined) this.#voice?.state({ session: this.#session, state: this.state, ...this.#dated() });
  }

  #reportBattery(): void {
    if (this.#session !== undefined) this.#voice?.battery({ session: this.#session, level: this.batteryPercent, ...this.#dated() });
  }

  #refuse(type: string, credential: string, reason: string): Promise<DoorResult> {
    this.#record({ type, credential }, reason);
    return Promise.resolve({ done: false, reason });
  }

  /** Into the memory, and from there to the gateway once it is flushed. */
  #record(draft: EventDraft, refusal?: string): void {
    const { type, ...rest } = draft;
    this.#memory.addEvent({ type, ...(refusal !== undefined && { success: false, reason: refusal }), ...this.#dated(), ...rest });
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

function randomSession(): string {
  return randomBytes(9).toString('base64url');
}
