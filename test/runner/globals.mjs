// What `@jest/globals` is in our files: the functions of the file that runs now, also for modules that were loaded with another one.
let current;

/** From now on the functions are these. */
export function useGlobals(globals) {
  current = globals;
}

/** A function with members, such as `test` and `test.each`. */
function of(name) {
  return new Proxy(() => undefined, {
    apply: (_target, _this, args) => current[name](...args),
    get: (_target, member) => current[name][member],
  });
}

export const [afterAll, afterEach, beforeAll, beforeEach] = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach'].map(of);
export const [describe, expect, it, jest, test] = ['describe', 'expect', 'it', 'jest', 'test'].map(of);
