// What the first steps say to open and to type, by where the gateway listens.
import { expect, test } from '@jest/globals';
import { servedAt, simulatorCommand } from '../../src/console/upkeep/reach.ts';

const [http, mqtt] = [
  { host: '127.0.0.1', port: 8080 },
  { host: '127.0.0.1', port: 1883 },
];

test('the addresses are those of the listeners for people', () => {
  expect(servedAt({ http, mqtt, https: { host: '::', port: 8443 } })).toBe('http://127.0.0.1:8080/, https://[::]:8443/');
});

test('the simulator is told where the gateway is, unless it is where it usually is', () => {
  expect(simulatorCommand({ http, mqtt }, false)).toBe('npm run sim -- --locks 3');
  expect(simulatorCommand({ http: { host: '0.0.0.0', port: 8090 }, mqtt: { host: '::1', port: 1893 } }, true)).toBe(
    'npm run sim -- --locks 3 --gateway http://127.0.0.1:8090 --mqtt mqtt://[::1]:1893 --token-file FILE',
  );
});

test('it has no way in where a plain listener is off', () => {
  expect([simulatorCommand({ http }, false), simulatorCommand({ mqtt }, false)]).toEqual([undefined, undefined]);
});
