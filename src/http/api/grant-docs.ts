// Descriptions of the endpoints of grants, schedules and holidays for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

const [personId, grantId, scheduleId] = [5, 12, 3];
const onePage = { pageNo: 1, pageSize: 100, pages: 1, total: 1 };
const stay = { lockIds: [7], groupIds: [2], startDate: 1_763_000_000_000, endDate: 1_793_000_000_000, scheduleId };
const row = { grantId, ...stay, createDate: 1_763_715_700_000, createdBy: 'alice', personId, name: 'Erika M.' };
const progress = { wanted: 9, 'on-lock': 7, pending: 1, failed: 1, removing: 0 };
const warnings = [{ lockId: 4, code: 'not-supported', message: 'has no keypad' }];
const office = { scheduleId, name: 'Office', hours: [{ days: [1, 2, 3, 4, 5], from: 420, to: 1140 }] };

export const grantDocs = {
  addGrant: {
    summary: 'Give a person doors',
    description:
      'The locks that it names and those of its groups, whichever belong to them at the time, for all credentials of the person. Needs the role manager of ' +
      'each of these locks (`forbidden`). `warnings` are locks that cannot do it all; the grant is made. `conflict`: the person has twenty.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 201: 'MadeGrant' },
    examples: [{ title: 'A door and a floor', parameters: { personId }, body: stay, status: 201, answer: { grantId, locks: 9, warnings } }],
  },
  listGrants: {
    summary: 'The grants',
    description: 'Of all people; with `lockId` those that name the lock or its group, with `groupId` those that name the group.',
    requiredRole: 'access manager',
    refusals: ['lock-not-found'],
    answers: { 200: 'GrantPage' },
    examples: [{ title: 'Of a group', parameters: { groupId: 2 }, answer: { list: [row], ...onePage } }],
  },
  getGrant: {
    summary: 'A grant, and how far it has come',
    description: '`progress` counts each credential on each lock; `doneDate` is since when all of them are on their locks.',
    requiredRole: 'access manager',
    refusals: ['not-found'],
    answers: { 200: 'Grant' },
    examples: [{ title: 'Seven of nine', parameters: { grantId }, answer: { ...row, progress, doneDate: null } }],
  },
  changeGrant: {
    summary: 'Change a grant',
    description: 'An absent member stays. What it opens that was shut before needs the role manager of the lock (`forbidden`).',
    requiredRole: 'access manager',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Grant' },
    examples: [
      {
        title: 'A longer stay',
        parameters: { grantId },
        body: { endDate: 1_793_000_000_000 },
        answer: { ...row, progress, doneDate: null, warnings },
      },
    ],
  },
  endGrant: {
    summary: 'End a grant',
    description: 'Answers the grant as it was.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'GrantRow' },
    examples: [{ title: 'The stay is over', parameters: { grantId }, answer: row }],
  },
} satisfies TableDocs;

export const scheduleDocs = {
  createSchedule: {
    summary: 'Make a schedule of the week',
    description: 'Hours in the local time of the locks. `conflict`: there are a hundred.',
    requiredRole: 'gateway administrator',
    refusals: ['conflict', 'storage-unavailable'],
    answers: { 201: 'Schedule' },
    examples: [{ title: 'Office hours', body: { name: office.name, hours: office.hours }, status: 201, answer: office }],
  },
  listSchedules: {
    summary: 'The schedules',
    requiredRole: 'any account',
    answers: { 200: 'SchedulePage' },
    examples: [{ title: 'One schedule', answer: { list: [office], ...onePage } }],
  },
  changeSchedule: {
    summary: 'Change a schedule',
    description: 'All grants with it, and the passcodes that were put on locks with it, hold at the new hours from then on.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Schedule' },
    examples: [{ title: 'Another name', parameters: { scheduleId }, body: { name: 'Office' }, answer: office }],
  },
  deleteSchedule: {
    summary: 'Delete a schedule',
    description: '`conflict`: a grant has it, or a passcode that was put on a lock with it.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Office hours', parameters: { scheduleId }, answer: { success: true } }],
  },
  listHolidays: {
    summary: 'The holidays',
    requiredRole: 'any account',
    answers: { 200: 'Holidays' },
    examples: [{ title: 'Two days', answer: { dates: ['2026-12-25', '2027-01-01'] } }],
  },
  setHolidays: {
    summary: 'Say which days are holidays',
    description: 'All of them; the locks that know hours get them. On a holiday only lines with day 8 count.',
    requiredRole: 'gateway administrator',
    refusals: ['storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Two days', body: { dates: ['2026-12-25', '2027-01-01'] }, answer: { success: true } }],
  },
} satisfies TableDocs;
