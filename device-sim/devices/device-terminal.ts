// The commands that a person types to act at a door of a device of another make, and the answers.
import { act, needed, percent, type Terminal, type WriteLine } from '../terminal-words.ts';
import type { DeviceFleet, DoorHandle } from './device-fleet.ts';

interface DeviceCommand {
  readonly usage: string;
  readonly help: string;
  readonly run: (handle: DoorHandle, first: string | undefined, second: string | undefined) => string;
}

const commands: ReadonlyMap<string, DeviceCommand> = new Map<string, DeviceCommand>([
  ['status', { usage: 'N', help: 'what door N and its lock are doing', run: summary }],
  ['turn', { usage: 'N', help: 'turn the key', run: ({ door }) => act(() => door.turn()) }],
  ['passcode', { usage: 'N CODE', help: 'type a code', run: ({ door }, code) => door.enterCode(needed(code, 'a code')) }],
  ['door', { usage: 'N open|close', help: 'open or close the door', run: moveDoor }],
  ['battery', { usage: 'N PERCENT', help: 'put in other batteries', run: ({ door }, text) => act(() => door.setBattery(percent(text))) }],
  ['jam', { usage: 'N', help: 'block the bolt', run: ({ door }) => act(() => door.faults.set('jam', true)) }],
  ['unjam', { usage: 'N', help: 'free the bolt', run: ({ door }) => act(() => door.faults.set('jam', false)) }],
  [
    'silent',
    {
      usage: 'N [off]',
      help: 'take commands and do nothing',
      run: ({ door }, word) => act(() => door.faults.set('silent', word !== 'off')),
    },
  ],
  ['fault', { usage: 'N NAME [off]', help: 'let something be wrong', run: setFault }],
  ['faults', { usage: 'N', help: 'what can be wrong with it', run: listFaults }],
  ['cut', { usage: 'N', help: 'break the network', run: ({ running }) => act(running.cut) }],
  ['restore', { usage: 'N', help: 'mend the network', run: ({ running }) => act(running.start) }],
  ['freeze', { usage: 'N', help: 'a connection that carries nothing', run: ({ running }) => act(running.freeze) }],
  ['thaw', { usage: 'N', help: 'let it flow again, with what was held', run: ({ running }) => act(running.thaw) }],
]);

export function createDeviceTerminal({ fleet, write }: { readonly fleet: DeviceFleet; readonly write: WriteLine }): Terminal {
  function runOnDoor(word: string, number: string | undefined, rest: readonly string[]): void {
    const command = commands.get(word);
    try {
      if (command === undefined) throw new Error(`there is no command ${word}; help lists them`);
      if (!/^[0-9]+$/.test(number ?? '')) throw new Error(`usage: ${word} ${command.usage}`);
      write(`#${number} ${command.run(fleet.door(Number(number)), rest[0], rest[1])}`);
    } catch (error) {
      write((error as Error).message);
    }
  }

  return {
    run(line) {
      const [word = '', number, ...rest] = line.trim().split(/\s+/);
      if (word === 'help') for (const text of helpLines()) write(text);
      else if (word === 'locks') for (const handle of fleet.doors) write(`#${handle.number} ${summary(handle)}`);
      else if (word !== '' && word !== 'quit' && word !== 'exit') runOnDoor(word, number, rest);
      return Promise.resolve(word !== 'quit' && word !== 'exit');
    },
  };
}

function helpLines(): string[] {
  const rows: [string, string][] = [['locks', 'all doors, one line each']];
  for (const [word, { usage, help }] of commands) rows.push([`${word} ${usage}`, help]);
  rows.push(['help', 'this list'], ['quit', 'disconnect all and leave']);
  return rows.map(([left, right]) => `  ${left.padEnd(22)}${right}`);
}

function summary({ door, running }: DoorHandle): string {
  const active = [...door.faults.known.keys()].filter((name) => door.faults.has(name));
  return [
    door.name,
    running.online ? 'online' : 'offline',
    door.describe(),
    ...(active.length > 0 ? [`wrong: ${active.join(', ')}`] : []),
  ].join('  ');
}

function moveDoor({ door }: DoorHandle, word: string | undefined): string {
  if (word !== 'open' && word !== 'close') throw new Error('usage: door N open|close');
  return door.moveDoor(word === 'open') ? 'done' : 'no: it is locked';
}

function setFault({ door }: DoorHandle, name: string | undefined, word: string | undefined): string {
  return act(() => door.faults.set(needed(name, 'the name of a fault'), word !== 'off'));
}

function listFaults({ door }: DoorHandle): string {
  return [...door.faults.known].map(([name, help]) => `${name.padEnd(20)}${help}`).join('\n   ');
}
