// The commands that a person types to act at a door, and the answers.
import type { CredentialKey, StoredPasscode } from './credential-memory.ts';
import { memoryFaults } from './faults.ts';
import type { Fleet } from './fleet.ts';
import type { HubHandle } from './hub.ts';
import type { LockHandle } from './lock-handle.ts';
import type { DoorResult } from './reader.ts';
import { act, needed, percent, type Terminal, type WriteLine } from './terminal-words.ts';

interface TerminalCommand {
  /** The arguments that follow the word, for the help. */
  readonly usage: string;
  readonly help: string;
  readonly run: (lock: LockHandle, argument: string | undefined, more: string | undefined) => Promise<string> | string;
}

const commands: ReadonlyMap<string, TerminalCommand> = new Map<string, TerminalCommand>([
  ['status', { usage: 'N', help: 'everything about lock N', run: describe }],
  [
    'swipe',
    {
      usage: 'N CARD',
      help: 'hold a card to the reader',
      run: async (lock, card) => outcome(await lock.swipeCard(needed(card, 'a card number'))),
    },
  ],
  [
    'passcode',
    { usage: 'N CODE', help: 'type a code', run: async (lock, code) => outcome(await lock.enterPasscode(needed(code, 'a code'))) },
  ],
  ['turn', { usage: 'N', help: 'turn the thumb turn on the inside', run: async (lock) => outcome(await lock.turnThumb()) }],
  ['door', { usage: 'N open|close', help: 'open or close the door', run: moveDoor }],
  ['privacy', { usage: 'N on|off', help: 'privacy bolt out or in', run: (lock, word) => act(() => lock.setPrivacyBolt(onOrOff(word))) }],
  ['tamper', { usage: 'N', help: 'open the case', run: (lock) => act(() => lock.tamper()) }],
  ['battery', { usage: 'N PERCENT', help: 'put in other batteries', run: (lock, text) => act(() => lock.setBattery(percent(text))) }],
  ['jam', { usage: 'N', help: 'block the bolt', run: (lock) => act(() => lock.jam(true)) }],
  ['unjam', { usage: 'N', help: 'free the bolt', run: (lock) => act(() => lock.jam(false)) }],
  [
    'fault',
    {
      usage: 'N NAME [off]',
      help: `what is wrong with its memory: ${memoryFaults.join(', ')}`,
      run: (lock, name, off) => fault(lock, name, off),
    },
  ],
  [
    'learn',
    {
      usage: 'N card|passcode NUMBER',
      help: 'add one with the app of the lock',
      run: (lock, kind, number) => act(() => lock.learn({ ...keyOf(kind, number), startDate: 0, endDate: 0 })),
    },
  ],
  [
    'forget',
    {
      usage: 'N card|passcode NUMBER',
      help: 'take one off with the app of the lock',
      run: (lock, kind, number) => act(() => lock.forget(keyOf(kind, number))),
    },
  ],
  ['wipe', { usage: 'N', help: 'replace its memory', run: (lock) => lock.wipe().then(() => 'done') }],
  ['silent', { usage: 'N [off]', help: 'take commands and do nothing', run: (lock, word) => act(() => lock.setSilent(word !== 'off')) }],
  ['cut', { usage: 'N', help: 'break the network', run: (lock) => act(() => lock.cutNetwork()) }],
  ['restore', { usage: 'N', help: 'mend the network', run: (lock) => act(() => lock.restoreNetwork()) }],
  ['freeze', { usage: 'N', help: 'a connection that carries nothing', run: (lock) => act(() => lock.freeze()) }],
  ['thaw', { usage: 'N', help: 'let it flow again, with what was held', run: (lock) => act(() => lock.thaw()) }],
  ['power', { usage: 'N on|off', help: 'batteries in or out', run: switchPower }],
]);

const hubCommands: ReadonlyMap<string, { readonly help: string; readonly run: (hub: HubHandle) => void }> = new Map([
  ['cut-hub', { help: 'break the network of a hub', run: (hub: HubHandle) => hub.cutNetwork() }],
  ['restore-hub', { help: 'mend it', run: (hub: HubHandle) => hub.restoreNetwork() }],
  ['freeze-hub', { help: 'its connection carries nothing', run: (hub: HubHandle) => hub.freeze() }],
  ['thaw-hub', { help: 'let it flow again, with what was held', run: (hub: HubHandle) => hub.thaw() }],
]);

