import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { toRankEnds } from '#core/ranking.ts';
import type { AffinityAnalysis, SequenceAffinity } from './types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { FlagCode } from '#analysis/quality/flags.ts';
import type { BindingSettingsInput } from '../../binding/engine/settings.ts';
import {
  SERIES_M,
  createPlateControls,
  computeRelativeError,
  createSeries,
  synthesize,
} from '#testing/analysis/synthetic.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';

const BINDER = { kon: 1e5, koff: 2e-3 };
const NOISE = { noiseSd: 0.004, associationS: 200, dissociationS: 300 };

function sample(change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  return createSeries({ role: 'sample', sample: 'design', kinetics: BINDER, nonSpecific: 0.01, ...change });
}

function run(traces: SyntheticTrace[], settings: BindingSettingsInput = {}, noise = NOISE): AffinityAnalysis {
  return analyzeAffinity([synthesize({ ...noise, traces: [...createPlateControls(), ...traces] })], settings);
}

/** The samples of a curve are a typed array, whose JSON is an array of numbers as well. */
function listSamples(_key: string, value: unknown): unknown {
  return value instanceof Float64Array ? Array.from(value) : value;
}

function listAllSamples(value: unknown): unknown {
  const listed = listSamples('', value);
  if (Array.isArray(listed)) return listed.map(listAllSamples);
  if (typeof listed !== 'object' || listed === null) return listed;
  return Object.fromEntries(Object.entries(listed).map(([key, part]) => [key, listAllSamples(part)]));
}

function getFirst(analysis: AffinityAnalysis): SequenceAffinity {
  return analysis.sequences[0];
}

function listCodes(sequence: SequenceAffinity): FlagCode[] {
  return sequence.flags.map((each) => each.code);
}

/** Of ten samples each. */
const PLATES = Math.min(6, countCalibrationSets(3));

describe('round trip', () => {
  test('affinity: noise-free traces through a file → the exact KD after double referencing', () => {
    const traces = [...createPlateControls(), ...sample()];
    const sequence = getFirst(analyzeAffinity([synthesize({ traces })], { thinning: 'none' }));
    assert.ok(computeRelativeError(sequence.kd?.value, 2e-8) < 1e-5);
    assert.ok(computeRelativeError(sequence.kon?.value, 1e5) < 1e-5);
    assert.ok(computeRelativeError(sequence.koff?.value, 2e-3) < 1e-5);
    assert.equal(sequence.replicates[0].fit?.referenceRule, 'double');
  });

  test(`affinity: ${PLATES * 10} samples over four decades of KD → the true KD, and non-binders as such`, () => {
    const truth = Array.from({ length: 10 * PLATES }, (_, i) => {
      const kinetics =
        i % 3 === 0 ? null : { kon: 10 ** (4.5 + (i % 7) / 6), koff: 10 ** (-3 + (i % 5) / 4) };
      return { sample: `d${i}`, kinetics };
    });
    const files = Array.from({ length: PLATES }, (_, p) => {
      const traces = truth.slice(10 * p, 10 * p + 10).flatMap((each) => {
        return [1, 2].flatMap((replicate) => sample({ ...each, replicate, rmax: 1 + 0.05 * replicate }));
      });
      return synthesize(
        { ...NOISE, plate: `P${p}`, seed: p + 1, traces: [...createPlateControls(), ...traces] },
        `p${p}.csv`,
      );
    });
    const analysis = analyzeAffinity(files, { controlKdM: { 'Cetuximab scFv': 2e-3 / 3e5 } });
    assert.equal(analysis.sequences.length, 10 * PLATES);
    assert.ok(analysis.plates.every((plate) => plate.pass && plate.negativeControls.n === 8));
    const errors: number[] = [];
    for (const sequence of analysis.sequences) {
      const { kinetics } =
        truth.find((each) => each.sample === sequence.sample) ?? assert.fail(sequence.sample);
      assert.equal(sequence.outcome, kinetics === null ? 'non_binder' : 'measured', sequence.sample);
      assert.equal(sequence.nReplicates, 2);
      if (kinetics === null) {
        assert.deepEqual(
          [sequence.kd, sequence.kon, sequence.place, sequence.bindingStrength],
          [null, null, null, 'none'],
        );
      } else {
        errors.push(
          Math.abs(Math.log10((sequence.kd?.value ?? Number.NaN) / (kinetics.koff / kinetics.kon))),
        );
      }
    }
    errors.sort((a, b) => a - b);
    assert.ok(errors[errors.length >> 1] < 0.01, `median ${errors[errors.length >> 1]}`);
    assert.ok(errors[errors.length - 1] < 0.1, `worst ${errors[errors.length - 1]}`);
    const ranked = analysis.sequences.filter((each) => each.place !== null);
    assert.ok(Math.max(...ranked.map(({ place }) => place ?? 0)) > ranked.length / 2);
    for (const { place, rankRange, sample } of ranked) {
      const better = ranked.filter(
        (each) =>
          rankRange !== null &&
          each.rankRange !== null &&
          toRankEnds(each.rankRange).worst < toRankEnds(rankRange).best,
      );
      assert.equal(place, 1 + better.length, sample);
    }
    const plain = JSON.stringify(analysis, listSamples);
    // Compared as texts: the difference of two analyses would fill the memory of the runner.
    assert.ok(JSON.stringify(structuredClone(analysis), listSamples) === plain, 'a clone differs');
    assert.ok(isDeepStrictEqual(JSON.parse(plain), listAllSamples(analysis)), 'JSON loses a value');
  });

  test('curves: a measured replicate → processed signal, fit and residual add up, at no more than 1 Hz', () => {
    const { curves } = getFirst(run(sample())).replicates[0];
    assert.deepEqual(
      curves.map((curve) => curve.concentrationM),
      SERIES_M.toReversed(),
    );
    for (const { timeS, signal, fit, residual } of curves) {
      assert.ok(fit !== null && residual !== null);
      assert.equal(timeS.length, 500);
      for (let i = 0; i < timeS.length; i += 50) assert.ok(Math.abs(signal[i] - fit[i] - residual[i]) < 1e-5);
    }
    assert.deepEqual(getFirst(run(sample(), { curves: false })).replicates[0].curves, []);
  });

  test('provenance: an analysis → names its engine, its settings and the hash of every input', () => {
    const { analysis } = run(sample());
    assert.equal(analysis.engine.name, 'assayer-analysis');
    assert.match(analysis.inputs[0].sha256, /^[0-9a-f]{64}$/);
    assert.equal(analysis.settings.baselineS, 5);
  });
});

