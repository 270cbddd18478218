// node .ci/walks/valid-bill.mjs FILE...: whether each is a bill of materials by the schema of CycloneDX 1.6; else it says what is not, and fails.
// Of its package only the schemas are of use here.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

const folder = new URL('res/schema/', import.meta.resolve('@cyclonedx/cyclonedx-library/package.json'));
const schema = (name) => JSON.parse(readFileSync(new URL(`${name}.SNAPSHOT.schema.json`, folder), 'utf8'));
const formats = { 'date-time': (text) => !Number.isNaN(Date.parse(text)), 'iri-reference': true, 'idn-email': true, uri: true };
const ajv = new Ajv({ strict: false, allErrors: true, formats });
for (const name of ['spdx', 'jsf-0.82']) ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
const isBill = ajv.compile(schema('bom-1.6'));

for (const file of process.argv.slice(2)) {
  if (isBill(JSON.parse(readFileSync(file, 'utf8')))) continue;
  for (const { instancePath, message } of isBill.errors) process.stderr.write(`${file}: ${instancePath} ${message}\n`);
  process.exitCode = 1;
}
