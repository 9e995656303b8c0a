import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInformative } from '../../binding/engine/sequence.ts';
import { resolveSettings } from '../../binding/engine/settings.ts';
import { aggregateQuantity, aggregateSequence } from './aggregate.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { createLimit, createMeasuredQuantity } from '#analysis/quantities/quantity.ts';
import type { SequenceAffinity } from './types.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import { createNormals, createPlateControls, createSeries, synthesize } from '#testing/analysis/synthetic.ts';
import type { Kinetics } from '#testing/analysis/synthetic.ts';

test('replicates: one that did not load beside others that did → it does not count', () => {
  assert.equal(isInformative('measured', 'measured'), true);
  assert.equal(isInformative('measured', 'non_binder'), true);
  assert.equal(isInformative('measured', 'not_expressed'), false);
  assert.equal(isInformative('not_expressed', 'not_expressed'), true);
  assert.equal(isInformative('failed_qc', 'failed_qc'), false);
  assert.equal(isInformative('measured', 'inconclusive'), false);
  assert.equal(isInformative('inconclusive', 'inconclusive'), true);
});

test('aggregation: values that may lie beyond a limit among them → the limit that all allow; values that contradict it → an estimate', () => {
  const kd = (value: number): ReturnType<typeof createMeasuredQuantity> => ({
    ...createMeasuredQuantity(value, 'M', 0.1),
    relation: '~',
  });
  const tight = aggregateQuantity([createLimit(1.6e-10, 'M', 'rate_beyond_limit'), kd(2e-14), kd(1.6e-14)], {
    notBelowBounds: true,
  });
  assert.deepEqual(
    [tight?.relation, tight?.value, tight?.ci95Low, tight?.ci95High],
    ['<', 1.6e-10, null, null],
  );
  const near = aggregateQuantity([createLimit(1e-9, 'M', 'rate_beyond_limit'), kd(9.5e-10)], {
    notBelowBounds: true,
  });
  assert.equal(near?.relation, '<');
  assert.ok(near.value > 1.1e-9 && near.value < 1.2e-9, `${near.value}`);
  const weak = aggregateQuantity([createLimit(2e-6, 'M', 'kd_above_concentrations'), kd(5e-7)], {
    notBelowBounds: true,
  });
  assert.deepEqual([weak?.relation, weak?.value], ['~', 2e-6]);
  const mean = aggregateQuantity([createLimit(1e-10, 'M', 'rate_beyond_limit'), kd(1e-8), kd(1e-9)], {
    notBelowBounds: true,
  });
  assert.ok(mean !== null && Math.abs(Math.log10(mean.value) + 9) < 1e-9);
});

test('aggregation: replicates with an SD of 0.11 in log10 → 92–99 % of 2,000 intervals hold the truth', (context) => {
  const lines: string[] = [];
  for (const n of [2, 3, 4]) {
    for (const se of [0.005, 0.03, 0.11]) {
      const normal = createNormals(1_000 * n + 1_000 * se);
      let held = 0;
      for (let k = 0; k < 2_000; k += 1) {
        const found = aggregateQuantity(
          Array.from({ length: n }, () =>
            createMeasuredQuantity(1e-8 * 10 ** (0.11 * normal() + se * normal()), 'M', se * Math.LN10),
          ),
        );
        if ((found?.ci95Low ?? 1) < 1e-8 && (found?.ci95High ?? 0) > 1e-8) held += 1;
      }
      lines.push(`n ${n}, SE ${se}: ${((100 * held) / 2_000).toFixed(1)} %`);
      // The wider of two intervals covers more than 95 % where both are equally wide.
      assert.ok(held > 0.92 * 2_000 && held < 0.99 * 2_000, lines.join('; '));
    }
  }
  context.diagnostic(lines.join('; '));
});

const CONTROL: Kinetics = { kon: 1e5, koff: 2e-3 };

/** A plate of designs, with consecutive replicates, beside a positive control of 20 nM. */
function createPlate(
  designs: Record<string, (Kinetics | null)[]>,
  change: (text: string) => string = (text) => text,
) {
  const control = createSeries({ role: 'positive_control', sample: 'control', kinetics: CONTROL });
  const traces = Object.entries(designs).flatMap(([sample, replicates]) => {
    return replicates.flatMap((kinetics, i) =>
      createSeries({ role: 'sample', sample, kinetics, replicate: i + 1 }),
    );
  });
  const file = synthesize({ noiseSd: 0.001, traces: [...createPlateControls(), ...control, ...traces] });
  return { ...file, bytes: new TextEncoder().encode(change(new TextDecoder().decode(file.bytes))) };
}

const createKinetics = (...koffs: number[]): Kinetics[] => koffs.map((koff) => ({ kon: 1e5, koff }));

