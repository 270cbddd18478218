// Descriptions of the endpoints for accounts and tokens for the OpenAPI document (HTTP API 8).
import type { TableDocs } from '../openapi/operation.ts';

const success = { success: true };
const bob = { username: 'bob', gatewayAdministrator: false, accessManager: false };
const onePage = { pageNo: 1, pageSize: 100, pages: 1, total: 1 };

export const accountDocs = {
  createAccount: {
    summary: 'Make an account',
    description: 'Without `accessManager` it does not manage people. `conflict`: the name is taken, in whatever case.',
    requiredRole: 'gateway administrator',
    refusals: ['conflict', 'storage-unavailable'],
    answers: { 201: 'Account' },
    examples: [{ title: 'Bob', body: bob, status: 201, answer: { ...bob, createDate: 1_763_715_700_000 } }],
  },
  changeAccountRights: {
    summary: 'Change the rights of an account',
    description:
      'At once, for its tokens and its open connections, too. Its roles on locks stay. `conflict`: no gateway administrator would be left.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Account' },
    examples: [
      {
        title: 'Bob manages people',
        parameters: { username: 'bob' },
        body: { gatewayAdministrator: false, accessManager: true },
        answer: { ...bob, accessManager: true, createDate: 1_763_715_700_000 },
      },
    ],
  },
  listAccounts: {
    summary: 'The accounts',
    requiredRole: 'gateway administrator',
    answers: { 200: 'AccountPage' },
    examples: [{ title: 'One account', answer: { list: [{ ...bob, createDate: 1_763_715_700_000 }], ...onePage } }],
  },
  deleteAccount: {
    summary: 'Delete an account',
    description: 'Its tokens and roles end at once. `conflict`: the last gateway administrator, or the administrator of a lock.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Bob', parameters: { username: 'bob' }, answer: success }],
  },
  createToken: {
    summary: 'Make a token for an account',
    description: 'The token is shown this once.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 201: 'IssuedToken' },
    examples: [
      {
        title: 'For thirty days',
        body: { username: 'bob', name: 'phone', expiresInDays: 30 },
        status: 201,
        answer: { tokenId: 12, token: 'sample-secret' },
      },
    ],
  },
  listTokens: {
    summary: 'The tokens, without their secrets',
    description: 'Those of the kind `ttlock` are the sessions of TTLock logins, and called as these are.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'TokenPage' },
    examples: [
      {
        title: 'A token that never expires',
        answer: {
          list: [{ tokenId: 12, kind: 'api', username: 'bob', name: 'phone', createDate: 1_763_715_700_000, expireDate: null }],
          ...onePage,
        },
      },
    ],
  },
  deleteToken: {
    summary: 'Delete a token: it is refused from now on',
    description: 'With one of the kind `ttlock` its session ends, and its refresh token with it.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'A token', parameters: { tokenId: 12 }, answer: success }],
  },
} satisfies TableDocs;
