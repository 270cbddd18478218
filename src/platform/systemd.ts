// Reports the gateway's state to systemd (sd_notify(3)): ready, stopping, its status line, and watchdog pings. Silent without systemd.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Clock } from '../domain/clock.ts';
import type { Log, Part } from '../domain/part.ts';

/** How often the status line is renewed without a watchdog. */
const statusIntervalMs = 60_000;
/** After a failed check, it checks more often until the watchdog's time is over, so that one slow answer does not restart a gateway. */
const triesInAnInterval = 5;
const notifyTimeoutMs = 5_000;

export interface SystemdOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** It contains NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** 'ok', or what does not answer: then no watchdog ping is sent. */
  readonly healthy: () => Promise<string>;
  /** The line that `systemctl status` shows while all is well. */
  readonly status: () => string;
  /** Sends assignments such as READY=1; `notifyBySystemd` outside tests. */
  readonly notify: (...assignments: readonly string[]) => Promise<void>;
}

/** Whether systemd started this process and hears of it. */
export function isRunBySystemd(environment: SystemdOptions['environment']): boolean {
  return environment['NOTIFY_SOCKET'] !== undefined;
}

/** Start it last, because its start sends READY=1. Does nothing without NOTIFY_SOCKET; logs a message that fails, and goes on. */
export function createSystemd({ clock, log, environment, healthy, status, notify }: SystemdOptions): Part {
  const isWatched = watchdogMs(environment) !== undefined;
  const intervalMs = (watchdogMs(environment) ?? statusIntervalMs * 2) / 2;
  let cancelTimer: (() => void) | undefined;
  let saidStatus = '';
  let saidHealth = 'ok';
  let state: 'idle' | 'running' | 'stopped' = 'idle';

  async function say(...assignments: readonly string[]): Promise<void> {
    try {
      await notify(...assignments);
    } catch (error) {
      log.warn({ code: 'systemd-unreachable', err: error }, 'a message to systemd was not sent; is systemd-notify installed?');
    }
  }

  function statusLine(text: string): readonly string[] {
    if (text === saidStatus) return [];
    saidStatus = text;
    return [`STATUS=${text.replaceAll(/\s+/g, ' ')}`];
  }

  async function look(): Promise<void> {
    const health = await healthy().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    if (state !== 'running') return;
    if (health !== saidHealth) {
      if (health === 'ok') log.info({ code: 'watchdog-fed' }, 'everything answers again');
      else log.error({ code: 'watchdog-hungry', reason: health }, 'something does not answer; systemd restarts the gateway if it stays so');
      saidHealth = health;
    }
    const food = health === 'ok' && isWatched ? ['WATCHDOG=1'] : [];
    const messages = [...food, ...statusLine(health === 'ok' ? status() : health)];
    // Set before the message is sent: a slow message must not delay the next check.
    cancelTimer = clock.timer(health === 'ok' ? intervalMs : intervalMs / triesInAnInterval, () => void look());
    if (messages.length > 0) await say(...messages);
  }

  return {
    name: 'systemd',
    async start() {
      if (!environment['NOTIFY_SOCKET'] || state !== 'idle') return;
      state = 'running';
      await say('READY=1', ...statusLine(status()));
      if (state === 'running') cancelTimer = clock.timer(intervalMs, () => void look());
    },
    async stop() {
      const wasRunning = state === 'running';
      state = 'stopped';
      cancelTimer?.();
      if (wasRunning) await say('STOPPING=1', 'STATUS=stopping');
    },
  };
}

/**
 * Sends through systemd-notify, which a unit must allow (NotifyAccess=all), because Node has no sockets of that kind. Rejects after 5 s.
 */
export async function notifyBySystemd(...assignments: readonly string[]): Promise<void> {
  await promisify(execFile)('systemd-notify', [...assignments], { timeout: notifyTimeoutMs });
}

/** How long systemd waits for a ping; undefined without a watchdog, or when it watches another process (sd_watchdog_enabled(3)). */
function watchdogMs(environment: SystemdOptions['environment']): number | undefined {
  const { WATCHDOG_USEC: microseconds = '', WATCHDOG_PID: pid } = environment;
  if (!/^[1-9]\d{0,14}$/.test(microseconds) || (pid !== undefined && pid !== String(process.pid))) return undefined;
  return Number(microseconds) / 1_000;
}
