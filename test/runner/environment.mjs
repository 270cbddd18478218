// The world of a file of tests that runs in Node itself (run-file.mjs): Node's own.
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** As the option `testEnvironment` of Jest wants it. */
export default class NodeItself {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig: config }) {
    const { moduleMocker } = this;
    const timers = new ModernFakeTimers({ config, global: globalThis });
    /** What our tests use of Jest's object `jest`. */
    this.jest = {
      fn: moduleMocker.fn.bind(moduleMocker),
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      setSystemTime: (now) => timers.setSystemTime(now),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
      getTimerCount: () => timers.getTimerCount(),
    };
  }
  async setup() {}
  async teardown() {}
  getVmContext() {
    return null;
  }
  exportConditions() {
    return ['node', 'node-addons'];
  }
}
