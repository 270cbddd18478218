// latchd home-assistant code: the code that an UNLOCK from Home Assistant must carry.
import { command, type Group } from './command.ts';
import { inWords, manageRunning } from './management.ts';
import { jsonOption, print, say } from './output.ts';
import { typedSecret } from './typed-secret.ts';

const codeRoute = '/api/v1/gateway/home-assistant/code';

const code = command<{ readonly json?: true; readonly action: 'set' | 'remove' }>({
  name: 'code',
  says: 'set the code that an UNLOCK from Home Assistant must carry, or remove it',
  settings: 'directory',
  arguments: [{ name: 'action', says: 'set: 4 to 9 digits, in place of the code before', choices: ['set', 'remove'] }],
  options: [jsonOption],
  examples: [
    ['home-assistant code set', 'asks twice, and shows nothing of it; Home Assistant asks for it from then on'],
    ['home-assistant code set < /root/code', 'the first line of the file'],
    ['home-assistant code remove', 'UNLOCK needs none from then on'],
  ],
  async run({ action, json }, { configured }) {
    const config = configured();
    const body = action === 'set' ? { code: await typedSecret('code') } : undefined;
    const route = `${body === undefined ? 'DELETE' : 'PUT'} ${codeRoute}`;
    const answer = await inWords(
      { names: { code: 'the code' } },
      manageRunning(config, (ask) => ask(route, body && { body })),
    );
    say(
      body === undefined
        ? 'UNLOCK from Home Assistant needs no code from now on'
        : 'UNLOCK from Home Assistant needs this code from now on',
    );
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export const homeAssistantGroup: Group = {
  name: 'home-assistant',
  says: 'set or remove the code that Home Assistant needs to open doors',
  commands: [code],
};
