/** The templates that the guide offers are files that the parsers read. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { parseTraces } from './parse.ts';
import type { InputFile } from './text.ts';
import { parseWellFiles } from './well-files.ts';

function template(name: string): InputFile {
  const path = fileURLToPath(new URL(`../../../docs/guide/templates/${name}`, import.meta.url));
  return { name, bytes: readFileSync(path) };
}

const NO_OWN = { melt: () => null, plate: () => null };

test('binding-traces.csv: three traces of three steps', () => {
  const [set] = parseTraces([template('binding-traces.csv')]);
  assert.deepEqual(
    set.traces.map(({ role, steps }) => [role, steps.length]),
    [
      ['sample', 3],
      ['sample', 3],
      ['reference', 3],
    ],
  );
});

test('temperature-by-well.csv and plate-map.csv: wells get their samples and roles', () => {
  const { melts } = parseWellFiles([template('temperature-by-well.csv'), template('plate-map.csv')], NO_OWN);
  assert.deepEqual(
    melts[0].traces.map(({ well, sample, role, replicate }) => [well, sample, role, replicate]),
    [
      ['A1', 'design-1', 'sample', 1],
      ['A2', 'design-1', 'sample', 2],
      ['H1', 'design-8', 'positive_control', 1],
    ],
  );
});

test('plate-reader.csv and plate-map.csv: values with wavelengths, gain and saturation', () => {
  const { plates } = parseWellFiles([template('plate-reader.csv'), template('plate-map.csv')], NO_OWN);
  const [{ readings, plate }] = plates;
  assert.deepEqual([plate, readings.length], ['P1', 192]);
  const [first] = readings;
  assert.deepEqual(
    [first.sample, first.channel, first.exNm, first.emNm, first.gain, first.value, first.saturated],
    ['design-1', 'fluorescence', 485, 520, 80, null, true],
  );
  assert.equal(readings.filter(({ role }) => role === 'blank').length, 16);
});
