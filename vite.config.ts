// Builds the console (src/console) into dist/console: index.html, and what it needs below assets/ under names that change with the content.
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'src/console',
  base: './',
  publicDir: false,
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
