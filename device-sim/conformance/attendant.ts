// Who does at the lock what no program can do from outside: a person who is asked, or a command of the caller's test rig.
import { spawn } from 'node:child_process';
import { NotTried } from './verdict.ts';

export interface Attendant {
  readonly canSwitchPower: boolean;
  readonly canUseDoor: boolean;
  /** Resolves when the lock has had no power for a moment and has it again. @throws NotTried when nobody does it */
  switchPower(): Promise<void>;
  /** Resolves when a card was held to the reader, or a code typed. @throws NotTried when nobody does it */
  present(kind: 'card' | 'passcode', number: string): Promise<void>;
}

export interface AttendantOptions {
  /** Run by `sh -c`; each must have done its work when it ends. */
  readonly powerCommand?: string;
  /** Gets LATCHD_KIND (`card` or `passcode`) and LATCHD_NUMBER. */
  readonly swipeCommand?: string;
  /** Asks the person; resolves with what was typed. Undefined: nobody is there. */
  readonly ask?: (question: string) => Promise<string>;
}

export function createAttendant({ powerCommand, swipeCommand, ask }: AttendantOptions): Attendant {
  async function byHand(what: string): Promise<void> {
    if (ask === undefined) throw new NotTried('nobody is at the lock');
    const typed = await ask(`${what}, then press Enter (s: skip this) `);
    if (typed.trim().toLowerCase() === 's') throw new NotTried('the person at the lock skipped it');
  }

  return {
    canSwitchPower: powerCommand !== undefined || ask !== undefined,
    canUseDoor: swipeCommand !== undefined || ask !== undefined,
    switchPower: () => (powerCommand === undefined ? byHand('Switch the lock off and on') : run(powerCommand, {})),
    present(kind, number) {
      if (swipeCommand !== undefined) return run(swipeCommand, { LATCHD_KIND: kind, LATCHD_NUMBER: number });
      return byHand(
        kind === 'card' ? 'Hold a card to the reader that is on no lock (the same one each time)' : `Type the code ${number} at the keypad`,
      );
    },
  };
}

/** Its output goes where ours goes for people. */
function run(commandLine: string, environment: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', commandLine], { env: { ...process.env, ...environment }, stdio: ['ignore', 2, 2] });
    child.once('error', (error) => reject(new NotTried(`"${commandLine}" could not be run: ${error.message}`)));
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new NotTried(`"${commandLine}" ended with ${code}`))));
  });
}
