// Coming in, staying in, and being let out.
import { expect, test } from '@jest/globals';
import type { At } from './stage.ts';

export function signInTests(at: At): void {
  test('a wrong token is said to be wrong, and a right one leads to the board', async () => {
    const { stage } = at();
    const visitor = await stage.visit();
    await visitor.getByRole('button', { name: 'Use an access token' }).click();
    await visitor.getByLabel('Access token').fill('latchd_guessed');
    await visitor.getByRole('button', { name: 'Sign in' }).click();
    await visitor.getByRole('alert').getByText('not known here').waitFor();
    await stage.signIn(visitor);
    await stage.door(visitor, 'Front door', 'Locked').waitFor();
    await visitor.context().close();
  });

  test('a sign-in lasts over a reload, by a cookie that no script can read; who asks for it stays signed in when the browser is closed', async () => {
    const { stage } = at();
    const visitor = await stage.visit();
    await stage.signIn(visitor);
    await visitor.reload();
    await visitor.getByText('Live', { exact: true }).waitFor();
    expect(await visitor.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('latchd_');
    // Without an expiry the browser forgets it when it is closed.
    const expiries = async () => (await visitor.context().cookies()).map(({ expires }) => expires > 0);
    expect(await expiries()).toEqual([false]);
    await visitor.context().clearCookies();
    await visitor.reload();
    await visitor.getByText('Your session has ended').waitFor();
    await stage.signIn(visitor, stage.site.gateway.token, true);
    expect(await expiries()).toEqual([true]);
    await visitor.getByRole('button', { name: 'Sign out' }).click();
    await visitor.getByLabel('Password').waitFor();
    expect(await visitor.context().cookies()).toEqual([]);
    await visitor.context().close();
  });

  // The same host on another port is the same site to a browser: it sends the cookie along.
  test('another page in the same browser can do nothing with the cookie, and read nothing', async () => {
    const { stage } = at();
    const visitor = await stage.visit();
    await stage.signIn(visitor, stage.site.gateway.token, true);
    const unlock = `${stage.url}/api/v1/lock/unlock?lockId=1`;
    const lured = await stage.lure(
      visitor,
      `<form method="post" action="${unlock}" target="frame"></form><iframe name="frame"></iframe><p></p><script>
        const ask = (url, options) => fetch(url, { credentials: 'include', ...options }).then((answer) => answer.text(), () => 'refused');
        document.forms[0].submit();
        Promise.all([
          ask('${unlock}', { method: 'POST', mode: 'no-cors' }),
          ask('${unlock}', { method: 'POST', headers: { 'latchd-console': '1' } }),
          ask('${stage.url}/api/v1/session'),
        ]).then((answers) => setTimeout(() => { document.querySelector('p').textContent = 'tried: ' + answers; }, 500));
      </script>`,
    );
    expect(await lured.getByText('tried').textContent()).toBe('tried: ,refused,refused');
    const { body } = await stage.site.api('GET', '/api/v1/lock/records', { query: { lockId: stage.site.lockId(1), pageSize: 10 } });
    expect([body.total, stage.site.lock(1).state]).toEqual([0, 'locked']);
    await visitor.context().close();
  });

  test('when the token is revoked, the page is at its end at once', async () => {
    const { stage } = at();
    const { site } = stage;
    const token = await site.account('passer-by');
    const visitor = await stage.visit();
    await stage.signIn(visitor, token, true);
    await visitor.getByText('no locks yet').waitFor();
    await site.api('DELETE', '/api/v1/gateway/accounts/passer-by');
    await visitor.getByText('Your session has ended').waitFor();
    await visitor.context().close();
  });
}
