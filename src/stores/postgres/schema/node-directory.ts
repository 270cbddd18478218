/** `directory`: which data directory of its machine a process has; null in the row of a latchd that does not say it. */
export const nodeDirectoryColumn = 'ALTER TABLE node ADD COLUMN directory text';
