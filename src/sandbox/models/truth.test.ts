import { computeStandardDeviation, computeMedian } from '#analysis/numerics/statistics.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NEGATIVE_CONTROL_NAMES, NEGATIVE_CONTROL_TRUTH, POSITIVE_CONTROL_TRUTH } from './layout.ts';
import { computeLatentScore } from './latent.ts';
import { buildSimulationOptions } from './options.ts';
import { createRandomSource } from './random.ts';
import type { RandomSource } from './random.ts';
import {
  EXPRESSED_MIN_NG_PER_UL,
  REPLICATE_LOG10_KD_SD,
  aggregateTruth,
  computeSelectionShift,
  runTruth,
  drawTruth,
} from './truth.ts';
import type { Truth, TruthRequest } from './truth.ts';

const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';
const TARGET = 'target-1';
/** As the designs of an order with a library of unrelated sequences. */
const ENRICHED = { library: 'enriched', selectionShift: 1.43 } as const;

function drawSequence(random: RandomSource, length: number): string {
  return Array.from({ length }, () => LETTERS[Math.floor(random.drawUniform() * LETTERS.length)]).join('');
}

function mutate(random: RandomSource, sequence: string, count: number): string {
  const residues = Array.from(sequence);
  for (let change = 0; change < count; change += 1) {
    const position = Math.floor(random.drawUniform() * sequence.length);
    residues[position] = LETTERS[Math.floor(random.drawUniform() * LETTERS.length)] ?? 'A';
  }
  return residues.join('');
}

function drawSequences(count: number): string[] {
  const random = createRandomSource('test sequences');
  return Array.from({ length: count }, () =>
    drawSequence(random, 60 + Math.floor(random.drawUniform() * 200)),
  );
}

function computeMix(
  sequences: readonly string[],
  choice: Pick<TruthRequest, 'library' | 'selectionShift'> = {},
): Record<string, number> {
  const percent: Record<string, number> = { not_expressed: 0, none: 0, weak: 0, medium: 0, strong: 0 };
  for (const sequence of sequences) {
    const truth = drawTruth({ sequence, targetId: TARGET, ...choice });
    const key = truth.expressed ? truth.strength : 'not_expressed';
    percent[key] = (percent[key] ?? 0) + 100 / sequences.length;
  }
  return percent;
}

function assertMix(
  actual: Record<string, number>,
  expected: Record<string, number>,
  tolerance: number,
): void {
  for (const [key, value] of Object.entries(expected)) {
    const found = actual[key] ?? Number.NaN;
    assert.ok(Math.abs(found - value) <= tolerance, `${key}: ${found.toFixed(2)} %, expected ${value} %`);
  }
}

/** Returns sequences of binding designs from the enriched library. */
function findBinders(count: number): string[] {
  return drawSequences(4 * count)
    .filter((sequence) => drawTruth({ sequence, targetId: TARGET, ...ENRICHED }).binds)
    .slice(0, count);
}

function getLog10Kd(truth: Truth): number {
  return truth.kdM === null ? Number.NaN : Math.log10(truth.kdM);
}

describe('random source', () => {
  it('random source: the same parts → the same stream; other parts → another', () => {
    assert.equal(createRandomSource('a', 1).drawUniform(), createRandomSource('a', 1).drawUniform());
    assert.notEqual(createRandomSource('a', 1).drawUniform(), createRandomSource('a', 2).drawUniform());
    assert.notEqual(createRandomSource('ab', 'c').drawUniform(), createRandomSource('a', 'bc').drawUniform());
  });

  it('random source: normal draws → mean 0 and SD 1', () => {
    const random = createRandomSource('normal');
    const draws = Array.from({ length: 20_000 }, () => random.drawNormal());
    assert.ok(Math.abs(draws.reduce((sum, x) => sum + x, 0) / draws.length) < 0.03);
    assert.ok(Math.abs(computeStandardDeviation(draws) - 1) < 0.03);
  });
});

describe('latent score', () => {
  it('latent score: random and repetitive sequences → N(0, 1)', () => {
    const scores = drawSequences(4000).map((sequence) => computeLatentScore(sequence, 'binding', TARGET));
    assert.ok(Math.abs(computeStandardDeviation(scores) - 1) < 0.05);
    const repeats = Array.from({ length: 400 }, (_, i) =>
      computeLatentScore('A'.repeat(200), 'binding', `t${i}`),
    );
    assert.ok(computeStandardDeviation(repeats) < 1.5);
  });

  it('latent score: no 3-mer, or two short chains → 0', () => {
    assert.equal(computeLatentScore('AC', 'binding', TARGET), 0);
    assert.equal(computeLatentScore('AC:DE', 'binding', TARGET), 0);
  });
});