describe('outcomes', () => {
  test('non_binder: a sample without binding → no KD, and a score below zero', () => {
    const sequence = getFirst(run(sample({ kinetics: null })));
    assert.deepEqual([sequence.outcome, sequence.binding, sequence.kd], ['non_binder', 'non_binder', null]);
    assert.ok((sequence.bindingScore ?? 0) < 0);
  });

  test('not_expressed: a sensor at background loading without response → not_expressed instead of non_binder', () => {
    const sequence = getFirst(run(sample({ loading: 0.01, kinetics: null })));
    assert.equal(sequence.outcome, 'not_expressed');
    assert.equal(sequence.expression, 'none');
    assert.ok(hasFlag(sequence.flags, 'NOT_LOADED'));
    assert.equal(sequence.kd, null);
  });

  test('replicates: one of two failed to load → the other alone gives the outcome and KD', () => {
    const traces = [...sample({ replicate: 1 }), ...sample({ replicate: 2, loading: 0.01, kinetics: null })];
    const sequence = getFirst(run(traces));
    assert.deepEqual([sequence.outcome, sequence.nReplicates, sequence.kd?.n], ['measured', 2, 1]);
  });

  test('SPIKE: a bubble in one curve → that curve is excluded; in all curves → failed_qc', () => {
    const one = getFirst(run(sample().map((trace, i) => (i === 1 ? { ...trace, spikeAt: 90 } : trace))));
    assert.ok(listCodes(one).includes('SPIKE'));
    assert.ok(computeRelativeError(one.kd?.value, 2e-8) < 0.1);
    assert.deepEqual(
      one.replicates[0].curves.map((curve) => curve.excluded),
      [false, false, true, false],
    );
    const all = getFirst(
      run(
        sample({ spikeAt: 90 })
          .slice(0, 4)
          .map((trace, i) => ({ ...trace, spikeAt: 60 + 20 * i })),
      ),
    );
    assert.deepEqual([all.outcome, all.kd], ['failed_qc', null]);
  });

  test('nothing_to_analyze: no trace of a sample in analyte → the analysis is refused', () => {
    const reference = synthesize({ traces: [{ role: 'reference', sample: '', concentrationM: 1e-6 }] });
    assert.throws(
      () => analyzeAffinity([reference]),
      (error) => error instanceof AnalysisError && error.code === 'nothing_to_analyze',
    );
  });
});

