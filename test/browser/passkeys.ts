// Passkeys, with the virtual authenticator of the browser.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accept, invite, signInAs } from './invitations.ts';
import type { At } from './stage.ts';

/** The browser of this page has a device that verifies the person, such as a fingerprint reader. */
async function plugIn(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Your account' }).click();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText(`The passkey “${name}” signs you in from now on.`).waitFor();
}

export function passkeyTests(at: At): void {
  test('a passkey is added and named, signs in without a name, and when it is removed the session that it made ends', async () => {
    const { stage, page } = at();
    const laptop = await accept(stage, await invite(stage, page, 'maria'));
    await plugIn(laptop);
    await addPasskey(laptop, 'laptop');
    await laptop.getByRole('row', { name: /laptop.*localhost/ }).waitFor();
    await laptop.getByRole('button', { name: 'Add a passkey' }).click();
    await laptop.getByRole('dialog').getByLabel('Name').fill('again');
    await laptop.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click();
    await laptop.getByText('This device has a passkey for your account already.').waitFor();
    await laptop.keyboard.press('Escape');
    expect(await stage.barriers(laptop)).toEqual([]);

    await laptop.getByRole('button', { name: 'Sign out' }).click();
    const byPasskey = laptop.getByRole('button', { name: 'Sign in with a passkey' });
    await byPasskey.waitFor();
    await stage.picture(laptop, 'sign-in');
    await byPasskey.click();
    await laptop.getByText('Live', { exact: true }).waitFor();
    await laptop.getByText('Signed in as maria').waitFor();

    const other = await stage.visit();
    await signInAs(other, 'maria');
    await other.getByRole('link', { name: 'Your account' }).click();
    await other.getByRole('button', { name: 'Remove the passkey “laptop”' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await other.getByText('You have no passkeys.').waitFor();
    await laptop.getByText('Your session has ended').waitFor();
    await byPasskey.click();
    await laptop.getByRole('alert').getByText('This passkey is not known here').waitFor();
    for (const left of [laptop, other]) await left.context().close();
  });

  test('at a name that is none of the gateway, who tries a passkey is told so', async () => {
    const { stage, page } = at();
    const visitor = await page.context().newPage();
    visitor.setDefaultTimeout(60_000);
    await visitor.goto(stage.url.replace('localhost', 'doors.localhost'));
    await visitor.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await visitor.getByRole('alert').getByText('Passkeys work at the names of the gateway alone').waitFor();
    await stage.signIn(visitor, stage.site.gateway.token, true);
    await visitor.getByRole('link', { name: 'Your account' }).click();
    await visitor.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = visitor.getByRole('dialog');
    await dialog.getByLabel('Name').fill('elsewhere');
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByText('Passkeys work at the names of the gateway alone').waitFor();
    await visitor.close();
  });

  test('a gateway administrator who has a passkey is not let in by the password, and is told what to do', async () => {
    const { stage, page } = at();
    const chief = await accept(stage, await invite(stage, page, 'chief', true));
    await plugIn(chief);
    await addPasskey(chief, 'key ring');
    await chief.getByRole('button', { name: 'Sign out' }).click();
    await signInAs(chief, 'chief', 'seven wrong bottles');
    await chief.getByRole('alert').getByText('The username or the password is wrong.').waitFor();
    await signInAs(chief, 'chief');
    await chief.getByRole('alert').getByText('gateway administrators sign in with their passkey here').waitFor();
    await chief.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await chief.getByText('Signed in as chief').waitFor();
    await chief.context().close();
  });
}
