// The keypad of a Nuki behind nuki_hub: its codes, and how they are changed by JSON.
import { z } from 'zod';
import type { TimeSource } from '../time-source.ts';
import type { DeviceFaults } from './device-faults.ts';
import { parsedJson } from './parsed-json.ts';

const flag = z.union([z.string(), z.number(), z.boolean()]).transform((given) => ['1', 1, true, 'true'].includes(given));
const action = z.object({
  action: z.string().optional(),
  codeId: z.union([z.string(), z.number()]).transform(Number).optional(),
  code: z.union([z.string(), z.number()]).transform(String).optional(),
  name: z.string().optional(),
  enabled: flag.optional(),
  timeLimited: flag.optional(),
  allowedFrom: z.string().optional(),
  allowedUntil: z.string().optional(),
});
type KeypadAction = z.infer<typeof action>;

interface KeypadCode {
  readonly codeId: number;
  readonly code: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly timeLimited: boolean;
  readonly allowedFrom: string;
  readonly allowedUntil: string;
}

export interface NukiHubKeypad {
  /** Takes what came on keypad/actionJson; it answers on keypad/commandResultJson, and says its list later. */
  take(text: string): void;
  list(): void;
  /** The entry of a code that opens now. */
  find(code: string): { readonly codeId: number; readonly name: string } | undefined;
}

export interface NukiHubKeypadOptions {
  readonly time: TimeSource;
  readonly faults: DeviceFaults;
  /** How many entries its list has: 10 unless somebody has set more, to 200. */
  readonly entries: number;
  /** Below `<base>/lock/`, retained. */
  readonly say: (topic: string, payload: string) => void;
}

const always = '2000-01-01 00:00:00';
const empty = '0000-00-00 00:00:00';

export function createNukiHubKeypad({ time, faults, entries, say }: NukiHubKeypadOptions): NukiHubKeypad {
  const codes = new Map<number, KeypadCode>();
  let lastId = 8_192;

  function list(): void {
    const listed = [...codes.values()].slice(0, entries).map(({ code, enabled, timeLimited, ...rest }) => ({
      ...{ codeId: rest.codeId, ...(faults.has('publishes-codes') && { code: Number(code) }), enabled: enabled ? 1 : 0, name: rest.name },
      ...{ dateCreated: always, lockCount: 0, dateLastActive: empty, timeLimited: timeLimited ? 1 : 0 },
      ...{ allowedFrom: rest.allowedFrom, allowedUntil: rest.allowedUntil, allowedWeekdays: [] },
      ...{ allowedFromTime: '00:00', allowedUntilTime: '00:00' },
    }));
    say('keypad/json', JSON.stringify(listed));
  }

  function change(given: KeypadAction): string {
    if (faults.has('keypad-control-off')) return 'keypadControlDisabled';
    if (faults.has('no-pin')) return 'noValidPinSet';
    if (given.action === undefined) return 'noActionSet';
    if (given.action === 'add') return add(given);
    if (given.action !== 'delete' && given.action !== 'update') return 'invalidAction';
    if (given.codeId === undefined) return 'noCodeIdSet';
    const old = codes.get(given.codeId);
    if (old === undefined) return 'noExistingCodeIdSet';
    if (given.action === 'delete') codes.delete(old.codeId);
    else codes.set(old.codeId, { ...old, ...defined(given) });
    return 'success';
  }

  function add(given: KeypadAction): string {
    if (given.name === undefined || given.name === '') return 'noNameSet';
    if (given.code === undefined) return 'noCodeSet';
    if (!/^[1-9]{6}$/.test(given.code) || given.code.startsWith('12')) return 'noValidCodeSet';
    lastId++;
    const times = { timeLimited: false, allowedFrom: empty, allowedUntil: empty };
    // What the keypad does not know, it says yes to: its list shows whether it holds.
    if (!faults.has('forgets-codes'))
      codes.set(lastId, { enabled: true, ...times, ...defined(given), name: given.name.slice(0, 20), code: given.code, codeId: lastId });
    return 'success';
  }

  faults.onChange((fault, on) => {
    if (fault !== 'codes-removed' || !on) return;
    codes.clear();
    list();
  });
  return {
    take(text) {
      const given = action.safeParse(parsedJson(text));
      // It takes the message from its topic, as it would be seen on a broker.
      say('keypad/actionJson', '--');
      say('keypad/commandResultJson', given.success ? change(given.data) : 'invalidJson');
      time.timer(5_000, list);
    },
    list,
    find: (code) => [...codes.values()].find((entry) => entry.code === code && entry.enabled),
  };
}

/** Without what was not given. */
function defined({ action: _action, ...given }: KeypadAction): Partial<KeypadCode> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
