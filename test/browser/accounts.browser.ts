// Persons and their accounts, over https: invited, signed in with a password, a passkey or from another screen, and signed out from afar.
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accountTableTests } from './account-tables.ts';
import { handoverTests } from './handovers.ts';
import { guessTests, invitationTests } from './invitations.ts';
import { passkeyTests } from './passkeys.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
/** Of the administrator, who stays signed in throughout. */
let page: Page;

beforeAll(async () => {
  stage = await openStage([{ name: 'Front door', group: 'Ground floor' }], { https: true });
  page = await stage.visit();
  await stage.signIn(page);
});
afterAll(() => stage.close());

const at = () => ({ stage, page });

describe('invitations and passwords', () => invitationTests(at));
describe('passkeys', () => passkeyTests(at));
describe('a phone beside a screen', () => handoverTests(at));
describe('accounts, tokens and the audit log', () => accountTableTests(at));
describe('guesses', () => guessTests(at));
