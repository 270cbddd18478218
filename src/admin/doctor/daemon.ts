// Checks whether a daemon uses the data directory, answers, and is ready.
import { stat } from 'node:fs/promises';
import { askControl, NobodyThere } from '../../platform/control/control-client.ts';
import { runningOwner } from '../../stores/files/directory-lock.ts';
import type { FileLayer } from '../../stores/files/files.ts';
import type { ClusterView } from '../../stores/postgres/cluster-view.ts';
import { cannotTell, fail, good, type Verdict, warn } from './verdict.ts';

export const schemes = ['http', 'https', 'mqtt', 'mqtts', 'devices'] as const;
export type Scheme = (typeof schemes)[number];

/** The daemon's own report, as in `/readyz`, with the addresses on which it listens already. */
type Answer = Readonly<Record<string, unknown>> & { readonly [S in Scheme]?: { readonly host: string; readonly port: number } };

export interface Daemon {
  /** The process that uses the data directory: a daemon, or a command that is working on it. */
  readonly pid: number | undefined;
  /** The user that it runs as. */
  readonly uid: number | undefined;
  readonly answer: Answer | undefined;
  /** Why there is no answer; undefined when no process is there. */
  readonly silence: string | undefined;
}

const patienceMs = 5_000;

export async function lookForDaemon(files: FileLayer, directory: string): Promise<Daemon> {
  const pid = await runningOwner(files, directory).catch(() => undefined);
  const uid = pid === undefined ? undefined : await userOf(pid);
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const answer = (await askControl(directory, { action: 'GET /readyz' }, { signal })) as Answer;
    return { pid, uid, answer, silence: undefined };
  } catch (error) {
    const isNobody = error instanceof NobodyThere;
    if (isNobody && pid === undefined) return { pid, uid, answer: undefined, silence: undefined };
    if (isNobody) return { pid, uid, answer: undefined, silence: 'it has no control socket (it is starting, or it is another command)' };
    const reason = error instanceof Error ? error.message : String(error);
    return { pid, uid, answer: undefined, silence: signal.aborted ? `no answer within ${patienceMs / 1000} s` : reason };
  }
}

async function userOf(pid: number): Promise<number | undefined> {
  return stat(`/proc/${pid}`).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

const clusterOf = (answer: Answer) => (answer['cluster'] ?? {}) as Partial<ClusterView>;

/** Whether another node leads, and this one waits for it to end. */
export function isWaiting({ answer }: Pick<Daemon, 'answer'>): boolean {
  if (answer === undefined) return false;
  const { name, leader } = clusterOf(answer);
  return typeof leader === 'string' && leader !== name;
}

/** Whether the daemon keeps its data in a database. */
export const isOnDatabase = ({ answer }: Pick<Daemon, 'answer'>): boolean => answer?.['cluster'] !== undefined;

export interface DaemonCheck {
  readonly version: string;
  /** The current user is neither root nor the owner of the data. */
  readonly isOutsider: boolean;
  /** The data is not here any more, or nobody knows whether it is. */
  readonly isMoved: boolean;
}

export function checkDaemon({ pid, answer, silence }: Daemon, { version, isOutsider, isMoved }: DaemonCheck): readonly Verdict[] {
  if (answer === undefined) {
    const start = isMoved ? 'none starts here: see "data" below' : 'sudo systemctl start latchd, or latchd serve';
    if (silence === undefined) return [warn('no daemon is running', start)];
    if (isOutsider) return [cannotTell(silence)];
    const who = pid === undefined ? 'the daemon cannot be asked' : `process ${pid} has the data directory and does not answer`;
    const remedy = 'wait if it has just been started; else journalctl -u latchd says why, and sudo systemctl restart latchd';
    return [fail(`${who}: ${silence}`, pid === undefined ? 'run latchd doctor as root (sudo latchd doctor)' : remedy)];
  }
  const running = String(answer['version']);
  const age =
    running === version
      ? []
      : [
          warn(
            `the running daemon is latchd ${running}, this command ${version}`,
            'sudo systemctl restart latchd, when the doors allow it',
          ),
        ];
  const { role, leader } = clusterOf(answer);
  if (answer['ready'] === true && isWaiting({ answer })) {
    if (!clusterOf(answer).serving?.includes(leader ?? ''))
      return [
        warn(`process ${pid ?? '?'} opens doors for ${leader}, which gives no sign`, `look at ${leader}, and at "database" below`),
        ...age,
      ];
    return [good(`process ${pid ?? '?'} serves through ${leader}, which leads`), ...age];
  }
  if (answer['ready'] === true) {
    const since = new Date(Number(answer['since'])).toISOString();
    return [good(`process ${pid ?? '?'} is ready, since ${since}`), ...age];
  }
  if (role === 'waiting') return [good(`process ${pid ?? '?'} waits: ${leader ?? 'nobody'} serves`), ...age];
  if (role === 'starting') return [fail(`process ${pid ?? '?'} starts and waits for the database`, 'see "database" below'), ...age];
  const parts = Object.entries((answer['parts'] ?? {}) as Readonly<Record<string, string>>).filter(([, health]) => health !== 'ok');
  const sick = parts.map(([part, health]) => `${part}: ${health}`).join('; ');
  return [fail(`process ${pid ?? '?'} runs and is not ready (${sick})`, 'look at the lines below, and at journalctl -u latchd'), ...age];
}
