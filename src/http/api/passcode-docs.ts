// Descriptions of the passcode endpoints for the OpenAPI document (HTTP API 12.2).
import type { TableDocs } from '../openapi/operation.ts';

const lockId = 7;
const keyboardPwdId = 52;
const success = { success: true };
const passcode = {
  keyboardPwdId,
  lockId,
  keyboardPwd: '',
  keyboardPwdName: 'Cleaner',
  keyboardPwdType: 2,
  startDate: 0,
  endDate: 0,
  sendDate: 1_762_999_000_000,
  isCustom: 0,
  senderUsername: 'alice',
} as const;
const byLock = ['not-supported', 'lock-refused', 'lock-offline', 'lock-busy', 'lock-timeout', 'storage-unavailable'] as const;
const queues =
  'With `queue=1` the gateway notes what is wanted and answers at once; the lock gets it as soon as it can, and `Latchd-Entry-Status` says how far it is: `pending`, `updating`, `removing`, or `ended` when nothing is left to do. Without `queue` the answer has no such header.';

export const passcodeDocs = {
  listPasscodes: {
    summary: 'The passcodes of a lock, by keyboardPwdId, without their digits',
    requiredRole: 'manager',
    answers: { 200: 'PasscodePage' },
    examples: [
      {
        title: 'One passcode',
        parameters: { lockId, pageNo: 1, pageSize: 10 },
        answer: { list: [passcode], pageNo: 1, pageSize: 10, pages: 1, total: 1 },
      },
    ],
  },
  addPasscode: {
    summary: 'Add a passcode to a lock',
    description: `Without \`keyboardPwd\` the gateway makes one that nobody can foresee. This answer is the only one that shows it to who asked for it. ${queues}`,
    requiredRole: 'manager',
    refusals: ['passcode-exists', 'passcode-weak', 'conflict', ...byLock],
    answers: { 200: 'AddedPasscode' },
    examples: [
      {
        title: 'One that is made, for ever',
        parameters: { lockId, addType: 2, keyboardPwdType: 2, keyboardPwdName: 'Cleaner' },
        answer: { keyboardPwdId, keyboardPwd: '482913' },
      },
    ],
  },
  changePasscode: {
    summary: 'Change when a passcode opens',
    description: `Without \`scheduleId\` its weekly hours stay as they are; 0 takes them off. ${queues}`,
    requiredRole: 'manager',
    refusals: ['not-found', 'granted', 'conflict', ...byLock],
    answers: { 200: 'Success' },
    examples: [
      {
        title: 'A period',
        parameters: { lockId, keyboardPwdId, changeType: 2, startDate: 1_763_000_000_000, endDate: 1_793_000_000_000 },
        answer: success,
      },
    ],
  },
  renamePasscode: {
    summary: 'Rename a passcode',
    description: 'Names are the gateway’s own: the lock is not asked, whatever `changeType` says.',
    requiredRole: 'manager',
    refusals: ['not-found', 'granted', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Another name', parameters: { lockId, keyboardPwdId, keyboardPwdName: 'Post', changeType: 2 }, answer: success }],
  },
  deletePasscode: {
    summary: 'Take a passcode off a lock',
    description: `That the lock no longer had it is no error. ${queues}`,
    requiredRole: 'manager',
    refusals: ['not-found', 'granted', ...byLock],
    answers: { 200: 'Success' },
    examples: [{ title: 'By the gateway', parameters: { lockId, keyboardPwdId, deleteType: 2 }, answer: success }],
  },
  passcodeDetail: {
    summary: 'A passcode with its digits',
    description: 'Each reading is a line in the audit log.',
    requiredRole: 'administrator',
    refusals: ['not-lock-administrator', 'not-found', 'storage-unavailable'],
    answers: { 200: 'Passcode' },
    examples: [{ title: 'By the administrator', parameters: { lockId, keyboardPwdId }, answer: { ...passcode, keyboardPwd: '482913' } }],
  },
} satisfies TableDocs;
