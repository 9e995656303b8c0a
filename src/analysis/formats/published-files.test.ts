/** Instrument files read from ../shared/data beside the project; never copied into it. Skipped where it is absent, except under CI. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { findPublished } from '#testing/analysis/published-data.ts';
import { FormatError } from '../failures/errors.ts';
import type { MeltSet, MeltTrace } from '../curves/trace.ts';
import { parseTraces } from './parse.ts';
import type { InputFile } from './reading/input-file.ts';
import { parseWellFiles } from './parse-wells.ts';

function read(context: TestContext, ...names: string[]): InputFile[] | null {
  const files: InputFile[] = [];
  for (const name of names) {
    const path = findPublished(context, name);
    if (path === null) return null;
    files.push({ name, bytes: readFileSync(path) });
  }
  return files;
}

function parseMelt(files: InputFile[]): MeltSet {
  const { melts, plates } = parseWellFiles(files);
  assert.deepEqual([melts.length, plates.length], [1, 0]);
  return melts[0];
}

function getEnds({ temperatureC, signal }: MeltTrace): number[] {
  return [signal.length, temperatureC[0], temperatureC.at(-1) ?? 0, signal[0], signal.at(-1) ?? 0];
}

interface Expected {
  file: string;
  format: string;
  traces: number;
  first: { well: string; channel: string; ends: number[] };
}

const MELTS: Expected[] = [
  {
    file: 'dsfworld/dsfworld_sample_raw_data_format.csv',
    format: 'temperature-wells',
    traces: 24,
    first: { well: 'A1', channel: 'dye', ends: [55, 31, 85, 3973.979, 13974.08] },
  },
  {
    file: 'dsfworld/sample_file.csv',
    format: 'temperature-wells',
    traces: 96,
    first: { well: 'A1', channel: 'dye', ends: [61, 30, 90, 8959.025365, 11909.3009] },
  },
  {
    file: 'dsfworld/sample_data_file.csv',
    format: 'temperature-wells',
    traces: 3,
    first: { well: 'A1', channel: 'dye', ends: [61, 30, 90, 8959.025365, 11909.3009] },
  },
  {
    file: 'pychemelt/MX3005P.txt',
    format: 'mx3005p',
    traces: 3,
    first: { well: 'well 1', channel: 'dye', ends: [70, 25, 93.7, 1706, 4845] },
  },
  {
    file: 'pychemelt/quantStudio.txt',
    format: 'quantstudio',
    traces: 24,
    first: { well: 'A10', channel: 'dye', ends: [611, 24.913, 94.787, 4828.486, 2654.856] },
  },
  {
    file: 'pychemelt/melting-scan.csv',
    format: 'prometheus-columns',
    traces: 141,
    first: { well: 'Cap.1', channel: 'ratio', ends: [106, 25.16959, 79.76537, 0.9567216, 0.8674712] },
  },
  {
    file: 'pychemelt/UNCLE_multi_channel.xlsx',
    format: 'uncle',
    traces: 4,
    first: { well: 'J1', channel: '330nm', ends: [22, 25, 45.5, 3791.731, 2733.67] },
  },
];

for (const { file, format, traces, first } of MELTS) {
  test(`published file: ${file} → every curve with its ends; without its last 200 bytes → refused`, (context) => {
    const files = read(context, file);
    if (files === null) return;
    const set = parseMelt(files);
    assert.deepEqual([set.format, set.traces.length], [format, traces]);
    const [trace] = set.traces;
    assert.deepEqual({ well: trace.well, channel: trace.channel, ends: getEnds(trace) }, first);
    const cut = files.map(({ name, bytes }) => ({ name, bytes: bytes.subarray(0, bytes.length - 200) }));
    assert.throws(
      () => parseMelt(cut),
      (error) => error instanceof FormatError && (error.line !== null || file.endsWith('.xlsx')),
    );
  });
}

test('dsfworld: columns not named by a well → a notice with their number', (context) => {
  const files = read(context, 'dsfworld/sample_file.csv');
  if (files === null) return;
  const set = parseMelt(files);
  assert.ok(set.notices.some((notice) => /5 \(any\), 6 \(column\), 7 \(name\)/.test(notice)));
  assert.equal(set.traces[3].well, 'any');
});

test('dsfworld: a layout file → joined by well, and Empty and Buffer are no samples', (context) => {
  const files = read(
    context,
    'dsfworld/dsfworld_sample_raw_data_format.csv',
    'dsfworld/dsfworld_example_layout.csv',
  );
  if (files === null) return;
  const set = parseMelt(files);
  const at = (well: string): MeltTrace | undefined => set.traces.find((each) => each.well === well);
  assert.deepEqual(
    [at('A1')?.sample, at('A1')?.role, at('B1')?.concentrationM],
    ['Protein1', 'sample', 1.25e-5],
  );
  assert.deepEqual([at('A5')?.sample, at('A5')?.role], ['Buffer', 'blank']);
  assert.ok(set.notices.some((notice) => notice.includes('"compound"')));
});

test('QuantStudio: signals with thousands separators → read in full, with the last reading', (context) => {
  const files = read(context, 'pychemelt/quantStudio.txt');
  if (files === null) return;
  const set = parseMelt(files);
  const last = set.traces.at(-1);
  assert.deepEqual([last?.well, last?.temperatureC.at(-1), last?.signal.at(-1)], ['H12', 94.93, 26363.213]);
  assert.match(set.instrument ?? '', /QuantStudio/);
});

test('Prometheus: every capillary → an axis of its own', (context) => {
  const files = read(context, 'pychemelt/melting-scan.csv');
  if (files === null) return;
  const set = parseMelt(files);
  assert.equal(new Set(set.traces.map(({ well }) => well)).size, 47);
  assert.deepEqual([...new Set(set.traces.map(({ channel }) => channel))], ['ratio', '350nm', '330nm']);
  const starts = set.traces
    .filter(({ channel }) => channel === '330nm')
    .map(({ temperatureC }) => temperatureC[0]);
  assert.equal(new Set(starts).size, 47);
});

test('UNCLE: a sheet that declares a million rows → read by its cells', (context) => {
  const files = read(context, 'pychemelt/UNCLE_multi_channel.xlsx');
  if (files === null) return;
  const set = parseMelt(files);
  assert.deepEqual(
    set.traces.map(({ channel, sample }) => [channel, sample]),
    ['330nm', '350nm', 'ratio', 'barycentric_mean'].map((channel) => [channel, '1 mg/ml Protein']),
  );
  const mean = set.traces[3].signal;
  assert.ok(mean.every((value) => value > 311.9 && value < 378.6));
});

const FRD = 'kingenie/octet_230309/';

test('Octet .frd: sensor A1 → the expected steps, points and signals', (context) => {
  const files = read(context, `${FRD}230309_001.frd`);
  if (files === null) return;
  const [set] = parseTraces(files);
  assert.deepEqual([set.format, set.instrument, set.traces.length], ['octet-frd', 'OctetRED384', 9]);
  const [trace] = set.traces;
  const expected = [
    ['loading', 450, 287.0, 376.8, 1.0093, 1.6121],
    ['association', 1500, 477.0, 776.8, 1.641, 1.8391],
    ['dissociation', 1800, 777.0, 1136.8, 1.829, 1.78],
  ] as const;
  for (const [name, points, from, to, first, last] of expected) {
    const step = trace.steps.find((each) => each.step === name);
    assert.equal(step?.timeS.length, points, name);
    const near = (actual: number | undefined, value: number, within: number): void =>
      assert.ok(Math.abs((actual ?? Number.NaN) - value) < within, `${name}: ${actual}`);
    near(step?.timeS[0], from, 0.05);
    near(step?.timeS.at(-1), to, 0.05);
    near(step?.signal[0], first, 1e-4);
    near(step?.signal.at(-1), last, 1e-4);
  }
});

test('Octet .frd: −1, 0 µg/mL or a failed step → no concentration, zero, a notice', (context) => {
  const files = read(
    context,
    `${FRD}230309_001.frd`,
    `${FRD}230309_008.frd`,
    `${FRD}different_sensor_metadata.frd`,
  );
  if (files === null) return;
  const [first, last, odd] = files.map((file) => parseTraces([file])[0]);
  assert.ok(first.traces.every(({ concentrationM }) => concentrationM === null));
  assert.ok(last.traces.every(({ concentrationM }) => concentrationM === 0));
  assert.ok(odd.notices.some((notice) => notice.includes('Step 1 of sensor A1 failed on the instrument')));
  assert.deepEqual(odd.traces, first.traces);
  assert.ok(first.notices.every((notice) => !notice.includes('failed')));
});

test('Octet .frd: a folder → one set; a cut file → refused with its line', (context) => {
  const path = findPublished(context, FRD);
  if (path === null) return;
  const files = read(context, ...readdirSync(path).map((name) => `${FRD}${name}`));
  if (files === null) return;
  const sets = parseTraces(files);
  assert.deepEqual([sets.length, sets[0].traces.length], [1, 54]);
  const cut = { ...files[0], bytes: files[0].bytes.subarray(0, files[0].bytes.length - 200) };
  assert.throws(
    () => parseTraces([cut]),
    (error) => error instanceof FormatError && error.line !== null,
  );
});
