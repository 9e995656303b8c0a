/** The parsers read the templates that the guide offers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { parseTraces } from './parse.ts';
import type { InputFile } from './reading/input-file.ts';
import { isPlateFile, parseMelts, parsePlates, parseWellFiles } from './parse-wells.ts';

function readTemplate(name: string): InputFile {
  const path = fileURLToPath(new URL(`../../../docs/guide/templates/${name}`, import.meta.url));
  return { name, bytes: readFileSync(path) };
}

test('template: binding-traces.csv → three traces of three steps', () => {
  const [set] = parseTraces([readTemplate('binding-traces.csv')]);
  assert.deepEqual(
    set.traces.map(({ role, steps }) => [role, steps.length]),
    [
      ['sample', 3],
      ['sample', 3],
      ['reference', 3],
    ],
  );
});

test('template: temperature-by-well.csv with plate-map.csv → wells with samples and roles', () => {
  const { melts } = parseWellFiles([readTemplate('temperature-by-well.csv'), readTemplate('plate-map.csv')]);
  assert.deepEqual(
    melts[0].traces.map(({ well, sample, role, replicate }) => [well, sample, role, replicate]),
    [
      ['A1', 'design-1', 'sample', 1],
      ['A2', 'design-1', 'sample', 2],
      ['H1', 'design-8', 'positive_control', 1],
    ],
  );
});

test('template: plate-reader.csv with plate-map.csv → values with wavelengths, gain and saturation', () => {
  const { plates } = parseWellFiles([readTemplate('plate-reader.csv'), readTemplate('plate-map.csv')]);
  const [{ readings, plate }] = plates;
  assert.deepEqual([plate, readings.length], ['P1', 192]);
  const [first] = readings;
  assert.deepEqual(
    [first.sample, first.channel, first.exNm, first.emNm, first.gain, first.value, first.saturated],
    ['design-1', 'fluorescence', 485, 520, 80, null, true],
  );
  assert.equal(readings.filter(({ role }) => role === 'blank').length, 16);
});

test('template: melting-curves.csv and plate-values.csv → wells with roles and values', () => {
  const { melts, plates } = parseWellFiles([
    readTemplate('melting-curves.csv'),
    readTemplate('plate-values.csv'),
  ]);
  assert.deepEqual(
    melts[0].traces.map(({ well, role, channel, signal }) => [well, role, channel, signal.length]),
    [
      ['A1', 'sample', 'ratio', 3],
      ['H1', 'positive_control', 'ratio', 3],
    ],
  );
  assert.deepEqual(
    plates[0].readings.map(({ role, value, concentrationNgPerUl }) => [role, value, concentrationNgPerUl]),
    [
      ['sample', 15230, null],
      ['standard', null, 50],
      ['blank', 112, null],
    ],
  );
});

test('template: an upload of the other kind → refused by what it holds', () => {
  const [table, map, reader] = ['temperature-by-well.csv', 'plate-map.csv', 'plate-reader.csv'].map(
    readTemplate,
  );
  assert.throws(() => parsePlates([table]), /expected values of a plate reader, found melting curves/);
  assert.throws(() => parseMelts([reader]), /expected melting curves, found values of a plate reader/);
  assert.throws(() => parseMelts([map]), /found a plate map/);
  assert.throws(() => parseWellFiles([table, map, map]), /expected one plate map, found 2/);
  assert.deepEqual([table, map, reader, readTemplate('binding-traces.csv')].map(isPlateFile), [
    true,
    true,
    true,
    false,
  ]);
});
