// Writes test/wire/drivers/zigbee2mqtt/models.json: what Zigbee2MQTT exposes of every model of lock that its converters know, without the words
// for people. The converters (MIT) are installed into a scratch folder that is removed again. `npm run models:zigbee2mqtt`
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const name = 'zigbee-herdsman-converters';
const version = '26.112.0';
const target = resolve(import.meta.dirname, '../wire/drivers/zigbee2mqtt/models.json');

/** The members of an expose, and of those within it, that a program reads; labels and descriptions are for people. */
function factsOf(expose) {
  const { label: _label, description: _description, features, item_type: itemType, ...facts } = JSON.parse(JSON.stringify(expose));
  return {
    ...facts,
    ...(itemType !== undefined && { item_type: factsOf(itemType) }),
    ...(features !== undefined && { features: features.map(factsOf) }),
  };
}

function locksIn(folder) {
  const load = createRequire(join(folder, 'package.json'));
  const { prepareDefinition } = load(name);
  const devices = join(dirname(load.resolve(name)), 'devices');
  const files = readdirSync(devices).filter((file) => file.endsWith('.js') && file !== 'index.js');
  return files.flatMap((file) =>
    load(join(devices, file)).definitions.flatMap((definition) => {
      const { vendor, model, exposes } = prepareDefinition(definition);
      // Some devices expose what they turn out to have; of those none is a lock.
      const known = typeof exposes === 'function' ? exposes({ isDummyDevice: true }, {}) : exposes;
      return known.some(({ type }) => type === 'lock') ? [{ vendor, model, exposes: known.map(factsOf) }] : [];
    }),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'latchd-models-'));
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const flags = ['--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const models = locksIn(folder).sort((a, b) => (`${a.vendor} ${a.model}` < `${b.vendor} ${b.model}` ? -1 : 1));
  const lines = models.map((model) => `    ${JSON.stringify(model)}`);
  writeFileSync(target, `{\n  "from": "${name} ${version}",\n  "models": [\n${lines.join(',\n')}\n  ]\n}\n`);
  process.stdout.write(`${models.length} models of locks: ${target}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
