/** A thermostability run that is split into jobs, one for each file, gives the result of a single job for the whole run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpackCurves } from '#testing/analysis/unpack-curves.ts';
import { analyzeInWorkers, type Workers } from '#analysis/pool/pool.ts';
import type { AssayRun } from '#analysis/assays/assay.ts';
import type { PackedResult } from '#analysis/assays/pack-result.ts';
import { ENGINES } from '../../engines.ts';
import { FormatError } from '#analysis/failures/errors.ts';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import { thermostability, type ThermostabilityJob, type MeltJob } from './assay.ts';
import type { ThermostabilityAnalysis } from './types.ts';
import { createZip } from '#testing/analysis/archive.ts';
import { createMeltTrace, type MeltWell } from '#testing/analysis/melts.ts';
import { toFile } from '#testing/analysis/synthetic.ts';

/** Turns of the event loop after which a job has surely ended later than the next one. */
const LATE_TURNS = 40;

/** Creates workers that finish the jobs of a round out of order, and records what they were asked to do. */
function createShufflingWorkers() {
  const calls = { melts: [] as MeltJob[], surveys: 0, whole: 0 };
  const workers: Workers = {
    size: 2,
    async evaluate(assay, sent) {
      assert.equal(assay, 'thermostability');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the jobs of this assay
      const job = sent as ThermostabilityJob;
      if ('survey' in job) calls.surveys += 1;
      if ('whole' in job) calls.whole += 1;
      if (!('melts' in job)) return structuredClone(thermostability.evaluate(job));
      calls.melts.push(job.melts);
      const part = structuredClone(thermostability.evaluate(job));
      const turns = job.melts.firstPlate % 2 === 0 ? LATE_TURNS : 1;
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      return part;
    },
  };
  return { workers, asked: calls };
}

/** Analyzes the run as one job. */
function analyzeWhole(run: AssayRun): PackedResult<ThermostabilityAnalysis> {
  const part = thermostability.evaluate({ whole: run });
  return 'whole' in part ? part.whole : assert.fail('not the whole run');
}

/** Noise and slope in units of the signal. */
const MELT = { stepC: 0.5, noiseSd: 0.002, slopePerC: -0.001 } as const;

function createWell(name: string, tmC: number | null, change: Partial<MeltWell> = {}): MeltWell {
  const transitions = tmC === null ? [] : [{ tmC, dhKcalPerMol: 110, amplitude: 0.3 }];
  const seed = name.charCodeAt(0) * 31 + Number(name.slice(1));
  return { well: name, transitions, seed, ...MELT, ...change };
}

