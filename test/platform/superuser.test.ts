// Root of the machine is distinguished from root of a container.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isRootOfMachine } from '../../src/platform/superuser.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'latchd-superuser-'));
  put('proc/self/uid_map', '         0          0 4294967295\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function put(name: string, text = ''): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}
const machine = () => ({ uid: 0, pid: 4711, environment: {}, root });

test('root of a machine counts as superuser, another user does not', () => {
  expect(isRootOfMachine(machine())).toBe(true);
  expect(isRootOfMachine({ ...machine(), uid: 1000 })).toBe(false);
  rmSync(join(root, 'proc'), { recursive: true });
  expect(isRootOfMachine(machine())).toBe(true);
});

test('root of a container does not count as superuser, however the container shows', () => {
  expect(isRootOfMachine({ ...machine(), pid: 1 })).toBe(false);
  expect(isRootOfMachine({ ...machine(), environment: { container: 'lxc' } })).toBe(false);
  put('proc/self/uid_map', '         0     100000      65536\n');
  expect(isRootOfMachine(machine())).toBe(false);
  put('proc/self/uid_map', '         0          0 4294967295\n');
  for (const mark of ['.dockerenv', 'run/.containerenv', 'run/systemd/container']) {
    put(mark);
    expect([mark, isRootOfMachine(machine())]).toEqual([mark, false]);
    rmSync(join(root, mark));
  }
});
