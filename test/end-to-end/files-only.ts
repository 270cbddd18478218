// Which tests of the whole daemon do not run over PostgreSQL (npm run test:postgres), because they are about files of the data directory.
// The lists may only shrink.

/** Words of the titles of tests or of what they stand in. */
const filesOnly: readonly string[] = [
  'leaves a running daemon alone, reads a stopped one, and exits with 1 and the file when something is wrong',
  'a data directory that cannot be made',
  'a data directory where nobody can make one',
  // The doctor finds that the server of the tests flushes nothing.
  'in order: exit code 0, a line for each check, and everything as it was',
  // A backup of a database without a daemon has no line yet.
  'has a line of every command that changes anything, with a daemon and without',
];

/** Test files whose daemons have a data directory of their own, so that they would do what they do in npm test. */
export const withoutSites: readonly string[] = ['discovery', 'older-data', 'reload', 'silence', 'tls'];

const escaped = filesOnly.map((words) => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

/** Titles that have none of them. */
export const otherTitles = `^(?!.*(${escaped.join('|')}))`;
