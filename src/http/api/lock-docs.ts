// Descriptions of the lock endpoints for the OpenAPI document (Specification 4.1, HTTP API 5).
import type { TableDocs } from '../openapi/operation.ts';

const lockId = 7;
const success = { success: true };

export const lockDocs = {
  unlock: {
    summary: 'Unlock a door',
    description:
      'Answers when the lock has replied. `success` false with a `reason` when it received the command and could not do it. A lock that is ' +
      'unlocked already, and surely so, answers true and nothing happens. The record of it appears moments later. After `lock-timeout` the ' +
      'outcome is unknown: the bolt may move yet, so ask `lockState` until it says `Latchd-State-Sure: true`, or send the command again.',
    requiredRole: 'operator',
    refusals: ['lock-offline', 'lock-busy', 'lock-timeout'],
    answers: { 200: 'Moved' },
    examples: [{ title: 'The bolt could not move', parameters: { lockId }, answer: { success: false, reason: 'jammed' } }],
  },
  lock: {
    summary: 'Lock a door',
    description: 'As `unlock`, the other way.',
    requiredRole: 'operator',
    refusals: ['lock-offline', 'lock-busy', 'lock-timeout'],
    answers: { 200: 'Moved' },
    examples: [{ title: 'The bolt has moved', parameters: { lockId }, answer: success }],
  },
  lockState: {
    summary: 'Whether a lock is locked, as it last said',
    requiredRole: 'operator',
    refusals: ['state-unknown'],
    answers: { 200: 'LockState' },
    headers: {
      'Last-Modified': 'When the lock said so.',
      'Latchd-Lock-Online': 'Whether the lock is connected now: `true` or `false`.',
      'Latchd-State-Sure':
        'Whether it is so now: `false` while the lock is not connected or has not said its state since it connected, while a lock or unlock is ' +
        'under way, after one without a sure end, and after a jam, until the lock says it anew.',
    },
    examples: [{ title: 'Locked', parameters: { lockId }, answer: { state: 'locked' } }],
  },
  listLocks: {
    summary: 'The locks on which you have any role, by lockId',
    requiredRole: 'any account',
    answers: { 200: 'LockPage' },
    examples: [
      {
        title: 'Two locks, of which the second has never connected',
        parameters: { pageNo: 1, pageSize: 10 },
        answer: {
          list: [
            {
              lockId: 7,
              lockName: 'Front door',
              lockAlias: 'Entrance',
              lockMac: 'A4:C1:38:7F:02:E9',
              electricQuantity: 83,
              featureValue: 'F44354CD5F3',
              hasGateway: 0,
              lockData: 'opaque-bluetooth-keys',
              groupId: 2,
              groupName: 'Ground floor',
              date: 1_700_000_000_000,
            },
            {
              lockId: 8,
              lockName: 'Front door',
              lockAlias: 'Entrance',
              lockMac: 'A4:C1:38:7F:02:EA',
              electricQuantity: -1,
              featureValue: 'F44354CD5F3',
              hasGateway: 0,
              lockData: '',
              groupId: 0,
              groupName: '',
              date: 1_700_000_000_000,
            },
          ],
          pageNo: 1,
          pageSize: 10,
          pages: 1,
          total: 2,
        },
      },
    ],
  },
  battery: {
    summary: 'The battery level of a lock, as it last said',
    requiredRole: 'operator',
    refusals: ['state-unknown'],
    answers: { 200: 'Battery' },
    examples: [{ title: '83 percent', parameters: { lockId }, answer: { BatteryPercentage: 83 } }],
  },
  batteryHistory: {
    summary: 'How the battery of a lock went',
    description: 'Each level that was another than the one before, oldest first, at most one an hour and for a year.',
    requiredRole: 'operator',
    answers: { 200: 'BatteryLevelPage' },
    examples: [
      {
        title: 'It has lost a percent',
        parameters: { lockId },
        answer: {
          list: [
            { reportDate: 1_763_000_000_000, electricQuantity: 84 },
            { reportDate: 1_763_600_000_000, electricQuantity: 83 },
          ],
          pageNo: 1,
          pageSize: 1000,
          pages: 1,
          total: 2,
        },
      },
    ],
  },
  listRecords: {
    summary: 'What happened at a door, newest first',
    description:
      'A record that comes while you page moves the others on: skip a `recordId` you have had. Records are kept for six months, or less where it is configured: a range that ' +
      'begins earlier is answered from there on, one that lies wholly before is `outside-retention`. Of a lock that was removed, who was its ' +
      'administrator and gateway administrators can read them.',
    requiredRole: 'manager',
    refusals: ['outside-retention'],
    answers: { 200: 'RecordPage' },
    examples: [
      {
        title: 'A card that opened, and a passcode that did not',
        parameters: { lockId, pageNo: 1, pageSize: 20 },
        answer: {
          list: [
            {
              recordId: 1201,
              lockId,
              serverDate: 1_763_715_501_000,
              recordType: 'unlock by IC card',
              success: 1,
              keyboardPwd: '3123119183',
              lockDate: 1_763_715_500_000,
              username: 'Spare card',
            },
            {
              recordId: 1200,
              lockId,
              serverDate: 1_763_715_401_000,
              recordType: 'unlock by passcode',
              success: 0,
              keyboardPwd: '',
              lockDate: 1_763_715_400_000,
              username: '',
            },
          ],
          pageNo: 1,
          pageSize: 20,
          pages: 1,
          total: 2,
        },
      },
    ],
  },
  setAutoLockTimer: {
    summary: 'Set after how many seconds a lock locks itself',
    description: 'Answers when the lock has taken it; the lock keeps this time itself.',
    requiredRole: 'manager',
    refusals: ['not-supported', 'lock-offline', 'lock-busy', 'lock-timeout', 'lock-refused', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'After 5 s', parameters: { lockId, seconds: 5 }, answer: success }],
  },
  lockDetail: {
    summary: 'Everything about a lock, with its super passcode',
    requiredRole: 'administrator',
    refusals: ['not-lock-administrator'],
    answers: { 200: 'LockDetail' },
    examples: [
      {
        title: 'A lock',
        parameters: { lockId },
        answer: {
          lockId,
          lockName: 'Front door',
          lockAlias: 'Entrance',
          lockMac: 'A4:C1:38:7F:02:E9',
          noKeyPwd: '20261121',
          electricQuantity: 83,
          featureValue: 'F44354CD5F3',
          timezoneRawOffset: 3_600_000,
          modelNum: 'SN280',
          hardwareRevision: '1.3',
          firmwareRevision: '6.0.12',
          autoLockTime: 5,
          lockSound: 1,
          privacyLock: 2,
          tamperAlert: 1,
          resetButton: 2,
          openDirection: 1,
          passageMode: 2,
          passageModeAutoUnlock: 1,
          date: 1_700_000_000_000,
        },
      },
    ],
  },
  renameLock: {
    summary: 'Give a lock another alias',
    description: '`conflict`: another lock has it but for the case of its letters.',
    requiredRole: 'administrator',
    refusals: ['conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Another alias', parameters: { lockId, lockAlias: 'Back door' }, answer: success }],
  },
  changeLockSettings: {
    summary: 'Change switches of a lock',
    description: 'At least one of them. Answers when the lock has taken them.',
    requiredRole: 'administrator',
    refusals: ['not-supported', 'lock-offline', 'lock-busy', 'lock-timeout', 'lock-refused', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Silent, with passage mode', parameters: { lockId, lockSound: 2, passageMode: 1 }, answer: success }],
  },
} satisfies TableDocs;
