// The board and the activity in a real browser, against the real daemon and simulated locks, at a desk and on a phone.
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Page } from 'playwright-core';
import { activityTests } from './activity.ts';
import { boardTests } from './board.ts';
import { groupTests } from './groups.ts';
import { keyboardTests } from './keyboard.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
/** Of the administrator, who stays signed in throughout. */
let page: Page;

beforeAll(async () => {
  stage = await openStage([
    { name: 'Front door', group: 'Ground floor', batteryPercent: 83 },
    { name: 'Meeting room', group: 'First floor', batteryPercent: 61 },
    { name: 'Archive', group: 'First floor', batteryPercent: 14 },
    { name: 'Garage', group: 'Ground floor', batteryPercent: 97 },
    { name: 'Cellar', group: '', batteryPercent: 55 },
  ]);
  page = await stage.visit();
  await stage.signIn(page);
});
afterAll(() => stage.close());

const at = () => ({ stage, page });

describe('the board', () => boardTests(at));
describe('groups', () => groupTests(at));
describe('activity', () => activityTests(at));
describe('by keyboard', () => keyboardTests(at));
