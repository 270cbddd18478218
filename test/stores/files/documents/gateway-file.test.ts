// gateway.json: the id of a gateway where several may be.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { startedStore, withDirectory } from '../support/directory.ts';

async function idOf(directory: string) {
  const { store, log } = await startedStore(directory);
  const gatewayId = store.maintenance.gatewayId();
  await store.stop();
  return { gatewayId, warnings: log.lines.filter((line) => line.includes('gateway-id-made')) };
}

test('a gateway has one id for ever, and another gateway has another', () =>
  withDirectory(async (directory) => {
    const { gatewayId } = await idOf(directory);
    expect(gatewayId).toMatch(/^[0-9a-f]{8}$/);
    expect(JSON.parse(await readFile(`${directory}/gateway.json`, 'utf8'))).toEqual({ schemaVersion: 1, gatewayId });
    expect(await idOf(directory)).toEqual({ gatewayId, warnings: [] });
    await withDirectory(async (other) => expect((await idOf(other)).gatewayId).not.toBe(gatewayId));
  }));

test('a damaged id is set aside and made anew, which stops no door', () =>
  withDirectory(async (directory) => {
    const { gatewayId } = await idOf(directory);
    await writeFile(`${directory}/gateway.json`, '{"schemaVersion":1,"gatewayId":"../x"}');
    const again = await idOf(directory);
    expect(again.gatewayId).toMatch(/^[0-9a-f]{8}$/);
    expect([again.gatewayId === gatewayId, again.warnings.length, existsSync(`${directory}/gateway.json.damaged`)]).toEqual([
      false,
      1,
      true,
    ]);
  }));