describe('library mix', () => {
  const sequences = drawSequences(10_000);

  it('naive library: random sequences → 5.5 % not expressed, 81 % none, 6 % weak, 6.7 % medium, 1 % strong', () => {
    const expected = { not_expressed: 5.5, none: 81, weak: 6, medium: 6.7, strong: 1 };
    assertMix(computeMix(sequences), expected, 1);
  });

  it('enriched library: random sequences → 4 % not expressed, 35 % none, 13 % weak, 30 % medium, 18 % strong', () => {
    const selectionShift = computeSelectionShift(sequences, TARGET);
    const expected = { not_expressed: 4, none: 35, weak: 13, medium: 30, strong: 18 };
    assertMix(computeMix(sequences, { library: 'enriched', selectionShift }), expected, 1.5);
  });

  it('enriched library: variants of one parent of any affinity → at least six in ten bind if expressed', () => {
    const random = createRandomSource('families');
    for (const parent of drawSequences(20)) {
      const variants = Array.from({ length: 60 }, () => mutate(random, parent, 3));
      const selectionShift = computeSelectionShift(variants, TARGET);
      const binders = variants.filter(
        (sequence) => drawTruth({ sequence, targetId: TARGET, force: 'spike', selectionShift }).binds,
      );
      assert.ok(binders.length >= 0.6 * variants.length, `${binders.length} variants of ${parent} bind`);
    }
  });

  it('enriched library: few designs, or none → at least one binds, or no shift', () => {
    for (const count of [1, 2, 3]) {
      const some = sequences.slice(0, count);
      const selectionShift = computeSelectionShift(some, TARGET);
      assert.ok(
        some.some(
          (sequence) => drawTruth({ sequence, targetId: TARGET, force: 'spike', selectionShift }).binds,
        ),
      );
    }
    assert.equal(computeSelectionShift([], TARGET), 0);
  });

  it('library mix: another target → the same share of binders, but other sequences', () => {
    const some = sequences.slice(0, 3000);
    const here = some.filter((sequence) => drawTruth({ sequence, targetId: 'target-1' }).binds);
    const there = some.filter((sequence) => drawTruth({ sequence, targetId: 'target-2' }).binds);
    assert.ok(Math.abs(here.length - there.length) < 0.03 * some.length);
    assert.ok(here.filter((sequence) => there.includes(sequence)).length < 0.3 * here.length);
  });
});

describe('design truth', () => {
  it('design truth: case, spaces and a stop sign → the same truth', () => {
    const [sequence = ''] = findBinders(1);
    const spelled = `${sequence.slice(0, 20).toLowerCase()} \n${sequence.slice(20)}*`;
    assert.deepEqual(
      drawTruth({ sequence: spelled, targetId: TARGET }),
      drawTruth({ sequence, targetId: TARGET }),
    );
  });

  it('design truth: binders → KD is koff / kon within the measurable range', () => {
    for (const sequence of findBinders(2000)) {
      const truth = drawTruth({ sequence, targetId: TARGET, ...ENRICHED });
      assert.ok(truth.kdM !== null && truth.konPerMS !== null && truth.koffPerS !== null);
      assert.ok(Math.abs(truth.koffPerS / truth.konPerMS / truth.kdM - 1) < 1e-9);
      assert.ok(truth.koffPerS >= 1.2e-4 && truth.koffPerS <= 0.02);
      assert.ok(truth.kdM >= 3.1e-10 && truth.kdM <= 2e-6);
      assert.ok(truth.konPerMS >= 50 && truth.konPerMS <= 1e7);
    }
  });

  it('design truth: point mutants → a median shift of KD below 0.25 decades, and few lost binders', () => {
    const random = createRandomSource('mutants');
    const shifts: number[] = [];
    let lost = 0;
    for (const sequence of findBinders(1000)) {
      const mutant = mutate(random, sequence, 1);
      const before = drawTruth({ sequence, targetId: TARGET, ...ENRICHED });
      const after = drawTruth({ sequence: mutant, targetId: TARGET, ...ENRICHED });
      if (after.binds) shifts.push(Math.abs(getLog10Kd(after) - getLog10Kd(before)));
      else lost += 1;
    }
    assert.ok(computeMedian(shifts) < 0.25, `median shift ${computeMedian(shifts)}`);
    assert.ok(computeMedian(shifts) > 0.02, 'a mutation usually changes something');
    assert.ok(lost < 100, `${lost} of 1000 lost`);
  });
});

