// Builds the console (src/console) into dist/console: index.html, and what it needs below assets/ under names that change with the content.
import { defineConfig, type Plugin } from 'vite';

/** Of uPlot the console draws one line of steps: its other lines and its legend fall away, a seventh of what a browser has to load. */
function onlyStepsOfUPlot(): Plugin {
  return {
    name: 'only-steps-of-uplot',
    transform(code, id) {
      if (!id.endsWith('/uPlot.esm.js')) return undefined;
      const exportsAt = code.indexOf('uPlot.assign = assign;');
      const cut = code.slice(0, exportsAt).replace('const showLegend = legend.show;', 'const showLegend = false;');
      if (exportsAt < 0 || cut.length === exportsAt) throw new Error('this uPlot is another than the one that this was made for');
      return { code: `${cut}uPlot.paths = { stepped };\nexport { uPlot as default };\n`, map: null };
    },
  };
}

export default defineConfig({
  root: 'src/console',
  base: './',
  publicDir: false,
  plugins: [onlyStepsOfUPlot()],
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