export function createTerminal({ fleet, write }: { readonly fleet: Fleet; readonly write: WriteLine }): Terminal {
  return {
    async run(line) {
      const [word = '', number, ...rest] = line.trim().split(/\s+/);
      if (word === 'quit' || word === 'exit') return false;
      if (word === '') return true;
      if (word === 'help') for (const text of helpLines()) write(text);
      else if (word === 'locks') for (const lock of fleet.locks) write(summary(lock));
      else if (word === 'hubs')
        for (const { number: n, mac, online, name } of fleet.hubs) write(`#${n} ${mac}  ${online ? 'online' : 'offline'}  ${name}`);
      else if (hubCommands.has(word)) runOnHub(word, number);
      else await runOnLock(word, number, rest);
      return true;
    },
  };

  function runOnHub(word: string, number: string | undefined): void {
    try {
      if (!/^[0-9]+$/.test(number ?? '')) throw new Error(`usage: ${word} N`);
      hubCommands.get(word)?.run(fleet.hub(Number(number)));
      write(`hub ${number} done`);
    } catch (error) {
      write((error as Error).message);
    }
  }

  async function runOnLock(word: string, number: string | undefined, [argument, more]: readonly string[]): Promise<void> {
    const command = commands.get(word);
    if (command === undefined) {
      write(`there is no command ${word}; help lists them`);
      return;
    }
    try {
      if (!/^[0-9]+$/.test(number ?? '')) throw new Error(`usage: ${word} ${command.usage}`);
      write(`#${number} ${await command.run(fleet.lock(Number(number)), argument, more)}`);
    } catch (error) {
      write((error as Error).message);
    }
  }
}

function helpLines(): string[] {
  const rows: [string, string][] = [['locks', 'all locks, one line each']];
  for (const [word, { usage, help }] of commands) rows.push([`${word} ${usage}`, help]);
  for (const [word, { help }] of hubCommands) rows.push([`${word} N`, help]);
  rows.push(['hubs', 'all hubs, one line each'], ['help', 'this list'], ['quit', 'stop the fleet and leave']);
  return rows.map(([left, right]) => `  ${left.padEnd(31)}${right}`);
}

function summary(lock: LockHandle): string {
  const parts = [
    lock.mac,
    lock.online ? 'online' : lock.waiting ? `waits to be confirmed (${lock.keyFingerprint})` : 'offline',
    lock.state,
    `${lock.batteryPercent} %`,
    lock.name,
  ];
  return `#${lock.number} ${parts.join('  ')}`;
}

function describe(lock: LockHandle): string {
  const { cards, passcodes, events, lastSeq, epoch, autoLockSeconds, lockId } = lock.memory;
  const clock = lock.clockNow === undefined ? 'not set' : new Date(lock.clockNow).toISOString();
  return [
    `${lock.name}, ${lock.mac}, lockId ${lockId ?? 'unknown'}, ${lock.online ? 'online' : 'offline'}`,
    `   bolt ${lock.state}, door ${lock.doorOpen ? 'open' : 'shut'}, auto lock ${autoLockSeconds === 0 ? 'off' : `${autoLockSeconds} s`}`,
    `   battery ${lock.batteryPercent} %, clock ${clock}, session ${lock.session ?? 'none'}`,
    `   epoch ${epoch}, last seq ${lastSeq}, ${events.length} events not acknowledged, ${cards.length} cards, ${passcodes.length} passcodes`,
    ...cards.slice(0, 20).map(({ cardNumber, ...window }) => `   card ${cardNumber} ${windowText(window)}`),
    ...passcodes.slice(0, 20).map(({ number, ...window }) => `   passcode ${number} ${windowText(window)}`),
  ].join('\n');
}

function windowText({ startDate, endDate, hours = '', once }: Omit<StoredPasscode, 'number'>): string {
  return [`${startDate} to ${endDate}`, ...(hours === '' ? [] : [`at ${hours}`]), ...(once === true ? ['once'] : [])].join(' ');
}

/** Throws a sentence for what is neither. */
function keyOf(kind: string | undefined, number: string | undefined): CredentialKey {
  if (kind !== 'card' && kind !== 'passcode') throw new Error('say card or passcode');
  return { kind, number: needed(number, 'a number') };
}

function fault(lock: LockHandle, name: string | undefined, off: string | undefined): string {
  const found = memoryFaults.find((known) => known === name);
  if (found === undefined) throw new Error(`say one of ${memoryFaults.join(', ')}`);
  return act(() => (off === 'off' ? lock.faults.memory.delete(found) : lock.faults.memory.add(found)));
}

function outcome(result: DoorResult): string {
  return result.done ? 'done' : `no: ${result.reason ?? 'refused'}`;
}

function moveDoor(lock: LockHandle, word: string | undefined): string {
  if (word === 'open') return lock.openDoor() ? 'the door is open' : 'no: it is locked';
  if (word !== 'close') throw new Error('usage: door N open|close');
  return act(() => lock.closeDoor());
}

async function switchPower(lock: LockHandle, word: string | undefined): Promise<string> {
  if (onOrOff(word)) await lock.powerOn();
  else lock.powerCut();
  return 'done';
}

function onOrOff(word: string | undefined): boolean {
  if (word !== 'on' && word !== 'off') throw new Error('say on or off');
  return word === 'on';
}
