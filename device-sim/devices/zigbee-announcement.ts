// How Zigbee2MQTT announces a lock in bridge/devices: a Yale YRD226.
import type { ZigbeeLock } from './zigbee-lock.ts';

const actions = [
  ...['unknown', 'lock', 'unlock', 'lock_failure_invalid_pin_or_id', 'lock_failure_invalid_schedule', 'unlock_failure_invalid_pin_or_id'],
  ...['unlock_failure_invalid_schedule', 'one_touch_lock', 'key_lock', 'key_unlock', 'auto_lock', 'schedule_lock', 'schedule_unlock'],
  ...['manual_lock', 'manual_unlock', 'non_access_user_operational_event'],
];

const exposes = [
  {
    type: 'lock',
    features: [
      { type: 'binary', name: 'state', label: 'State', property: 'state', access: 7, value_on: 'LOCK', value_off: 'UNLOCK' },
      {
        ...{ type: 'enum', name: 'lock_state', label: 'Lock state', property: 'lock_state', access: 1 },
        values: ['not_fully_locked', 'locked', 'unlocked'],
      },
    ],
  },
  { type: 'numeric', name: 'battery', label: 'Battery', property: 'battery', access: 5, unit: '%', value_min: 0, value_max: 100 },
  {
    ...{ type: 'composite', name: 'pin_code', label: 'Pin code', property: 'pin_code', access: 7 },
    features: [
      { type: 'numeric', name: 'user', label: 'User', property: 'user', access: 2 },
      {
        type: 'enum',
        name: 'user_type',
        label: 'User type',
        property: 'user_type',
        access: 2,
        values: ['unrestricted', 'master', 'non_access'],
      },
      {
        type: 'binary',
        name: 'user_enabled',
        label: 'User enabled',
        property: 'user_enabled',
        access: 2,
        value_on: true,
        value_off: false,
      },
      { type: 'numeric', name: 'pin_code', label: 'PIN code', property: 'pin_code', access: 2 },
    ],
  },
  { type: 'enum', name: 'action', label: 'Action', property: 'action', access: 1, values: actions },
  { type: 'numeric', name: 'auto_relock_time', label: 'Auto relock time', property: 'auto_relock_time', access: 7, unit: 's' },
  { type: 'numeric', name: 'linkquality', label: 'Linkquality', property: 'linkquality', access: 1, unit: 'lqi' },
];

export function deviceOf({ ieee, name }: ZigbeeLock): object {
  return {
    ...{ ieee_address: ieee, type: 'EndDevice', network_address: Number.parseInt(ieee.slice(-4), 16), supported: true, disabled: false },
    ...{ friendly_name: name, power_source: 'Battery', model_id: 'YRD226 TSDB', manufacturer: 'Yale' },
    ...{ interviewing: false, interview_completed: true, interview_state: 'SUCCESSFUL', endpoints: {} },
    definition: { model: 'YRD226HA2619', vendor: 'Yale', description: 'Assure lock', supports_ota: false, options: [], exposes },
  };
}
