// Descriptions of the sign-in endpoints for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

const alice = { username: 'alice', gatewayAdministrator: true, accessManager: true };
const success = { success: true };
const onePage = { pageNo: 1, pageSize: 100, pages: 1, total: 1 };
const expiresDate = 1_763_802_100_000;
const session = {
  ...{ sessionId: 'k3Vq0ZtT', username: 'alice', method: 'passkey', createDate: 1_763_715_700_000, lastUsedDate: 1_763_719_300_000 },
  ...{ expiresDate: 1_766_307_700_000, stay: true, address: '192.168.1.7', agent: 'Firefox, Android', current: false },
};
const passkey = { passkeyId: 3, name: 'phone', createDate: 1_763_715_700_000, lastUsedDate: null, host: 'gateway.local' };
const came = { agent: 'Safari, iPhone', address: '192.168.1.9', code: '4821' };
/** What a browser says for a passkey, shortened. */
const response = { id: 'sample-credential', type: 'public-key' };
const ownPages = 'Pages of other origins are refused with `forbidden`.';
const passkeyPlace = '`not-supported` without https, and where the page was opened by an address or by a name that is not of the gateway.';

export const signInDocs = {
  whoIsSignedIn: {
    summary: 'Who you are',
    description: 'The account behind the token or the session; of a session also how it was signed in, and what its account has.',
    requiredRole: 'any account',
    answers: { 200: 'WhoIsSignedIn' },
    examples: [{ title: 'Alice', answer: alice }],
  },
  signIn: {
    summary: 'Sign a browser in',
    description:
      'By a token, or by a username with its password: for a cookie that scripts cannot read. The session may do what the account may, until the account, ' +
      'or what signed it in, ends, or somebody signs out, over restarts of the gateway. With it instead of a token, whatever is not a GET must have the ' +
      'header `latchd-console: 1`, and pages of other origins are refused with `token-missing`. Guesses are slowed down before anything is computed.',
    requiredRole: 'nobody',
    refusals: ['forbidden', 'credentials-invalid', 'passkey-required'],
    answers: { 201: 'SignedIn' },
    examples: [
      { title: 'With a token', body: { token: 'sample-token-of-alice' }, status: 201, answer: { ...alice, method: 'token' } },
      {
        title: 'With a password, for thirty days',
        body: { username: 'alice', password: 'correct horse', stay: true },
        status: 201,
        answer: { ...alice, method: 'password' },
      },
    ],
  },
  signOut: {
    summary: 'Sign it out',
    description: 'Ends the session of this browser, and no other.',
    requiredRole: 'any account',
    refusals: ['storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Signed out', answer: success }],
  },
  passkeySignInOptions: {
    summary: 'What a browser needs to sign in with a passkey',
    description: `The JSON form of WebAuthn level 3, for five minutes and one use. ${passkeyPlace}`,
    requiredRole: 'nobody',
    refusals: ['forbidden', 'not-supported'],
    answers: { 200: 'PasskeyOptions' },
    examples: [{ title: 'Shortened', body: {}, answer: { options: { rpId: 'gateway.local', userVerification: 'required' } } }],
  },
  signInByPasskey: {
    summary: 'Sign a browser in with a passkey',
    description: `Nobody types a username: the passkey says whose it is. ${ownPages}`,
    requiredRole: 'nobody',
    refusals: ['forbidden', 'credentials-invalid', 'not-supported'],
    answers: { 201: 'SignedIn' },
    examples: [{ title: 'Shortened', body: { response }, status: 201, answer: { ...alice, method: 'passkey' } }],
  },
  listSessions: {
    summary: 'Your sessions',
    description: 'The latest sign-in first. Gateway administrators may ask for those of another account; others get `forbidden`.',
    requiredRole: 'any account',
    refusals: ['forbidden', 'not-found'],
    answers: { 200: 'SessionPage' },
    examples: [{ title: 'A phone', answer: { list: [session], ...onePage } }],
  },
  endOtherSessions: {
    summary: 'End all sessions but this one',
    description: 'Of your account; of another one for gateway administrators.',
    requiredRole: 'any account',
    refusals: ['forbidden', 'not-found', 'storage-unavailable'],
    answers: { 200: 'EndedSessions' },
    examples: [{ title: 'Three', answer: { success: true, ended: 3 } }],
  },
  endSession: {
    summary: 'End a session',
    description: 'One of your own, or any for gateway administrators. It is refused from now on, and its live events end at once.',
    requiredRole: 'any account',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'A lost phone', parameters: { sessionId: 'k3Vq0ZtT' }, answer: success }],
  },
  changePassword: {
    summary: 'Set your password',
    description:
      'Ends all other sessions of the account. `current` is required when the account has a password, and must be left out while it has none ' +
      '(`invalid-parameter`); then a token, or a session that goes back to one, is refused (`forbidden`), unless it is a gateway administrator’s.',
    requiredRole: 'any account',
    refusals: ['password-weak', 'credentials-invalid', 'forbidden', 'conflict', 'rate-limited', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Another one', body: { current: 'correct horse', password: 'battery staple' }, answer: success }],
  },
  listPasskeys: {
    summary: 'Your passkeys',
    requiredRole: 'any account',
    answers: { 200: 'PasskeyPage' },
    examples: [{ title: 'One', answer: { list: [passkey], ...onePage } }],
  },
  passkeyCreationOptions: {
    summary: 'What a browser needs to make a passkey',
    description: `The JSON form of WebAuthn level 3, for five minutes and one use. \`conflict\` beyond 20. ${passkeyPlace}`,
    requiredRole: 'any account',
    refusals: ['not-supported', 'conflict', 'forbidden'],
    answers: { 200: 'PasskeyOptions' },
    examples: [{ title: 'Shortened', body: {}, answer: { options: { rp: { id: 'gateway.local', name: 'latchd' } } } }],
  },
  addPasskey: {
    summary: 'Add a passkey that the browser has made',
    requiredRole: 'any account',
    refusals: ['not-supported', 'conflict', 'forbidden', 'storage-unavailable'],
    answers: { 201: 'IssuedPasskey' },
    examples: [{ title: 'Shortened', body: { name: 'phone', response }, status: 201, answer: { passkeyId: 3, name: 'phone' } }],
  },
  removePasskey: {
    summary: 'Remove a passkey',
    description: 'Ends the sessions that it signed in.',
    requiredRole: 'any account',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'That of a phone', parameters: { passkeyId: 3 }, answer: success }],
  },
  invite: {
    summary: 'Invite somebody to choose the password of an account',
    description: 'The link is shown this once, works once, and ends an earlier one of the account.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'not-supported', 'storage-unavailable'],
    answers: { 201: 'Invitation' },
    examples: [
      {
        title: 'Bob, for a day',
        parameters: { username: 'bob' },
        body: { expiresInHours: 24 },
        status: 201,
        answer: { url: 'https://gateway.local:8443/#/invitation/sample-secret', qr: '<svg/>', expiresDate },
      },
    ],
  },
  lookAtInvitation: {
    summary: 'Whom an invitation is for',
    description: `Uses nothing up. ${ownPages}`,
    requiredRole: 'nobody',
    refusals: ['forbidden', 'invitation-invalid'],
    answers: { 200: 'Invited' },
    examples: [{ title: 'Bob', body: { secret: 'sample-secret' }, answer: { username: 'bob', expiresDate } }],
  },
  acceptInvitation: {
    summary: 'Choose a password with an invitation, and sign in',
    description: `Works once; the sessions of before end. ${ownPages}`,
    requiredRole: 'nobody',
    refusals: ['forbidden', 'invitation-invalid', 'password-weak', 'storage-unavailable'],
    answers: { 201: 'SignedIn' },
    examples: [
      {
        title: 'A colleague',
        body: { secret: 'sample-secret', password: 'correct horse' },
        status: 201,
        answer: { ...alice, method: 'password' },
      },
    ],
  },
  makeHandover: {
    summary: 'Sign another browser in as this account',
    description:
      'Within two minutes, once, and only when this very session has confirmed the browser that came. Ends an earlier one of the session. A token has ' +
      'none (`forbidden`).',
    requiredRole: 'any account',
    refusals: ['forbidden', 'rate-limited', 'not-supported'],
    answers: { 201: 'IssuedHandover' },
    examples: [
      {
        title: 'For a phone',
        body: {},
        status: 201,
        answer: { handoverId: 'k3Vq0ZtT', url: 'https://gateway.local:8443/#/handover/sample-secret', qr: '<svg/>', expiresDate },
      },
    ],
  },
  handoverState: {
    summary: 'How far the handover of this session is',
    description: 'What came, once it did, is for a person to compare: `code` is on both screens.',
    requiredRole: 'any account',
    refusals: ['not-found'],
    answers: { 200: 'Handover' },
    examples: [{ title: 'A phone has come', answer: { handoverId: 'k3Vq0ZtT', state: 'claimed', expiresDate, ...came } }],
  },
  confirmHandover: {
    summary: 'Let the browser in that came',
    requiredRole: 'any account',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'It is my phone', body: { handoverId: 'k3Vq0ZtT' }, answer: success }],
  },
  cancelHandover: {
    summary: 'End the handover of this session',
    description: 'The browser that came is refused.',
    requiredRole: 'any account',
    refusals: ['not-found'],
    answers: { 200: 'Success' },
    examples: [{ title: 'It is not mine', answer: success }],
  },
  claimHandover: {
    summary: 'Come with the secret of a handover',
    description: `Works once. \`claim\` is for this browser alone; it shows \`code\` and asks for its session until that is there. ${ownPages}`,
    requiredRole: 'nobody',
    refusals: ['forbidden', 'invitation-invalid'],
    answers: { 202: 'ClaimedHandover' },
    examples: [
      { title: 'A phone', body: { secret: 'sample-secret' }, status: 202, answer: { claim: 'sample-claim', code: '4821', expiresDate } },
    ],
  },
  takeHandover: {
    summary: 'Ask whether the handover is confirmed',
    description: `Signs this browser in, once, when it is; 202 until then. ${ownPages}`,
    requiredRole: 'nobody',
    refusals: ['forbidden', 'invitation-invalid'],
    answers: { 201: 'SignedIn', 202: 'AwaitedHandover' },
    examples: [
      { title: 'Confirmed', body: { claim: 'sample-claim', stay: true }, status: 201, answer: { ...alice, method: 'handover' } },
      { title: 'Not yet', body: { claim: 'early-claim' }, status: 202, answer: { state: 'claimed' } },
    ],
  },
} satisfies TableDocs;
