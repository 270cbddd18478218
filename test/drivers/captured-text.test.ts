// What a capture shows of payloads: all but the digits of codes.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { withoutCodes, withoutNumbers } from '../../src/drivers/captured-text.ts';

describe('a captured payload', () => {
  test.each([
    ['of text is shown as it is', '3,0,54321,12345,1', '3,0,54321,12345,1'],
    ['of a number is shown as it is', '42', '42'],
    [
      'loses the digits of a code',
      '{"action":"add","code":"589472","name":"Flat 12"}',
      '{"action":"add","code":"######","name":"Flat 12"}',
    ],
    ['loses the digits of a code that is a number', '{ "pin" : 1234 , "slot" : 3 }', '{ "pin" : #### , "slot" : 3 }'],
    [
      'loses them at any depth, and all within a value that has members',
      '{"a":[{"pin_code":{"user":3,"pin_code":"1234"}},{"userCode":["1",2]}],"b":5}',
      '{"a":[{"pin_code":{"user":#,"pin_code":"####"}},{"userCode":["#",#]}],"b":5}',
    ],
    ['loses those of the last used code', '{"last_used_pin_code":"4711","battery":97}', '{"last_used_pin_code":"####","battery":97}'],
    [
      'loses those of a member whose name is written otherwise',
      '{"c\\u006fde":"12","passwor\\u0064":"a1"}',
      '{"c\\u006fde":"##","passwor\\u0064":"a#"}',
    ],
    ['loses those of half a JSON', '{"x":1,"code":"12', '{"x":1,"code":"##'],
    ['loses those of JSON that goes on wrongly', '{"code":12 34},"x":5', '{"code":## ##},"x":5'],
    ['keeps what only looks like such a member', '{"codeId":12,"codes":3,"x":"code 4"}', '{"codeId":12,"codes":3,"x":"code 4"}'],
    ['keeps a text that quotes a code', '["code",12]', '["code",12]'],
    [
      'loses all digits of a line that quotes a message with a code',
      String.raw`{"level":"debug","message":"Received on 'x/set' with data '{\"pin_code\":{\"user\":3,\"pin_code\":\"4711\"}}'","n":5}`,
      String.raw`{"level":"debug","message":"Received on 'x/set' with data '{\"pin_code\":{\"user\":#,\"pin_code\":\"####\"}}'","n":5}`,
    ],
  ])('%s', (_what, payload, shown) => {
    expect(withoutCodes(payload)).toBe(shown);
  });

  test('of our own protocol loses the numbers of credentials, and all digits when it is no JSON', () => {
    const events = '{"epoch":"7d3f","events":[{"seq":"x","credential":"482913","date":17},{"seq":2,"credential":{"a":[4829]}}]}';
    const shown = '{"epoch":"7d3f","events":[{"seq":"x","credential":"######","date":17},{"seq":2,"credential":{"a":[####]}}]}';
    expect(withoutNumbers(events)).toBe(shown);
    expect(withoutNumbers('{"items":[{"number":"0042"}],"seq":12')).toBe('{"items":[{"number":"####"}],"seq":12');
    expect(withoutNumbers('passcode 864297531')).toBe('passcode #########');
  });

  test('of any JSON keeps its form, and has no digit in the value of such a member', () => {
    const names = fc.constantFrom('code', 'pin', 'pin_code', 'userCode', 'last_used_pin_code', 'password', 'other', 'x"1');
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(names, tie('value')),
      ),
    }));
    const holdsDigit = (within: unknown, isSecret = false): boolean => {
      if (typeof within !== 'object' || within === null) return isSecret && /\d/.test(String(within));
      return Object.entries(within).some(([name, inner]) =>
        holdsDigit(inner, isSecret || /^(code|pin|pin_code|userCode|last_used_pin_code|password)$/.test(name)),
      );
    };
    fc.assert(
      fc.property(value, (any) => {
        const text = JSON.stringify(any);
        const shown = withoutCodes(text);
        expect(shown).toHaveLength(text.length);
        for (const [index, character] of [...text].entries()) if (!/\d/.test(character)) expect([...shown][index]).toBe(character);
        // A blanked number is no JSON, but a text of as many characters is.
        const readable = shown.replaceAll(/"(?:[^"\\]|\\.)*"|-?#[#.e+-]*/g, (token) => (token.startsWith('"') ? token : `"${token}"`));
        expect(holdsDigit(JSON.parse(readable))).toBe(false);
      }),
    );
  });
});
