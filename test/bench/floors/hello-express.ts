// Floor: stock Express 5, as it comes, with one route that says yes.
import { createServer } from 'node:http';
import express from 'express';
import { announce } from './announce.ts';

const app = express();
app.all('/api/v1/lock/:op', (_request, response) => {
  response.json({ success: true });
});
await announce({ http: createServer(app) });
