// What somebody sees who comes for the first time, or on a bad day: nothing that is not so, and always a next step.
import { expect, test } from '@jest/globals';
import type { At } from './stage.ts';

export function firstImpressionTests(at: At): void {
  test('a lock that is away cannot be told anything, and when it is back it can', async () => {
    const { stage, page } = at();
    await stage.go(page, `locks/${stage.site.lockId(4)}`, 'Garage');
    const unlock = page.getByRole('button', { name: 'Unlock', exact: true });
    await expect(unlock.isEnabled()).resolves.toBe(true);
    stage.site.lock(4).cutNetwork();
    await page.getByText('This lock is offline').waitFor();
    expect([await unlock.isDisabled(), await page.getByRole('button', { name: 'Lock', exact: true }).isDisabled()]).toEqual([true, true]);
    stage.site.lock(4).restoreNetwork();
    await page.getByText('This lock is offline').waitFor({ state: 'hidden' });
    expect(await unlock.isEnabled()).toBe(true);
  });

  test('while the gateway is away its word stays in sight, nothing can be pressed, and no tile looks fresh', async () => {
    const { stage } = at();
    const page = await stage.visit({ width: 800, height: 300 });
    await stage.signIn(page);
    await stage.door(page, 'Garage').waitFor();
    await stage.kill();
    const away = page.getByText('The gateway does not answer').first();
    await away.waitFor();
    await page.evaluate('content.scrollTo(0, content.scrollHeight)');
    expect(await page.evaluate('content.scrollTop')).toBeGreaterThan(100);
    const { y } = (await away.boundingBox()) ?? { y: -1 };
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(300);
    expect(await page.locator('.board').first().evaluate('(board) => getComputedStyle(board).opacity')).not.toBe('1');
    await page.evaluate(`location.hash = '#/locks/${stage.site.lockId(4)}'`);
    expect(await page.getByRole('button', { name: 'Unlock', exact: true }).isDisabled()).toBe(true);
    await stage.start();
    await page.getByText('Live', { exact: true }).waitFor();
    await stage.site.whenOnline(3);
    await page.context().close();
  });

  test('the buttons of a long dialog are in sight on a small screen', async () => {
    const { stage } = at();
    for (const size of [
      { width: 1280, height: 800 },
      { width: 360, height: 560 },
    ]) {
      const page = await stage.visit(size);
      await stage.signIn(page);
      await stage.go(page, `locks/${stage.site.lockId(1)}/cards`, 'Front door');
      await page.getByRole('button', { name: 'Add a card' }).click();
      const submit = page.getByRole('dialog').getByRole('button', { name: 'Add', exact: false }).last();
      await submit.waitFor();
      const { y, height } = (await submit.boundingBox()) ?? { y: 0, height: size.height };
      expect([size, y + height <= size.height]).toEqual([size, true]);
      await page.keyboard.press('Escape');
      // Of an invitation both are: who gives a role next must not be led to that before the link is kept.
      await stage.go(page, 'accounts', 'Accounts');
      await page.getByRole('button', { name: 'Invite admin' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
      const kept = await page.getByRole('dialog').getByRole('button', { name: 'I have it' }).boundingBox();
      const next = await page.getByRole('dialog').getByRole('button', { name: 'Give a role to admin' }).boundingBox();
      expect(kept && next && kept.y + kept.height <= size.height && (kept.y + kept.height <= next.y || kept.x + kept.width <= next.x)).toBe(
        true,
      );
      await page.context().close();
    }
  });

  test('a gateway administrator who sees no lock is told what to do next, and others why', async () => {
    const { stage } = at();
    const { site } = stage;
    for (const [username, gatewayAdministrator] of [
      ['newcomer', true],
      ['guest', false],
    ] as const) {
      await site.api('POST', '/api/v1/gateway/accounts', { body: { username, gatewayAdministrator } });
      const { body } = await site.api('POST', '/api/v1/gateway/tokens', { body: { username, name: 'first' } });
      const page = await stage.visit();
      await stage.signIn(page, String(body['token']));
      if (gatewayAdministrator) {
        // Somebody else has registered the locks.
        await page.getByRole('heading', { name: 'Take a role on the locks' }).waitFor();
        await page.getByRole('link', { name: 'Pair a lock' }).click();
        await page.getByRole('heading', { level: 1, name: 'Pair' }).waitFor();
      } else {
        await page.getByText('There are no locks yet on which you have a role.').waitFor();
        await page.getByText('Ask a gateway administrator to give guest a role').waitFor();
      }
      expect(await stage.barriers(page)).toEqual([]);
      await page.context().close();
    }
  });

  test('who is a manager of no lock is told why there is no activity, and is not led there', async () => {
    const { stage } = at();
    const { site } = stage;
    const token = await site.account('porter');
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(2)}/roles/porter`, { body: { role: 'operator' } });
    const visitor = await stage.visit();
    await stage.signIn(visitor, token);
    await stage.door(visitor, 'Meeting room').waitFor();
    const building = visitor.getByRole('list', { name: 'Building' });
    expect(await building.getByRole('link').allTextContents()).toEqual(['Locks', 'Alarms', 'Notifications', 'Webhooks']);
    await stage.go(visitor, 'activity', 'Activity');
    await visitor.getByText('you are a manager of none').waitFor();
    // Somebody has sent a link to a page that is for managers.
    await stage.go(visitor, `locks/${site.lockId(2)}/records`, 'Meeting room');
    await visitor.getByText('You may not do that.').waitFor();
    await stage.go(visitor, 'activity', 'Activity');
    expect(await stage.barriers(visitor)).toEqual([]);
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(2)}/roles/porter`, { body: { role: 'manager' } });
    await building.getByRole('link', { name: 'Activity' }).waitFor();
    await visitor.getByLabel('Door').waitFor();
    await visitor.context().close();
    await site.api('DELETE', '/api/v1/gateway/accounts/porter');
  });

  test('whoever ends an alarm is asked about this very lock, and the German log speaks German', async () => {
    const { stage } = at();
    const page = await stage.visit(undefined, 'de-DE');
    await stage.signIn(page);
    stage.site.lock(2).tamper();
    await stage.go(page, 'alarms', 'Alarme');
    await page.getByRole('button', { name: /Manip|Sabot/ }).click();
    await page.getByRole('dialog').getByText('Meeting room:').waitFor();
    await page.getByRole('dialog').getByRole('button').last().press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await stage.site.api('DELETE', `/api/v1/gateway/alarms/tampered/${stage.site.lockId(2)}`);
    await stage.go(page, 'audit', 'Protokoll');
    const rows = page.getByRole('row');
    await rows
      .getByText(`Schloss ${stage.site.lockId(2)}`)
      .first()
      .waitFor();
    expect(
      (await rows.allTextContents()).filter((text) =>
        /\b(lock|card|token|account|of lock|of person|credential|grant|schedule|entry) \d/.test(text),
      ),
    ).toEqual([]);
    await page.context().close();
  });
}
