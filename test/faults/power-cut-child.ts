// The store of a power-cut round, in a process of its own: `power-cut-child.js <directory> <with flushes: true or false>`.
import { pourIn } from './power-cut-load.ts';

const [directory = '', withFlushes] = process.argv.slice(2);
await pourIn(directory, withFlushes === 'true', () => process.send?.('ready'));
