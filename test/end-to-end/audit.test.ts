// The audit log through the real daemon: whatever way somebody comes in, a change leaves a line. New routes and commands are looked for, so
// that none is forgotten.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { commandTable } from '../../src/admin/cli/commands.ts';
import { type Answer, openSite, type RequestOptions, type Site, until } from '../support/site.ts';
import { connectHandLock } from '../support/site-lock.ts';
import { createRuns } from '../support/site-process.ts';

const gateway = '/api/v1/gateway';
const newDevice = { deviceId: '0123456789ab', key: 'made-by-the-lock-itself-1' };
const runs = createRuns();
let folder: string;
let site: Site;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-audit-'));
  const config = join(folder, 'latchd.yaml');
  await writeFile(config, 'webhooks: { networks: [127.0.0.1] }\n');
  site = await openSite({ locks: [{ features: ['credentials', 'hours', 'once'] }], flags: ['--config', config] });
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

interface Line {
  readonly action: string;
  readonly object: string;
  readonly detail: string;
  readonly username: string;
  readonly address: string;
  readonly outcome: string;
}

async function audit(): Promise<readonly Line[]> {
  const { body } = await site.api('GET', `${gateway}/audit`, { query: { pageSize: 1000 } });
  return body.list as unknown as Line[];
}

/** Of what was asked: the one line that it left. */
async function lineOf(work: () => Promise<unknown>): Promise<Line> {
  const before = (await audit()).length;
  await work();
  const after = await audit();
  expect(after.length - before).toBe(1);
  return after[0] as Line;
}

/** Changes that have a record of their lock instead. */
const recorded = ['unlock', 'lock'];

