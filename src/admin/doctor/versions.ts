// Checks whether the program, its Node and its data fit together.
import type { Inspection } from '../../stores/files/verify/inspect.ts';
import { fail, good, type Verdict, warn } from './verdict.ts';

/** package.json has the same version (engines). */
const oldestNode = [20, 19] as const;

export function checkProgram(version: string, node: string): readonly Verdict[] {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isTooOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  const seen = `latchd ${version} on Node ${node}`;
  return [
    isTooOld
      ? fail(seen, `it needs Node ${oldestNode.join('.')} or newer: sudo apt-get install nodejs, or that of NodeSource`)
      : good(seen),
  ];
}

/** `directory`: the data directory. */
export function checkData(directory: string, { documents, older, problems, strangers }: Inspection): readonly Verdict[] {
  const verdicts = problems.map((problem) =>
    fail(
      problem,
      `put it back from a backup (${directory}/backups), or install the latchd that wrote it; latchd verify, when stopped, looks at all of it`,
    ),
  );
  if (older > 0) {
    const seen = `${older} of ${documents} documents are of an older latchd`;
    verdicts.push(warn(seen, 'the next start backs up and upgrades them: sudo systemctl restart latchd'));
  }
  for (const name of strangers) {
    const seen = `${directory}/${name} is not latchd's, and in no backup`;
    verdicts.push(warn(seen, 'keep it elsewhere; your own certificates may lie in its folder tls, as .crt, .key or .pem'));
  }
  return verdicts.length > 0
    ? verdicts
    : [good(`${documents} documents are whole, and of this latchd; records are latchd verify's business`)];
}
