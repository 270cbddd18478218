// Descriptions of the management endpoints for the OpenAPI document (HTTP API 8).
import type { TableDocs } from '../openapi/operation.ts';

const lockId = 7;
const success = { success: true };
const deviceId = 'a4c1387f02e9';
const capabilities = {
  ...{ success: 'bolt', late: 'never', refusals: 'named', matched: true, query: true },
  ...{ events: 'exactly-once', who: 'name', wrongCodes: true },
  ...{ cards: true, passcodes: false, hours: false, once: false },
  ...{ autoLock: true, settings: true, battery: 'percent', encrypted: true, warnings: [] },
};
const managed = {
  lockId,
  deviceId,
  lockMac: 'A4:C1:38:7F:02:E9',
  lockName: 'Front door',
  lockAlias: 'Entrance',
  groupId: 2,
  groupName: 'Ground floor',
  timezoneRawOffset: 3_600_000,
  electricQuantity: 83,
  online: true,
  lastSeen: 1_763_715_660_000,
  hubId: null,
  driver: null,
  capabilities,
  strangers: 'keep',
  administrator: 'alice',
  cardsOnLock: 3,
  date: 1_700_000_000_000,
};
const issued = { lockId, deviceId, deviceKey: 'sample-device-key' };
const onePage = { pageNo: 1, pageSize: 100, pages: 1, total: 1 };

export const gatewayDocs = {
  registerLock: {
    summary: 'Register a lock',
    description:
      'With `lockMac` for a lock that speaks our own protocol: its key, which it logs in with, is shown this once. With `driver` for one of another make: `mqtt` says ' +
      'what to type into it, once; a lock over a bridge gets nothing. `conflict`: a lock or a hub has that MAC address or a lock that address, nothing listens for such ' +
      'locks, or another lock is called the same but for the case of its letters.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 201: 'IssuedKey' },
    examples: [
      {
        title: 'A lock with a login of its own',
        body: {
          lockMac: 'a4-c1-38-7f-02-e9',
          lockName: 'Front door',
          lockAlias: 'Entrance',
          groupName: 'Ground floor',
          noKeyPwd: '20261121',
          timezoneRawOffset: 3_600_000,
          lockData: 'opaque-bluetooth-keys',
          administrator: 'bob',
        },
        status: 201,
        answer: issued,
      },
    ],
  },
  listRegisteredLocks: {
    summary: 'All locks of the gateway',
    requiredRole: 'gateway administrator',
    answers: { 200: 'ManagedLockPage' },
    examples: [{ title: 'One lock', answer: { list: [managed], ...onePage } }],
  },
  changeRegisteredLock: {
    summary: 'Change what a registration says of a lock',
    description:
      'At least one member. `driver` comes whole; kind and address stay what they are. `conflict`: another lock is called the same but for the case of its letters. With `hubId` it is bound to a hub, with null to none; either way its session ends at once. The answer is the lock as it now is; after a change of its group with `access`, how many people grants open it to that they did not before, and the other way round. When grants name the old or the new group, that needs the role manager on the lock, too (`forbidden`), and so does another decision about `strangers`: with `remove` the gateway takes off the lock what nobody wants there.',
    requiredRole: 'gateway administrator',
    refusals: ['lock-not-found', 'not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'ManagedLock' },
    examples: [{ title: 'A group', parameters: { lockId }, body: { groupName: 'Ground floor' }, answer: managed }],
  },
  deleteLock: {
    summary: 'Remove a lock: its key, its roles and its cards in the gateway',
    description:
      'The lock itself still opens for the cards that it holds: `cardsOnLock` says how many. With `clear` the gateway has it remove them first; if it is away, ' +
      '`lock-offline`, and nothing is removed. If it goes away or refuses in the middle, what it removed is gone, the lock stays registered with the ' +
      'others, and `detail` says how far it came. Its records stay for as long as records are kept, for who was its administrator and for gateway administrators.',
    requiredRole: 'gateway administrator',
    refusals: ['lock-not-found', 'not-supported', 'lock-offline', 'lock-busy', 'lock-timeout', 'lock-refused', 'storage-unavailable'],
    answers: { 200: 'Removal' },
    examples: [{ title: 'A lock that holds three cards', parameters: { lockId }, answer: { success: true, cardsOnLock: 3 } }],
  },
  listRemovedLocks: {
    summary: 'Locks that were removed and have records still, the newest removal first',
    description: 'Their records are at `lock/records`, by the lockId that they had.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'RemovedLockPage' },
    examples: [
      {
        title: 'One lock',
        answer: {
          list: [
            {
              ...{ lockId, deviceId, lockMac: 'A4:C1:38:7F:02:E9', lockName: 'Front door', lockAlias: 'Entrance' },
              ...{ administrator: 'alice', removeDate: 1_763_715_700_000, removedBy: 'bob' },
            },
          ],
          ...onePage,
        },
      },
    ],
  },
  renewLockKey: {
    summary: 'Make a new key for a lock',
    description:
      'The old key and its session end at once. The key, or the login of a lock of another make, is shown this once. `conflict`: a bridge speaks for the lock.',
    requiredRole: 'gateway administrator',
    refusals: ['lock-not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'IssuedKey' },
    examples: [{ title: 'A new key', parameters: { lockId }, answer: issued }],
  },
  appointAdministrator: {
    summary: 'Appoint the administrator of a lock',
    requiredRole: 'gateway administrator',
    refusals: ['lock-not-found', 'not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Bob', parameters: { lockId }, body: { username: 'bob' }, answer: success }],
  },
  listRoles: {
    summary: 'Who may do what on a lock',
    description: 'Its administrator first, then by username.',
    requiredRole: 'administrator or gateway administrator',
    answers: { 200: 'GrantedRolePage' },
    examples: [
      {
        title: 'An administrator and a manager',
        parameters: { lockId },
        answer: {
          list: [
            { username: 'alice', role: 'administrator' },
            { username: 'bob', role: 'manager' },
          ],
          ...{ ...onePage, total: 2 },
        },
      },
    ],
  },
  grantRole: {
    summary: 'Make an account operator or manager of a lock',
    description: '`conflict`: it is the administrator of the lock.',
    requiredRole: 'administrator or gateway administrator',
    refusals: ['lock-not-found', 'not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'A manager', parameters: { lockId, username: 'bob@example.org' }, body: { role: 'manager' }, answer: success }],
  },
  revokeRole: {
    summary: 'Take a role on a lock away',
    requiredRole: 'administrator or gateway administrator',
    refusals: ['lock-not-found', 'not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Bob', parameters: { lockId, username: 'bob' }, answer: success }],
  },
  gatewayStatus: {
    summary: 'The figures of the gateway',
    description:
      'There are more than are listed here; what each is and how large it may become is in the table of limits that comes with latchd.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'GatewayStatus' },
    examples: [
      {
        title: 'Some of them',
        answer: {
          ...{ version: '0.1.0', uptimeSeconds: 100, locks: 2, online: 1, pairingOpen: false, pendingDevices: 0 },
          update: { state: 'available', version: '0.2.0', reason: null, askedDate: 1_763_715_600_000, lookedDate: 1_763_690_400_000 },
        },
      },
    ],
  },
} satisfies TableDocs;
