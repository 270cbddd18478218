// Passwords as they are stored: a salt and a slow hash of their own each, and no password in it.
import { expect, test } from '@jest/globals';
import { createPasswordHashing } from '../../src/platform/password-hash.ts';

const hashing = createPasswordHashing();

test('a password is known again, and no other one is', async () => {
  const hash = await hashing.hash('correct horse battery');
  expect(await hashing.verify('correct horse battery', hash)).toBe(true);
  for (const other of ['correct horse batter', 'correct horse battery ', 'Correct horse battery', ''])
    expect(await hashing.verify(other, hash)).toBe(false);
});

test('two hashes of one password differ, name the cost that the API page promises, and hold no password', async () => {
  const [one, other] = [await hashing.hash('correct horse battery'), await hashing.hash('correct horse battery')];
  expect(one).not.toBe(other);
  for (const hash of [one, other, hashing.nobodys]) {
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
    expect(hash).not.toContain('horse');
  }
});

test('nobody’s hash fits no password', async () => {
  for (const password of ['', 'password', hashing.nobodys]) expect(await hashing.verify(password, hashing.nobodys)).toBe(false);
});

test('a hash of another form is a fault, and not a wrong password', async () => {
  await expect(hashing.verify('x', 'plain x')).rejects.toThrow('a form that this program does not know');
});
