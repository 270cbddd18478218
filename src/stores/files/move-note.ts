// The file MIGRATED of a data directory: with which database its data was exchanged. No daemon starts where it is.
import { readIfThere, removeIfThere, replaceFile } from './documents/durable-file.ts';
import type { FileLayer } from './files.ts';
import { giveToOwner } from './give-to-owner.ts';

export const moveNoteName = 'MIGRATED';

export interface MoveNote {
  /** The database, as a person named it. */
  readonly other: string;
  /** `gone`: the data is there. `leaving` to it or `arriving` from it: nobody knows yet whether the database has stored the end of the move. */
  readonly state: 'gone' | 'leaving' | 'arriving';
}

/** Undefined: there is none, the data is here. */
export async function readMoveNote(files: FileLayer, directory: string): Promise<MoveNote | undefined> {
  const text = (await readIfThere(files, `${directory}/${moveNoteName}`))?.toString();
  if (text === undefined) return undefined;
  const [other = '', state] = text.trim().split('\n');
  return { other, state: state === 'leaving' || state === 'arriving' ? state : 'gone' };
}

/** Durable when it resolves. */
export async function writeMoveNote(files: FileLayer, directory: string, { other, state }: MoveNote): Promise<void> {
  await replaceFile(files, `${directory}/${moveNoteName}`, Buffer.from(state === 'gone' ? `${other}\n` : `${other}\n${state}\n`));
  await giveToOwner(directory, [moveNoteName]);
}

/** Durable when it resolves. */
export async function removeMoveNote(files: FileLayer, directory: string): Promise<void> {
  await removeIfThere(files, `${directory}/${moveNoteName}`);
  await files.syncFolder(directory);
}

/** What such a note means for whoever wants to use the directory. */
export function sayMoved(directory: string, { other, state }: MoveNote): string {
  if (state === 'gone') return `the data of ${directory} was moved to ${other}`;
  const [from, to] = state === 'leaving' ? [directory, other] : [other, directory];
  return `the data of ${from} was on its way to ${to} when that was cut off, and nobody knows whether all of it arrived`;
}

export const tryMoveAgain =
  'give the same command (`latchd migrate` or `latchd restore`) again when the database answers: it finds out where the data is';
