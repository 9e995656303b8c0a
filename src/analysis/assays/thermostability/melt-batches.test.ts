import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { analyzeInWorkers, type Workers } from '../../pool/pool.ts';
import type { AssayRun } from '../assay.ts';
import type { PackedResult } from '../pack-result.ts';
import { ASSAYS } from '../registry.ts';
import { FormatError } from '../../failures/errors.ts';
import type { InputFile } from '../../formats/reading/input-file.ts';
import { thermostability, type ThermostabilityJob } from './assay.ts';
import type { MeltJob } from './melt-part.ts';
import type { ThermostabilityAnalysis } from './types.ts';
import { createZip } from '#testing/analysis/archive.ts';
import { createMeltTrace, type MeltWell } from '#testing/analysis/melts.ts';
import { toFile } from '#testing/analysis/synthetic.ts';

/** Returns results out of order, and counts its jobs. */
function createShufflingWorkers() {
  const asked = { melts: [] as MeltJob[], surveys: 0, whole: 0 };
  const runner: Workers = {
    size: 2,
    async evaluate(assay, given) {
      assert.equal(assay, 'thermostability');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the jobs of this assay
      const job = given as ThermostabilityJob;
      if ('survey' in job) asked.surveys += 1;
      if ('whole' in job) asked.whole += 1;
      if (!('melts' in job)) return structuredClone(thermostability.evaluate(job));
      asked.melts.push(job.melts);
      const part = structuredClone(thermostability.evaluate(job));
      for (let turns = 0; turns < (job.melts.firstPlate % 2 === 0 ? 40 : 1); turns += 1)
        await Promise.resolve();
      return part;
    },
  };
  return { runner, asked };
}

/** Analyzes the run as one job. */
function analyzeWhole(run: AssayRun): PackedResult<ThermostabilityAnalysis> {
  const part = thermostability.evaluate({ whole: run });
  return 'whole' in part ? part.whole : assert.fail('not the whole run');
}

const STEP = { stepC: 0.5, noiseSd: 0.002, slopePerC: -0.001 } as const;

function createWell(name: string, tmC: number | null, change: Partial<MeltWell> = {}): MeltWell {
  const transitions = tmC === null ? [] : [{ tmC, dhKcalPerMol: 110, amplitude: 0.3 }];
  const seed = name.charCodeAt(0) * 31 + Number(name.slice(1));
  return { well: name, transitions, seed, ...STEP, ...change };
}

/** Writes an `assayer-melts` file; wells contain what their samples say. */
function createMelts(plate: string, wells: readonly MeltWell[]): InputFile {
  const rows = wells.map(({ well: name, role = 'sample', sample = '', replicate = 1 }) =>
    [name, role, role === 'blank' ? '' : sample, replicate, '', ''].join(','),
  );
  const points = wells.flatMap((each) => {
    const { temperatureC, signal, channel } = createMeltTrace(each);
    return Array.from(temperatureC, (t, i) => `${each.well},${channel},${t},${signal[i].toFixed(6)}`);
  });
  const text = [
    '# assayer-melts: 1',
    `# plate: ${plate}`,
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...rows,
    '',
    'well,channel,temperature_c,signal',
    ...points,
  ];
  return toFile(`${plate}.csv`, `${text.join('\n')}\n`);
}

/** Writes a table of temperatures by well, which names neither plate nor samples. */
function createTable(name: string, wells: readonly MeltWell[]): InputFile {
  const traces = wells.map(createMeltTrace);
  const rows = Array.from(traces[0].temperatureC, (t, i) =>
    [t, ...traces.map(({ signal }) => (1000 * signal[i]).toFixed(3))].join(','),
  );
  return toFile(name, `Temperature,${traces.map((each) => each.well).join(',')}\n${rows.join('\n')}\n`);
}

const createControl = (tmC: number) => createWell('H1', tmC, { role: 'positive_control', sample: 'parent' });

function toPlain({ found, packed }: PackedResult<ThermostabilityAnalysis>) {
  const points = [...packed.samples].map(([name, bytes]): [string, unknown] => [
    name,
    JSON.parse(`[${gunzipSync(bytes).toString('utf8')}]`),
  ]);
  return { found, points: new Map(points), plates: packed.plates };
}

/** Compares the run in pieces with the run as a whole; returns the pieces. */
async function compareBatched(files: InputFile[], settings: Readonly<Record<string, unknown>> = {}) {
  const { runner, asked } = createShufflingWorkers();
  const progress: number[] = [];
  const job = { experimentType: 'thermostability' as const, files, settings };
  const inPieces = await analyzeInWorkers(
    ASSAYS,
    { ...job, onProgress: (done) => void progress.push(done) },
    runner,
  );
  const whole = analyzeWhole(job);
  assert.deepEqual(toPlain(inPieces), toPlain(whole));
  assert.ok(toPlain(whole).points.size > 0);
  return { asked, progress, found: whole.found };
}

test('melt batches: several files → the same results as in one run, replicates numbered across files', async () => {
  const plate = (index: number) =>
    createMelts(`P${index}`, [
      createWell('A1', 50 + index, { sample: 'everywhere', seed: index }),
      createWell('A2', 60 + index, { sample: `only-${index}` }),
      createWell('A3', null, { sample: 'flat', replicate: index }),
      createWell('A4', 58, { role: 'blank' }),
      createControl(65),
    ]);
  const { asked, progress, found } = await compareBatched([1, 2, 3, 4].map(plate));
  assert.deepEqual([asked.melts.length, asked.surveys, asked.whole], [4, 0, 0]);
  assert.deepEqual(progress, [1, 2, 3, 4]);
  const everywhere = found.sequences.find(({ sample }) => sample === 'everywhere');
  assert.deepEqual(
    everywhere?.replicates.map(({ replicate }) => replicate),
    [1, 2, 3, 4],
  );
});

