// Builds the console (src/console) into dist/console: index.html, and what it needs below assets/ under names that change with the content.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** Adds what a phone needs to put the console on its home screen (W3C Web Application Manifest): a manifest, and the icons it names. */
function homeScreen(): Plugin {
  const assets = new Map<string, string | Buffer>();
  const add = (name: string, content: string | Buffer) => {
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    const added = name.replace(/\.\w+$/, (extension) => `-${digest}${extension}`);
    assets.set(`assets/${added}`, content);
    return added;
  };
  const icon = (size: number, purpose: 'any' | 'maskable') => {
    const name = purpose === 'any' ? `icon-${size}.png` : `icon-${purpose}-${size}.png`;
    return { src: add(name, readFileSync(`src/console/icons/${name}`)), sizes: `${size}x${size}`, type: 'image/png', purpose };
  };
  const icons = [icon(192, 'any'), icon(512, 'any'), icon(512, 'maskable')];
  const colours = { theme_color: '#2b50b8', background_color: '#f5f6f8' };
  // Addresses count from the manifest, which is below assets/.
  const manifest = { name: 'latchd', short_name: 'latchd', start_url: '../', scope: '../', display: 'standalone', ...colours, icons };
  const href = add('console.webmanifest', JSON.stringify(manifest));
  return {
    name: 'home-screen',
    buildStart() {
      for (const [fileName, source] of assets) this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: () => [
      { tag: 'link', attrs: { rel: 'manifest', href: `./assets/${href}` }, injectTo: 'head' },
      { tag: 'link', attrs: { rel: 'apple-touch-icon', href: `./assets/${icons.at(-1)?.src}` }, injectTo: 'head' },
    ],
  };
}

export default defineConfig({
  root: 'src/console',
  base: './',
  publicDir: false,
  plugins: [homeScreen()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // Its policy (Content-Security-Policy) allows no data: URLs, and every browser of this target preloads modules.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
  },
});
