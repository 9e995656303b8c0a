/** The published melting curves: the titration with published Tm, and the exports of four instruments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectStatus } from '#testing/builders.ts';
import { getItems, getNumber, getText } from '#testing/service.ts';
import { encode, getResult, readPublished, type Doors, type PublishedFile, type Results } from './doors.ts';

const FOLDER = 'nanodsf_g3bp1/data1_CAP_PH7_330nm/';
const CURVES = 11;
const NAMES = Array.from({ length: CURVES }, (_, i) => `ligand-${i + 1}`);
const ORDER = { experimentType: 'thermostability', sequences: NAMES } as const;

function readRows({ bytes }: PublishedFile): string[][] {
  const lines = Buffer.from(bytes).toString('utf8').trim().split('\n').slice(1);
  return lines.map((line) => line.split(','));
}

/** The long table as a table of temperatures and capillaries, in ascending concentration. */
function writeMelts(signal: PublishedFile): PublishedFile {
  const byCurve = [...Map.groupBy(readRows(signal), (row) => Number(row[3]))].sort(([a], [b]) => a - b);
  const curves = byCurve.map(([, rows]) => rows);
  const lines = [
    ['Temperature', ...curves.map((_, i) => `A${i + 1}`)],
    ...(curves[0] ?? []).map((row, k) => [row[0] ?? '', ...curves.map((rows) => rows[k]?.[2] ?? '')]),
  ];
  return encode('melts.csv', `${lines.map((cells) => cells.join(',')).join('\n')}\n`);
}

const ASSIGN = Object.fromEntries(NAMES.map((sample, i) => [`A${i + 1}`, { sample }]));

function computeErrors(results: Results, published: PublishedFile): { tm: number[]; dh: number[] } {
  const rows = readRows(published);
  assert.equal(rows.length, CURVES);
  const errors = { tm: [] as number[], dh: [] as number[] };
  for (const [i, name] of NAMES.entries()) {
    const { quantities } = getResult(results, name);
    // Two states explain less than 94 % of the curve at the highest concentration, so its Tm is an estimate.
    assert.equal(getText(quantities?.tm?.relation), name === NAMES.at(-1) ? '~' : '=', name);
    errors.tm.push(Math.abs(getNumber(quantities?.tm?.value) - Number(rows[i]?.[0])));
    errors.dh.push(Math.abs(getNumber(quantities?.dh?.value) / Number(rows[i]?.[1]) - 1));
  }
  return errors;
}

const getMedian = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Exports of instruments: their format, and how many curves they have. */
const EXPORTS = [
  { file: 'pychemelt/MX3005P.txt', format: 'mx3005p', traces: 3 },
  { file: 'pychemelt/quantStudio.txt', format: 'quantstudio', traces: 24 },
  { file: 'pychemelt/melting-scan.csv', format: 'prometheus-columns', traces: 141 },
  { file: 'pychemelt/UNCLE_multi_channel.xlsx', format: 'uncle', traces: 4 },
  { file: 'dsfworld/dsfworld_sample_raw_data_format.csv', format: 'temperature-wells', traces: 24 },
  { file: 'dsfworld/sample_file.csv', format: 'temperature-wells', traces: 96 },
  { file: 'dsfworld/sample_data_file.csv', format: 'temperature-wells', traces: 3 },
] as const;

export function testMelts(doors: Doors): void {
  for (const { rule, stated, tmMax, tmMedianMax } of [
    {
      rule: 'the published slopes',
      stated: { baseline: 'fixed', fixed_slopes: { folded_per_c: -10.3, unfolded_per_c: -12.1 } },
      tmMax: 0.06,
      tmMedianMax: 0.03,
    },
    {
      rule: 'slopes shared by all curves, as published',
      stated: { baseline: 'shared' },
      tmMax: 0.2,
      tmMedianMax: 0.2,
    },
  ]) {
    test(`nanoDSF titration: ${rule} → Tm within ${tmMax} °C, median ${tmMedianMax} °C, ΔH within 2 %`, async (context) => {
      const signal = readPublished(context, `${FOLDER}fluo_signal_data.csv`);
      const published = readPublished(context, `${FOLDER}Fitted_Parameters_Fluorescence.csv`);
      if (signal === null || published === null) return;
      const settings = { method: 'two_state', assign: ASSIGN, ...stated };
      const errors = computeErrors(
        await doors.measure(ORDER, [writeMelts(signal[0])], settings),
        published[0],
      );
      context.diagnostic(`Tm: largest ${Math.max(...errors.tm)}, median ${getMedian(errors.tm)} °C`);
      assert.ok(Math.max(...errors.tm) <= tmMax, `Tm ${errors.tm.join(' ')}`);
      assert.ok(getMedian(errors.tm) <= tmMedianMax, `median ${getMedian(errors.tm)}`);
      assert.ok(Math.max(...errors.dh) <= 0.02, `dH ${errors.dh.join(' ')}`);
    });
  }

  test('raw_file_refused: the long table of the titration as published → refused with the cell that is no number', async (context) => {
    const signal = readPublished(context, `${FOLDER}fluo_signal_data.csv`);
    if (signal === null) return;
    const id = await doors.order({ experimentType: 'thermostability', sequences: ['one'] });
    const answer = await doors.upload(id, signal[0]);
    assert.equal(answer.status, 422, answer.text);
    const [problem] = getItems(answer.body.problems);
    assert.match(getText(problem?.message), /^fluo_signal_data\.csv, line \d+/);
  });

  for (const { file, format, traces } of EXPORTS) {
    test(`${file}: uploaded and analyzed with the wells unassigned → every curve read, no Tm of an ordered sequence invented`, async (context) => {
      const files = readPublished(context, file);
      if (files === null) return;
      const id = await doors.order({ experimentType: 'thermostability', sequences: ['ours', 'other'] });
      const { body } = expectStatus(await doors.upload(id, files[0]), 201);
      const [set] = getItems(body.file?.understood?.sets);
      assert.deepEqual([set?.format, set?.n_traces], [format, traces]);
      assert.deepEqual(body.file?.understood?.matched_sequences, []);
      const results = await doors.analyze(id);
      assert.deepEqual(
        [...results.values()].map(({ outcome }) => getText(outcome)),
        ['not_tested', 'not_tested'],
      );
    });
  }

  test('dsfworld: the plate map beside the data → samples are those of the map', async (context) => {
    const data = readPublished(context, 'dsfworld/dsfworld_sample_raw_data_format.csv');
    const map = readPublished(context, 'dsfworld/dsfworld_example_layout.csv');
    if (data === null || map === null) return;
    const results = await doors.measure({ experimentType: 'thermostability', sequences: ['Protein1'] }, [
      ...data,
      ...map,
    ]);
    assert.equal(getText(getResult(results, 'Protein1').outcome), 'measured');
  });
}
