// Descriptions of the sign-in endpoints for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

const alice = { username: 'alice', gatewayAdministrator: true, accessManager: true };

export const signInDocs = {
  whoIsSignedIn: {
    summary: 'Who you are',
    description: 'The account behind the token or the sign-in.',
    requiredRole: 'any account',
    answers: { 200: 'SignedIn' },
    examples: [{ title: 'Alice', answer: alice }],
  },
  signIn: {
    summary: 'Sign a browser in',
    description:
      'For a token, a cookie that scripts cannot read. It stands for the token, for 30 days, until the token or the account ends, or somebody ' +
      'signs out, over restarts of the gateway. With it instead of a token, whatever is not a GET must have the header `latchd-console: 1`, and pages of ' +
      'other origins are refused with `token-missing`.',
    requiredRole: 'nobody',
    refusals: ['forbidden'],
    answers: { 201: 'SignedIn' },
    examples: [{ title: 'With a token', body: { token: 'sample-token-of-alice' }, status: 201, answer: alice }],
  },
  signOut: {
    summary: 'Sign it out',
    description: 'Ends the sign-in of this browser, and no other.',
    requiredRole: 'any account',
    refusals: ['storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Signed out', answer: { success: true } }],
  },
} satisfies TableDocs;
