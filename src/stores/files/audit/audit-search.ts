// Which lines of the audit log say what somebody looks for.
import type { AuditWanted } from '../../../domain/audit/audit-ports.ts';
import { entryOf } from './audit-series.ts';

/** Whether every entry is wanted: then nothing has to be looked at. */
export function isForAll({ username, action, success, object, search }: AuditWanted): boolean {
  return [username, action, success, object, search].every((value) => value === undefined);
}

/** What a line has to say; undefined: its text does not matter. */
export function lineTest({ object, search }: AuditWanted): ((line: Buffer) => boolean) | undefined {
  if (object === undefined && search === undefined) return undefined;
  const text = search?.toLowerCase() ?? '';
  // As JSON has them: most lines are passed over without being understood.
  const [objectInside, textInside] = [jsonText(object ?? ''), jsonText(text)];
  return (line) => {
    const plain = line.toString();
    if (!plain.includes(`${objectInside}"`) || !plain.toLowerCase().includes(textInside)) return false;
    const entry = entryOf(line);
    if (entry === undefined) return false;
    const isAbout = object === undefined || entry.object === object || entry.object.endsWith(` of ${object}`);
    return isAbout && [entry.username, entry.address, entry.object, entry.detail].some((one) => one.toLowerCase().includes(text));
  };
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
