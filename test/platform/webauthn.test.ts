// Passkeys with the real verification, by an authenticator in software (WebAuthn level 3): what holds, and what others try.
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { PasskeySite } from '../../src/domain/accounts/sign-in-ports.ts';
import { createSignInServices } from '../../src/domain/accounts/sign-in-services.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { createWebauthn } from '../../src/platform/webauthn.ts';
import { callers, createDomain } from '../support/domain.ts';
import { createMemoryCredentials, createMemorySignIns } from '../support/memory-stores.ts';
import { createPlainHashing } from '../support/sample-sign-ins.ts';
import { createAuthenticator } from '../support/software-authenticator.ts';

const site: PasskeySite = { host: 'gateway.local', origin: 'https://gateway.local:8443' };
const browser = { stay: true, agent: 'Firefox, Android', address: '192.168.1.7' };
const { admin } = callers;

async function createWorld(webauthn = createWebauthn()) {
  const world = await createDomain({});
  const credentials = createMemoryCredentials();
  const { services, parts } = createSignInServices({
    ...{ clock: world.clock, secrets: world.secrets, events: world.events, accounts: world.accountService, audit: world.audit },
    stores: {
      ...{ accounts: world.accounts, signIns: createMemorySignIns(), signInCredentials: credentials, counters: world.counters },
      settings: world.settings,
    },
    ...{ hashing: createPlainHashing(), isFrequent: async () => false, webauthn, administratorsNeedPasskey: false },
  });
  return { ...world, ...services, parts, credentials };
}
let world: Awaited<ReturnType<typeof createWorld>>;
beforeEach(async () => {
  world = await createWorld();
});

/** A new passkey of the administrator, on this authenticator. */
async function added(authenticator: ReturnType<typeof createAuthenticator>, at = site) {
  const options = await world.passkeys.creationOptions(admin, at);
  return world.passkeys.add(admin, at, 'phone', authenticator.create(options, at.origin));
}
async function signIn(authenticator: ReturnType<typeof createAuthenticator>, at = site, changes = {}) {
  const response = authenticator.get(await world.passkeys.signInOptions(at), at.origin, changes);
  return { response, signedIn: await world.passkeys.signIn(at, response, browser) };
}
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
  );

test('a stranger who asks for the options of a sign-in does not make the gateway load its library; the start does, once there are passkeys', async () => {
  let loads = 0;
  const library = () => {
    loads += 1;
    return import('@simplewebauthn/server');
  };
  world = await createWorld(createWebauthn(library));
  expect(await world.passkeys.signInOptions(site)).toMatchObject({ rpId: 'gateway.local', userVerification: 'required' });
  const start = async () => {
    for (const part of world.parts) await part.start();
    for (const part of world.parts) await part.stop();
  };
  await start();
  expect(loads).toBe(0);
  await added(createAuthenticator());
  const before = loads;
  await start();
  expect(loads).toBe(before + 1);
});

describe('A passkey', () => {
  test('is added, signs in without a username, counts, and ends its sessions when it is removed', async () => {
    const phone = createAuthenticator();
    const { passkeyId, ...passkey } = await added(phone);
    expect(passkey).toMatchObject({ name: 'phone', host: 'gateway.local', lastUsedAt: null });
    const { signedIn } = await signIn(phone);
    expect(signedIn.caller).toMatchObject({ username: 'admin', address: '192.168.1.7' });
    expect(world.signIns.authenticate(signedIn.secret)).toMatchObject({ accountId: admin.accountId });
    expect(world.credentials.passkey(passkeyId)).toMatchObject({ counter: 1, lastUsedAt: world.clock.now() });
    await world.passkeys.remove(admin, passkeyId);
    expect(() => world.signIns.authenticate(signedIn.secret)).toThrow('this sign-in has ended');
    expect(await codeOf(signIn(phone))).toBe('credentials-invalid');
  });

  test('is not added twice, nor by options for another account, of another site or that were used or are over', async () => {
    const phone = createAuthenticator();
    const options = await world.passkeys.creationOptions(admin, site);
    const add = (response: object, caller = admin, at = site) => codeOf(world.passkeys.add(caller, at, 'phone', response));
    const other = { ...callers.manager, gatewayAdministrator: true };
    expect(await add(phone.create(options, site.origin), other)).toBe('invalid-parameter');
    expect(await add(phone.create(options, 'https://evil.example'))).toBe('invalid-parameter');
    expect(await add(phone.create(options, site.origin), admin, { ...site, host: 'other.local' })).toBe('invalid-parameter');
    expect(await add(phone.create(options, site.origin, { isVerified: false }))).toBe('invalid-parameter');
    expect(await add({ id: 'nonsense' })).toBe('invalid-parameter');
    expect(await add(phone.create(options, site.origin))).toBe('done');
    expect(await add(createAuthenticator().create(options, site.origin))).toBe('invalid-parameter');
    const again = await world.passkeys.creationOptions(admin, site);
    expect(await add(phone.create(again, site.origin))).toBe('conflict');
    const late = await world.passkeys.creationOptions(admin, site);
    await world.clock.advance(5 * 60_000);
    expect(await add(createAuthenticator().create(late, site.origin))).toBe('invalid-parameter');
  });

  test('is for its own account to remove, and 20 are enough', async () => {
    for (let n = 0; n < 20; n += 1) await added(createAuthenticator());
    expect(await codeOf(world.passkeys.creationOptions(admin, site))).toBe('conflict');
    expect(await codeOf(world.passkeys.remove(callers.manager, 1))).toBe('not-found');
    expect(await codeOf(world.passkeys.creationOptions(callers.manager, site))).toBe('forbidden');
  });
});

describe('Nobody is signed in', () => {
  test('by an assertion that is replayed, of another page, of another key, without the person, or by invented options', async () => {
    const phone = createAuthenticator();
    await added(phone);
    const { response } = await signIn(phone);
    expect(await codeOf(world.passkeys.signIn(site, response, browser))).toBe('credentials-invalid');
    expect(
      await codeOf(world.passkeys.signIn(site, phone.get(await world.passkeys.signInOptions(site), 'https://evil.example'), browser)),
    ).toBe('credentials-invalid');
    const thief = createAuthenticator(phone.credentialId);
    for (const [who, changes] of [
      [thief, {}],
      [phone, { isVerified: false }],
      [phone, { userHandle: 'latchd account 2' }],
      [phone, { challenge: 'invented' }],
    ] as const)
      expect(await codeOf(signIn(who, site, changes))).toBe('credentials-invalid');
    expect(await codeOf(world.passkeys.signIn({ ...site, host: 'other.local' }, response, browser))).toBe('credentials-invalid');
    // Options to add one are none to sign in.
    const options = await world.passkeys.creationOptions(admin, site);
    expect(await codeOf(world.passkeys.signIn(site, phone.get(options, site.origin), browser))).toBe('credentials-invalid');
    expect(await codeOf(signIn(phone))).toBe('done');
  });

  test('by a copy of the key, whose counter is behind', async () => {
    const phone = createAuthenticator();
    await added(phone);
    await signIn(phone, site, { counter: 7 });
    for (const counter of [7, 3]) expect(await codeOf(signIn(phone, site, { counter }))).toBe('credentials-invalid');
    expect(await codeOf(signIn(phone, site, { counter: 8 }))).toBe('done');
  });

  test('after five minutes', async () => {
    const phone = createAuthenticator();
    await added(phone);
    const options = await world.passkeys.signInOptions(site);
    await world.clock.advance(5 * 60_000);
    expect(await codeOf(world.passkeys.signIn(site, phone.get(options, site.origin), browser))).toBe('credentials-invalid');
  });
});
