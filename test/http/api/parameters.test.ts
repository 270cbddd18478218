// Parameters and bodies: what is taken, what is refused, and that all of it is reported at once (HTTP API 1, 5, 6 and 8).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { paginate } from '../../../src/domain/page.ts';
import { createServerUnderTest, isGone, sampleCard, sampleToken } from '../../support/fake-services.ts';

const under = createServerUnderTest();
const bearer = `Bearer ${sampleToken}`;
let asked: readonly unknown[] = [];

beforeAll(async () => {
  const keep =
    <T>(answer: T) =>
    (...args: readonly unknown[]): T => {
      asked = args.slice(1).filter((arg) => !isGone(arg));
      return answer;
    };
  const { locks, cards, passcodes, records, registrations, accounts } = under;
  const done = Promise.resolve();
  Object.assign(locks, { battery: keep(83), list: keep(paginate([], { pageNo: 1, pageSize: 10 })), setAutoLock: keep(done) });
  Object.assign(locks, { rename: keep(done), changeSettings: keep(done) });
  Object.assign(cards, {
    add: keep(Promise.resolve(sampleCard.cardId)),
    changeValidity: keep(done),
    rename: keep(done),
    remove: keep(done),
  });
  Object.assign(passcodes, {
    add: keep(Promise.resolve({ passcodeId: 52, code: '482913' })),
    change: keep(Promise.resolve({})),
    remove: keep(Promise.resolve({})),
  });
  Object.assign(records, { page: keep(Promise.resolve(paginate([], { pageNo: 1, pageSize: 10 }))) });
  Object.assign(accounts, {
    listAccounts: keep(paginate([], { pageNo: 1, pageSize: 10 })),
    removeAccount: keep(done),
    removeToken: keep(done),
  });
  Object.assign(accounts, { createToken: keep(Promise.resolve({ token: { tokenId: 1 }, secret: 's' })) });
  const key = { lockId: 7, deviceId: 'a4c1387f02e9', deviceKey: 'k' };
  Object.assign(registrations, { register: keep(Promise.resolve(key)), grant: keep(done), remove: keep(done) });
  await under.server.start();
});

afterAll(() => under.server.stop());

function ask(call: string) {
  const [method = '', path = ''] = call.split(' ');
  return request(under.origin())[method.toLowerCase() as 'get'](path).set('Authorization', bearer);
}

/** What is wrong with a request, as `parameter message`; [] when it was taken. */
async function wrong(call: string, body?: unknown): Promise<string[]> {
  const answer = await (body === undefined
    ? ask(call)
    : ask(call)
        .set('Content-Type', 'application/json')
        .send(body as object));
  if (answer.status < 300) return [];
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid-parameter']);
  const errors = answer.body.errors as { parameter: string; message: string }[];
  const sentences = errors.map(({ parameter, message }) => `${parameter} ${message}`);
  expect(answer.body.detail).toBe(sentences.join('; '));
  return sentences;
}