describe('limits and flags', () => {
  test('KOFF_BELOW_LIMIT: dissociation too slow for the window → bounds for koff and KD', () => {
    const sequence = getFirst(run(sample({ kinetics: { kon: 1e5, koff: 2e-5 } })));
    assert.ok(listCodes(sequence).includes('KOFF_BELOW_LIMIT'));
    assert.deepEqual([sequence.koff?.relation, sequence.kd?.relation], ['<', '<']);
    assert.ok(computeRelativeError(sequence.koff?.value, 0.0513 / 299) < 0.01);
    assert.equal(sequence.kon?.relation, '=');
    assert.deepEqual([sequence.kd?.ci95Low, sequence.kd?.ci95High], [null, null]);
    const why = sequence.flags.find((each) => each.code === 'KOFF_BELOW_LIMIT');
    assert.match(why?.message ?? '', /In the 299 s of dissociation 0\.\d+ % of the complex dissociates/);
  });

  test('POORLY_IDENTIFIED: associations without curvature → KD is no firm limit, because slow transport looks alike, and the flag says why; clear curves → no flag', () => {
    const kinetics = { kon: 60, koff: 1e-3 };
    const weak = getFirst(run(sample({ kinetics, rmax: 50 }), { model: '1:1' }));
    const why = weak.flags.find((each) => each.code === 'POORLY_IDENTIFIED');
    assert.match(why?.message ?? '', /^A KD ten times higher describes the curves as well/);
    assert.equal(weak.kd?.relation, '>');
    assert.ok(!listCodes(getFirst(run(sample()))).includes('POORLY_IDENTIFIED'));
  });

  test('TOP_C_BELOW_KD: a weak, fast binder → measured from its plateaus by steady state if that is asked for or it saturates', () => {
    const curves = sample({ kinetics: { kon: 2e5, koff: 0.6 }, rmax: 2 });
    const unasked = getFirst(run(curves));
    assert.deepEqual([unasked.outcome, listCodes(unasked).includes('BULK_STEP')], ['inconclusive', true]);
    const weak = getFirst(run(curves, { model: 'steady_state' }));
    assert.ok(listCodes(weak).includes('TOP_C_BELOW_KD'));
    assert.equal(weak.fitKind, 'steady_state');
    assert.deepEqual([weak.kon, weak.koff], [null, null]);
    assert.equal(weak.kd?.relation, '>');
    const medium = getFirst(run(sample({ kinetics: { kon: 3e6, koff: 0.9 }, rmax: 2 })));
    assert.equal(medium.fitKind, 'steady_state');
    assert.ok(computeRelativeError(medium.kd?.value, 3e-7) < 0.1);
  });

  test('NSB, LOADING_LOW, SATURATED, NON_MONOTONIC_DOSE: each condition → its flag; a clean plate → none', () => {
    const clean = listCodes(getFirst(run(sample())));
    for (const code of ['NSB', 'LOADING_LOW', 'SATURATED', 'NON_MONOTONIC_DOSE'] as const)
      assert.ok(!clean.includes(code));
    const sticky = [...createPlateControls(0.6), ...sample({ nonSpecific: 0.6 })];
    assert.ok(
      listCodes(getFirst(analyzeAffinity([synthesize({ ...NOISE, traces: sticky })]))).includes('NSB'),
    );
    assert.ok(listCodes(getFirst(run(sample({ loading: 0.2 })))).includes('LOADING_LOW'));
    assert.ok(
      listCodes(getFirst(run(sample(), { limits: { saturationSignal: 1.5 } }))).includes('SATURATED'),
    );
    const hooked = sample().map((trace, i) => (i === 0 ? { ...trace, rmax: 0.6 } : trace));
    assert.ok(listCodes(getFirst(run(hooked))).includes('NON_MONOTONIC_DOSE'));
  });

  test('LOW_SIGNAL: a response just above the threshold on curves unlike binding → inconclusive', () => {
    const drifting = sample({ kinetics: null }).map((trace, i) =>
      i === 0 ? { ...trace, driftPerS: 1.7e-4 } : trace,
    );
    const sequence = getFirst(run(drifting, { timeZero: 'fixed' }, { ...NOISE, dissociationS: 900 }));
    const [replicate] = sequence.replicates;
    assert.ok(
      (replicate.bindingScore ?? 0) > 0 && (replicate.bindingScore ?? 0) < 1,
      `${replicate.bindingScore}`,
    );
    assert.deepEqual(
      [sequence.binding, sequence.outcome, sequence.kd],
      ['inconclusive', 'inconclusive', null],
    );
    assert.ok(listCodes(sequence).includes('LOW_SIGNAL'));
  });

  test('LOW_SIGNAL: a response near the noise → no KD, an estimate, or the flag', () => {
    const sequence = getFirst(run(sample({ rmax: 0.03 })));
    assert.ok(
      sequence.kd === null || listCodes(sequence).includes('LOW_SIGNAL') || sequence.kd.relation === '~',
    );
  });

  test('WINDOW_DEPENDENT, HETEROGENEOUS_LIGAND: two kinds of site → the first by a 1:1 model, else the second with both rates', () => {
    const file = synthesize({
      ...NOISE,
      traces: [...createPlateControls(), ...sample({ kinetics: { kon: 1e5, koff: 3e-2 } })],
    });
    const slow = synthesize({
      ...NOISE,
      noiseSd: 0,
      traces: [...createPlateControls(), ...sample({ kinetics: { kon: 1e5, koff: 5e-4 } })],
    });
    const sets = [file, slow].map((each) => new TextDecoder().decode(each.bytes).split('\n'));
    const mixed = sets[0].map((line, i) => {
      const [id, step, time, signal] = line.split(',');
      if (
        signal === undefined ||
        !/^T\d+$/.test(id) ||
        sets[1][i].split(',').length !== 4 ||
        step === 'sample'
      )
        return line;
      return [id, step, time, (Number(signal) + Number(sets[1][i].split(',')[3])).toFixed(9)].join(',');
    });
    const bytes = new TextEncoder().encode(mixed.join('\n'));
    const files = [{ name: 'mixed.csv', bytes }];
    assert.ok(listCodes(getFirst(analyzeAffinity(files, { model: '1:1' }))).includes('WINDOW_DEPENDENT'));
    const chosen = getFirst(analyzeAffinity(files));
    assert.deepEqual(chosen.models, ['heterogeneous_ligand']);
    assert.ok(
      listCodes(chosen).includes('HETEROGENEOUS_LIGAND') && !listCodes(chosen).includes('WINDOW_DEPENDENT'),
    );
    const sites = chosen.replicates[0].fit?.sites.map((site) => site.koff).sort((a, b) => a - b) ?? [];
    assert.ok(
      computeRelativeError(sites[0], 5e-4) < 0.1 && computeRelativeError(sites[1], 3e-2) < 0.1,
      sites.join(),
    );
  });

  test('CONTROL_FAILED: a positive control off its KD, or without binding → the plate fails', () => {
    const off = run(sample(), { controlKdM: { 'Cetuximab scFv': 1e-7 } });
    assert.equal(off.plates[0].pass, false);
    assert.ok(listCodes(getFirst(off)).includes('CONTROL_FAILED'));
    const dead = createPlateControls().map((each) =>
      each.role === 'positive_control' ? { ...each, kinetics: null } : each,
    );
    const failed = analyzeAffinity([synthesize({ ...NOISE, traces: [...dead, ...sample()] })]);
    assert.deepEqual(
      failed.plates[0].positiveControls.map((each) => each.pass),
      [false],
    );
  });

  test('FEW_NEGATIVE_CONTROLS, NO_REFERENCE, CONTROL_MISSING: a plate without controls → still measured, with the flags', () => {
    const analysis = analyzeAffinity([synthesize({ ...NOISE, traces: sample({ nonSpecific: 0 }) })]);
    assert.deepEqual(
      analysis.plates[0].flags.map((each) => each.code),
      ['FEW_NEGATIVE_CONTROLS', 'NO_REFERENCE', 'CONTROL_MISSING'],
    );
    assert.equal(getFirst(analysis).replicates[0].fit?.referenceRule, 'blank');
    assert.ok(computeRelativeError(getFirst(analysis).kd?.value, 2e-8) < 0.05);
  });
});

