// What people are told, from the real daemon over a real mail server and an ntfy server, whoever is away or killed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeLoopbackCertificate } from '../support/loopback-certificate.ts';
import { type MailServer, mailLogin, startMailServer } from '../support/mail-server.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const own = '/api/v1/account/notifications';
const address = 'erika@example.org';
let folder: string;
let mail: MailServer;
let ntfy: WebhookReceiver;
let site: Site;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-notifications-'));
  const identity = await makeLoopbackCertificate();
  mail = await startMailServer(identity);
  ntfy = await startWebhookReceiver();
  await writeFile(join(folder, 'ca.crt'), identity.ca);
  await writeFile(join(folder, 'mail.password'), `${mailLogin.password}\n`);
  await writeFile(join(folder, 'ntfy.token'), 'tk_sesame\n');
  const config = join(folder, 'latchd.yaml');
  await writeFile(
    config,
    `notifications:
  networks: [127.0.0.0/8]
  page: https://doors.example.org
  email:
    server: smtps://127.0.0.1:${mail.port}
    username: ${mailLogin.username}
    passwordFile: ${join(folder, 'mail.password')}
    from: gateway@example.org
  ntfy:
    url: ${ntfy.url.replace('/doors', '')}
    tokenFile: ${join(folder, 'ntfy.token')}
`,
  );
  site = await openSite({
    locks: [{}, {}],
    flags: ['--config', config],
    environment: { NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt') },
  });
});
afterAll(async () => {
  await site?.close();
  await mail?.down();
  await ntfy?.down();
  await rm(folder, { recursive: true, force: true });
});

const secretIn = (text: string): string => /https:\/\/doors\.example\.org\/#\/notifications\/(\S+)/.exec(text)?.[1] ?? '';
const change = (body: object, token?: string) => site.api('PUT', own, { body, ...(token && { token }) });
const unlock = (lock: number) => site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(lock) } });
const mailAbout = (word: string) => mail.mails.filter(({ text }) => text.includes(word));
const pushes = () => ntfy.posts.map(({ body }) => JSON.parse(body) as { topic: string; title: string; message: string; priority: number });

describe('by e-mail', () => {
  test('an account is told after it has confirmed its address; one person of one thing, whatever names say', async () => {
    const alias = '=?utf-8?B?QmNjOiB4QHkuZGU=?= Küche';
    expect((await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(1)}`, { body: { lockAlias: alias } })).status).toBe(200);
    const asked = await change({ email: { address, alarms: true, events: ['unlock'] } });
    expect(asked).toMatchObject({ status: 200, body: { email: { address, confirmed: false, failure: '' } } });
    expect(mail.mails).toHaveLength(1);
    const [question] = mail.mails;
    expect(question).toMatchObject({ to: [address], subject: 'Confirm this address' });

    // Whoever opens the link without being signed in changes nothing: what is behind # does not even reach the gateway.
    const page = await fetch(`${site.gateway.httpUrl}/#/notifications/${secretIn(question?.text ?? '')}`);
    expect(page.status).toBe(200);
    expect((await site.api('GET', own)).body).toMatchObject({ email: { confirmed: false } });
    expect((await site.api('POST', `${own}/confirm`, { body: { secret: 'guess' } })).status).toBe(404);
    const other = await site.account('other');
    expect((await site.api('POST', `${own}/confirm`, { body: { secret: secretIn(question?.text ?? '') }, token: other })).status).toBe(404);
    const confirmed = await site.api('POST', `${own}/confirm`, { body: { secret: secretIn(question?.text ?? '') } });
    expect(confirmed).toMatchObject({ status: 200, body: { email: { confirmed: true } } });

    expect((await unlock(1)).status).toBe(200);
    await until(() => mailAbout('unlocked').length === 1, 'the mail has come');
    const [told] = mailAbout('unlocked');
    expect(told).toMatchObject({ to: [address], subject: '= ?utf-8?B?QmNjOiB4QHkuZGU= ?= Küche: unlocked by admin' });
    expect([...(told?.headers.keys() ?? [])]).not.toContain('bcc');
    expect(told?.headers.get('to')).toBe(address);
    expect(told?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(told?.headers.get('message-id')).toMatch(/^<[\w-]+@example\.org>$/);
  });

  test('a test arrives, in the language of the account; addresses that could be more than one are refused', async () => {
    await change({ language: 'de' });
    const tested = await site.api('POST', `${own}/test`, { body: { channel: 'email' } });
    expect(tested).toMatchObject({ status: 200, body: { delivered: true, status: 250, reason: '' } });
    expect(mail.mails.at(-1)).toMatchObject({ to: [address], subject: 'Testnachricht' });
    await change({ language: 'en' });
    for (const hostile of [
      'a@x.org,b@x.org',
      'a@x.org\r\nBcc: b@x.org',
      '"a b"@x.org',
      'a <a@x.org>',
      'ä@x.org',
      'a@[127.0.0.1]',
      'a@x..org',
    ])
      expect(await change({ email: { address: hostile } })).toMatchObject({ status: 400, body: { code: 'invalid-parameter' } });
  });

  test('what happened is told after the gateway was killed between the event and the mail', async () => {
    await change({ email: { address, alarms: false, events: ['lock'] } });
    expect((await unlock(2)).status).toBe(200);
    await mail.down();
    expect((await site.api('POST', '/api/v1/lock/lock', { query: { lockId: site.lockId(2) } })).status).toBe(200);
    await site.lock(2).whenEventsAcknowledged();
    await site.kill9();
    expect(mailAbout(': locked by admin')).toHaveLength(0);
    await mail.up();
    await site.start();
    await until(() => mailAbout(': locked by admin').length > 0, 'what was missed is told');
  });
});

describe('by ntfy', () => {
  test('an account is told with the token of the server, and of alarms at once', async () => {
    await change({ ntfy: { topic: 'doors-erika', alarms: true, events: [] } });
    site.lock(1).tamper();
    await until(() => pushes().length === 1, 'the push has come');
    expect(pushes()[0]).toMatchObject({ topic: 'doors-erika', title: expect.stringContaining('somebody tampered with it'), priority: 4 });
    expect(ntfy.posts[0]?.headers).toMatchObject({ authorization: 'Bearer tk_sesame', 'content-type': 'application/json' });
  });

  test('what was refused is told when the server works again, and the account and the metrics say why', async () => {
    await ntfy.down();
    expect((await site.api('POST', `${own}/test`, { body: { channel: 'ntfy' } })).body).toMatchObject({ delivered: false, status: null });
    expect((await site.api('GET', own)).body).toMatchObject({ ntfy: { failure: 'no answer: ECONNREFUSED' } });
    await ntfy.up();
    expect((await site.api('POST', `${own}/test`, { body: { channel: 'ntfy' } })).body).toMatchObject({ delivered: true, status: 204 });
    expect((await site.api('GET', own)).body).toMatchObject({ ntfy: { failure: '' } });
    expect((await site.api('GET', '/api/v1/gateway/status')).body).toMatchObject({ notifications: { accounts: 1, failed: 0 } });
    expect((await site.api('GET', '/api/v1/gateway/notifications/failed')).body).toMatchObject({ total: 0 });
  });
});
