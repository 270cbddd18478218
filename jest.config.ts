/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const config: Config = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  injectGlobals: false,
  // Twice the cores of the machine that this is for: most of the long tests wait for processes, and for timers of the real daemon.
  maxWorkers: 4,
  workerIdleMemoryLimit: '700MB',
  coverageProvider: 'v8',
  // Far more than any test needs: it ends what hangs. On a slow machine a test may take its time.
  testTimeout: 240_000,
};

export default config;
