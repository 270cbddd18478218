// Runs one file of tests in Node itself. Jest's own runner gives each file a world of its own, with every module loaded and linked anew, which
// takes more time than most files need for their tests. Ours have no state in modules, so here a worker loads each module once; only the file
// of tests is new each time. Everything else is Jest's: hooks, time limits, reports, workers.
import { createRequire, register } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { useGlobals } from './globals.mjs';

register('./hooks.mjs', import.meta.url);
const require = createRequire(import.meta.url);
const circus = join(dirname(require.resolve('jest-circus/package.json')), 'build/jestAdapterInit.js');
let files = 0;

/** As the option `testRunner` of Jest wants it. Resolves with the result of the file. */
export default async function runFile(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  // Each file has its own tests, hooks and handlers.
  delete require.cache[circus];
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  const { initialize, runAndTransformResultsToJestFormat } = require(circus);
  // Node finds the lines of the sources itself, by the source maps of hooks.mjs.
  Error.prepareStackTrace = undefined;
  process.setSourceMapsEnabled(true);
  await initialize({
    ...{ globalConfig, config, environment, runtime, testPath, sendMessageToJest, localRequire: require, parentProcess: process },
    setGlobalsForRuntime: (globals) => useGlobals({ ...globals, jest: environment.jest }),
  });
  files += 1;
  await import(`${pathToFileURL(testPath).href}?file=${files}`);
  return runAndTransformResultsToJestFormat({ globalConfig, config, testPath });
}
