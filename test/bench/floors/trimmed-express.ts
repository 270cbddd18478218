// Floor: Express with the trick of src/http/pipeline/server.ts (requests and responses are born with its prototypes), answering as
// many bytes as are asked for and doing nothing else.
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { announce } from './announce.ts';

const app = express();
app.disable('x-powered-by');
const bodies = new Map<string, string>();
app.get('/bytes/:count', ({ params: { count } }, response) => {
  const body = bodies.get(count) ?? 'x'.repeat(Number(count));
  bodies.set(count, body);
  response.writeHead(200, ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(body))]);
  response.end(body);
});

class BornRequest extends IncomingMessage {}
class BornResponse extends ServerResponse<BornRequest> {}
Object.setPrototypeOf(BornRequest.prototype, app.request);
Object.setPrototypeOf(BornResponse.prototype, app.response);
Object.assign(app, { request: BornRequest.prototype, response: BornResponse.prototype });
await announce({ http: createServer({ IncomingMessage: BornRequest, ServerResponse: BornResponse, noDelay: true }, app) });
