// The built console. All its files are read together at the first request, so that they belong together even if an upgrade replaces
// them on the disk later.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { withEtag, withEtagCompressed } from './memoize.ts';
import type { TextAnswer } from './route.ts';

/** What the console's page may load in a browser (Content Security Policy 3): only what comes from this gateway, and nothing inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const pageHeaders = ['Content-Security-Policy', policy, 'Referrer-Policy', 'no-referrer'];

const html = 'text/html; charset=utf-8';
/** By the extension of a file; other files are not served. */
const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const notBuilt = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>latchd</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>latchd</h1>
<p>This gateway runs, and was built without its console: <code>npm run build</code> makes it.</p>
<p><a href="docs">The API</a></p>
</body>
</html>
`;

export interface ConsoleFiles {
  readonly page: TextAnswer;
  /** The files that the page refers to, by their names in the folder `assets`. A name changes with the content. */
  readonly assets: ReadonlyMap<string, TextAnswer>;
}

/** Reads the folder; if there is none, the page says that the console was not built. */
export async function readConsole(directory: string): Promise<ConsoleFiles> {
  const page = await readFile(join(directory, 'index.html')).catch(absent);
  if (page === undefined) return { page: withEtag(html, Buffer.from(notBuilt), pageHeaders), assets: new Map() };
  const names = (await readdir(join(directory, 'assets'))).filter((name) => extname(name) in contentTypes);
  const assets = await Promise.all(names.map(async (name) => [name, await asset(join(directory, 'assets', name))] as const));
  return { page: withEtag(html, page, pageHeaders), assets: new Map(assets) };
}

async function asset(file: string): Promise<TextAnswer> {
  const contentType = contentTypes[extname(file)] as string;
  const content = await readFile(file);
  // Pictures and fonts are compressed already.
  if (!contentType.includes('charset')) return { ...withEtag(contentType, content), isImmutable: true };
  return { ...(await withEtagCompressed(contentType, content)), isImmutable: true };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