test('melt batches: plates without names and one plate map → plates counted across files, each named by the map', async () => {
  const wells = (from: number) => [
    createWell('A1', from),
    createWell('A2', from + 3),
    createWell('B1', null),
  ];
  const map = toFile('map.csv', 'sample\n,1,2\nA,design-1,design-2\nB,design-3,Empty\n');
  const { asked, found } = await compareBatched([
    createZip([createTable('one.csv', wells(50)), createTable('two.csv', wells(52))]),
    createTable('three.csv', wells(54)),
    map,
    createTable('four.csv', wells(56)),
  ]);
  assert.deepEqual([asked.melts.length, asked.surveys], [3, 1]);
  assert.deepEqual(
    found.plates.map(({ plate }) => plate),
    ['plate 1', 'plate 2', 'plate 3', 'plate 4'],
  );
  assert.equal(found.analysis.inputs.length, 4);
  assert.deepEqual(
    found.sequences.map(({ sample, nReplicates }) => [sample, nReplicates]),
    [
      ['design-1', 4],
      ['design-2', 4],
      ['design-3', 4],
    ],
  );
});

test('melt batches: a dye file beside another channel → both fitted by the model of the whole run', async () => {
  const dye = { channel: 'dye', dyeFallPerC: 0.005 };
  const { asked, found, progress } = await compareBatched([
    createMelts('P1', [
      createWell('A1', 52, { ...dye, sample: 'a' }),
      createWell('A2', 60, { ...dye, sample: 'b' }),
    ]),
    createMelts('P2', [createWell('A1', 52, { sample: 'a' }), createWell('A2', 60, { sample: 'b' })]),
  ]);
  assert.notEqual(found.analysis.model, 'boltzmann');
  assert.ok(asked.melts.some(({ choice }) => choice.shape === 'two_state'));
  assert.equal(progress.at(-1), 2);
});

/** One transition more than the settings allow. */
const TWO = [50, 60].map((tmC) => ({ tmC, dhKcalPerMol: 110, amplitude: 0.3 }));

test('melt batches: an odd file among clean or odd ones → the method is chosen for the whole run', async () => {
  const settings = { limits: { r2Min: 0.9995 }, transitionsMax: 1 };
  const odd = (index: number) =>
    createMelts(`N${index}`, [
      createWell('A1', 55, { sample: 'n', transitions: TWO, seed: index, replicate: index }),
    ]);
  const clean = (index: number) => createMelts(`C${index}`, [createWell('A1', 55, { sample: `c${index}` })]);
  const kept = await compareBatched([odd(1), clean(1), clean(2)], settings);
  assert.equal(kept.found.analysis.model, 'two_state');
  assert.equal(kept.asked.melts.length, 4, 'the odd file is judged twice');
  const left = await compareBatched([odd(1), odd(2), clean(1)], settings);
  assert.equal(left.found.analysis.model, 'derivative');
  assert.equal(left.asked.melts.length, 4, 'the clean file is judged twice');
});

test('melt batches: shared baselines, or a single file → one job', async () => {
  const files = [
    createMelts('P1', [createWell('A1', 52, { sample: 'a' })]),
    createMelts('P2', [createWell('A1', 54, { sample: 'a' })]),
  ];
  const shared = await compareBatched(files, { baseline: 'shared' });
  assert.deepEqual([shared.asked.whole, shared.asked.melts.length], [1, 0]);
  const single = await compareBatched(files.slice(0, 1));
  assert.deepEqual([single.asked.whole, single.asked.melts.length], [1, 0]);
});

test('melt batches: a bad file, a second map, reader values or bad settings → the same error as in one run', async () => {
  const good = createMelts('P1', [createWell('A1', 52, { sample: 'a' })]);
  const map = (name: string) => toFile(name, 'sample\n,1,2\nA,design-1,design-2\n');
  const reader = toFile(
    'reader.csv',
    '# assayer-plate: 1\nwell,role,sample,replicate,concentration_m,concentration_ng_per_ul\nA1,sample,a,1,,\n\nwell,channel,ex_nm,em_nm,gain,value\nA1,fluorescence,485,520,50,10\n',
  );
  const wrong: InputFile[][] = [
    [good, toFile('bad.csv', '# assayer-melts: 1\nnonsense')],
    [good, toFile('notes.txt', 'nothing of the kind')],
    [map('one.csv'), good, map('two.csv')],
    [good, reader],
    [map('one.csv'), toFile('empty.csv', '')],
  ];
  const readNotices = async (files: InputFile[], settings = {}) => {
    const job = { experimentType: 'thermostability' as const, files, settings };
    const inOne = (() => {
      try {
        return analyzeWhole(job);
      } catch (error) {
        return error;
      }
    })();
    assert.ok(inOne instanceof Error);
    await assert.rejects(analyzeInWorkers(ASSAYS, job, createShufflingWorkers().runner), {
      message: inOne.message,
    });
    return inOne;
  };
  const told = [];
  for (const files of wrong) {
    const error = await readNotices(files);
    assert.ok(error instanceof FormatError);
    told.push(error.message);
  }
  assert.match(told[2] ?? '', /two\.csv.*one plate map/);
  assert.match(told[3] ?? '', /values of a plate reader/);
  await readNotices([good, good], { baseline: 'fixed' });
  await readNotices([good, good], { channel: '330nm' });
});
