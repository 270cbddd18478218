// Descriptions of the endpoints of people and their credentials for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

const personId = 5;
const onePage = { pageNo: 1, pageSize: 100, pages: 1, total: 1 };
const success = { success: true };
const createDate = 1_763_715_700_000;
const erika = { personId, name: 'Erika M.', externalId: 'HR-4711', suspended: false, removed: false, createDate };
const fob = {
  credentialId: 12,
  ...{ kind: 'card', cardNumber: '1325672378', width: null, name: 'blue fob', startDate: 0, endDate: 0 },
  ...{ lost: null, createDate, createdBy: 'alice' },
};
const stay = { lockIds: [7], groupIds: [2], startDate: 1_763_000_000_000, endDate: 1_793_000_000_000, scheduleId: 3 };
const whole = {
  ...erika,
  note: '',
  createdBy: 'alice',
  credentials: [fob],
  grants: [{ grantId: 12, ...stay, createDate, createdBy: 'alice' }],
};

const roles = 'For access managers; what opens a door needs the role manager of its lock, too (`forbidden`).';

export const peopleDocs = {
  createPerson: {
    summary: 'Make a person',
    description: 'Without credentials and grants. `conflict`: another person has the externalId, or there are 20,000 people.',
    requiredRole: 'access manager',
    refusals: ['conflict', 'storage-unavailable'],
    answers: { 201: 'MadePerson' },
    examples: [{ title: 'Erika', body: { name: 'Erika M.', externalId: 'HR-4711' }, status: 201, answer: { personId } }],
  },
  listPeople: {
    summary: 'The people',
    description: '`search`: any part of the name or externalId, whatever the case, or a card number in any byte order.',
    requiredRole: 'access manager',
    answers: { 200: 'PeoplePage' },
    examples: [{ title: 'One person', answer: { list: [{ ...erika, credentials: 1, grants: 1 }], ...onePage } }],
  },
  putExternalPerson: {
    summary: 'Say what a person of another system has',
    description:
      'Makes the person, or makes of the one there is what the body says: what is not in it is ended. The same call again changes nothing. Cards are ' +
      'the same when their number is, passcodes when their name is (a new name makes one, which this answer alone shows), grants when locks, groups and ' +
      `schedule are; their dates are changed in place. Suspended and lost stay. ${roles}`,
    requiredRole: 'access manager',
    refusals: ['conflict', 'card-exists', 'storage-unavailable'],
    answers: { 200: 'Person', 201: 'Person' },
    examples: [
      {
        title: 'A longer stay',
        parameters: { externalId: 'HR-4711' },
        body: { name: 'Erika M.', credentials: [{ kind: 'card', cardNumber: '1325672378', name: 'blue fob' }], grants: [stay] },
        answer: whole,
      },
    ],
  },
  getPerson: {
    summary: 'A person',
    description: 'With credentials and grants; no passcode is shown.',
    requiredRole: 'access manager',
    refusals: ['not-found'],
    answers: { 200: 'Person' },
    examples: [{ title: 'Erika', parameters: { personId }, answer: whole }],
  },
  changePerson: {
    summary: 'Change or suspend a person',
    description: `While a person is suspended, no credential of theirs is on any lock that can be reached. ${roles}`,
    requiredRole: 'access manager',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Person' },
    examples: [{ title: 'Suspended', parameters: { personId }, body: { suspended: true }, answer: { ...whole, suspended: true } }],
  },
  deletePerson: {
    summary: 'Delete a person',
    description: 'Nothing of theirs is wanted from now on; the person is shown as `removed` until every lock has confirmed it.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Erika', parameters: { personId }, answer: success }],
  },
  addCredential: {
    summary: 'Give a person a card or a passcode',
    description:
      'The gateway makes passcodes, of 6 digits unless told, and shows one this once. `card-exists`: a person has this card, perhaps with its bytes in ' +
      `the other order. \`conflict\`: the person has ten. ${roles}`,
    requiredRole: 'access manager',
    refusals: ['not-found', 'card-exists', 'conflict', 'storage-unavailable'],
    answers: { 201: 'MadeCredential' },
    examples: [
      {
        title: 'A passcode',
        parameters: { personId },
        body: { kind: 'passcode', digits: 6, name: 'back door' },
        status: 201,
        answer: { credentialId: 13, passcode: '482913' },
      },
    ],
  },
  deleteCredential: {
    summary: 'Take a credential back',
    description: 'It is off every lock as soon as the lock can be reached. One that is lost is reported lost instead.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'The blue fob', parameters: { personId, credentialId: 12 }, answer: success }],
  },
} satisfies TableDocs;