function findSample(sequences: readonly SequenceAffinity[], sample: string): SequenceAffinity {
  const found = sequences.find((each) => each.sample === sample);
  assert.ok(found !== undefined, sample);
  return found;
}

test('REPLICATES_DISAGREE: replicates tenfold apart → an estimate without verdict, whose wide interval is behind nothing', () => {
  const { sequences } = analyzeAffinity([
    createPlate({ apart: createKinetics(5e-4, 5e-3), agreed: createKinetics(8e-3, 9e-3) }),
  ]);
  const [apart, agreed] = [findSample(sequences, 'apart'), findSample(sequences, 'agreed')];
  assert.deepEqual([apart.kd?.relation, apart.bindingStrength, apart.place], ['~', 'strong', 1]);
  assert.ok(hasFlag(apart.flags, 'REPLICATES_DISAGREE'));
  assert.ok((apart.kd?.value ?? 1) < (agreed.kd?.value ?? 0));
  assert.ok(apart.performance.length > 0);
  for (const { verdict, foldTighter } of apart.performance)
    assert.deepEqual([verdict, foldTighter], ['not_comparable', null]);
  assert.deepEqual([agreed.kd?.relation, agreed.bindingStrength, agreed.place], ['=', 'medium', 1]);
  for (const { verdict } of agreed.performance) assert.equal(verdict, 'worse');
});

test('UNITS_DIFFER: replicates in nm and in pm → a KD but no common Rmax', () => {
  const nm = createPlate({ design: createKinetics(2e-3) });
  const again = createPlate({ design: createKinetics(2e-3) }, (text) =>
    text.replace('# plate: P1', '# plate: P2'),
  );
  const pm = createPlate({ design: createKinetics(2e-3) }, (text) => {
    return text.replace('# plate: P1', '# plate: P2').replace('signal_unit: nm', 'signal_unit: pm');
  });
  const mixed = findSample(analyzeAffinity([nm, pm]).sequences, 'design');
  assert.deepEqual([mixed.rmax, mixed.kd?.relation, hasFlag(mixed.flags, 'UNITS_DIFFER')], [null, '=', true]);
  const same = findSample(analyzeAffinity([nm, again]).sequences, 'design');
  assert.deepEqual([same.rmax?.unit, hasFlag(same.flags, 'UNITS_DIFFER')], ['nm', false]);
});

test('arithmetic mean: a bound among the replicates → none', () => {
  const { sequences } = analyzeAffinity([
    createPlate({ bounded: createKinetics(2e-6), known: createKinetics(2e-3) }),
  ]);
  const [bounded, known] = [findSample(sequences, 'bounded'), findSample(sequences, 'known')];
  assert.deepEqual([bounded.kd?.relation, bounded.kdArithmeticMeanM], ['<', null]);
  assert.ok(Math.abs((known.kdArithmeticMeanM ?? 0) / (known.kd?.value ?? 1) - 1) < 1e-9);
});

test('inconclusive: replicates that bind, exclude binding or do neither → a binder and a non-binder by most of them, else neither', () => {
  const { sequences } = analyzeAffinity([createPlate({ design: [CONTROL, null] })]);
  const [yes, no] = findSample(sequences, 'design').replicates;
  assert.deepEqual([yes.outcome, no.outcome], ['measured', 'non_binder']);
  const open = { ...no, outcome: 'inconclusive', binding: 'inconclusive' } as const;
  const decide = (...replicates: (typeof yes)[]): SequenceAffinity =>
    aggregateSequence(replicates, resolveSettings());
  const cases = [
    [[yes, yes, no], 'measured', 'binder'],
    [[yes, open], 'measured', 'binder'],
    [[yes, no], 'inconclusive', 'inconclusive'],
    [[yes, no, no], 'inconclusive', 'inconclusive'],
    [[yes, open, open], 'inconclusive', 'inconclusive'],
    [[open], 'inconclusive', 'inconclusive'],
    [[no, open], 'inconclusive', 'inconclusive'],
    [[no, no, open], 'non_binder', 'non_binder'],
    [[no, no], 'non_binder', 'non_binder'],
  ] as const;
  for (const [replicates, outcome, binding] of cases) {
    const found = decide(...replicates);
    const listed = replicates.map((each) => each.outcome).join(', ');
    assert.deepEqual([found.outcome, found.binding], [outcome, binding], listed);
    assert.equal(hasFlag(found.flags, 'REPLICATES_DISAGREE'), new Set(replicates).size > 1, listed);
    if (outcome !== 'measured') assert.deepEqual([found.kd, found.place], [null, null], listed);
  }
  assert.equal(decide(yes, yes, no).kd?.relation, '~');
  assert.equal(decide(yes, open).kd?.relation, '=');
  assert.equal(decide(no).bindingStrength, 'none');
  assert.equal(decide(open).bindingStrength, null);
});
