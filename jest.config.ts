/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { otherTitles, withoutSites } from './test/end-to-end/files-only.ts';

/** npm run test:postgres: each daemon keeps its data in a database. Without it, the tests that are about a database are left out. */
const ofStore: Config =
  process.env['LATCHD_TEST_STORE'] === 'postgres'
    ? {
        testNamePattern: otherTitles,
        testPathIgnorePatterns: ['/node_modules/', ...withoutSites.map((name) => `/end-to-end/${name}\\.test\\.ts$`)],
      }
    : { testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/end-to-end/database/'] };

const config: Config = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // Jest does not look into what is built: a package may be made while tests run.
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  testRunner: '<rootDir>/test/runner/run-file.mjs',
  testSequencer: '<rootDir>/test/runner/sequencer.mjs',
  testEnvironment: '<rootDir>/test/runner/environment.mjs',
  // Of what runs before and after all files; Node itself loads these (test/runner/hooks.mjs).
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  injectGlobals: false,
  // Three times the cores of the machine that this is for: most of the long tests wait for processes, and for timers of the real daemon.
  maxWorkers: 6,
  workerIdleMemoryLimit: '700MB',
  // Far more than any test needs: it ends what hangs. On a slow machine a test may take its time.
  testTimeout: 240_000,
  globalSetup: '<rootDir>/test/support/postgres-for-run.ts',
  globalTeardown: '<rootDir>/test/support/postgres-after-run.ts',
  ...ofStore,
};

export default config;
