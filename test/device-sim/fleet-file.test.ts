import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseFleetFile } from '../../device-sim/fleet-file.ts';
import { completeProfile } from '../../device-sim/lock-profile.ts';

describe('the fleet file', () => {
  it('lists kinds of lock, which take from the defaults what they do not say', () => {
    const locks = parseFleetFile(
      'defaults: {autoLockSeconds: 9, byteOrder: reverse}\nlocks: [{name: A}, {count: 2, byteOrder: regular}]',
      'f',
    );
    expect(locks.map(({ name, autoLockSeconds, byteOrder }) => [name, autoLockSeconds, byteOrder])).toEqual([
      ['A', 9, 'reverse'],
      ['Lock {n}', 9, 'regular'],
      ['Lock {n}', 9, 'regular'],
    ]);
  });

  it('is told everything that is wrong with it, each with its path', () => {
    const text = 'defaults: {keepAliveSeconds: 0}\nlocks:\n  - {name: A, colour: red}\n  - {faults: {jam: 2}, passcodes: ["12"]}\nlook: 1';
    const problems =
      /not a fleet file:[\s\S]*defaults\.keepAliveSeconds:[\s\S]*locks\[0\]:[\s\S]*locks\[1\]\.passcodes\[0\]: must be 4 to 9 digits[\s\S]*locks\[1\]\.faults\.jam:[\s\S]*the file: .*look/;
    expect(() => parseFleetFile(text, 'my.yaml')).toThrow(problems);
  });

  it('is told when it is no YAML at all', () => {
    expect(() => parseFleetFile('locks: [', 'my.yaml')).toThrow(/my\.yaml is not YAML:/);
  });

  it('in config/ is a good one, and its comments say the usual values', () => {
    const text = readFileSync(new URL('../../config/fleet.yaml', import.meta.url), 'utf8');
    expect(parseFleetFile(text, 'fleet.yaml')).toHaveLength(10);
    const usual = completeProfile({});
    const defaults = text.slice(text.indexOf('defaults:'), text.indexOf('\nlocks:'));
    let compared = 0;
    for (const [, member = '', value] of defaults.matchAll(/^ {2}(?:# )?([a-zA-Z]+): +("[^"]*"|[^ #\n]+)/gm)) {
      if (!(member in usual)) continue;
      compared++;
      const written: unknown =
        { '""': '', '"1.3"': '1.3', '[]': [], '{}': {}, '[4,9]': [4, 9], true: true }[value ?? ''] ??
        (Number.isNaN(Number(value)) ? value : Number(value));
      expect([member, written]).toEqual([member, usual[member as keyof typeof usual]]);
    }
    expect(compared).toBe(29);
  });
});