describe('the audit log', () => {
  test('has a line of every route that changes anything', async () => {
    const asked: string[] = [];
    let lockId = 0;
    let cardId = 0;
    let tokenId = 0;
    const door = () => site.lockId(1);
    const hub = 'a4c1380000f0';

    async function leaves(action: string, operation: string, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
      let answer: Answer | undefined;
      const line = await lineOf(async () => {
        answer = await site.api(method, path, options);
      });
      expect([operation, answer?.status, line]).toEqual([
        operation,
        method === 'POST' ? answer?.status : 200,
        expect.objectContaining({ action, username: 'admin', address: '127.0.0.1', outcome: 'ok' }),
      ]);
      asked.push(operation);
      return answer as Answer;
    }

    /** Where nothing is there to be changed, the attempt has its line. */
    async function isRefused(action: string, operation: string, method: string, path: string, options: RequestOptions = {}): Promise<void> {
      const line = await lineOf(() => site.api(method, path, options));
      expect(line).toMatchObject({ action, outcome: expect.stringMatching(/^(not-found|invalid-parameter)$/) });
      asked.push(operation);
    }

    const registered = await leaves('lock-register', 'registerLock', 'POST', `${gateway}/locks`, {
      body: { lockMac: 'A4:C1:38:00:00:99', lockName: 'Archive', noKeyPwd: '86420975', lockData: 'bluetooth-secret' },
    });
    lockId = registered.body.lockId;
    const changes = { body: { noKeyPwd: '13579864', lockAlias: 'Cellar' } };
    await leaves('lock-change', 'changeRegisteredLock', 'PUT', `${gateway}/locks/${lockId}`, changes);
    const key = await leaves('lock-key', 'renewLockKey', 'POST', `${gateway}/locks/${lockId}/key`);
    await leaves('account-create', 'createAccount', 'POST', `${gateway}/accounts`, {
      body: { username: 'bob', gatewayAdministrator: false },
    });
    await leaves('account-rights', 'changeAccountRights', 'PUT', `${gateway}/accounts/bob`, {
      body: { gatewayAdministrator: false, accessManager: true },
    });
    await leaves('lock-administrator', 'appointAdministrator', 'PUT', `${gateway}/locks/${lockId}/administrator`, {
      body: { username: 'bob' },
    });
    await leaves('role-grant', 'grantRole', 'PUT', `${gateway}/locks/${door()}/roles/bob`, { body: { role: 'operator' } });
    await leaves('role-revoke', 'revokeRole', 'DELETE', `${gateway}/locks/${door()}/roles/bob`);
    const token = await leaves('token-create', 'createToken', 'POST', `${gateway}/tokens`, { body: { username: 'bob', name: 'phone' } });
    tokenId = token.body.tokenId;
    await leaves('token-remove', 'deleteToken', 'DELETE', `${gateway}/tokens/${tokenId}`);
    await leaves('lock-remove', 'deleteLock', 'DELETE', `${gateway}/locks/${lockId}`);
    await leaves('account-remove', 'deleteAccount', 'DELETE', `${gateway}/accounts/bob`);
    const hubKey = await leaves('hub-register', 'registerHub', 'POST', `${gateway}/hubs`, { body: { mac: hub, name: 'Stairwell' } });
    await leaves('hub-key', 'renewHubKey', 'POST', `${gateway}/hubs/${hub}/key`);
    await leaves('hub-remove', 'deleteHub', 'DELETE', `${gateway}/hubs/${hub}`);

    await leaves('lock-auto-lock', 'setAutoLockTimer', 'POST', '/api/v1/lock/set-auto-lock-timer', {
      query: { lockId: door(), seconds: 7 },
    });
    await leaves('lock-rename', 'renameLock', 'PUT', '/api/v1/lock/rename', { query: { lockId: door(), lockAlias: 'Entrance' } });
    await leaves('lock-settings', 'changeLockSettings', 'PUT', '/api/v1/lock/settings', { query: { lockId: door(), lockSound: 2 } });
    const period = { startDate: 0, endDate: 0 };
    const card = { lockId: door(), cardNumber: '1325672378', method: 'regular', addType: 2, ...period };
    const added = await leaves('card-add', 'addCard', 'POST', '/api/v1/identity-card/add', { query: card });
    cardId = added.body.keyboardPwdId;
    const one = { lockId: door(), cardId, changeType: 2 };
    await leaves('card-validity', 'changeCardValidity', 'PUT', '/api/v1/identity-card/change-validity', { query: { ...one, ...period } });
    await leaves('card-rename', 'renameCard', 'PUT', '/api/v1/identity-card/rename', { query: { ...one, cardName: 'Cleaner' } });
    await leaves('card-remove', 'deleteCard', 'DELETE', '/api/v1/identity-card/delete', {
      query: { lockId: door(), cardId, deleteType: 2 },
    });

    const table = await leaves('import-plan', 'planImport', 'POST', '/api/v1/access/imports', { text: 'Person,Name\nHR-77,Nina\n' });
    const { importId, plan } = table.body;
    await leaves('import-apply', 'applyImport', 'POST', `/api/v1/access/imports/${importId}/apply`, { body: { plan } });

    const passcode = { lockId: door(), addType: 2, keyboardPwdType: 2, keyboardPwdName: 'Cleaner' };
    const code = await leaves('passcode-add', 'addPasscode', 'POST', '/api/v1/passcode/add', { query: passcode });
    const { keyboardPwdId } = code.body;
    const thePasscode = { lockId: door(), keyboardPwdId, changeType: 2 };
    await leaves('passcode-change', 'changePasscode', 'PUT', '/api/v1/passcode/change', {
      query: { ...thePasscode, startDate: 5, endDate: 0 },
    });
    await leaves('passcode-rename', 'renamePasscode', 'PUT', '/api/v1/passcode/rename', {
      query: { ...thePasscode, keyboardPwdName: 'Post' },
    });
    const read = await lineOf(() => site.api('GET', '/api/v1/passcode/detail', { query: { lockId: door(), keyboardPwdId } }));
    expect(read).toMatchObject({ action: 'passcode-read', object: `passcode ${keyboardPwdId} of lock ${door()}`, outcome: 'ok' });
    await leaves('passcode-remove', 'deletePasscode', 'DELETE', '/api/v1/passcode/delete', {
      query: { lockId: door(), keyboardPwdId, deleteType: 2 },
    });

    const access = '/api/v1/access';
    const person = await leaves('person-create', 'createPerson', 'POST', `${access}/people`, { body: { name: 'Erika' } });
    const erika = `${access}/people/${person.body['personId']}`;
    await leaves('person-change', 'changePerson', 'PUT', erika, { body: { note: 'night shift' } });
    const given = await leaves('credential-add', 'addCredential', 'POST', `${erika}/credentials`, { body: { kind: 'passcode' } });
    await leaves('credential-remove', 'deleteCredential', 'DELETE', `${erika}/credentials/${given.body['credentialId']}`);
    const weekly = { name: 'Office', hours: [{ days: [1], from: 0, to: 60 }] };
    const schedule = await leaves('schedule-create', 'createSchedule', 'POST', `${access}/schedules`, { body: weekly });
    const office = `${access}/schedules/${schedule.body['scheduleId']}`;
    await leaves('schedule-change', 'changeSchedule', 'PUT', office, { body: { name: 'Desk' } });
    await leaves('schedule-remove', 'deleteSchedule', 'DELETE', office);
    await leaves('holidays-set', 'setHolidays', 'PUT', `${access}/holidays`, { body: { dates: ['2026-12-25'] } });
    const grant = await leaves('grant-add', 'addGrant', 'POST', `${erika}/grants`, { body: { lockIds: [door()] } });
    await leaves('grant-change', 'changeGrant', 'PUT', `${access}/grants/${grant.body['grantId']}`, { body: { startDate: 5 } });
    await leaves('grant-end', 'endGrant', 'DELETE', `${access}/grants/${grant.body['grantId']}`);
    const external = `${access}/people/external/HR-1`;
    await site.api('PUT', external, { body: { name: 'Ole', credentials: [], grants: [] } });
    await leaves('person-put', 'putExternalPerson', 'PUT', external, { body: { name: 'Ole M.', credentials: [], grants: [] } });
    await leaves('person-remove', 'deletePerson', 'DELETE', erika);

    await leaves('pairing-open', 'openPairing', 'POST', `${gateway}/pairing`, { body: { seconds: 300 } });
    const waiting = await connectHandLock({ mqttUrl: site.gateway.mqttUrl, deviceId: newDevice.deviceId, deviceKey: newDevice.key });
    await until(async () => (await site.api('GET', `${gateway}/devices`)).body.total === 1, 'the device waits');
    await leaves('device-confirm', 'confirmDevice', 'POST', `${gateway}/devices/${newDevice.deviceId}/confirm`, {
      body: { lockName: 'New' },
    });
    await waiting.end();
    await leaves('pairing-close', 'closePairing', 'DELETE', `${gateway}/pairing`);

    site.lock(1).tamper();
    await site.lock(1).whenEventsAcknowledged();
    await leaves('alarm-end', 'endAlarm', 'DELETE', `${gateway}/alarms/tampered/${door()}`);

    const invited = await leaves('invitation', 'invite', 'POST', `${gateway}/accounts/admin/invitation`, { body: {} });
    const secret = String(invited.body['url']).split('/').at(-1);
    const accepted = await site.api('POST', '/api/v1/invitation', { token: '', body: { secret, password: 'correct horse battery' } });
    expect((await audit()).slice(0, 2).map(({ action }) => action)).toEqual(['sign-in', 'password-set']);
    asked.push('acceptInvitation');
    const screen = {
      token: '',
      headers: { cookie: String(accepted.headers.get('set-cookie')).split(';')[0] as string, 'latchd-console': '1' },
    };
    const change = { current: 'correct horse battery', password: 'battery staple horse' };
    await leaves('password-set', 'changePassword', 'PUT', '/api/v1/account/password', { ...screen, body: change });
    const handover = '/api/v1/session/handover';
    const made = await site.api('POST', handover, { ...screen, body: {} });
    const came = await site.api('POST', '/api/v1/handover', { token: '', body: { secret: String(made.body['url']).split('/').at(-1) } });
    await leaves('handover', 'confirmHandover', 'POST', `${handover}/confirm`, {
      ...screen,
      body: { handoverId: made.body['handoverId'] },
    });
    const taken = { token: '', body: { claim: came.body['claim'] } };
    await leaves('sign-in', 'takeHandover', 'POST', '/api/v1/handover/session', taken);
    const { list: sessions } = (await site.api('GET', '/api/v1/sessions', screen)).body as unknown as {
      readonly list: readonly { readonly sessionId: string; readonly current: boolean }[];
    };
    const phone = sessions.find(({ current }) => !current)?.sessionId;
    await leaves('session-end', 'endSession', 'DELETE', `/api/v1/sessions/${phone}`, screen);
    await leaves('session-end', 'endOtherSessions', 'DELETE', '/api/v1/sessions', screen);
    await isRefused('passkey-remove', 'removePasskey', 'DELETE', '/api/v1/account/passkeys/99');
    // These change nothing that stays; and passkeys need https, which this site has not.
    asked.push('lookAtInvitation', 'makeHandover', 'claimHandover', 'cancelHandover', 'passkeyCreationOptions', 'passkeySignInOptions');
    asked.push('addPasskey', 'signInByPasskey');

    const held = await leaves('sign-in', 'signIn', 'POST', '/api/v1/session', { body: { token: site.gateway.token } });
    const cookie = String(held.headers.get('set-cookie')).split(';')[0] as string;
    const signOut = { token: '', headers: { cookie, 'latchd-console': '1' } };
    await leaves('sign-out', 'signOut', 'DELETE', '/api/v1/session', signOut);

    const url = 'http://127.0.0.1:9/?key=of-the-receiver';
    const hook = await leaves('webhook-create', 'createWebhook', 'POST', `${gateway}/webhooks`, { body: { name: 'Building', url } });
    const webhook = `${gateway}/webhooks/${hook.body['webhookId']}`;
    await leaves('webhook-change', 'changeWebhook', 'PUT', webhook, { body: { url, enabled: false } });
    const hookSecret = await leaves('webhook-secret', 'renewWebhookSecret', 'POST', `${webhook}/secret`);
    await leaves('webhook-test', 'testWebhook', 'POST', `${webhook}/test`);
    const replay = await lineOf(() => site.api('POST', `${webhook}/deliveries/record-1/replay`));
    expect(replay).toMatchObject({ action: 'webhook-replay', detail: 'record-1', outcome: 'not-found' });
    asked.push('replayDelivery');
    await leaves('webhook-remove', 'deleteWebhook', 'DELETE', webhook);

    const homeCode = `${gateway}/home-assistant/code`;
    await leaves('home-assistant-code', 'setHomeAssistantCode', 'PUT', homeCode, { body: { code: '975318642' } });
    await leaves('home-assistant-code', 'removeHomeAssistantCode', 'DELETE', homeCode);

    const ttlock = `${gateway}/ttlock-logins`;
    const login = await leaves('ttlock-login-create', 'createTtlockLogin', 'POST', ttlock, { body: { username: 'admin', callback: url } });
    const theLogin = `${ttlock}/${login.body['loginId']}`;
    await leaves('ttlock-login-change', 'changeTtlockLogin', 'PUT', theLogin, { body: { callback: null } });
    const loginPassword = await leaves('ttlock-login-password', 'renewTtlockPassword', 'POST', `${theLogin}/password`);
    await leaves('ttlock-login-remove', 'deleteTtlockLogin', 'DELETE', theLogin);

    const notified = '/api/v1/account/notifications';
    await leaves('notifications', 'changeNotifications', 'PUT', notified, { body: { language: 'de' } });
    await isRefused('notifications', 'confirmAddress', 'POST', `${notified}/confirm`, { body: { secret: 'guess' } });
    const notificationTest = await lineOf(() => site.api('POST', `${notified}/test`, { body: { channel: 'ntfy' } }));
    expect(notificationTest).toMatchObject({ action: 'notifications', detail: 'test by ntfy', outcome: 'conflict' });
    asked.push('testNotification');
    await leaves('notifications', 'endNotifications', 'DELETE', `${gateway}/accounts/admin/notifications`);

    const lostCard = { body: { cardNumber: '1325672378', reason: 'in town' } };
    await leaves('card-lost', 'reportLostCard', 'POST', `${access}/cards/lost`, lostCard);
    await leaves('card-found', 'reportFoundCard', 'POST', `${access}/cards/found`, { body: { cardNumber: '1325672378' } });
    await isRefused('credential-lost', 'reportLostCredential', 'POST', `${access}/credentials/99/lost`, { body: {} });
    await isRefused('credential-found', 'reportFoundCredential', 'POST', `${access}/credentials/99/found`);
    await leaves('entry-check', 'checkEntries', 'POST', `${access}/locks/${door()}/check`);
    await isRefused('entry-remove', 'decideEntry', 'POST', `${access}/locks/${door()}/settle`, {
      body: { entryId: 999_999, do: 'remove' },
    });
    await leaves('access-resume', 'resumeAccess', 'POST', `${access}/resume`);
    await isRefused('reader-turn', 'acceptSuggestion', 'POST', `${access}/suggestions/99/accept`);
    const enrolment = { body: { personId: 99, lockId: door(), seconds: 60 } };
    await isRefused('enrolment-begin', 'beginEnrolment', 'POST', `${access}/enrolments`, enrolment);
    await isRefused('enrolment-confirm', 'confirmEnrolment', 'POST', `${access}/enrolments/none/confirm`, { body: { cardEnds: '2378' } });
    await isRefused('enrolment-end', 'endEnrolment', 'DELETE', `${access}/enrolments/none`);

    await leaves('group-order', 'orderGroups', 'PUT', `${gateway}/groups/order`, { body: { groupIds: [] } });
    await isRefused('group-lock', 'lockGroup', 'POST', `${gateway}/groups/99/lock`);
    // Of nobody's business but one's own.
    await site.api('PUT', '/api/v1/account/favourites', { body: { lockIds: [door()] } });
    asked.push('chooseFavourites');
    const backups = async () => (await audit()).filter(({ action }) => action === 'backup');
    await site.api('POST', `${gateway}/backups`);
    await until(async () => (await backups()).length > 0, 'the backup is made');
    expect(await backups()).toMatchObject([{ username: 'admin', outcome: 'ok' }]);
    asked.push('beginBackup');
    await isRefused('backup-download', 'downloadBackup', 'POST', `${gateway}/backups/other/download`, {
      ...{ headers: { accept: '*/*' }, body: { passphrase: 'correct horse' } },
    });

    const document = (await (await fetch(`${site.gateway.httpUrl}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
    };
    const changing = Object.values(document.paths).flatMap((item) =>
      Object.entries(item).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [operationId])),
    );
    expect([...asked, ...recorded].sort()).toEqual(changing.sort());

    // What must never be there is looked for in what is stored.
    const text = [...(await site.allStored())].flatMap(([name, stored]) => (name.startsWith('audit') ? [stored] : [])).join('');
    expect(text).toContain('lock-register');
    const secrets = [registered.body.deviceKey, key.body.deviceKey, hubKey.body.deviceKey, token.body.token, newDevice.key];
    for (const { body } of [hook, hookSecret]) secrets.push(String(body['secret']));
    for (const { body } of [login, loginPassword]) secrets.push(String(body['password']));
    secrets.push(String(login.body['clientSecret']));
    secrets.push(String(code.body['keyboardPwd']));
    for (const secret of [...secrets, '975318642', '86420975', '13579864', 'bluetooth-secret', '1325672378', 'of-the-receiver'])
      expect(text).not.toContain(secret);
  });

  test('has each unlock that failed, with the account and the reason, also after a crash; one that was done is in the records', async () => {
    const zoe = await site.account('zoe');
    const lockId = site.lockId(1);
    const attempts = async () =>
      (await audit()).filter(({ action }) => action === 'unlock').map(({ username, object, outcome }) => [username, object, outcome]);
    const unlock = (token?: string, door = lockId) =>
      site.api('POST', '/api/v1/lock/unlock', { query: { lockId: door }, ...(token !== undefined && { token }) });
    expect((await unlock()).status).toBe(200);
    for (let n = 0; n < 3; n++) expect((await unlock(zoe)).status).toBe(403);
    expect((await unlock(zoe, 4711)).status).toBe(404);
    await site.whenOnline(1);
    site.lock(1).cutNetwork();
    await site.whenOnline(1, false);
    expect((await unlock()).status).toBe(503);
    await until(async () => (await attempts()).some(([, , outcome]) => outcome === 'lock-offline'), 'the lines are written');
    const object = `lock ${lockId}`;
    const expected = [
      ['admin', object, 'lock-offline'],
      ['zoe', 'lock 4711', 'lock-not-found'],
      ['zoe', object, 'forbidden'],
    ];
    expect(await attempts()).toEqual(expected);
    await site.kill9();
    site.lock(1).restoreNetwork();
    await site.start();
    await site.whenOnline(1);
    expect(await attempts()).toEqual(expected);
  });

  test('has what was refused, and is for gateway administrators alone', async () => {
    const eve = await site.account('eve');
    const line = await lineOf(() => site.api('DELETE', `${gateway}/accounts/admin`, { token: eve }));
    expect(line).toMatchObject({ username: 'eve', action: 'account-remove', object: 'account admin', outcome: 'forbidden' });
    expect((await site.api('GET', `${gateway}/audit`, { token: eve })).body.code).toBe('forbidden');
  });

  test('has a line of each SIGHUP', async () => {
    const before = (await audit()).length;
    process.kill(site.gateway.pid, 'SIGHUP');
    await until(async () => (await audit()).length > before, 'the reload is there');
    expect((await audit())[0]).toMatchObject({ username: '(this machine)', address: 'signal', action: 'reload', detail: 'taken' });
  });

  test('has a line of every command that changes anything, with a daemon and without', async () => {
    const archive = join(site.folder, 'archive.tar.gz');
    const restored = join(site.folder, 'restored');
    const latchd = async (dataDir: string, ...args: string[]) => {
      const run = runs.begin([...args, '--data-dir', dataDir]);
      expect([args, await run.ended, run.stderr()]).toEqual([args, 0, expect.any(String)]);
      return run.stdout().trim();
    };
    const reads = [
      'serve',
      'check-config',
      'capture',
      'health',
      'lock list',
      'hub list',
      'pair list',
      'account list',
      'token list',
      'role list',
      'access who',
      'access compare',
      'person list',
      'person show',
      'grant list',
      'schedule list',
      'access export',
      'alarm list',
      'webhook list',
      'ttlock-login list',
      'audit list',
      'export',
      'verify',
      'doctor',
      'mcp',
      'completion',
    ];
    const withDaemonOnly = [
      'account invite',
      'pair open',
      'pair close',
      'clock accept',
      'alarm end',
      'ttlock-login create',
      'ttlock-login password',
      'ttlock-login remove',
      'person suspend',
      'person remove',
      'grant end',
      'card lost',
      'access resume',
    ];
    /** Each command of a round, in an order in which all succeed, and the action that it is. */
    const story = (n: number): readonly (readonly [command: string, action: string, ...rest: string[]])[] => [
      ['account create', 'account-create', `clerk-${n}`],
      ['token create', 'token-create', `clerk-${n}`, '--name', 'desk'],
      ['token revoke', 'token-remove', 'TOKEN'],
      ['role grant', 'role-grant', '1', `clerk-${n}`, 'operator'],
      ['role revoke', 'role-revoke', '1', `clerk-${n}`],
      ['account rights', 'account-rights', `clerk-${n}`, '--access-manager'],
      ['account invite', 'invitation', `clerk-${n}`],
      ['account revoke', 'account-remove', `clerk-${n}`],
      ['card lost', 'card-lost', `132567237${n}`, '--reason', 'in town'],
      ['alarm end', 'alarm-end', 'tampered', '1'],
      ['access resume', 'access-resume'],
      ['grant end', 'grant-end', 'GRANT'],
      ['person suspend', 'person-change', 'PERSON'],
      ['person remove', 'person-remove', 'PERSON'],
      ['lock register', 'lock-register', `02:CC:00:00:01:0${n}`, '--name', 'Door', '--administrator', 'admin'],
      ['lock key', 'lock-key', '1'],
      ['lock remove', 'lock-remove', 'LOCK'],
      ['hub register', 'hub-register', `02:CC:00:00:02:0${n}`, '--name', 'Hub'],
      ['hub key', 'hub-key', `02:CC:00:00:02:0${n}`],
      ['hub remove', 'hub-remove', `02:CC:00:00:02:0${n}`],
      ['pair open', 'pairing-open'],
      ['pair close', 'pairing-close'],
      ['ttlock-login create', 'ttlock-login-create', 'admin', '--name', 'Home Assistant'],
      ['ttlock-login password', 'ttlock-login-password', 'LOGIN'],
      ['ttlock-login remove', 'ttlock-login-remove', 'LOGIN'],
      ['clock accept', 'clock-accept'],
      ['backup', 'backup', '--to', n === 1 ? archive : `${archive}.2`],
    ];
    /** TOKEN and LOCK are the last one that was made. */
    const madeLast = async (what: string): Promise<string> => {
      const group = what === 'LOGIN' ? 'ttlock-login' : what.toLowerCase();
      const items = JSON.parse(await latchd(site.dataDir, group, 'list', '--json')) as Record<string, number>[];
      return String(Math.max(...items.map((item) => item[`${what.toLowerCase()}Id`] ?? 0)));
    };
    const argumentsOf = async (rest: readonly string[]) => (/^[A-Z]+$/.test(rest[0] ?? '') ? [await madeLast(rest[0] ?? '')] : rest);

    site.lock(1).tamper();
    await site.lock(1).whenEventsAcknowledged();
    const lockIds = [site.lockId(1)];
    await site.api('PUT', '/api/v1/access/people/external/HR-2', { body: { name: 'Max', credentials: [], grants: [{ lockIds }] } });
    const expected: string[] = [];
    for (const [command, action, ...rest] of story(1)) {
      const args = [...command.split(' '), ...(await argumentsOf(rest))];
      const line = await lineOf(() => latchd(site.dataDir, ...args));
      expect(line).toMatchObject({ action, username: '(this machine)', address: 'control socket', outcome: 'ok' });
    }
    const token = (await readFile(join(site.dataDir, 'admin.token'), 'utf8')).trim();
    expect(token).toBe(site.gateway.token);
    const total = (await audit()).length;
    expect(await site.gateway.stop()).toBe(0);
    for (const [command, action, ...rest] of story(2)) {
      if (withDaemonOnly.includes(command)) continue;
      await latchd(site.dataDir, ...command.split(' '), ...(await argumentsOf(rest)));
      expected.push(action);
    }
    await latchd(site.dataDir, 'verify');
    await mkdir(restored);
    await latchd(restored, 'restore', archive);
    await site.start();
    const lines = await audit();
    expect(lines.slice(0, lines.length - total).map(({ action }) => action)).toEqual(expected.toReversed());
    expect(lines.slice(0, lines.length - total)).toEqual(
      expected.map(() => expect.objectContaining({ username: '(this machine)', address: 'command line', outcome: 'ok' })),
    );
    // What was restored goes on where the backup was made, with the line of the restore behind it.
    const folder = join(restored, 'audit');
    const kept = (await Promise.all((await readdir(folder)).sort().map((name) => readFile(join(folder, name), 'utf8')))).join('');
    const last = kept
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(last.at(-1)).toMatchObject({ action: 'restore', username: '(this machine)', outcome: 'ok' });
    expect(last.some(({ action }) => action === 'card-add')).toBe(true);

    const named = commandTable(async () => undefined).flatMap((entry) =>
      'commands' in entry ? entry.commands.map(({ name }) => `${entry.name} ${name}`) : [entry.name],
    );
    // These have their lines by their routes above: here they would need a device that waits, a receiver that listens, and somebody who types.
    const byRoute = [
      ...['conformance', 'home-assistant code', 'account password', 'access import'],
      ...['pair confirm', 'webhook test', 'webhook remove'],
    ];
    // Their lines are looked for where there is a database: database/migrate.test.ts.
    const ofDatabase = ['migrate', 'recovered'];
    expect([...story(1).map(([command]) => command), ...reads, ...byRoute, ...ofDatabase, 'restore'].sort()).toEqual(named.sort());
  });
});
