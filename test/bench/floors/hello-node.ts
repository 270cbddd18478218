// Floor: what node:http alone needs for an answer.
import { createServer } from 'node:http';
import { announce } from './announce.ts';

const body = '{"success":true}';
const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
});
await announce({ http: server });