describe('replicates', () => {
  it('replicates: many of one design → scatter by 0.11 in log10 KD', () => {
    const deviations = findBinders(1500).map((sequence) => {
      const request = { sequence, targetId: TARGET, ...ENRICHED } as const;
      return getLog10Kd(drawTruth({ ...request, replicate: 1 })) - getLog10Kd(drawTruth(request));
    });
    assert.ok(Math.abs(computeStandardDeviation(deviations) - REPLICATE_LOG10_KD_SD) < 0.01);
  });

  it('run truth: several replicates → the geometric mean of those that load', () => {
    for (const sequence of findBinders(200)) {
      const run = runTruth({ sequence, targetId: TARGET, ...ENRICHED, nReplicates: 4 });
      const used = run.replicates.filter((truth) => truth.failure !== 'no_loading');
      const mean = used.reduce((sum, truth) => sum + getLog10Kd(truth), 0) / used.length;
      assert.equal(run.nReplicatesMeasurable, used.length);
      assert.ok(run.kdM !== null && run.konPerMS !== null && run.koffPerS !== null);
      assert.ok(Math.abs(Math.log10(run.kdM) - mean) < 1e-9);
      assert.ok(Math.abs(run.koffPerS / run.konPerMS / run.kdM - 1) < 1e-9);
    }
  });

  it('aggregated truth: a selection of replicates → covers only that; nothing → null', () => {
    const [sequence = ''] = findBinders(1);
    const run = runTruth({ sequence, targetId: TARGET, ...ENRICHED, nReplicates: 3 });
    const [first] = run.replicates;
    assert.ok(first !== undefined);
    assert.ok(
      Math.abs((aggregateTruth([{ ...first, failure: null }]).kdM ?? 0) / (first.kdM ?? 1) - 1) < 1e-12,
    );
    assert.deepEqual(aggregateTruth([]), {
      kdM: null,
      konPerMS: null,
      koffPerS: null,
      nReplicatesMeasurable: 0,
    });
  });

  it('replicates: another attempt → new scatter around the same design', () => {
    const [sequence = ''] = findBinders(1);
    const first = runTruth({ sequence, targetId: TARGET, ...ENRICHED, nReplicates: 2 });
    const again = runTruth({ sequence, targetId: TARGET, ...ENRICHED, nReplicates: 2, attempt: 2 });
    assert.deepEqual(again.design, first.design);
    assert.notEqual(again.kdM, first.kdM);
  });

  it('replicates: failures → about 2 % no loading, 1 % spike, 1 % heterogeneous', () => {
    const counts: Record<string, number> = { no_loading: 0, spike: 0, heterogeneous: 0 };
    for (const sequence of drawSequences(5000)) {
      for (const replicate of [1, 2]) {
        const { failure } = drawTruth({ sequence, targetId: TARGET, replicate });
        if (failure !== null) counts[failure] = (counts[failure] ?? 0) + 1;
      }
    }
    assertMix(counts, { no_loading: 200, spike: 100, heterogeneous: 100 }, 40);
  });
});

describe('force', () => {
  const sequences = drawSequences(300);
  const drawForced = (force: 'non_binder' | 'binder' | 'not_expressed' | 'no_loading' | 'spike'): Truth[] =>
    sequences.map((sequence) => drawTruth({ sequence, targetId: TARGET, replicate: 1, force }));

  it('forced non_binder: truth → expressed, no binding, no failure', () => {
    assert.ok(
      drawForced('non_binder').every((t) => t.expressed && !t.binds && t.kdM === null && t.failure === null),
    );
  });

  it('forced binder: truth → every sequence binds, with its own KD', () => {
    const truths = drawForced('binder');
    assert.ok(truths.every((t) => t.expressed && t.binds && t.failure === null));
    assert.ok(new Set(truths.map((t) => t.kdM)).size > 250);
  });

  it('forced not_expressed: truth → a yield below the limit and no binding', () => {
    const truths = drawForced('not_expressed');
    assert.ok(truths.every((t) => !t.expressed && !t.binds && t.yieldNgPerUl < EXPRESSED_MIN_NG_PER_UL));
  });

  it('forced no_loading, spike: truth → the failure in every replicate of an expressed protein', () => {
    assert.ok(drawForced('no_loading').every((t) => t.expressed && t.failure === 'no_loading'));
    assert.ok(drawForced('spike').every((t) => t.expressed && t.failure === 'spike'));
  });

  it('sandbox options: parameters.sandbox → read, and unknown values are ignored', () => {
    const whole = { sandbox: { force: 'spike', library: 'enriched', faults: ['failed_qc'] } };
    const options = { force: 'spike', library: 'enriched', firstNotExpressed: false };
    assert.deepEqual(buildSimulationOptions(whole, 1), { ...options, attempt: 1, controlsFail: true });
    assert.deepEqual(buildSimulationOptions(whole, 2), { ...options, attempt: 2, controlsFail: false });
    const none = { firstNotExpressed: false, controlsFail: false, attempt: 1 };
    for (const parameters of [null, {}, { sandbox: 'x' }, { sandbox: { force: 'fly', library: 1 } }])
      assert.deepEqual(buildSimulationOptions(parameters, 1), {
        ...none,
        force: undefined,
        library: undefined,
      });
  });
});

describe('controls', () => {
  it('controls: truth → the positive one has 6.6 nM, and at least eight negative ones do not bind', () => {
    assert.equal(POSITIVE_CONTROL_TRUTH.kdM, 6.6e-9);
    assert.equal(POSITIVE_CONTROL_TRUTH.konPerMS, 3e5);
    assert.equal(NEGATIVE_CONTROL_TRUTH.binds, false);
    assert.ok(NEGATIVE_CONTROL_NAMES.length >= 8);
  });
});
