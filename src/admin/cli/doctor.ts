// latchd doctor: the first check when something is wrong, or before anything is.
import { ConfigError } from '../../app/config.ts';
import type { Finding } from '../doctor/examine.ts';
import { command, type Surroundings } from './command.ts';
import { jsonOption, print, printable, say } from './output.ts';

export const doctor = command<{ readonly json?: true }>({
  name: 'doctor',
  says: 'look at everything the gateway needs, and say what to do about what is wrong; changes nothing, whether the daemon runs or not',
  settings: 'all',
  options: [jsonOption],
  examples: [
    ['doctor', 'as root (sudo): then it sees whose a port is, too; exit code 1 when something has failed'],
    ['doctor --json | jq -r \'.findings[] | select(.verdict == "fail") | .remedy\'', 'what to do, for a program'],
  ],
  exits: [
    [0, 'nothing has failed'],
    [1, 'something has failed, the configuration included, or the command was asked wrongly'],
  ],
  async run({ json }, surroundings) {
    const findings = await examined(surroundings);
    const count = (verdict: Finding['verdict']) => findings.filter((finding) => finding.verdict === verdict).length;
    const isWell = count('fail') === 0;
    if (json) print(JSON.stringify({ ok: isWell, findings }));
    else {
      for (const { check, verdict, seen, remedy } of findings) {
        print(`${verdict.padEnd(4)}  ${check.padEnd(13)} ${printable(seen)}`);
        if (remedy !== undefined) print(`${' '.repeat(20)}-> ${printable(remedy)}`);
      }
      say(isWell ? `nothing has failed; ${count('warn')} to look at` : `${count('fail')} failed, ${count('warn')} to look at`);
    }
    return isWell ? 0 : 1;
  },
});

/** A wrong configuration is a finding, too; without a valid one, nothing else can be checked. */
async function examined({ configured, version }: Surroundings): Promise<readonly Finding[]> {
  try {
    const config = configured();
    const { examine } = await import('../doctor/examine.ts');
    const seen = 'in order; "latchd check-config" shows what is in force';
    return [{ check: 'configuration', verdict: 'ok', seen }, ...(await examine({ config, version }))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'mend it, and ask again: nothing else can be looked at without it';
    return error.problems.map((seen) => ({ check: 'configuration', verdict: 'fail', seen, remedy }));
  }
}
