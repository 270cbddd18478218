// Where in the sources an error was, though the program is bundled: by the source maps that the build leaves beside it. A package has none of
// them; its stacks name the functions, and the places in the bundle.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** By the path of the bundled file; undefined: it has no map. As many as the bundle has files. */
const maps = new Map<string, SourceMap | undefined>();

/** The stack of an error, with places in the sources where they are known. A map is read when an error first names its file. */
export function inSources(stack: string): string {
  return stack.replaceAll(/(file:\/\/\/[^\s():]+):(\d+):(\d+)/g, (place, url: string, line: string, column: string) => {
    const file = fileURLToPath(url);
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found === undefined || !('originalSource' in found)) return place;
    return `${join(dirname(file), found.originalSource)}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
