// A building and a person at its console: the real daemon with simulated locks, and Debian's Chromium before it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from '@jest/globals';
import axe from 'axe-core';
import { type Browser, type Cookie, chromium, type Locator, type Page } from 'playwright-core';
import type { LockProfileInput } from '../../device-sim/lock-profile.ts';
import { offering, ownVersion, putApt, saying } from '../support/fake-apt.ts';
import { makeLoopbackCertificate } from '../support/loopback-certificate.ts';
import { type MailServer, mailLogin, startMailServer } from '../support/mail-server.ts';
import { startMosquittoFor } from '../support/mosquitto.ts';
import { openSite, type Site, until } from '../support/site.ts';
import { openWire } from '../support/site-wire.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const flags =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
/** Pictures for people are made when this is set; else a run leaves nothing behind. */
const makesPictures = process.env['LATCHD_SCREENSHOTS'] === 'true';
const pictures = resolve(import.meta.dirname, '../../src/console/screenshots');
const patienceMs = 60_000;
const engine = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0';
/** What browsers say of themselves that have a window; a narrow one is on a phone. */
const agents = {
  desk: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${engine} Safari/537.36`,
  phone: `Mozilla/5.0 (Linux; Android 10; K) ${engine} Mobile Safari/537.36`,
};

/** The stage, and on it the page of an administrator. */
export type At = () => { readonly stage: Stage; readonly page: Page };

/** Waits until what is read again and again is, as JSON, as expected. */
export async function comesTo<Value>(read: () => Promise<Value>, expected: Value): Promise<void> {
  const wanted = JSON.stringify(expected);
  await until(async () => JSON.stringify(await read()) === wanted, `it is ${wanted}`);
}

export interface Stage {
  readonly site: Site;
  /** The port of the outside broker behind the bridge `house`. */
  readonly brokerPort: number;
  /** The servers through which people are told of something. */
  readonly mail: MailServer;
  readonly ntfy: WebhookReceiver;
  /** Where the console is; stays the same when the gateway is started again. */
  readonly url: string;
  /** A new visitor, who is not signed in and has a screen of so many pixels. */
  visit(size?: { readonly width: number; readonly height: number }, locale?: string): Promise<Page>;
  /** Another site, with this page, which the browser of `page` comes by. */
  lure(page: Page, html: string): Promise<Page>;
  /**
   * Types the token in and waits until the board is live. Who does not `stay` shares the session of all visitors with this token: an account
   * may sign in a few times a minute, and have a few sessions.
   */
  signIn(page: Page, token?: string, stay?: boolean): Promise<void>;
  /** Goes to a page of the console by its address after the #. */
  go(page: Page, path: string, heading: string): Promise<void>;
  /** The same, until it has loaded what it shows. */
  show(page: Page, path: string): Promise<void>;
  /** The place of a lock on the board; `state` begins with what it says of its bolt. */
  door(page: Page, name: string, state?: string): Locator;
  /** Listens from now on; resolves with how to read, as often as wanted, each sentence that a screen reader was given to say since. */
  listen(page: Page): Promise<() => Promise<readonly string[]>>;
  /** What is wrong for people with disabilities (WCAG 2.2 A and AA), or of that with the colours alone. */
  barriers(page: Page, of?: 'everything' | 'colours'): Promise<readonly string[]>;
  /** Keeps how the page looks, for the README, when pictures are asked for. */
  picture(page: Page, name: string): Promise<void>;
  /** The gateway dies, as on a power cut, and can be started again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Resolves when the page before is not shown any more: its heading may be the same. */
async function turnTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const wanted = ${JSON.stringify(`#/${path}`)};
    if (location.hash === wanted) return resolve();
    addEventListener('hashchange', () => setTimeout(resolve), { once: true });
    location.hash = wanted;
  })`);
}

/** `https`: the console is at `https://localhost`, where passkeys work. `facades`: with Home Assistant at the outside broker, and TTLock. */
export async function openStage(locks: readonly LockProfileInput[], { https = false, facades = false } = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'latchd-stage-'));
  const config = join(folder, 'latchd.yaml');
  const broker = await startMosquittoFor();
  const identity = await makeLoopbackCertificate();
  const mail = await startMailServer(identity);
  const ntfy = await startWebhookReceiver();
  await writeFile(join(folder, 'ca.crt'), identity.ca);
  await writeFile(join(folder, 'password'), mailLogin.password);
  // A receiver of webhooks may be on this machine.
  const settings = [
    'commandTimeoutMs: 2000',
    'webhooks: { networks: [127.0.0.1] }',
    'notifications:',
    '  networks: [127.0.0.1]',
    `  email: { server: "smtps://127.0.0.1:${mail.port}", username: ${mailLogin.username}, passwordFile: "${join(folder, 'password')}", from: gateway@example.org }`,
    `  ntfy: { url: "${ntfy.url}" }`,
    'devices: { enabled: true, port: 0, networks: [127.0.0.1] }',
    `bridges: [{ name: house, url: "mqtt://127.0.0.1:${broker.port}", drivers: [{ kind: discovery }] }]`,
    ...(facades
      ? [
          // Apart from what other programs announce there.
          `homeAssistant: { enabled: true, url: "mqtt://127.0.0.1:${broker.port}", account: home-assistant, commands: true, discoveryPrefix: home }`,
          'ttlock: { enabled: true }',
        ]
      : []),
    ...(https
      ? [
          'tls: auto',
          'tlsNames: [localhost]',
          'https: { enabled: true, host: 127.0.0.1, port: 0 }',
          'signIn: { administratorsNeedPasskey: true }',
        ]
      : []),
  ];
  await writeFile(config, `${settings.join('\n')}\n`);
  putApt(folder, saying(offering('99.0.0', ownVersion)));
  const environment = {
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt'),
    PATH: `${folder}:${process.env['PATH']}`,
    LATCHD_UPDATES_CHECK: 'true',
  };
  const site = await openSite({ locks, flags: ['--config', config], environment });
  const line = await openWire();
  const lead = () => line.lead(https ? site.gateway.httpsUrl : site.gateway.httpUrl);
  lead();
  const url = https ? line.url.replace(/^.*:/, 'https://localhost:') : line.url.replace(/^\w+/, 'http');
  const browser: Browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags.split(' ') });
  const strange: string[] = [];
  /** By token. */
  const sessions = new Map<string, Cookie[]>();
  if (makesPictures) await mkdir(pictures, { recursive: true });

  return {
    site,
    mail,
    ntfy,
    url,
    brokerPort: broker.port,
    async visit(size = { width: 1280, height: 800 }, locale = 'en-GB') {
      const context = await browser.newContext({
        viewport: size,
        userAgent: size.width < 480 ? agents.phone : agents.desk,
        locale,
        timezoneId: 'Europe/Berlin',
        reducedMotion: 'reduce',
        ignoreHTTPSErrors: https,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(patienceMs);
      page.on('pageerror', (error) => strange.push(error.message));
      // Refusals and a gateway that is away are part of the play.
      page.on(
        'console',
        (message) => message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()) && strange.push(message.text()),
      );
      page.on(
        'request',
        (request) => !/^(?:data:|blob:)/.test(request.url()) && !request.url().startsWith(url) && strange.push(request.url()),
      );
      await page.goto(url);
      return page;
    },
    async lure(page, html) {
      const server = createServer((_request, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(html));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const lured = await page.context().newPage();
      await lured.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await lured.getByText('tried').waitFor();
      server.closeAllConnections();
      server.close();
      return lured;
    },
    async signIn(page, token = site.gateway.token, stay = false) {
      const shared = sessions.get(token);
      if (shared !== undefined && !stay) {
        await page.context().addCookies(shared);
        await page.evaluate(`localStorage.setItem('latchd.signed-in', 'yes')`);
        await page.reload();
      } else {
        await page.getByRole('button', { name: 'Use an access token' }).click();
        await page.getByLabel('Access token').fill(token);
        if (stay) await page.getByLabel('Stay signed in').check();
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      }
      await page.getByText('Live', { exact: true }).waitFor();
      if (!stay) sessions.set(token, await page.context().cookies());
    },
    async go(page, path, heading) {
      await turnTo(page, path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    },
    async show(page, path) {
      await turnTo(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main:not(:has(.loading))').waitFor();
    },
    door(page, name, state = '') {
      const doors = page.locator('li.door').filter({ has: page.getByRole('link', { name, exact: true }) });
      return doors.filter({ has: page.locator('.fact.state').filter({ hasText: new RegExp(`^${state}`) }) });
    },
    async listen(page) {
      await page.evaluate(`{
        globalThis.heard = [];
        new MutationObserver((changes) => {
          for (const { target, addedNodes } of changes) {
            const place = target instanceof Element ? target : target.parentElement;
            if (!place?.closest('[role="status"]')) continue;
            for (const { textContent } of target === place ? addedNodes : [target]) heard.push(textContent);
          }
        }).observe(document.body, { subtree: true, childList: true, characterData: true });
      }`);
      return async () => (await page.evaluate('heard')) as readonly string[];
    },
    async barriers(page, of = 'everything') {
      if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axe.source);
      const runOnly = of === 'colours' ? ['color-contrast'] : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
      const { violations } = (await page.evaluate(
        `axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })`,
      )) as axe.AxeResults;
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`));
    },
    async picture(page, name) {
      if (!makesPictures) return;
      // What was done before is no part of it.
      await page.evaluate(`for (const dismiss of document.querySelectorAll('.toast button')) dismiss.click()`);
      await page.locator('.toast').first().waitFor({ state: 'detached' });
      await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
    },
    async kill() {
      line.lead(undefined);
      await site.kill9();
    },
    async start() {
      await site.start();
      lead();
    },
    async close() {
      await mail.down();
      await ntfy.down();
      await browser.close();
      await line.close();
      await site.close();
      await broker.end();
      await rm(folder, { recursive: true });
      expect(strange).toEqual([]);
    },
  };
}
