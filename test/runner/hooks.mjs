// How Node loads our TypeScript in tests: without its types, and with `@jest/globals` from globals.mjs.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const globals = new URL('./globals.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  return specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context);
}

export async function load(url, context, next) {
  if (!/\.ts(\?|$)/.test(url)) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    ...{ filename, swcrc: false, sourceMaps: 'inline', inlineSourcesContent: false },
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
