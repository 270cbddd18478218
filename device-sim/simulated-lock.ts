// The lock itself, without a network: bolt, cards, keypad, thumb turn, battery, timers. It sends what it says over its
// current connection (lock-connection.ts), and writes each event into its memory first.
import type { OpenState } from '../src/domain/locks/lock.ts';
import type { CommandMessage, HelloMessage } from '../src/drivers/native/messages.ts';
import { type CommandDesk, createCommandDesk } from './command-desk.ts';
import { createCommandPerformer } from './command-performer.ts';
import { abilitiesInHello } from './credential-operations.ts';
import { useUp } from './door-memory.ts';
import type { CommandFault, MemoryFault } from './faults.ts';
import { createLockClock, type LockClock } from './lock-clock.ts';
import { createLockMechanics, type EventDraft, type LockMechanics } from './lock-mechanics.ts';
import { contentsInHello, type LockMemory } from './lock-memory.ts';
import { type LockProfile, modelOf } from './lock-profile.ts';
import { type LockVoice, randomSession } from './lock-voice.ts';
import { type Movement, MovementLog } from './movement-log.ts';
import { type DoorResult, judgeCard, judgePasscode, type Shown } from './reader.ts';
import type { TimeSource } from './time-source.ts';

export interface SimulatedLockOptions {
  readonly profile: LockProfile;
  readonly memory: LockMemory;
  readonly time: TimeSource;
  /** Gets a sentence for each thing that happens at the door, for people who watch. */
  readonly tell: (line: string) => void;
  /** 8 to 32 characters, new at every connect; random ones by default. */
  readonly newSession?: () => string;
  /** What is wrong with its memory, as it is now; nothing by default. */
  readonly memoryFaults?: ReadonlySet<MemoryFault>;
}

export class SimulatedLock {
  readonly #profile: LockProfile;
  readonly #memory: LockMemory;
  readonly #time: TimeSource;
  readonly #tell: (line: string) => void;
  readonly #newSession: () => string;
  readonly #mechanics: LockMechanics;
  readonly #clock: LockClock;
  readonly #memoryFaults: ReadonlySet<MemoryFault>;
  readonly #desk: CommandDesk;
  readonly #bootedAt: number;
  readonly #movementLog = new MovementLog();
  #session: string | undefined;
  #voice: LockVoice | undefined;

