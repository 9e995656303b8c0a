import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormatError } from '#analysis/failures/errors.ts';
import { analyze } from '#testing/analysis/analyze.ts';
import { analyzeInWorkers } from '#analysis/pool/pool.ts';
import type { RunToAnalyze, Workers } from '#analysis/pool/pool.ts';
import type { AffinityAnalysis } from '../../affinity/engine/types.ts';
import type { Assay } from '#analysis/assays/assay.ts';
import { ENGINES } from '../../engines.ts';
import type { ScreeningAnalysis } from '../../screening/engine/types.ts';
import type { BindingJob } from './assay.ts';
import { packCurves } from '#analysis/curves/packed-curves.ts';
import { createPlateControls, createSeries, synthesize, toFile } from '#testing/analysis/synthetic.ts';

function createPlate(index: number) {
  const kinetics = { kon: 1e5, koff: 2e-3 };
  const traces = [
    ...createPlateControls(),
    ...createSeries({ role: 'sample', sample: 'everywhere', replicate: index, kinetics }),
    ...createSeries({ role: 'sample', sample: `only-${index}`, kinetics: index === 2 ? null : kinetics }),
  ];
  return synthesize({ plate: `P${index}`, seed: index, noiseSd: 0.004, traces }, `p${index}.csv`);
}

const FILES = [1, 2, 3, 4].map(createPlate);

/** Returns results out of order, and counts how many batches are active at once. */
function createShufflingWorkers(): Workers & { getMost: () => number } {
  let now = 0;
  let most = 0;
  return {
    size: 2,
    getMost: () => most,
    async evaluate(name, input) {
      now += 1;
      most = Math.max(most, now);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the jobs of affinity and screening
      const job = input as BindingJob;
      const assay: Assay = ENGINES[name === 'affinity' ? 'affinity' : 'screening'];
      const part = structuredClone(assay.evaluate(job));
      for (let turns = 0; turns < (job.firstPlate % 2 === 0 ? 40 : 1); turns += 1) await Promise.resolve();
      now -= 1;
      return part;
    },
  };
}

type BindingRun = RunToAnalyze<'affinity' | 'screening'>;

function analyzeInPieces(run: BindingRun, workers: Workers): Promise<AffinityAnalysis | ScreeningAnalysis> {
  return analyzeInWorkers(ENGINES, run, workers);
}

for (const experimentType of ['affinity', 'screening'] as const) {
  test(`batches: a ${experimentType} run in pieces → the same result and curves as in one piece`, async () => {
    const runner = createShufflingWorkers();
    const inPieces = await analyzeInPieces({ experimentType, files: FILES }, runner);
    const whole = analyze({ experimentType, files: FILES });
    assert.ok(runner.getMost() <= 3);
    assert.deepEqual(inPieces.plates, whole.plates);
    assert.deepEqual(inPieces.analysis, whole.analysis);
    for (const list of ['sequences', 'controls'] as const) {
      for (const [index, sequence] of inPieces[list].entries()) {
        const same = whole[list][index];
        const bare = (each: (typeof sequence.replicates)[number]) => ({
          ...each,
          curves: [],
          packedCurves: null,
        });
        assert.deepEqual(
          { ...sequence, replicates: sequence.replicates.map(bare) },
          { ...same, replicates: same.replicates.map(bare) },
        );
        for (const [r, { packedCurves }] of sequence.replicates.entries()) {
          const packed = packCurves(same.replicates[r].replicate, same.replicates[r].curves);
          assert.ok(packed !== null && packedCurves instanceof Uint8Array);
          assert.equal(Buffer.compare(packed, packedCurves), 0);
        }
      }
    }
  });
}

test('batches: one bad file → the run fails after the batches under way have ended', async () => {
  const runner = createShufflingWorkers();
  const files = [FILES[0], toFile('bad.csv', '# assayer-traces: 1\nnonsense'), FILES[2]];
  await assert.rejects(analyzeInPieces({ experimentType: 'affinity', files }, runner), FormatError);
  await assert.rejects(analyzeInPieces({ experimentType: 'affinity', files: [] }, runner), FormatError);
});

const ORDERED_M = [1e-6, 3e-7, 1e-7, 3e-8];
const FLAGS = new Set(['CONCENTRATIONS_DIFFER', 'TECHNIQUE_DIFFERS']);

for (const experimentType of ['affinity', 'screening'] as const) {
  const findTold = async (ordered: BindingRun['ordered']) => {
    const found = await analyzeInPieces(
      { experimentType, files: FILES.slice(0, 1), ordered },
      createShufflingWorkers(),
    );
    const flags = found.sequences.flatMap((sequence) => sequence.flags);
    return { notices: found.notices, unitFlags: flags.filter(({ code }) => FLAGS.has(code)) };
  };

  test(`order check: ${experimentType} measured as ordered, or nothing was ordered → no flag`, async () => {
    for (const concentrationsM of [ORDERED_M, ORDERED_M.map((molar) => 1.15 * molar), [], null])
      assert.deepEqual((await findTold({ concentrationsM, method: 'bli' })).unitFlags, []);
  });

  test(`order check: ${experimentType} at another thousandfold concentration or on another instrument → a flag`, async () => {
    const micro = await findTold({ concentrationsM: ORDERED_M.map((molar) => molar / 1000), method: 'bli' });
    assert.equal(micro.unitFlags.length, 2);
    assert.match(
      micro.unitFlags[0].message,
      /^Measured at 1000, 300, 100, 30 nM; the order has 1, 0\.3,.* factor 1000, which looks like an error of the unit\.$/,
    );
    assert.equal(micro.unitFlags[0].severity, 'warning');
    const spr = await findTold({ concentrationsM: ORDERED_M, method: 'spr' });
    assert.deepEqual(
      spr.unitFlags.map(({ code }) => code),
      ['TECHNIQUE_DIFFERS', 'TECHNIQUE_DIFFERS'],
    );
    assert.ok(spr.notices.includes('P1: the file says bli, the order spr.'));
  });
}
