// One registered lock of a program on a bridge, from the beginning to the end of a connection to the broker.
import type { Clock } from '../domain/clock.ts';
import type { Capabilities } from '../domain/locks/capabilities.ts';
import type { LockId } from '../domain/locks/lock.ts';
import type { LockSession } from '../domain/locks/lock-link.ts';
import type { HelloReport } from '../domain/locks/lock-report.ts';
import type { BridgeEffect, BridgeProtocol } from './bridge-protocol.ts';
import type { Effect } from './device-protocol.ts';
import { LockOverProtocol } from './protocol-session.ts';
import type { ProtocolSessionOptions } from './session-host.ts';

/** A lock that has not answered counts as away for so long, unless it is heard before. */
const awayMs = 300_000;

export interface BridgeLockOptions extends Pick<ProtocolSessionOptions, 'lockId' | 'reports' | 'records' | 'onBug'> {
  readonly clock: Clock;
  readonly address: string;
  readonly machine: BridgeProtocol;
  publish(topic: string, payload: string, ttlMs: number | undefined): void;
  capabilities(changed: Partial<Capabilities>): void;
  /** Effects that are not of this lock. */
  takeOther(effects: readonly BridgeEffect[]): void;
}

export class BridgeLock {
  readonly lockId: LockId;
  readonly #options: BridgeLockOptions;
  #over: LockOverProtocol;
  /** What the program says of the lock while it is online. */
  #hello: HelloReport | undefined;
  /** It did not answer: its session has ended although the program says that it is there. */
  #isAway = false;
  #cancelReturn: (() => void) | undefined;

  constructor(options: BridgeLockOptions) {
    this.#options = options;
    this.lockId = options.lockId;
    this.#over = this.#begin();
  }

  session(): LockSession | undefined {
    return this.#over.session();
  }

  apply(effect: Effect): void {
    if (effect.kind === 'online') this.#hello = effect.hello;
    if (effect.kind === 'offline') this.#hello = undefined;
    if (this.#isAway) {
      const isSignOfLife = effect.kind === 'event' || effect.kind === 'battery' || (effect.kind === 'state' && effect.isHistory !== true);
      if (effect.kind === 'capabilities') this.#options.capabilities(effect.changed);
      if (!isSignOfLife) return;
      this.#return();
    }
    void this.#over.apply(() => [effect]);
  }

  /** Ends the session of a lock that does not answer. */
  sendAway(reason: string): void {
    this.#over.end(reason);
    this.#over = this.#begin();
    this.#isAway = true;
    this.#cancelReturn?.();
    this.#cancelReturn = this.#options.clock.timer(awayMs, () => this.#return());
  }

  end(reason: string): void {
    this.#cancelReturn?.();
    this.#over.end(reason);
  }

  #return(): void {
    this.#cancelReturn?.();
    this.#isAway = false;
    const hello = this.#hello;
    if (hello !== undefined) void this.#over.apply(() => [{ kind: 'online', hello }]);
  }

  #begin(): LockOverProtocol {
    const { machine, address, takeOther, publish, ...options } = this.#options;
    const own = (effects: readonly BridgeEffect[]): readonly Effect[] => {
      const isOwn = (effect: BridgeEffect) => effect.kind === 'lock' && effect.address === address;
      takeOther(effects.filter((effect) => !isOwn(effect)));
      return effects.flatMap((effect) => (effect.kind === 'lock' && isOwn(effect) ? [effect.effect] : []));
    };
    return new LockOverProtocol({
      ...options,
      protocol: {
        command(command, now) {
          const said = machine.command(address, command, now);
          return 'refuse' in said ? said : own(said);
        },
        expire: (now) => own(machine.expire(address, now)),
        wake: (now) => own(machine.wake(address, now)),
      },
      publish: (topic, payload, expiresInMs) => publish(topic, payload, expiresInMs && expiresInMs > 0 ? expiresInMs : undefined),
      // The connection takes back what the broker has not taken; what it has taken, nobody can.
      onDeadline: () => undefined,
    });
  }
}
