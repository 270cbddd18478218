// Descriptions of the endpoints for what locks hold beside what is wanted on them (HTTP API 12.1).
import type { TableDocs } from '../openapi/operation.ts';

const lockId = 7;
const entry = {
  ...{ entryId: 41, lockId, kind: 'card', number: '1325672378', name: 'Spare card', personId: 5, credentialId: 12, grantIds: [3] },
  ...{ startDate: 0, endDate: 0, hours: '', once: false, scheduleId: null, status: 'pending', why: 'offline', since: 1_763_715_600_000 },
  ...{ accepted: false, lockError: null, nextDate: null, proof: null },
} as const;
const success = { success: true };

export const entryDocs = {
  listEntries: {
    summary: 'What a lock holds beside what is wanted on it',
    description: 'Each card and passcode with its status. `number` is null for passcodes, whoever asks.',
    requiredRole: 'manager',
    refusals: ['storage-unavailable'],
    answers: { 200: 'EntryPage' },
    examples: [
      {
        title: 'What waits for the lock',
        parameters: { lockId, status: 'pending' },
        answer: { list: [entry], pageNo: 1, pageSize: 100, pages: 1, total: 1 },
      },
    ],
  },
  checkEntries: {
    summary: 'Ask a lock now what it holds',
    description: 'What is gone becomes `missing`, what nobody knows a `stranger`; neither is undone by the gateway.',
    requiredRole: 'manager',
    refusals: ['lock-offline', 'lock-timeout', 'storage-unavailable'],
    answers: { 200: 'EntryCheck' },
    examples: [
      {
        title: 'One was removed at the lock',
        parameters: { lockId },
        answer: { same: 40, different: 0, missing: 1, extraneous: 2, date: 1_763_715_700_000 },
      },
    ],
  },
  decideEntry: {
    summary: 'Decide about one entry',
    description:
      '`remove`: off the lock. `restore`: back on it, of what is missing. `accept`: of what is missing, it stays away; of a stranger, it may stay as it is. `adopt`: a stranger that is a card becomes one of this person, with a grant for this lock alone. `granted`: end the grant instead; `conflict`: the decision does not fit the status; `paused`: resume first.',
    requiredRole: 'manager',
    refusals: ['granted', 'conflict', 'paused', 'card-exists', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Put it back', parameters: { lockId }, body: { entryId: 41, do: 'restore' }, answer: success }],
  },
  compareLocks: {
    summary: 'What is wanted beside what is held, of all locks',
    description: 'From memory, of the locks on which the caller is manager, with their sum. Nothing is sent.',
    requiredRole: 'any account',
    refusals: ['storage-unavailable'],
    answers: { 200: 'ComparisonPage' },
    examples: [
      {
        title: 'One lock',
        answer: {
          list: [{ lockId, unchanged: 40, different: 0, missing: 1, extraneous: 2, state: 'online', paused: false }],
          ...{ pageNo: 1, pageSize: 100, pages: 1, total: 1 },
          sum: { unchanged: 40, different: 0, missing: 1, extraneous: 2 },
        },
      },
    ],
  },
  resumeAccess: {
    summary: 'Go on after a restore',
    description: 'After a restore no card or passcode is put on a lock or taken off it until somebody has compared and resumed.',
    requiredRole: 'gateway administrator',
    refusals: ['storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'The comparison is as expected', answer: success }],
  },
} satisfies TableDocs;