  constructor({ profile, memory, time, tell, newSession = randomSession, memoryFaults = new Set() }: SimulatedLockOptions) {
    this.#memoryFaults = memoryFaults;
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
      begins: (target, { commandId }) =>
        this.#movementLog.add({ target, commandId, uptime: this.uptime, at: time.monotonic(), session: this.#session }),
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
        memoryFaults,
        uptime: () => this.uptime,
        reportStatus: () => this.reportStatus(),
        resendEvents: (epoch, from, to) => this.#voice?.resendEvents(epoch, from, to) ?? Promise.reject(new Error('no connection')),
      }),
    });
  }

  get state(): OpenState {
    return this.#mechanics.state;
  }

  /** Whole percent, as the lock reports it. */
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

  /** The last movements, oldest first. */
  get movements(): readonly Movement[] {
    return this.#movementLog.movements;
  }

  /** Time by the lock's own clock; undefined while it is not set. */
  get clockNow(): number | undefined {
    return this.#clock.now();
  }

  /** A connection is up: begins a new session and returns the hello for it (Protocol 4.1). */
  connect(voice: LockVoice): HelloMessage {
    this.#voice = voice;
    this.#session = this.#newSession();
    return {
      protocol: 1,
      session: this.#session,
      uptime: this.uptime,
      ...modelOf(this.#profile),
      ...this.#dated(),
      state: this.state,
      battery: this.batteryPercent,
      ...contentsInHello(this.#memory),
      ...abilitiesInHello(this.#profile, this.#memory.contents, this.#memoryFaults),
    };
  }

  /** The connection is gone: the lock sends nothing more, and executes no command of that session. */
  disconnect(): void {
    this.#voice = undefined;
    this.#session = undefined;
  }

  /** Publishes state and battery, as after each connect (Protocol 4.2, 4.3). */
  reportStatus(): void {
    this.#reportState();
    this.#reportBattery();
  }

  /** A command has arrived; the lock replies on the connection on which it came, or not at all (Protocol 5.3). */
  receive(command: CommandMessage, fault: CommandFault = { kind: 'none' }): void {
    const voice = this.#voice;
    this.#desk.receive(command, fault, (reply) => {
      if (voice === this.#voice) voice?.reply(reply);
    });
  }

  /** Holds a card to the reader; `cardNumber` is printed on it. Rejects when no card can have this number. */
  async swipeCard(cardNumber: string): Promise<DoorResult> {
    return this.#show('card', judgeCard(cardNumber, this.#memory.contents, this.#profile, this.#clock.now()));
  }

  /** Enters a passcode at the keypad. Rejects when no keypad can enter it. */
  async enterPasscode(code: string): Promise<DoorResult> {
    return this.#show('passcode', judgePasscode(code, this.#memory.contents, this.#profile, this.#clock.now()));
  }

  /** Turns the thumb turn on the inside: locks or unlocks by hand, and withdraws the privacy bolt as well. */
  turnThumb(): Promise<DoorResult> {
    const target = this.state === 'locked' ? 'unlocked' : 'locked';
    return this.#moveAtDoor(target, { type: target === 'unlocked' ? 'inside-unlock' : 'inside-lock' }, false);
  }

  /** The privacy bolt on the inside: while it is out, nothing unlocks from outside. */
  setPrivacyBolt(out: boolean): void {
    this.#mechanics.setPrivacyBolt(out);
    this.#tell(out ? 'privacy bolt is out' : 'privacy bolt is in');
  }

  /** Opens or shuts the door. False: the lock is locked, and the door stays shut. An open door does not lock itself. */
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

  /** Puts in new or worn batteries. */
  setBattery(percent: number): void {
    this.#mechanics.setBattery(percent);
  }

  /** Power is gone: all timers stop, and the lock sends nothing more. */
  halt(): void {
    this.disconnect();
    this.#mechanics.halt();
  }

  /** A valid card or passcode unlocks; an unlocked lock without auto lock it locks. */
  async #show(by: 'card' | 'passcode', shown: Shown): Promise<DoorResult> {
    const closes = this.state === 'unlocked' && this.#memory.contents.autoLockSeconds === 0;
    const { refusal: isRefused, once, ...named } = shown;
    const refusal = isRefused ?? (closes || once === undefined ? undefined : await useUp(this.#memory, once));
    if (refusal !== undefined) {
      this.#record({ type: `${by}-unlock`, ...named }, refusal);
      return { done: false, reason: refusal };
    }
    return this.#moveAtDoor(closes ? 'locked' : 'unlocked', { type: closes ? `${by}-lock` : `${by}-unlock`, ...named }, true);
  }

  #moveAtDoor(target: OpenState, event: EventDraft, byMotor: boolean): Promise<DoorResult> {
    return new Promise((resolve) => {
      // Unlocking an unlocked lock makes a record as well: somebody came in.
      if (this.state === target && !this.#mechanics.moving) this.#record(event);
      const done = (refusal?: string): void => resolve(refusal === undefined ? { done: true } : { done: false, reason: refusal });
      this.#mechanics.move({ target, event, byMotor, done });
    });
  }

  #reportState(): void {
    if (this.#session !== undefined) this.#voice?.state({ session: this.#session, state: this.state, ...this.#dated() });
  }

  #reportBattery(): void {
    if (this.#session !== undefined) this.#voice?.battery({ session: this.#session, level: this.batteryPercent, ...this.#dated() });
  }

  /** Writes an event into the memory, and sends it to the gateway once it is flushed. */
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
