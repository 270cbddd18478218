// The fields of a form that say how a lock of another make is spoken to (HTTP API 8.1, `driver`).
import type { LockDriver } from '../api/registration-types.ts';
import { useStrings } from '../app.ts';
import { SelectField, TextField } from './field.tsx';
import type { Values } from './form.tsx';

interface MakeField {
  readonly name: string;
  /** It identifies the lock: it cannot be changed later. */
  readonly isAddress?: true;
  /** The only ones; '' is none. */
  readonly choices?: readonly string[];
  /** The greatest number, when it is a number that is typed. */
  readonly max?: number;
  readonly otherwise?: string;
}

const inputs = ['0', '1', '2', '3'];
const unlock: MakeField = { name: 'unlock', choices: ['unlock', 'unlatch'] };
const bridge: MakeField = { name: 'bridge', isAddress: true };

/** By kind; those without a bridge log in here. */
const fieldsOf: Readonly<Record<string, readonly MakeField[]>> = {
  nuki: [{ name: 'nukiId', isAddress: true }, unlock],
  'nuki-hub': [{ name: 'base', isAddress: true, otherwise: 'nukihub' }, unlock],
  shelly: [
    { name: 'prefix', isAddress: true },
    { name: 'switch', choices: inputs },
    { name: 'pulseSeconds', max: 60, otherwise: '3' },
    { name: 'contact', choices: ['', ...inputs] },
  ],
  zigbee2mqtt: [bridge, { name: 'ieee', isAddress: true }],
  discovery: [bridge, { name: 'uniqueId', isAddress: true }],
};

const numbers = ['switch', 'pulseSeconds', 'contact'];

/** The kinds of lock that log in to the gateway itself. */
export const ownKinds = Object.keys(fieldsOf).filter((kind) => !fieldsOf[kind]?.includes(bridge));

/** The names of the fields that must be filled in. */
export function requiredOf(kind: string): readonly string[] {
  return (fieldsOf[kind] ?? []).filter(({ choices }) => !choices?.includes('')).map(({ name }) => `driver.${name}`);
}

/** Whether anything of this kind can be changed later. */
export function hasSettings(kind: string): boolean {
  return fieldsOf[kind]?.some(({ isAddress }) => !isAddress) === true;
}

/** The `driver` of a request; what the form does not show is as before. */
export function driverFrom(values: Values, kind: string, before?: LockDriver): object {
  const shown = (fieldsOf[kind] ?? []).filter(({ isAddress }) => before === undefined || !isAddress);
  const given = shown.map(({ name }) => {
    const text = values.text(`driver.${name}`);
    if (!numbers.includes(name)) return [name, text];
    return [name, text === '' ? null : Number(text)];
  });
  return { ...(before ?? { kind }), ...Object.fromEntries(given) };
}

interface MakeFieldsProps {
  readonly kind: string;
  /** The names of the bridges that have this kind. */
  readonly bridges?: readonly string[];
  /** A lock that is registered: its address stays. */
  readonly before?: LockDriver;
  readonly errorOf: (name: string) => string | undefined;
}

export function MakeFields({ kind, bridges = [], before, errorOf }: MakeFieldsProps) {
  const { makes } = useStrings();
  const shown = (fieldsOf[kind] ?? []).filter(({ isAddress }) => before === undefined || !isAddress);
  const textOf = (name: string, choice: string): string => {
    if (name === 'bridge') return choice;
    return choice === '' ? makes.noContact : (makes.choices[choice] ?? choice);
  };
  return (
    <>
      {shown.map(({ name, choices = name === 'bridge' ? bridges : undefined, max, otherwise }) => {
        const field = {
          ...{ label: makes.fields[name] ?? name, name: `driver.${name}`, hint: makes.hints[name], error: errorOf(`driver.${name}`) },
          value: before === undefined ? otherwise : String(before[name] ?? ''),
        };
        if (choices) return <SelectField key={name} {...field} options={choices.map((value) => ({ value, text: textOf(name, value) }))} />;
        const number = max === undefined ? {} : ({ type: 'number', min: 1, max } as const);
        return <TextField key={name} {...field} {...number} required />;
      })}
    </>
  );
}
