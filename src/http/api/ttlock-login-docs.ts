// Descriptions of the endpoints of TTLock logins for the OpenAPI document (HTTP API 8.12).
import type { TableDocs } from '../openapi/operation.ts';

const loginId = 3;
const clientId = '0123456789abcdef0123456789abcdef';
const clientSecret = 'fedcba9876543210fedcba9876543210';
const password = 'SamplePassword000020';
const login = {
  ...{ loginId, username: 'alice', name: 'Home Assistant', clientId, callback: 'http://192.168.1.20:8123/api/webhook/doors' },
  ...{ createDate: 1_763_715_700_000, lastUsed: null },
};

export const ttlockLoginDocs = {
  createTtlockLogin: {
    summary: 'Let a program that speaks the API of TTLock’s cloud log in as an account',
    description:
      'Client secret and password are shown this once. With `callback` the records of the account’s locks are sent there, in TTLock’s form; ' +
      '`invalid-parameter` for a URL to which nothing may be sent, as for webhooks.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 201: 'IssuedTtlockLogin' },
    examples: [
      {
        title: 'For Home Assistant',
        body: { username: 'alice', name: 'Home Assistant' },
        status: 201,
        answer: { loginId, clientId, clientSecret, password },
      },
    ],
  },
  listTtlockLogins: {
    summary: 'The TTLock logins, without their secrets',
    requiredRole: 'gateway administrator',
    answers: { 200: 'TtlockLoginPage' },
    examples: [{ title: 'One login', answer: { list: [login], pageNo: 1, pageSize: 100, pages: 1, total: 1 } }],
  },
  changeTtlockLogin: {
    summary: 'Change the name or the callback of a TTLock login',
    description: 'Its sessions go on. With `callback` null nothing is sent any more.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'TtlockLogin' },
    examples: [{ title: 'Another name', parameters: { loginId }, body: { name: 'Home Assistant' }, answer: login }],
  },
  renewTtlockPassword: {
    summary: 'Make a new password for a TTLock login',
    description: 'It is shown this once. The old one and all sessions of the login end at once; client id and client secret stay.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'IssuedTtlockPassword' },
    examples: [{ title: 'A new password', parameters: { loginId }, answer: { loginId, password } }],
  },
  deleteTtlockLogin: {
    summary: 'Delete a TTLock login',
    description: 'With its sessions and its callback: nothing of it opens a door from then on, also not a command that waits for its turn.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'A login', parameters: { loginId }, answer: { success: true } }],
  },
} satisfies TableDocs;
