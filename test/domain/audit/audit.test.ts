import { describe, expect, it } from '@jest/globals';
import { audited } from '../../../src/domain/audit/audit.ts';
import { auditedAccounts, auditedRegistrations } from '../../../src/domain/audit/audited-services.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import type { DeviceId } from '../../../src/domain/locks/lock.ts';
import { callers, codeOf, createDomain } from '../../support/domain.ts';
import { settled } from '../../support/settable-clock.ts';

const all = { pageNo: 1, pageSize: 100, startDate: 0, endDate: 0 };
const deed = () => ({ action: 'alarm-end', object: 'lock 7' });
const fails = async () => {
  throw new DomainError('conflict', 'no');
};

describe('the audit log', () => {
  it('has who did what, when, from where, and how it ended; of a thing that was made its id', async () => {
    const { accountService, audit, deeds, clock } = await createDomain();
    const accounts = auditedAccounts(accountService, audit);
    const { token, secret } = await accounts.createToken({ ...callers.admin, address: '10.0.0.5' }, { username: 'ole', name: 'phone' });
    expect([...deeds.values()]).toEqual([
      {
        ...{ id: 1, at: clock.now(), username: 'admin', address: '10.0.0.5', action: 'token-create' },
        ...{ object: `token ${token.tokenId}`, detail: 'ole: phone', outcome: 'ok' },
      },
    ]);
    expect(JSON.stringify([...deeds.values()])).not.toContain(secret);
  });

  it('says of an account that was removed on how many locks its roles went', async () => {
    const { accountService, audit, deeds } = await createDomain();
    const accounts = auditedAccounts(accountService, audit);
    await accounts.removeAccount(callers.admin, 'ole');
    await accounts.removeAccount(callers.admin, 'sam');
    expect([...deeds.values()].map(({ object, detail }) => [object, detail])).toEqual([
      ['account ole', 'with its role on 1 lock'],
      ['account sam', ''],
    ]);
  });

  it('has what was refused, with its code', async () => {
    const { accountService, audit, deeds } = await createDomain();
    const accounts = auditedAccounts(accountService, audit);
    expect(await codeOf(() => accounts.createAccount(callers.operator, 'eve', { gatewayAdministrator: true, accessManager: false }))).toBe(
      'forbidden',
    );
    expect([...deeds.values()]).toMatchObject([
      { username: 'ole', object: 'account eve', detail: 'gateway administrator', outcome: 'forbidden' },
    ]);
  });

  it('never has a passcode, lockData or a key', async () => {
    const { registrationService, audit, deeds } = await createDomain();
    const registrations = auditedRegistrations(registrationService, audit);
    const deviceId = '0123456789ab' as DeviceId;
    const secrets = { superPasscode: '864209', lockData: 'bluetooth-secret' };
    const { lockId, deviceKey } = await registrations.register(callers.admin, { deviceId, name: 'Cellar', ...secrets });
    await registrations.change(callers.admin, lockId, { superPasscode: '975310', lockData: 'another-secret' });
    const text = JSON.stringify([...deeds.values()]);
    for (const secret of [deviceKey, '864209', '975310', 'bluetooth-secret', 'another-secret']) expect(text).not.toContain(secret);
    expect([...deeds.values()].at(-1)).toMatchObject({ action: 'lock-change', detail: 'superPasscode, lockData' });
  });

  it('has the beginning on the disk before anything is done, and nothing is done without it', async () => {
    const { accountService, audit, accounts, storage } = await createDomain();
    const service = auditedAccounts(accountService, audit);
    await service.createAccount(callers.admin, 'eve', { gatewayAdministrator: false, accessManager: false });
    expect(storage.writes.filter((write) => !write.startsWith('counters'))).toEqual(['audit.append', 'accounts.add', 'audit.append']);
    storage.fails = (write) => write === 'audit.append';
    expect(await codeOf(() => service.createAccount(callers.admin, 'mallory', { gatewayAdministrator: false, accessManager: false }))).toBe(
      'storage-unavailable',
    );
    expect(accounts.byName('mallory')).toBeUndefined();
  });

  it('shows what was begun and cut off as unknown', async () => {
    const { audit } = await createDomain();
    void audit.record(callers.admin, deed, () => new Promise(() => undefined));
    await settled();
    expect((await audit.page(callers.admin, all)).list).toMatchObject([{ outcome: 'unknown' }]);
  });

  it('is not filled by an account that is refused again and again, and says how many refusals it left out', async () => {
    const { audit, deeds, clock, storage } = await createDomain();
    for (let n = 0; n < 1_000; n++) expect(await codeOf(() => audit.record(callers.operator, deed, fails))).toBe('conflict');
    expect([deeds.size, storage.writes.length]).toEqual([30, 60]);
    await clock.advance(60_000);
    await audit.record(callers.operator, deed, async () => undefined);
    expect([...deeds.values()].at(-1)).toMatchObject({ outcome: 'ok', missed: 970 });
    await audit.record(callers.operator, deed, async () => undefined);
    expect([...deeds.values()].at(-1)).not.toHaveProperty('missed');
  });

  it('has what an account does, even if it was refused too often before', async () => {
    const { audit, deeds } = await createDomain();
    for (let n = 0; n < 50; n++) await codeOf(() => audit.record(callers.operator, deed, fails));
    await audit.record(callers.operator, deed, async () => undefined);
    expect([...deeds.values()].at(-1)).toMatchObject({ outcome: 'ok', missed: 20 });
  });

  it('does not keep a backup from a full disk', async () => {
    const { audit, storage, deeds } = await createDomain();
    storage.fails = () => true;
    expect(await audit.note(callers.admin, { action: 'backup', object: 'backup' }, async () => 'made')).toBe('made');
    expect(deeds.size).toBe(0);
  });

  it('is for gateway administrators, the newest first, from and to a time', async () => {
    const { audit, clock } = await createDomain();
    const at = clock.now();
    for (const object of ['one', 'two', 'three']) {
      await audit.note(callers.admin, { action: 'backup', object }, async () => undefined);
      await clock.advance(1_000);
    }
    const objects = async (range: Partial<typeof all>) =>
      (await audit.page(callers.admin, { ...all, ...range })).list.map(({ object }) => object);
    expect(await objects({})).toEqual(['three', 'two', 'one']);
    expect(await objects({ startDate: at + 1_000, endDate: at + 1_000 })).toEqual(['two']);
    expect(await codeOf(() => audit.page(callers.administrator, all))).toBe('forbidden');
  });

  it('leaves a service otherwise as it was', async () => {
    const { audit } = await createDomain();
    const service = { act: async (_caller: (typeof callers)['admin'], number: number) => number + 1, look: () => 'seen' };
    const same = audited(service, { act: ([, number]) => ({ action: 'act', object: String(number) }), look: 'not-audited' }, audit);
    expect([await same.act(callers.admin, 1), same.look()]).toEqual([2, 'seen']);
  });
});
