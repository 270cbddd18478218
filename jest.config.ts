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
  maxWorkers: 2,
  workerIdleMemoryLimit: '700MB',
  coverageProvider: 'v8',
  testTimeout: 20_000,
};

export default config;
