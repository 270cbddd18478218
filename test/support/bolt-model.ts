// A lock with a bolt as the laws of mechanics have it, for tests that ask whether the gateway ever says what is not so: its bolt takes its time,
// its words take theirs, and it answers as slowly, as early and as rudely as the protocol allows. It shares nothing with the gateway or the simulator.
import type { LockId, OpenState } from '../../src/domain/locks/lock.ts';
import type { CommandOutcome } from '../../src/domain/locks/lock-command.ts';
import type { ReportService } from '../../src/domain/locks/report-service.ts';
import type { NativeCommand } from '../../src/drivers/native/own-commands.ts';
import { type FakeLink, refusal, type SentCommand } from './fake-link.ts';
import type { SettableClock } from './settable-clock.ts';

/** How locks of one make behave. */
export interface BoltHabits {
  /** When it says ok to a lock or unlock, and whether it says its state with that: of that moment. */
  readonly says: 'done' | 'done with state' | 'accepted' | 'accepted with state';
  /** A command that comes while the bolt moves. */
  readonly whileMoving: 'refuses' | 'waits';
  readonly getStatus: 'reports' | 'replies' | 'refuses';
  readonly helloWithState: boolean;
}

/** What becomes of one lock or unlock. */
export interface BoltFate {
  readonly what: 'moves' | 'moves, reply lost' | 'never arrives' | 'refused' | 'jams';
  /** In the radio, before the lock has it. */
  readonly afterMs: number;
  readonly travelMs: number;
}

export interface BoltModel {
  /** Where the bolt is; between the two when it is jammed. */
  readonly at: OpenState | 'between';
  /** Whether a command of the first so many that were sent, or of an earlier moment, may still take the bolt away from there. */
  mayLeave(state: OpenState, first: number): boolean;
  /** Something was ever in its way. */
  readonly hasJammed: boolean;
  /** Somebody at the door was the last to move it, and the gateway cannot have heard of it yet. */
  readonly movedUnheard: boolean;
  /** By hand, by card, by its own timer: whatever is no command. */
  moveByHand(travelMs: number, jams: boolean): void;
  /** From now on its words take so long. */
  setLatency(ms: number): void;
  /** The connection breaks; the lock is back after `awayMs`, and drops what is queued at once or only when it returns. */
  breakConnection(awayMs: number, notices: boolean): void;
}

