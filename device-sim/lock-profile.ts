// The kind of a simulated lock: everything that can be configured, with limits and defaults.
import { z } from 'zod';
import { cardListing, helloMessage } from '../src/drivers/native/messages.ts';
import { faultRates } from './faults.ts';
import type { FactoryContents } from './lock-memory.ts';

const label = z.string().max(64);

/** Every member may be absent; `completeProfile` fills in the default. */
export const lockProfile = z.strictObject({
  /** `{n}` is replaced by the number of the lock in the fleet. */
  name: z.string().min(1).max(64).exactOptional(),
  group: label.exactOptional(),
  /** Number of the hub that speaks for it; 0: it has a connection of its own. */
  hub: z.int().min(0).max(1_000).exactOptional(),
  superPasscode: z.string().max(32).exactOptional(),
  timezoneRawOffset: z.int().min(-50_400_000).max(50_400_000).exactOptional(),
  modelNum: label.exactOptional(),
  hardwareRevision: label.exactOptional(),
  firmwareRevision: label.exactOptional(),
  featureValue: z.string().max(256).exactOptional(),
  byteOrder: z.enum(['regular', 'reverse']).exactOptional(),
  /** Words of Protocol 4.1, such as `credentials`, `hours` and `once`; none: firmware of the first version. */
  features: z.array(z.string().min(1).max(32)).max(32).exactOptional(),
  cardCapacity: z.int().min(0).max(100_000).exactOptional(),
  /** 0: no keypad. */
  passcodeCapacity: z.int().min(0).max(100_000).exactOptional(),
  passcodeDigits: z.tuple([z.int().min(1).max(20), z.int().min(1).max(20)]).exactOptional(),
  /** Lines of hours of one card or passcode. */
  hoursCapacity: z.int().min(1).max(32).exactOptional(),
  holidayCapacity: z.int().min(0).max(400).exactOptional(),
  /** False: list-credentials does not show the digits of passcodes. */
  showsPasscodes: z.boolean().exactOptional(),
  eventCapacity: z.int().min(1).max(100_000).exactOptional(),
  historyCapacity: z.int().min(0).max(100_000).exactOptional(),
  boltTravelMs: z.int().min(0).max(60_000).exactOptional(),
  /**
   * When it replies ok to lock and unlock: once the bolt has arrived, with its state; or when the bolt begins to move, without a state, so
   * that only a report says it.
   */
  okWhen: z.enum(['arrived', 'begun']).exactOptional(),
  keepAliveSeconds: z.int().min(1).max(120).exactOptional(),
  autoLockSeconds: z.int().min(0).max(65_535).exactOptional(),
  batteryPercent: z.number().min(0).max(100).exactOptional(),
  batteryDrainPercent: z.number().min(0).max(100).exactOptional(),
  clock: z.enum(['unset', 'set', 'none']).exactOptional(),
  clockOffsetMs: z.int().exactOptional(),
  clockDriftPpm: z.number().min(-100_000).max(100_000).exactOptional(),
  settings: helloMessage.shape.settings,
  passcodes: z.array(z.string().regex(/^[0-9]{4,9}$/, 'must be 4 to 9 digits')).exactOptional(),
  cards: cardListing.shape.cards.exactOptional(),
  faults: faultRates.exactOptional(),
});
export type LockProfileInput = z.input<typeof lockProfile>;
export type LockProfile = Required<z.output<typeof lockProfile>>;

const usual: LockProfile = {
  name: 'Lock {n}',
  group: '',
  hub: 0,
  superPasscode: '',
  timezoneRawOffset: 0,
  modelNum: 'SN-9',
  hardwareRevision: '1.3',
  firmwareRevision: '6.5.07',
  featureValue: 'F44354CF5F3',
  byteOrder: 'regular',
  features: [],
  cardCapacity: 200,
  passcodeCapacity: 150,
  passcodeDigits: [4, 9],
  hoursCapacity: 8,
  holidayCapacity: 64,
  showsPasscodes: true,
  eventCapacity: 2_000,
  historyCapacity: 200,
  boltTravelMs: 300,
  okWhen: 'arrived',
  keepAliveSeconds: 30,
  autoLockSeconds: 5,
  batteryPercent: 100,
  batteryDrainPercent: 0.02,
  clock: 'unset',
  clockOffsetMs: 0,
  clockDriftPpm: 0,
  settings: {},
  passcodes: [],
  cards: [],
  faults: faultRates.parse({}),
};

/** Settings as a lock leaves the factory: sound, tamper alert and reset button on; privacy lock and passage mode off; opens to the left. */
export const factorySettings = {
  lockSound: 1,
  privacyLock: 2,
  tamperAlert: 1,
  resetButton: 1,
  openDirection: 1,
  passageMode: 2,
  passageModeAutoUnlock: 2,
};

export function completeProfile(profile: z.output<typeof lockProfile>): LockProfile {
  return { ...usual, ...profile };
}

/** The memory of a new lock of this kind. */
export function factoryContents(profile: LockProfile): FactoryContents {
  return {
    cards: profile.cards,
    passcodes: profile.passcodes.map((number) => ({ number, startDate: 0, endDate: 0 })),
    settings: { ...factorySettings, ...profile.settings },
    autoLockSeconds: profile.autoLockSeconds,
    bolt: 'locked',
    batteryPercent: profile.batteryPercent,
    timezoneRawOffset: profile.timezoneRawOffset,
  };
}

/** What a hello says of the model. */
export function modelOf({ modelNum, hardwareRevision, firmwareRevision, featureValue }: LockProfile) {
  return { modelNum, hardwareRevision, firmwareRevision, featureValue };
}
