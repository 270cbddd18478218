// Codes in the slots of a lock. Zigbee2MQTT does not say whether the lock has taken one, so each is read back.
import type { PasscodeCommand, PasscodeOnLock } from '../../domain/locks/lock-command.ts';
import type { CommandRefusal, Effect } from '../device-protocol.ts';
import type { ZigbeeFailure } from './messages.ts';
import type { HeardReport, Work, WorkSurroundings } from './under-way.ts';

/** The slots that a code without a place of its own may take, and that a listing reads. */
const slots = { first: 1, last: 20 } as const;
const readBackMs = 1_500;
const again: Effect = { kind: 'wake', afterMs: readBackMs };

function done(reference: number): readonly Effect[] {
  return [{ kind: 'end', outcome: { kind: 'ok', passcode: { reference: String(reference), proof: 'read-back' } } }];
}
function refused(message: string): readonly Effect[] {
  return [{ kind: 'end', outcome: { kind: 'refused', error: 'failed', message } }];
}

/** A lock counts its slots; which number is too high only Zigbee2MQTT knows. */
function failedPin({ verb, key, message }: ZigbeeFailure): readonly Effect[] {
  if (verb !== 'set' || key !== 'pin_code') return [];
  return /must be in range/.test(message) ? refused('the lock has no such slot') : [{ kind: 'end', outcome: { kind: 'no-reply' } }];
}

/** The status of this slot, when it is news. */
function freshStatus({ report, isFreshSlot }: HeardReport, slot: number): string | undefined {
  return isFreshSlot(slot) ? report.users.get(slot) : undefined;
}

export function putPin(command: PasscodeCommand & { readonly op: 'put-passcode' }, around: WorkSurroundings): Work | CommandRefusal {
  const { code, reference, startDate, endDate } = command;
  const given = reference === undefined ? undefined : asSlotNumber(reference);
  if (reference !== undefined && given === undefined) return { refuse: 'failed', message: 'the reference must be the number of a slot' };
  if (!/^\d{4,10}$/.test(code)) return { refuse: 'failed', message: 'the code must be 4 to 10 digits' };
  if (startDate !== 0 || endDate !== 0) return { refuse: 'not-supported', message: 'it has no codes that are valid for a time' };
  if (given === undefined && around.isCached) return { refuse: 'failed', message: 'with cache_state nobody knows which slot is free' };
  const { voice, users } = around;
  const read = (slot: number) => voice.get({ pin_code: { user: slot } });
  let slot = given ?? slots.first;
  let isWritten = given !== undefined;
  const write = (): Effect => voice.set({ pin_code: { user: slot, user_type: 'unrestricted', user_enabled: true, pin_code: code } });
  if (given === undefined) while (users.get(slot) === 'enabled' && slot <= slots.last) slot++;
  if (slot > slots.last && given === undefined) return { refuse: 'failed', message: `its slots ${slots.first} to ${slots.last} are taken` };
  return {
    first: [isWritten ? write() : read(slot), again],
    heard(heard) {
      const status = freshStatus(heard, slot);
      if (status === undefined) return [];
      if (isWritten) return status === 'enabled' ? done(slot) : [];
      if (status === 'available') {
        isWritten = true;
        return [write(), again];
      }
      slot += 1;
      return slot > slots.last ? refused(`its slots ${slots.first} to ${slots.last} are taken`) : [read(slot), again];
    },
    wake: () => [read(slot), again],
    failed: failedPin,
  };
}

export function removePin(
  command: PasscodeCommand & { readonly op: 'remove-passcode' },
  { voice }: WorkSurroundings,
): Work | CommandRefusal {
  const slot = asSlotNumber(command.reference);
  if (slot === undefined) return { refuse: 'failed', message: 'the reference must be the number of a slot' };
  return {
    first: [voice.set({ pin_code: { user: slot, pin_code: null } }), again],
    heard: (heard) => (freshStatus(heard, slot) === 'available' ? done(slot) : []),
    wake: () => [voice.get({ pin_code: { user: slot } }), again],
    failed: failedPin,
  };
}

/** One slot after the other: all at once would hold up the radio. */
export function listPins({ voice, isCached }: WorkSurroundings): Work | CommandRefusal {
  if (isCached) return { refuse: 'failed', message: 'with cache_state nobody knows what the lock has' };
  const found: PasscodeOnLock[] = [];
  let slot: number = slots.first;
  const read = () => voice.get({ pin_code: { user: slot } });
  return {
    first: [read(), again],
    heard(heard) {
      const status = freshStatus(heard, slot);
      if (status === undefined) return [];
      if (status !== 'available') found.push({ reference: String(slot), isEnabled: status === 'enabled' });
      slot += 1;
      if (slot <= slots.last) return [read(), again];
      return [{ kind: 'end', outcome: { kind: 'ok', passcodes: { passcodes: found } } }];
    },
    wake: () => [read(), again],
    failed: () => [],
  };
}

function asSlotNumber(reference: string): number | undefined {
  return /^\d{1,4}$/.test(reference) ? Number(reference) : undefined;
}
