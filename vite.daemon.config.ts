// Bundles the programs with all that they import, packages too: the daemon and its commands into dist/src, the simulated locks into
// dist/device-sim. A start then reads few files, and what few need waits in files of its own: an `import()` in the sources is the border.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dictionary } from '@zxcvbn-ts/language-common';
import { defineConfig, type EnvironmentOptions, type Plugin, type Rolldown } from 'vite';
import { howManyPasswords } from './src/platform/frequent-passwords.ts';

/** The files of Swagger UI, compressed, for the page at /docs. */
function apiPageFiles(): Plugin {
  const require = createRequire(import.meta.url);
  const files = [require.resolve('swagger-ui-dist/swagger-ui.css'), require.resolve('swagger-ui-dist/swagger-ui-bundle.js')];
  return {
    name: 'api-page-files',
    generateBundle() {
      for (const file of files) {
        const source = gzipSync(readFileSync(file), { level: 9 });
        this.emitFile({ type: 'asset', fileName: `docs/${basename(file)}.gz`, source });
      }
    },
  };
}

/** What the daemon uses of packages that are much larger, by their names: modules with the same exports. */
const parts: Readonly<Record<string, () => string>> = {
  // Its router (Decision 32) is a package of its own, which Express hands on.
  express: () => "export { default as Router } from 'router';",
  // One of its lists, and of that the beginning.
  '@zxcvbn-ts/language-common': () =>
    `export const dictionary = ${JSON.stringify({ 'passwords-common': dictionary['passwords-common'].slice(0, howManyPasswords) })};`,
};

/** In the folder of the package, so that its licence counts as used. */
function partsOfPackages(): Plugin {
  const idOf = (name: string) => resolve('node_modules', name, 'part.js');
  const made = new Map(Object.entries(parts).map(([name, make]) => [idOf(name), make]));
  return {
    name: 'parts-of-packages',
    enforce: 'pre',
    resolveId: (source) => (Object.hasOwn(parts, source) ? idOf(source) : undefined),
    load: (id) => made.get(id)?.(),
  };
}

/** Functions keep their names, which the stack of an error tells. */
const small = { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: true } };

/** Programs whose entries (paths of sources, without `.ts`) keep their place; what they share and load later is in `folder`. */
function programs(
  folder: string,
  entries: readonly string[],
  minify: Rolldown.MinifyOptions | false,
  plugins: readonly Plugin[],
): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { noExternal: true },
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      target: 'node20',
      sourcemap: true,
      license: { fileName: `${folder}/licenses.md` },
      reportCompressedSize: false,
      rolldownOptions: {
        input: Object.fromEntries(entries.map((entry) => [entry, `${entry}.ts`])),
        // An entry that waits at its top level must not be imported by what it waits for.
        preserveEntrySignatures: 'strict',
        plugins: [...plugins],
        output: {
          entryFileNames: '[name].js',
          // The hash keeps a process that still runs when an upgrade replaces the files from loading a part of the other version.
          chunkFileNames: `${folder}/[name]-[hash].js`,
          comments: false,
          minify,
        },
      },
    },
  };
}

export default defineConfig({
  publicDir: false,
  plugins: [partsOfPackages()],
  // Node's own streams, as this copy of them offers by a switch of its own.
  resolve: { alias: { 'readable-stream': 'node:stream' } },
  environments: {
    // Where built-files.ts is, so that its paths count from the same place.
    daemon: programs('src/app', ['src/main', 'src/platform/mdns/discovery-thread', 'src/platform/password-thread'], small, [
      apiPageFiles(),
    ]),
    deviceSim: programs('device-sim', ['device-sim/main', 'device-sim/demo'], false, []),
  },
  builder: {
    async buildApp({ build, environments }) {
      for (const name of ['daemon', 'deviceSim']) if (environments[name] !== undefined) await build(environments[name]);
    },
  },
});
