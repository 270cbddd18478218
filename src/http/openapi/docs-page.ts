// The page at /docs: Swagger UI over the OpenAPI document. All its files come from this gateway and it has no inline script or style, so
// that it works without internet access and under a strict Content-Security-Policy.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** What this page may load in a browser (Content Security Policy 3). */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>latchd API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<main id="docs"></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** Only the page holds the token that a person enters, and forgets it when it is closed. */
const startScript = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
});
`;

interface PageFile {
  readonly contentType: string;
  /** `directory`: where the build has put the files of Swagger UI. */
  content(directory: string): Promise<Buffer>;
}

/** The files that the page needs, by their names below /docs/. */
export const pageFiles: Readonly<Record<string, PageFile>> = {
  'swagger-ui.css': { contentType: 'text/css; charset=utf-8', content: (directory) => unpacked(directory, 'swagger-ui.css.gz') },
  'swagger-ui-bundle.js': {
    contentType: 'text/javascript; charset=utf-8',
    content: (directory) => unpacked(directory, 'swagger-ui-bundle.js.gz'),
  },
  'start.js': { contentType: 'text/javascript; charset=utf-8', content: async () => Buffer.from(startScript) },
};

async function unpacked(directory: string, name: string): Promise<Buffer> {
  return promisify(gunzip)(await readFile(join(directory, name)));
}