/** Creates an `assayer-melts` file, which names the plate and the sample of each well. */
function createMelts(plate: string, wells: readonly MeltWell[]): InputFile {
  const rows = wells.map(({ well: name, role = 'sample', sample = '', replicate = 1 }) =>
    [name, role, role === 'blank' ? '' : sample, replicate, '', ''].join(','),
  );
  const points = wells.flatMap((well) => {
    const { temperatureC, signal, channel } = createMeltTrace(well);
    return Array.from(temperatureC, (t, i) => `${well.well},${channel},${t},${signal[i].toFixed(6)}`);
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

/** Creates a table with a column of temperatures and one for each well, which names neither plate nor samples. */
function createTable(name: string, wells: readonly MeltWell[]): InputFile {
  const traces = wells.map(createMeltTrace);
  const rows = Array.from(traces[0].temperatureC, (t, i) =>
    [t, ...traces.map(({ signal }) => (1000 * signal[i]).toFixed(3))].join(','),
  );
  return toFile(name, `Temperature,${traces.map((each) => each.well).join(',')}\n${rows.join('\n')}\n`);
}

const createControl = (tmC: number) => createWell('H1', tmC, { role: 'positive_control', sample: 'parent' });

function toPlain({ found, packed }: PackedResult<ThermostabilityAnalysis>) {
  const points = [...packed.samples].map(([name, members]): [string, unknown] => [
    name,
    JSON.parse(`[${unpackCurves(members)}]`),
  ]);
  return { found, points: new Map(points), plates: packed.plates };
}

/** Analyzes the run in many jobs and in one, and asserts equal results; returns what the workers were asked. */
async function compareWithWhole(files: InputFile[], settings: Readonly<Record<string, unknown>> = {}) {
  const { workers, asked: calls } = createShufflingWorkers();
  const progress: number[] = [];
  const job = { experimentType: 'thermostability' as const, files, settings };
  const split = await analyzeInWorkers(
    ENGINES,
    { ...job, onProgress: (done) => void progress.push(done) },
    workers,
  );
  const whole = analyzeWhole(job);
  assert.deepEqual(toPlain(split), toPlain(whole));
  assert.ok(toPlain(whole).points.size > 0);
  return { asked: calls, progress, found: whole.found };
}

test('melt jobs: several files → one job for each and the results of a single job, replicates numbered across files', async () => {
  const createPlate = (index: number) =>
    createMelts(`P${index}`, [
      createWell('A1', 50 + index, { sample: 'everywhere', seed: index }),
      createWell('A2', 60 + index, { sample: `only-${index}` }),
      createWell('A3', null, { sample: 'flat', replicate: index }),
      createWell('A4', 58, { role: 'blank' }),
      createControl(65),
    ]);
  const { asked: calls, progress, found } = await compareWithWhole([1, 2, 3, 4].map(createPlate));
  assert.deepEqual([calls.melts.length, calls.surveys, calls.whole], [4, 0, 0]);
  assert.deepEqual(progress, [1, 2, 3, 4]);
  const everywhere = found.sequences.find(({ sample }) => sample === 'everywhere');
  assert.deepEqual(
    everywhere?.replicates.map(({ replicate }) => replicate),
    [1, 2, 3, 4],
  );
});

test('melt jobs: plates without names and one plate map → plates counted across files, samples named by the map', async () => {
  const createWells = (tmC: number) => [
    createWell('A1', tmC),
    createWell('A2', tmC + 3),
    createWell('B1', null),
  ];
  const map = toFile('map.csv', 'sample\n,1,2\nA,design-1,design-2\nB,design-3,Empty\n');
  const { asked: calls, found } = await compareWithWhole([
    createZip([createTable('one.csv', createWells(50)), createTable('two.csv', createWells(52))]),
    createTable('three.csv', createWells(54)),
    map,
    createTable('four.csv', createWells(56)),
  ]);
  assert.deepEqual([calls.melts.length, calls.surveys], [3, 1]);
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

test('melt jobs: a file of dye fluorescence beside one of another channel → one model for both files', async () => {
  const dye = { channel: 'dye', dyeFallPerC: 0.005 };
  const {
    asked: calls,
    found,
    progress,
  } = await compareWithWhole([
    createMelts('P1', [
      createWell('A1', 52, { ...dye, sample: 'a' }),
      createWell('A2', 60, { ...dye, sample: 'b' }),
    ]),
    createMelts('P2', [createWell('A1', 52, { sample: 'a' }), createWell('A2', 60, { sample: 'b' })]),
  ]);
  assert.notEqual(found.analysis.model, 'boltzmann');
  assert.ok(calls.melts.some(({ choice }) => choice.shape === 'two_state'));
  assert.equal(progress.at(-1), 2);
});

/** One more than `transitionsMax` of the next test. */
const TWO_TRANSITIONS = [50, 60].map((tmC) => ({ tmC, dhKcalPerMol: 110, amplitude: 0.3 }));

test('melt jobs: one or two of three files do not fit the model → the method is chosen for the whole run', async () => {
  const settings = { limits: { r2Min: 0.9995 }, transitionsMax: 1 };
  const createMisfit = (index: number) =>
    createMelts(`N${index}`, [
      createWell('A1', 55, { sample: 'n', transitions: TWO_TRANSITIONS, seed: index, replicate: index }),
    ]);
  const createFit = (index: number) =>
    createMelts(`C${index}`, [createWell('A1', 55, { sample: `c${index}` })]);
  const twoFit = await compareWithWhole([createMisfit(1), createFit(1), createFit(2)], settings);
  assert.equal(twoFit.found.analysis.model, 'two_state');
  assert.equal(twoFit.asked.melts.length, 4, 'the file that does not fit is judged twice');
  const oneFits = await compareWithWhole([createMisfit(1), createMisfit(2), createFit(1)], settings);
  assert.equal(oneFits.found.analysis.model, 'derivative');
  assert.equal(oneFits.asked.melts.length, 4, 'the file that fits is judged twice');
});

test('melt jobs: shared baselines, or a single file → one job', async () => {
  const files = [
    createMelts('P1', [createWell('A1', 52, { sample: 'a' })]),
    createMelts('P2', [createWell('A1', 54, { sample: 'a' })]),
  ];
  const shared = await compareWithWhole(files, { baseline: 'shared' });
  assert.deepEqual([shared.asked.whole, shared.asked.melts.length], [1, 0]);
  const single = await compareWithWhole(files.slice(0, 1));
  assert.deepEqual([single.asked.whole, single.asked.melts.length], [1, 0]);
});

test('melt jobs: a bad file, a second map, reader values or bad settings → the error of a single job', async () => {
  const good = createMelts('P1', [createWell('A1', 52, { sample: 'a' })]);
  const createMap = (name: string) => toFile(name, 'sample\n,1,2\nA,design-1,design-2\n');
  const reader = toFile(
    'reader.csv',
    '# assayer-plate: 1\nwell,role,sample,replicate,concentration_m,concentration_ng_per_ul\nA1,sample,a,1,,\n\nwell,channel,ex_nm,em_nm,gain,value\nA1,fluorescence,485,520,50,10\n',
  );
  const badRuns: InputFile[][] = [
    [good, toFile('bad.csv', '# assayer-melts: 1\nnonsense')],
    [good, toFile('notes.txt', 'nothing of the kind')],
    [createMap('one.csv'), good, createMap('two.csv')],
    [good, reader],
    [createMap('one.csv'), toFile('empty.csv', '')],
  ];
  /** Asserts that the run in many jobs fails like the run in one, and returns that error. */
  const expectSameError = async (files: InputFile[], settings = {}) => {
    const job = { experimentType: 'thermostability' as const, files, settings };
    const whole = (() => {
      try {
        return analyzeWhole(job);
      } catch (error) {
        return error;
      }
    })();
    assert.ok(whole instanceof Error);
    await assert.rejects(analyzeInWorkers(ENGINES, job, createShufflingWorkers().workers), {
      message: whole.message,
    });
    return whole;
  };
  const messages: string[] = [];
  for (const files of badRuns) {
    const error = await expectSameError(files);
    assert.ok(error instanceof FormatError);
    messages.push(error.message);
  }
  assert.match(messages[2] ?? '', /two\.csv.*one plate map/);
  assert.match(messages[3] ?? '', /values of a plate reader/);
  await expectSameError([good, good], { baseline: 'fixed' });
  await expectSameError([good, good], { channel: '330nm' });
});