describe('HTTP API 1.1: integers are plain decimal digits', () => {
  test.each([
    '',
    '%20',
    '+7',
    '7+',
    '%207',
    '1e3',
    '1.0',
    '0x10',
    'NaN',
    'Infinity',
    '--7',
    '７',
    'null',
    '7;8',
    '7,8',
    '%00',
    '7%00',
    '[7]',
  ])('lockId=%s is refused', async (value) =>
    expect(await wrong(`GET /api/v1/lock/battery?lockId=${encodeURI(decodeURI(value))}`)).toEqual([
      'lockId must be an integer in plain decimal digits',
    ]),
  );

  test.each(['0', '-7', '-0', '9007199254740992', '9007199254740993', '9'.repeat(400)])(
    'lockId=%s is refused as out of range',
    async (value) =>
      expect(await wrong(`GET /api/v1/lock/battery?lockId=${value}`)).toEqual([
        'lockId must be a positive integer not above 9007199254740991',
      ]),
  );

  test.each([
    ['7', 7],
    ['007', 7],
    ['%37', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('lockId=%s is %i', async (value, lockId) => {
    expect(await wrong(`GET /api/v1/lock/battery?lockId=${value}`)).toEqual([]);
    expect(asked).toEqual([lockId]);
  });
});

describe('HTTP API 1.1: the query string is read strictly', () => {
  test('a parameter given twice is an error, however it is spelt; an unknown one is ignored, however often', async () => {
    expect(await wrong('GET /api/v1/lock/battery?lockId=7&lockId=7')).toEqual(['lockId must be given only once']);
    expect(await wrong('GET /api/v1/lock/battery?lockId=7&lock%49d=7&lockId=8')).toEqual(['lockId must be given only once']);
    expect(await wrong('GET /api/v1/lock/battery?lockId=7&x=1&x=2&=&&%=%&__proto__=1&constructor=2&lockid=9&lockId[]=9')).toEqual([]);
  });

  test('prototype names are parameters like any other unknown one', async () => {
    expect(await wrong('GET /api/v1/lock/battery?__proto__=7&toString=7&hasOwnProperty=1')).toEqual(['lockId is required']);
    expect(await wrong('GET /api/v1/lock/battery?__proto__[lockId]=7')).toEqual(['lockId is required']);
  });

  test('malformed percent-encoding or UTF-8 is an error of that parameter', async () => {
    for (const value of ['%', '%4', '%zz', '%ff', '%C3', '%ED%A0%80', '%F4%90%80%80', '%u0041'])
      expect(await wrong(`GET /api/v1/lock/list?pageSize=10&lockAlias=${value}`)).toEqual(['lockAlias must be percent-encoded UTF-8']);
  });

  test('text is UTF-8, + is a space, and control characters are refused', async () => {
    expect(await wrong('GET /api/v1/lock/list?pageSize=10&lockAlias=T%C3%BCr+%F0%9F%9A%AA%2B')).toEqual([]);
    expect(asked[1]).toEqual({ alias: 'Tür 🚪+' });
    for (const value of ['%00', 'a%0Ab', '%7F', '%C2%85'])
      expect(await wrong(`GET /api/v1/lock/list?pageSize=10&lockAlias=${value}`)).toEqual([
        'lockAlias must not contain control characters',
      ]);
  });

  test('everything that is wrong is reported at once', async () => {
    expect(await wrong('GET /api/v1/lock/records?lockId=x&lockId=y&pageNo=0&pageSize=5&startDate=%&endDate=-1')).toEqual(
      [
        'startDate must be percent-encoded UTF-8',
        'lockId must be given only once',
        'pageNo must be a positive integer not above 9007199254740991',
        'pageSize must be between 10 and 1000',
        'endDate must be between 0 and 8640000000000000',
      ].sort((a, b) => order(a) - order(b)),
    );
    expect(await wrong('POST /api/v1/identity-card/add?startDate=5&endDate=4')).toEqual([
      'lockId is required',
      'cardNumber is required',
      'method is required',
      'addType is required',
      'endDate must not be before startDate',
    ]);
  });
});

/** Problems of reading come before problems of value. */
function order(sentence: string): number {
  return ['lockId', 'startDate', 'pageNo', 'pageSize', 'endDate'].findIndex((name) => sentence.startsWith(name));
}

describe('Specification 4.3 and HTTP API 1.3: pages', () => {
  test('pageNo is 1 unless given, pageSize is required, 10 to 1000', async () => {
    expect(await wrong('GET /api/v1/lock/list')).toEqual(['pageSize is required']);
    for (const pageSize of [9, 1001, -10]) {
      expect(await wrong(`GET /api/v1/lock/list?pageSize=${pageSize}`)).toEqual(['pageSize must be between 10 and 1000']);
    }
    for (const pageSize of [10, 1000]) {
      expect(await wrong(`GET /api/v1/lock/list?pageSize=${pageSize}`)).toEqual([]);
      expect(asked).toEqual([{ pageNo: 1, pageSize }, {}]);
    }
    expect(await wrong('GET /api/v1/lock/list?pageSize=10&pageNo=')).toEqual(['pageNo must be an integer in plain decimal digits']);
  });

  test('HTTP API 1.3: management lists have pageSize 100 unless given, 1 to 1000', async () => {
    expect(await wrong('GET /api/v1/gateway/accounts')).toEqual([]);
    expect(asked).toEqual([{ pageNo: 1, pageSize: 100 }]);
    expect(await wrong('GET /api/v1/gateway/accounts?pageSize=0')).toEqual(['pageSize must be between 1 and 1000']);
  });
});

describe('HTTP API 5: locks and records', () => {
  test('seconds is 0 to 65535', async () => {
    for (const seconds of [0, 65_535]) expect(await wrong(`POST /api/v1/lock/set-auto-lock-timer?lockId=7&seconds=${seconds}`)).toEqual([]);
    for (const seconds of [-1, 65_536])
      expect(await wrong(`POST /api/v1/lock/set-auto-lock-timer?lockId=7&seconds=${seconds}`)).toEqual([
        'seconds must be between 0 and 65535',
      ]);
  });

  test('startDate after endDate is refused; 0 or absent is open', async () => {
    const records = 'GET /api/v1/lock/records?lockId=7&pageSize=10';
    expect(await wrong(`${records}&startDate=2&endDate=1`)).toEqual(['endDate must not be before startDate']);
    for (const [query, range] of [
      ['', { startDate: 0, endDate: 0 }],
      ['&startDate=2', { startDate: 2, endDate: 0 }],
      ['&startDate=2&endDate=0', { startDate: 2, endDate: 0 }],
      ['&startDate=2&endDate=2', { startDate: 2, endDate: 2 }],
    ] as const) {
      expect(await wrong(records + query)).toEqual([]);
      expect(asked).toEqual([7, { pageNo: 1, pageSize: 10, ...range }]);
    }
  });

  test('HTTP API 1.1: an alias has 1 to 64 characters, counted as people count them', async () => {
    expect(await wrong(`PUT /api/v1/lock/rename?lockId=7&lockAlias=${encodeURIComponent('🚪'.repeat(64))}`)).toEqual([]);
    for (const alias of ['', 'x'.repeat(65), encodeURIComponent('🚪'.repeat(65))])
      expect(await wrong(`PUT /api/v1/lock/rename?lockId=7&lockAlias=${alias}`)).toEqual(['lockAlias must have 1 to 64 characters']);
  });

  test('HTTP API 5.10: settings are 1 or 2, and at least one is given', async () => {
    expect(await wrong('PUT /api/v1/lock/settings?lockId=7&openDirection=2')).toEqual([]);
    expect(await wrong('PUT /api/v1/lock/settings?lockId=7&openDirection=0&lockSound=3')).toEqual([
      'lockSound must be 1 or 2',
      'openDirection must be 1 or 2',
    ]);
    expect(await wrong('PUT /api/v1/lock/settings')).toEqual([
      'lockId is required',
      expect.stringMatching(/^lockSound or another setting must be given/),
    ]);
  });
});

describe('HTTP API 6: identity cards', () => {
  const add = 'POST /api/v1/identity-card/add?lockId=7&startDate=0&endDate=0';

  test('cardNumber is 1 to 20 decimal digits and never a number on the way', async () => {
    expect(await wrong(`${add}&method=regular&addType=1&cardNumber=00018446744073709551`)).toEqual([]);
    expect(asked).toEqual([7, { cardNumber: '00018446744073709551', byteOrder: 'regular', name: '', startDate: 0, endDate: 0 }, 'phone']);
    for (const cardNumber of ['', '-1', '1'.repeat(21), '12a', '0x1', '１２'])
      expect(await wrong(`${add}&method=regular&addType=1&cardNumber=${encodeURIComponent(cardNumber)}`)).toEqual([
        'cardNumber must be 1 to 20 decimal digits',
      ]);
  });

  test('a number above 8 bytes and an endDate in the past are reported with all else that is wrong (HTTP API 1.1)', async () => {
    const past = under.clock.now() - 1;
    const call = 'POST /api/v1/identity-card/add?lockId=7&startDate=0&addType=2';
    expect(await wrong(`${call}&method=odd&cardNumber=18446744073709551616&endDate=${past}`)).toEqual([
      'cardNumber must not be above 18446744073709551615 (8 bytes)',
      'method must be regular or reverse',
      'endDate must not be in the past',
    ]);
    expect(await wrong(`${call}&method=regular&cardNumber=18446744073709551615&endDate=${past + 1}`)).toEqual([]);
  });

  test('method is regular or reverse, addType 1 or 2, cardName at most 64 characters', async () => {
    expect(await wrong(`${add}&cardNumber=1&method=Regular&addType=3&cardName=${'x'.repeat(65)}`)).toEqual([
      'method must be regular or reverse',
      'addType must be 1 or 2',
      'cardName must have at most 64 characters',
    ]);
  });

  test('0 and 0 is always valid, an endDate of 0 an open end; endDate before startDate is refused, for changes too', async () => {
    const change = 'PUT /api/v1/identity-card/change-validity?lockId=7&cardId=41&changeType=1';
    expect(await wrong(`${change}&startDate=0&endDate=0`)).toEqual([]);
    expect(asked).toEqual([7, 41, { startDate: 0, endDate: 0 }, 'phone']);
    expect(await wrong(`${change}&startDate=-0&endDate=-0`)).toEqual([]);
    expect(asked).toEqual([7, 41, { startDate: 0, endDate: 0 }, 'phone']);
    expect(await wrong(`${change}&startDate=6&endDate=5`)).toEqual(['endDate must not be before startDate']);
    expect(await wrong(`${change}&startDate=5&endDate=0`)).toEqual([]);
    expect(asked).toEqual([7, 41, { startDate: 5, endDate: 0 }, 'phone']);
    expect(await wrong(`${change}&startDate=8640000000000000&endDate=8640000000000000`)).toEqual([]);
    expect(await wrong(`${change}&startDate=0&endDate=8640000000000001`)).toEqual(['endDate must be between 0 and 8640000000000000']);
    expect(await wrong(`${change}&startDate=-5&endDate=0`)).toEqual(['startDate must be between 0 and 8640000000000000']);
  });

  test('a card is renamed to something, and deleteType is required', async () => {
    expect(await wrong('PUT /api/v1/identity-card/rename?lockId=7&cardId=41&changeType=2&cardName=')).toEqual([
      'cardName must have 1 to 64 characters',
    ]);
    expect(await wrong('DELETE /api/v1/identity-card/delete?lockId=7&cardId=0')).toEqual([
      'cardId must be a positive integer not above 9007199254740991',
      'deleteType is required',
    ]);
  });
});

describe('HTTP API 1.1: path values are checked like parameters', () => {
  test('malformed ones are refused with 400', async () => {
    expect(await wrong('DELETE /api/v1/gateway/locks/%')).toEqual(['lockId must be percent-encoded UTF-8']);
    expect(await wrong('DELETE /api/v1/gateway/locks/%ff')).toEqual(['lockId must be percent-encoded UTF-8']);
    expect(await wrong('DELETE /api/v1/gateway/locks/1e3')).toEqual(['lockId must be an integer in plain decimal digits']);
    expect(await wrong('DELETE /api/v1/gateway/tokens/-1')).toEqual(['tokenId must be a positive integer not above 9007199254740991']);
    expect(await wrong('DELETE /api/v1/gateway/accounts/__proto__')).toEqual([expect.stringMatching(/^username must be/)]);
    expect(await wrong('DELETE /api/v1/gateway/accounts/a%2Fb')).toEqual([expect.stringMatching(/^username must be/)]);
    expect(await wrong('DELETE /api/v1/gateway/accounts/a%2540b')).toEqual([expect.stringMatching(/^username must be/)]);
  });

  test('and decoded once; the query string does not replace them', async () => {
    expect(await wrong('DELETE /api/v1/gateway/accounts/%62ob%40example.org?username=eve')).toEqual([]);
    expect(asked).toEqual(['bob@example.org']);
  });

  test('path and body are reported together', async () => {
    expect(await wrong('PUT /api/v1/gateway/locks/0/roles/-bob', { role: 'administrator', more: 1 })).toEqual([
      'lockId must be a positive integer not above 9007199254740991',
      expect.stringMatching(/^username must be/),
      'role must be operator or manager',
      'more is not known',
    ]);
  });
});

describe('HTTP API 8: bodies', () => {
  const locks = 'POST /api/v1/gateway/locks';
  const door = { lockMac: 'A4C1387F02E9', lockName: 'Door' };

  test('MAC addresses are taken with colons, hyphens or none, in either case', async () => {
    for (const lockMac of ['a4:c1:38:7f:02:e9', 'A4-C1-38-7F-02-E9', 'a4C1387f02E9']) {
      expect(await wrong(locks, { ...door, lockMac })).toEqual([]);
      expect(asked).toEqual([{ deviceId: 'a4c1387f02e9', name: 'Door' }]);
    }
    for (const lockMac of ['', 'a4:c1:38:7f:02', 'a4:c1-38:7f:02:e9', 'g4c1387f02e9'])
      expect(await wrong(locks, { ...door, lockMac })).toEqual(['lockMac must be a MAC address such as A4:C1:38:7F:02:E9']);
  });

  test('members are checked strictly, all at once, and unknown ones refused', async () => {
    expect(
      await wrong(locks, {
        lockMac: 7,
        lockAlias: 'a\u0000b',
        groupName: 'x'.repeat(65),
        noKeyPwd: null,
        timezoneRawOffset: 50_400_001,
        lockData: '\ud800',
        administrator: ' bob',
        hubId: 'a hub',
        key: 'mine',
      }),
    ).toEqual([
      'lockMac must be a string',
      'lockName is required',
      'lockAlias must not contain control characters',
      'groupName must have at most 64 characters',
      'noKeyPwd must be a string',
      'timezoneRawOffset must be between -43200000 and 50400000',
      'lockData must be well-formed Unicode',
      'hubId must be a MAC address such as A4:C1:38:7F:02:E9',
      expect.stringMatching(/^administrator must be 1 to 64 letters/),
      'key is not known',
    ]);
    for (const timezoneRawOffset of ['0', 0.5, true, 1e300]) expect(await wrong(locks, { ...door, timezoneRawOffset })).toHaveLength(1);
    for (const timezoneRawOffset of [-43_200_000, 0, 50_400_000]) expect(await wrong(locks, { ...door, timezoneRawOffset })).toEqual([]);
  });

  test('lockData is opaque text of up to 16384 characters', async () => {
    expect(await wrong(locks, { ...door, lockData: `\n${'x'.repeat(16_383)}` })).toEqual([]);
    expect(await wrong(locks, { ...door, lockData: 'x'.repeat(16_385) })).toEqual(['lockData must have at most 16384 characters']);
  });

  test('a change names at least one member', async () => {
    expect(await wrong('PUT /api/v1/gateway/locks/7', {})).toEqual(['body must have at least one member']);
    expect(await wrong('PUT /api/v1/gateway/locks/7', { lockMac: 'A4:C1:38:7F:02:E9' })).toEqual(['lockMac is not known']);
  });

  test('a token lives 1 to 3650 days or for ever', async () => {
    for (const expiresInDays of [0, 3651, 1.5])
      expect(await wrong('POST /api/v1/gateway/tokens', { username: 'bob', name: 'x', expiresInDays })).toEqual([
        'expiresInDays must be between 1 and 3650',
      ]);
    expect(await wrong('POST /api/v1/gateway/tokens', { username: 'bob', name: 'x' })).toEqual([]);
    expect(asked).toEqual([{ username: 'bob', name: 'x' }]);
  });

  test.each([
    ['', 'body must be well-formed JSON'],
    ['{', 'body must be well-formed JSON'],
    ['[]', 'body must be a JSON object'],
    ['null', 'body must be a JSON object'],
    ['"text"', 'body must be a JSON object'],
    ['{"role":"manager","role":"operator"}', 'role must be given only once'],
    ['{"role":"manager","\\u0072ole":"manager"}', 'role must be given only once'],
    ['{"role":"manager","__proto__":{"a":1}}', '__proto__ is not known'],
    ['{"role":"manager","constructor":1}', 'constructor is not known'],
    ['{"role":"manager","a":{"role":1}}', 'a is not known'],
    [`{"role":"manager","${'\\"{'.repeat(15_000)}":1}`, `${'"{'.repeat(32)} is not known`],
    [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'body must be a JSON object'],
  ])('the body %.40s is refused', async (body, message) => {
    expect(await wrong('PUT /api/v1/gateway/locks/7/roles/bob', body)).toEqual([message]);
  });

  test('a body that is not UTF-8 is refused', async () => {
    const answer = await ask('PUT /api/v1/gateway/locks/7/roles/bob')
      .set('Content-Type', 'application/json')
      .serialize((raw) => raw as string)
      .send(Buffer.from('{"role":"\xff"}', 'latin1'));
    expect([answer.status, answer.body.detail]).toEqual([400, 'body must be UTF-8']);
  });

  test('above 64 KiB is 413, another type or a content encoding 415', async () => {
    const large = await ask(locks).send({ ...door, lockData: 'x'.repeat(70_000) });
    expect([large.status, large.body.code]).toEqual([413, 'too-large']);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'application/jsonp']) {
      const answer = await ask(locks).set('Content-Type', type).send('{}');
      expect([type, answer.status, answer.body.code]).toEqual([type, 415, 'unsupported-media-type']);
    }
    const packed = await ask(locks).set('Content-Type', 'application/json').set('Content-Encoding', 'gzip').send('{}');
    expect(packed.status).toBe(415);
    const none = await ask(locks);
    expect(none.status).toBe(415);
  });
});

describe('HTTP API 12.2: passcodes', () => {
  const add = 'POST /api/v1/passcode/add?lockId=7';

  test('digits are 4 to 9, leading zeros count, and no message says them', async () => {
    expect(await wrong(`${add}&addType=2&keyboardPwdType=2&keyboardPwd=0042`)).toEqual([]);
    expect(asked).toEqual([7, { code: '0042', type: 'permanent', name: '', startDate: 0, endDate: 0 }, 'gateway']);
    for (const code of ['', '042', '1234567890', '12a4', '-1234', '１２３４'])
      expect(await wrong(`${add}&addType=2&keyboardPwdType=2&keyboardPwd=${encodeURIComponent(code)}`)).toEqual([
        'keyboardPwd must be 4 to 9 decimal digits',
      ]);
  });

  test('all that is wrong is said at once', async () => {
    const past = under.clock.now() - 1;
    expect(await wrong(`${add}&addType=1&keyboardPwdType=3&endDate=${past}&queue=1&digits=3&scheduleId=0`)).toEqual([
      'digits must be between 4 and 9',
      'scheduleId must be a positive integer not above 9007199254740991',
      'endDate must not be in the past',
      'queue must not be 1 with addType 1',
      'keyboardPwd must be given with addType 1',
    ]);
    expect(await wrong(`${add}&addType=3&keyboardPwdType=4&queue=yes`)).toEqual([
      'addType must be 1 or 2',
      'keyboardPwdType must be between 1 and 3',
      'queue must be 0 or 1',
    ]);
  });

  test('a permanent one has no dates, one for a period has some, and digits are made or given', async () => {
    expect(await wrong(`${add}&addType=2&keyboardPwdType=2&startDate=5`)).toEqual([
      'startDate and endDate must be 0 with keyboardPwdType 2',
    ]);
    expect(await wrong(`${add}&addType=2&keyboardPwdType=3`)).toEqual(['startDate or endDate must be given with keyboardPwdType 3']);
    expect(await wrong(`${add}&addType=2&keyboardPwdType=3&startDate=5`)).toEqual([]);
    expect(await wrong(`${add}&addType=2&keyboardPwdType=1&keyboardPwd=4829&digits=4`)).toEqual([
      'digits must not be given with keyboardPwd',
    ]);
  });

  test('queue=1 is for what the gateway does itself (HTTP API 12.2)', async () => {
    const one = 'lockId=7&keyboardPwdId=52';
    expect(await wrong(`PUT /api/v1/passcode/change?${one}&changeType=1&startDate=0&endDate=0&queue=1`)).toEqual([
      'queue must not be 1 with changeType 1',
    ]);
    expect(await wrong(`DELETE /api/v1/passcode/delete?${one}&deleteType=1&queue=1`)).toEqual(['queue must not be 1 with deleteType 1']);
    expect(await wrong(`DELETE /api/v1/passcode/delete?${one}&deleteType=2&queue=1`)).toEqual([]);
  });
});
