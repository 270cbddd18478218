// The daemon as a bare process: what it says on both outputs and how it ends, for tests of starts that fail and of signals.
import { spawn } from 'node:child_process';
import { program, storeOf } from './site.ts';

export interface Run {
  readonly pid: number;
  /** So far. */
  stdout(): string;
  stderr(): string;
  /** Lines of its log so far, parsed. */
  log(): Readonly<Record<string, unknown>>[];
  signal(name: NodeJS.Signals): void;
  /** From now on nobody reads what it says. */
  closeOutputs(): void;
  /** Its exit code, null after a signal that it did not catch; both outputs are complete by then. */
  readonly ended: Promise<number | null>;
}

/** What a command has said by its end. */
interface Said {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Runs {
  /**
   * `latchd` with these arguments. The environment has no LATCHD_ variables but those given, and the store of the site whose data directory
   * it is; it asks for no newer version. `uid`: as that user, if root asks.
   */
  begin(args: readonly string[], environment?: Readonly<Record<string, string>>, uid?: number): Run;
  /** The same, waited for. */
  finish(args: readonly string[], environment?: Readonly<Record<string, string>>, uid?: number): Promise<Said>;
  /** Ends by their pids those that still run. */
  endAll(): Promise<void>;
}

export function createRuns(): Runs {
  const runs: Run[] = [];
  const made: Runs = {
    begin(args, environment = {}, uid) {
      const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHD_')));
      const child = spawn(process.execPath, [program, ...args], {
        // As of the gateways of sites: apt may work for it.
        env: { ...inherited, LATCHD_UPDATES_CHECK: 'false', ...storeOf(args), ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(uid !== undefined && { uid, gid: uid, cwd: '/' }),
      });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const run: Run = {
        pid: child.pid ?? 0,
        stdout: () => stdout,
        stderr: () => stderr,
        log: () =>
          stdout
            .slice(0, stdout.lastIndexOf('\n') + 1)
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line) as Record<string, unknown>),
        signal: (name) => void child.kill(name),
        closeOutputs() {
          child.stdout.destroy();
          child.stderr.destroy();
        },
        ended: new Promise((resolve) => void child.once('close', resolve)),
      };
      runs.push(run);
      return run;
    },
    async finish(args, environment, uid) {
      const run = made.begin(args, environment, uid);
      const exitCode = await run.ended;
      return { exitCode, stdout: run.stdout(), stderr: run.stderr() };
    },
    async endAll() {
      for (const run of runs) {
        run.signal('SIGKILL');
        await run.ended;
      }
    },
  };
  return made;
}
