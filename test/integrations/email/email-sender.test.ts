// Mail over a real mail server: encrypted or not at all, only to where it may go, and one message to one address, whatever names say.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { plain } from '../../../src/domain/notifications/notification-texts.ts';
import { createEmailSender } from '../../../src/integrations/email/email-sender.ts';
import { createNetworks } from '../../../src/integrations/networks.ts';
import { createClock } from '../../../src/platform/clock.ts';
import { makeLoopbackCertificate } from '../../support/loopback-certificate.ts';
import { type MailServer, mailLogin, startMailServer } from '../../support/mail-server.ts';

const message = { id: '2-alarm-7', to: 'erika@example.org', title: 'Front door: bolt is jammed', text: 'Küche\n', isUrgent: true };
const ends: (() => Promise<unknown>)[] = [];
let identity: Awaited<ReturnType<typeof makeLoopbackCertificate>>;
let folder: string;
let passwordFile: string;

beforeAll(async () => {
  identity = await makeLoopbackCertificate();
  folder = await mkdtemp(join(tmpdir(), 'latchd-mail-'));
  passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${mailLogin.password}\n`);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function mailServer(encryption?: 'tls' | 'starttls' | 'none'): Promise<MailServer> {
  const server = await startMailServer(identity, encryption);
  ends.push(server.down);
  return server;
}

function senderTo(server: string, options: { networks?: string[]; ownPorts?: number[]; timeoutMs?: number; passwordFile?: string } = {}) {
  const { networks = ['127.0.0.0/8'], ownPorts = [], timeoutMs = 20_000 } = options;
  return createEmailSender({
    ...{ server, username: mailLogin.username, passwordFile: options.passwordFile ?? passwordFile, from: 'gateway@example.org' },
    ...{
      networks: createNetworks({ networks, setting: 'notifications.networks', ownPorts: () => ownPorts }),
      timeoutMs,
      clock: createClock(),
    },
  });
}
const refused = (reason: RegExp, status: number | null = null) => ({
  ...{ delivered: false, status, reason: expect.stringMatching(reason), ms: expect.any(Number) },
});

// Trusted authorities are those of the process (NODE_EXTRA_CA_CERTS), which the end-to-end test gives to the daemon. Here nobody is trusted.
describe('a mail server', () => {
  test.each(['smtps', 'smtp'])('that cannot prove its name over %s gets nothing, not even the password', async (scheme) => {
    const { port, mails } = await mailServer(scheme === 'smtps' ? 'tls' : 'starttls');
    expect(await senderTo(`${scheme}://127.0.0.1:${port}`).send(message)).toEqual(refused(/^no answer: /));
    expect(mails).toEqual([]);
  });

  test('that does not encrypt gets nothing', async () => {
    const { port, mails } = await mailServer('none');
    expect(await senderTo(`smtp://127.0.0.1:${port}`).send(message)).toMatchObject({ delivered: false });
    expect(mails).toEqual([]);
  });

  test('that says nothing is given up after the time-out, and at the stop', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => silent.close(resolve));
    });
    const { port } = silent.address() as { port: number };
    expect(await senderTo(`smtp://127.0.0.1:${port}`, { timeoutMs: 100 }).send(message)).toEqual(refused(/no answer/));
    const sender = senderTo(`smtp://127.0.0.1:${port}`);
    const sending = sender.send(message);
    sender.stop();
    expect(await sending).toEqual(refused(/the gateway stops/));
  });

  test.each([
    ['this machine', {}, /127\.0\.0\.1 is this machine itself/, { networks: ['10.0.0.0/8'] }],
    ['the gateway itself', {}, /this gateway itself/, { ownPorts: [2525] }],
  ])('must not be %s', async (_what, _none, reason, options) => {
    expect(await senderTo('smtps://127.0.0.1:2525', options).send(message)).toEqual(refused(reason));
  });

  test.each(['169.254.169.254', '0.0.0.0', '[::1]'])('must not be at %s', async (host) => {
    expect(await senderTo(`smtps://${host}`, { networks: ['0.0.0.0/0'] }).send(message)).toEqual(refused(/^not sent: /));
  });

  test('is not asked without its password, no reason has it, and where it should be is for the operator alone', async () => {
    const withoutFile = (operatorReason: RegExp) => ({
      ...refused(/^not sent: the settings of the gateway are at fault; its log says more$/),
      operatorReason: expect.stringMatching(operatorReason),
    });
    const none = join(folder, 'none');
    expect(await senderTo('smtps://127.0.0.1:2525', { passwordFile: none }).send(message)).toEqual(
      withoutFile(/^not sent: the password file .*none cannot be read \(ENOENT\)$/),
    );
    await writeFile(none, '\n');
    expect(await senderTo('smtps://127.0.0.1:2525', { passwordFile: none }).send(message)).toEqual(withoutFile(/has no first line$/));
  });
});

test('a title is one line for any name that people give', () => {
  for (const name of ['a\r\nBcc: x@y', 'a\u0085b', 'a\u2028Bcc: x@y']) expect(plain(name)).not.toMatch(/[\r\n\u0085\u2028]/);
});