export function createBoltModel(options: {
  readonly clock: SettableClock;
  readonly link: FakeLink;
  readonly reports: ReportService;
  readonly lockId: LockId;
  readonly habits: BoltHabits;
  /** The fate of the next lock or unlock. */
  readonly nextFate: () => BoltFate;
}): BoltModel {
  const { clock, link, reports, lockId, habits, nextFate } = options;
  let at: OpenState | 'between' = 'locked';
  /** What it says when it is asked: where the bolt came to rest last. */
  let known: OpenState = 'locked';
  let moving = false;
  let unheard: { readonly seq: number } | undefined;
  /** Jams, by their seq. */
  const unreported: number[] = [];
  let queue: (() => void)[] = [];
  const underWay = new Set<{ readonly target: OpenState; readonly number: number; readonly sentAt: number; mayMove(): boolean }>();
  let latency = 0;
  let lastWordAt = 0;
  let onTheirWay = 0;
  let connection = 0;
  let isAway = false;
  let seq = 0;
  let hasJammed = false;

  /** What is said first is heard first, and what is said on a connection that has gone is heard by nobody. */
  function say(word: () => void): void {
    const said = connection;
    lastWordAt = Math.max(lastWordAt, clock.monotonic() + latency);
    const hear = () => {
      if (said === connection && !isAway) word();
    };
    // A word that is due at this very moment may still be on its way.
    if (lastWordAt === clock.monotonic() && onTheirWay === 0) {
      hear();
      return;
    }
    onTheirWay += 1;
    clock.timer(lastWordAt - clock.monotonic(), () => {
      onTheirWay -= 1;
      hear();
    });
  }

  function heard(said: number): void {
    if (unheard?.seq === said) unheard = undefined;
  }
  /** Kept until they are heard, over connections that break. */
  function tellEvents(): void {
    for (const event of unreported) {
      say(() => {
        if (!unreported.includes(event)) return;
        unreported.splice(unreported.indexOf(event), 1);
        void reports.events(lockId, { epoch: 'e', events: [{ seq: event, type: 'jammed' }] });
        heard(event);
      });
    }
  }

  function move(target: OpenState, travelMs: number, jams: boolean, byHand: boolean, rests: () => void): void {
    moving = true;
    const rest = () => {
      moving = false;
      at = jams ? 'between' : target;
      hasJammed ||= jams;
      if (!jams) known = target;
      unheard = byHand ? { seq: ++seq } : undefined;
      const { seq: said } = unheard ?? { seq: ++seq };
      if (!jams)
        say(() => {
          reports.state(lockId, { state: target });
          heard(said);
        });
      rests();
      if (jams) unreported.push(said);
      tellEvents();
      queue.shift()?.();
    };
    if (travelMs === 0) rest();
    else clock.timer(travelMs, rest);
  }

  function carryOut(target: OpenState, { command: _, answer, ttlMs, session }: SentCommand, fate: BoltFate): void {
    const expiresAt = clock.monotonic() + ttlMs;
    const reply = (outcome: CommandOutcome) => {
      if (fate.what !== 'moves, reply lost') say(() => answer(outcome));
    };
    const ok = (): CommandOutcome =>
      habits.says.endsWith('with state') && !moving && at !== 'between' ? { kind: 'ok', state: at } : { kind: 'ok' };
    const early = habits.says.startsWith('accepted');
    let hasBegun = false;
    const isLate = () => clock.monotonic() > expiresAt || (link.session(lockId) !== session && !isAway);
    const command = { target, number: link.sent.length, sentAt: clock.monotonic(), mayMove: () => hasBegun || !isLate() };
    const over = () => underWay.delete(command);
    underWay.add(command);
    const begin = () => {
      if (isLate()) {
        over();
        queue.shift()?.();
        return reply(refusal('expired'));
      }
      if (at === target) {
        over();
        if (!early) reply(ok());
        queue.shift()?.();
        return;
      }
      hasBegun = true;
      move(target, fate.travelMs, fate.what === 'jams', false, () => {
        over();
        if (!early) reply(fate.what === 'jams' ? refusal('jammed') : ok());
      });
    };
    const arrive = () => {
      if (moving && habits.whileMoving === 'refuses') {
        over();
        return reply(refusal('busy'));
      }
      if (early) reply(ok());
      if (moving || queue.length > 0) queue.push(begin);
      else begin();
    };
    clock.timer(fate.afterMs, arrive);
  }

  function obey(command: NativeCommand): CommandOutcome | undefined {
    const sent = link.sent.at(-1) as SentCommand;
    if (command.op === 'lock' || command.op === 'unlock') {
      const fate = nextFate();
      if (fate.what === 'refused') say(() => sent.answer(refusal('failed')));
      else if (fate.what !== 'never arrives') carryOut(command.op === 'lock' ? 'locked' : 'unlocked', sent, fate);
    } else if (command.op === 'get-status') {
      const state = known;
      if (habits.getStatus === 'refuses') say(() => sent.answer(refusal('not-supported')));
      if (habits.getStatus === 'reports') say(() => reports.state(lockId, { state }));
      if (habits.getStatus !== 'refuses') say(() => sent.answer(habits.getStatus === 'replies' ? { kind: 'ok', state } : { kind: 'ok' }));
    } else say(() => sent.answer({ kind: 'ok' }));
    return undefined;
  }

  function comeBack(): void {
    queue = [];
    isAway = false;
    connection += 1;
    lastWordAt = clock.monotonic();
    const state = known;
    say(() => {
      link.connect(lockId, obey);
      reports.hello(lockId, { date: clock.now(), ...(habits.helloWithState ? { state } : {}) });
      if (habits.helloWithState && state === at) unheard = undefined;
    });
    say(() => {
      reports.state(lockId, { state });
      if (state === at) unheard = undefined;
    });
    tellEvents();
  }
  function breakConnection(awayMs: number, notices: boolean): void {
    if (isAway) return;
    isAway = true;
    connection += 1;
    if (notices) queue = [];
    link.lose(lockId);
    reports.offline(lockId, 'the connection broke');
    clock.timer(awayMs, comeBack);
  }

  Object.assign(link, { disconnect: () => breakConnection(500, true) });
  link.connect(lockId, obey);
  reports.hello(lockId, { date: clock.now(), state: 'locked' });

  return {
    get at() {
      return at;
    },
    mayLeave: (state, first) =>
      [...underWay].some(
        ({ target, number, sentAt, mayMove }) => target !== state && (number <= first || sentAt < clock.monotonic()) && mayMove(),
      ),
    get hasJammed() {
      return hasJammed;
    },
    get movedUnheard() {
      return unheard !== undefined;
    },
    moveByHand(travelMs, jams) {
      if (!moving) move(at === 'unlocked' ? 'locked' : 'unlocked', travelMs, jams, true, () => undefined);
    },
    setLatency(ms) {
      latency = ms;
    },
    breakConnection,
  };
}
