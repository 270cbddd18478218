import { describe, expect, test } from '@jest/globals';
import { createDeviceLogin } from '../../src/app/device-login.ts';

const networks = ['10.9.0.0/16', '192.168.20.0/24'];
const interfaces = () => ({
  lo: [{ address: '127.0.0.1', internal: true }],
  eth0: [
    { address: 'fe80::1', internal: false },
    { address: '192.168.1.5', internal: false },
  ],
  eth1: [{ address: '192.168.20.1', internal: false }],
});
const off = { enabled: false, host: '127.0.0.1', port: 1, networks: [] };
const login = (devices: object, mqtts: object = off, listening: object = {}) =>
  createDeviceLogin({ devices: { ...off, ...devices }, mqtts: { ...off, ...mqtts } }, { all: () => listening }, interfaces)();

describe('where a device logs in', () => {
  test('is what the listener for devices listens on, and the ports of those that listen', () => {
    const devices = { enabled: true, host: '192.168.20.1', port: 1883 };
    expect(login(devices)).toEqual({ host: '192.168.20.1', port: 1883, tlsPort: null });
    const mqtts = { enabled: true, host: '192.168.20.2', port: 8883 };
    expect(login(devices, mqtts)).toEqual({ host: '192.168.20.1', port: 1883, tlsPort: 8883 });
    expect(login({}, mqtts)).toEqual({ host: '192.168.20.2', port: null, tlsPort: 8883 });
    expect(login({ ...devices, port: 0 }, off, { devices: { host: '192.168.20.1', port: 40_123 } }).port).toBe(40_123);
  });

  test.each(['0.0.0.0', '::'])('is the address of this machine in the first of the networks that has one, for %s', (host) => {
    expect(login({ enabled: true, host, networks }).host).toBe('192.168.20.1');
    expect(login({ enabled: true, host, networks: ['172.16.0.0/12'] }).host).toBe(host);
    expect(login({}, { enabled: true, host }).host).toBe('192.168.1.5');
  });
});