describe('settings', () => {
  test('invalid settings: unknown or impossible values → refused by name', () => {
    const wrong: [object, RegExp][] = [
      [{ color: 1 }, /color/],
      [{ rmax: 'many' }, /rmax/],
      [{ baselineS: -1 }, /baselineS/],
      [{ limits: { r2Min: Number.NaN } }, /r2Min/],
      [{ limits: { fame: 1 } }, /limits\.fame/],
      [{ timeZeroWindowS: 1000 }, /timeZeroWindowS/],
      [{ drift: 1 }, /drift/],
      [{ assign: 3 }, /assign/],
    ];
    for (const [settings, message] of wrong) {
      assert.throws(
        () => run(sample(), settings),
        (error) => error instanceof AnalysisError && message.test(error.message),
      );
    }
  });

  test('assign: names, roles and exclusions in the settings → override the file', () => {
    const traces = [...createPlateControls(), ...sample()];
    const at = traces.findIndex((trace) => trace.role === 'sample');
    const ids = [0, 1, 2, 3, 4].map((i) => `T${at + i + 1}`);
    const assign = Object.fromEntries(ids.map((id) => [id, { sample: 'renamed' }]));
    const analysis = run(sample(), { assign: { ...assign, [`P1/${ids[3]}`]: { exclude: true } } });
    assert.equal(getFirst(analysis).sample, 'renamed');
    assert.equal(getFirst(analysis).replicates[0].concentrationsM.length, 3);
  });

  test('reference: a rule that the plate cannot follow → failed_qc with the reason', () => {
    const analysis = analyzeAffinity([synthesize({ traces: sample() })], { reference: 'double' });
    assert.equal(getFirst(analysis).outcome, 'failed_qc');
    assert.match(getFirst(analysis).flags[0].message, /double/);
  });
});
