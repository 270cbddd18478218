// The console as an app on a phone, its messages, and other pages that would like to wrap it.
import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { At } from './stage.ts';

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not there');
  return { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height };
}

export function homeScreenTests(at: At): void {
  test('a phone can put the console on its home screen: the browser finds nothing wrong with the manifest, and each icon is as large as it says', async () => {
    const { stage, page } = at();
    const { url, data, errors } = await (await page.context().newCDPSession(page)).send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const manifest = JSON.parse(data ?? '') as {
      start_url: string;
      display: string;
      icons: { src: string; sizes: string; purpose: string }[];
    };
    expect([new URL(manifest.start_url, url).href, manifest.display]).toEqual([`${stage.url}/`, 'standalone']);
    for (const { src, sizes } of manifest.icons) {
      const size = await page.evaluate(
        `new Promise((resolve, reject) => Object.assign(new Image(), { src: ${JSON.stringify(new URL(src, url).href)}, onerror: reject,
          onload: ({ target }) => resolve(target.naturalWidth + 'x' + target.naturalHeight) }))`,
      );
      expect(size).toBe(sizes);
    }
    expect(manifest.icons.map(({ purpose }) => purpose)).toEqual(expect.arrayContaining(['any', 'maskable']));
  });

  test('no other page can show the console in a frame, and so lead a finger to its buttons', async () => {
    const { stage } = at();
    const visitor = await stage.visit();
    await stage.signIn(visitor);
    const lured = await stage.lure(
      visitor,
      `<iframe src="${stage.url}/" width="800" height="600"></iframe><p></p><script>
        document.querySelector('iframe').onload = () => { document.querySelector('p').textContent = 'tried'; };
      </script>`,
    );
    const [, frame] = lured.frames();
    expect(frame?.url()).toBe('chrome-error://chromewebdata/');
    await visitor.context().close();
  });

  test.each([
    ['desk', { width: 1280, height: 800 }],
    ['phone', { width: 360, height: 560 }],
  ])('a message covers nothing on a %s', async (where, size) => {
    const { stage } = at();
    const visitor = await stage.visit(size);
    await stage.signIn(visitor);
    await stage.go(visitor, 'accounts', 'Accounts');
    await visitor.getByRole('button', { name: 'New account' }).click();
    const dialog = visitor.getByRole('dialog');
    await dialog.getByLabel('Username').fill(`colleague-${where}`);
    await dialog.getByRole('button', { name: 'New account' }).click();
    const message = visitor.getByRole('status').filter({ hasText: 'has an account now' });
    await message.waitFor();
    const [toasts, page, bar] = [await boxOf(message), await boxOf(visitor.getByRole('main')), await boxOf(visitor.locator('.bar'))];
    expect(toasts.top).toBeGreaterThanOrEqual(Math.max(page.bottom, bar.bottom));
    expect(toasts.bottom).toBeLessThanOrEqual(size.height);
    expect(await stage.barriers(visitor)).toEqual([]);
    await visitor.context().close();
  });
}
