// The console as it was built: small enough for a phone at a bad door.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

const folder = join(import.meta.dirname, '../../dist/console');
const assets = readdirSync(join(folder, 'assets'));
const textOf = (name: string) => readFileSync(join(folder, 'assets', name), 'utf8');
const sizeOf = (files: Iterable<string>) =>
  [...files].reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, 'assets', name))).length, 0);
const languages = ['en', 'de'];

/** These files and all that they import at once; what they import later, by `import()`, is not among them. */
function withImports(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names.filter((name) => !found.has(name))) {
    found.add(name);
    const imported = [...textOf(name).matchAll(/(?:^|[;}\n])import\s*(?:[^"'()]*?from\s*)?["']\.\/([^"']+)["']/g)].map(
      ([, file]) => file as string,
    );
    withImports(imported, found);
  }
  return found;
}

const page = readFileSync(join(folder, 'index.html'), 'utf8');
const first = withImports(
  [...page.matchAll(/<(?:script|link)[^>]*(?:src|href)="\.\/assets\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file as string),
);
/** The texts of each chunk in each language: `en-….js`, `access-de-….js`. */
const textsOf = (language: string) => assets.filter((name) => new RegExp(`^(?:\\w+-)?${language}-[^.]+\\.js$`).test(name));
const texts = (language: string) => textsOf(language).filter((name) => name.startsWith(`${language}-`));

test.each(languages)('what a browser loads at first for a person who reads %s is below 60 kB when it is compressed', (language) => {
  const files = [...first, ...texts(language)];
  expect(files.map((name) => name.replace(/-.*\./, '.'))).toEqual(expect.arrayContaining(['index.js', 'index.css', `${language}.js`]));
  expect(sizeOf(files) + gzipSync(page).length).toBeLessThan(60_000);
});

test.each(languages)('each chunk that is loaded later is below 40 kB when it is compressed, for a person who reads %s', (language) => {
  const later = assets.filter((name) => /parts-[^.]+\.js$/.test(name));
  expect(later.map((name) => basename(name).replace(/-.{8}\.js$/, ''))).toEqual(expect.arrayContaining(['parts', 'account-parts']));
  for (const name of later) {
    const files = [...withImports([name])].filter((file) => !first.has(file));
    const own = textsOf(language).filter((file) => textOf(name).includes(file));
    expect(own.length).toBeLessThanOrEqual(1);
    expect(sizeOf([...files, ...own])).toBeLessThan(40_000);
  }
});
