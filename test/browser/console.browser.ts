// The console in a real browser, against the real daemon and simulated locks: what a caretaker does with it, and that everybody can.
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Page } from 'playwright-core';
import { cardTests } from './cards.ts';
import { doorTests } from './doors.ts';
import { everybodyTests } from './everybody.ts';
import { facadeTests } from './facades.ts';
import { firstImpressionTests } from './first-impressions.ts';
import { homeScreenTests } from './home-screen.ts';
import { longListTests } from './long-lists.ts';
import { makeTests } from './makes.ts';
import { managementTests } from './management.ts';
import { notificationTests } from './notifications.ts';
import { peopleTests } from './people.ts';
import { recordTests } from './records.ts';
import { signInTests } from './sign-in.ts';
import { openStage, type Stage } from './stage.ts';
import { upkeepTests } from './upkeep.ts';
import { webhookTests } from './webhooks.ts';

let stage: Stage;
/** Of the administrator, who stays signed in throughout. */
let page: Page;

beforeAll(async () => {
  stage = await openStage(
    [
      { name: 'Front door', group: 'Ground floor', batteryPercent: 83 },
      { name: 'Meeting room', group: 'First floor', batteryPercent: 61 },
      { name: 'Archive', group: 'First floor', batteryPercent: 14 },
      { name: 'Garage', group: 'Ground floor', batteryPercent: 97 },
    ],
    { facades: true },
  );
  page = await stage.visit();
  await stage.signIn(page);
});
afterAll(() => stage.close());

const at = () => ({ stage, page });

describe('signing in', () => signInTests(at));
describe('doors', () => doorTests(at));
describe('cards', () => cardTests(at));
describe('records', () => recordTests(at));
describe('webhooks', () => webhookTests(at));
describe('notifications', () => notificationTests(at));
describe('management', () => managementTests(at));
describe('people', () => peopleTests(at));
describe('locks of other makes', () => makeTests(at));
describe('Home Assistant and TTLock', () => facadeTests(at));
describe('upkeep', () => upkeepTests(at));
describe('the home screen', () => homeScreenTests(at));
describe('first impressions', () => firstImpressionTests(at));
describe('for everybody', () => everybodyTests(at));
describe('long lists', () => longListTests(at));
