// Descriptions of the pairing endpoints for the OpenAPI document (HTTP API 8.3, Protocol 7).
import type { TableDocs } from '../openapi/operation.ts';

const deviceId = '0123456789ab';

export const pairingDocs = {
  openPairing: {
    summary: 'Let locks that are not registered wait to be confirmed',
    description: 'When pairing is open already, it closes then.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'PairingWindow' },
    examples: [{ title: 'For five minutes', body: { seconds: 300 }, answer: { closeDate: 1_763_716_000_000 } }],
  },
  closePairing: {
    summary: 'Close the pairing',
    description: 'Who was not confirmed is disconnected and forgotten. Closing what is closed is no error.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'Success' },
    examples: [{ title: 'Closed', answer: { success: true } }],
  },
  listDevices: {
    summary: 'The devices that wait, in the order in which they came, then those that bridges announce, by bridge and name',
    description:
      'Compare `keyFingerprint`, all 16 digits, with what the lock, its app or its label shows: a MAC address is easily claimed, and so is a key ' +
      'of which some digits agree; one of which all do is not. Devices that claim the same address with different keys are each in the list, ' +
      '`contested`. Those that bridges announce are there whether pairing is open or not, with `driver`, `name`, `make`, `model` and `refused`; these are null in one ' +
      'that waits.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'PendingDevicePage' },
    examples: [
      {
        title: 'A new lock, and one that a bridge announces',
        answer: {
          list: [
            {
              deviceId,
              lockMac: '01:23:45:67:89:AB',
              address: '10.0.0.9',
              keyFingerprint: '9f86-d081-884c-7d65',
              since: 1_763_715_650_000,
              connected: true,
              contested: false,
              hello: {
                modelNum: 'SN-9',
                hardwareRevision: '1.3',
                firmwareRevision: '6.5.07',
                featureValue: '',
                state: 'locked',
                electricQuantity: 92,
              },
              replaces: null,
              ...{ driver: null, name: null, make: null, model: null, refused: null },
            },
            {
              ...{ deviceId: '02e70059d86b', lockMac: '02:E7:00:59:D8:6B', address: 'house: zigbee2mqtt/Front Door', keyFingerprint: null },
              ...{ since: 1_763_715_650_000, connected: true, contested: false, hello: null, replaces: null },
              driver: { kind: 'zigbee2mqtt', bridge: 'house', ieee: '0x000d6f0012bc896e' },
              ...{ name: 'Front Door', make: 'Yale', model: 'YRD226HA2619', refused: null },
            },
          ],
          pageNo: 1,
          pageSize: 100,
          pages: 1,
          total: 2,
        },
      },
    ],
  },
  confirmDevice: {
    summary: 'Confirm a device: it is a lock from then on',
    description:
      'An announced device is confirmed like a new lock, without `keyFingerprint`; `conflict` when its announcement is not understood. ' +
      'For a new lock send what a registration takes but `lockMac` and `hubId`; `lockName` is required. For a replacement send none of it: the ' +
      'lock keeps its name, roles and cards. With `keyFingerprint` the device is confirmed that waits with that key; one that is contested is ' +
      'confirmed in no other way, and the others that claim its address are sent away. `conflict`: it is contested and there is no ' +
      '`keyFingerprint`, or none waits with that key, or it replace a lock that is online, or claims the address of a hub or of a lock behind one.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'ConfirmedDevice', 201: 'ConfirmedDevice' },
    examples: [
      {
        title: 'A new lock',
        parameters: { deviceId },
        body: { lockName: 'Cellar', keyFingerprint: '9f86-d081-884c-7d65' },
        status: 201,
        answer: { lockId: 9, deviceId },
      },
      { title: 'A replacement', parameters: { deviceId }, body: {}, answer: { lockId: 9, deviceId } },
    ],
  },
} satisfies TableDocs;
