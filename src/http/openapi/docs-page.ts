// The page at /docs: Swagger UI over the OpenAPI document. All its files come from this gateway and it has no inline script or style, so
// that it works without internet access and under a strict Content-Security-Policy.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

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

const require = createRequire(import.meta.url);

/** The files that the page needs, by their names below /docs/. */
export const pageFiles: Readonly<Record<string, { readonly contentType: string; content(): Promise<string | Buffer> }>> = {
  'swagger-ui.css': { contentType: 'text/css; charset=utf-8', content: () => readFile(require.resolve('swagger-ui-dist/swagger-ui.css')) },
  'swagger-ui-bundle.js': {
    contentType: 'text/javascript; charset=utf-8',
    content: () => readFile(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'start.js': { contentType: 'text/javascript; charset=utf-8', content: async () => startScript },
};
