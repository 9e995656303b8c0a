/** An assay that is only a folder: registered beside the others, it is simulated, read, analyzed, combined and shown. */
import '../fixtures/assays/register.ts';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { analyzeInWorkers, AnalysisPool } from '#analysis/pool/pool.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { ENGINES } from '#assays/engines.ts';
import { requireShownAssay } from '#assays/shown.ts';
import { drawRanking } from '#features/results/figures/ranking.ts';
import { writeSvg } from '#documents/svg.ts';
import { runFiles } from '#sandbox/run-files.ts';
import { turbidity as engine } from '../fixtures/assays/turbidity/engine/assay.ts';

const WITH_TURBIDITY = { ...ENGINES, turbidity: engine };
const shown = requireShownAssay('turbidity');
const NAMES = ['murky', 'hazy', 'clear', 'clearest'];
const pool = new AnalysisPool({
  size: 2,
  workerUrl: new URL('../fixtures/assays/worker.ts', import.meta.url),
});
after(() => pool.close());

function recordFiles() {
  const request = {
    experimentCode: 'NEW-1',
    experimentType: 'turbidity',
    method: 'bli' as const,
    target: { id: '', name: '' },
    sequences: NAMES.map((name) => ({ id: name, name, aaString: 'MK', isControl: false })),
    nReplicates: 2,
  };
  return [...runFiles(request)].map(({ fileName: name, bytes }) => ({ name, bytes }));
}

function describeSubject(name: string) {
  const rest = { aa_string: 'MK', is_control: false, target: null, method: null };
  return { sequence_id: name, sequence_name: name, ...rest };
}

test('added assay: a file is uploaded → a worker inspects it', async () => {
  const [file] = recordFiles();
  const found = await pool.inspect({ experimentType: 'turbidity', file });
  assert.deepEqual(
    found.sets.map(({ format, plate, nTraces }) => [format, plate, nTraces]),
    [['assayer-plate', 'P1', 4]],
  );
  assert.deepEqual(found.samples, NAMES);
});

test('added assay: a run is analyzed → split into jobs, combined, answered and drawn', async () => {
  const progress: [number, number][] = [];
  const found = await analyzeInWorkers(
    WITH_TURBIDITY,
    {
      experimentType: 'turbidity',
      files: recordFiles(),
      settings: { clearMaxAu: 0.35 },
      onProgress: (done, total) => void progress.push([done, total]),
    },
    pool,
  );
  assert.deepEqual(progress, [
    [1, 2],
    [2, 2],
  ]);
  assert.deepEqual(
    found.plates.map(({ plate }) => plate),
    ['P1', 'P2'],
  );
  const results = NAMES.map((name) => shown.result.present(found, describeSubject(name)));
  assert.deepEqual(
    results.map(({ record: { place, n_replicates: n } }) => [place, n]),
    [
      [null, 2],
      [3, 2],
      [2, 2],
      [1, 2],
    ],
  );
  const ranked = found.sequences.map(({ sample, place, turbidity: { value } }) => ({
    sequence_name: sample,
    is_control: false,
    outcome: 'measured',
    place,
    quantities: { turbidity: { value, unit: 'AU', relation: '=' } },
    summary: {},
  }));
  const experiment = { code: 'NEW-1', experiment_type: 'turbidity', results: ranked, total: 4 };
  const svg = writeSvg(drawRanking(experiment, shown.measure));
  for (const text of [...NAMES, 'A600 (AU)']) assert.ok(svg.includes(text), text);
  assert.equal(shown.result.present(found, describeSubject('another')).outcome, 'not_tested');
});

test('added assay: an unknown setting → settings_invalid', async () => {
  const run = { experimentType: 'turbidity' as const, files: recordFiles(), settings: { clear: 1 } };
  await assert.rejects(
    analyzeInWorkers(WITH_TURBIDITY, run, pool),
    (error) => error instanceof AnalysisError && error.code === 'settings_invalid',
  );
});
