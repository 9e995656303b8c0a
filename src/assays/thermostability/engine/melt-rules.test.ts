/** Rules that keep a Tm honest: each fires on the case that it is for, and not on its clean neighbor. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBareMeltSet, createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import type { MeltTruth, MeltWell } from '#testing/analysis/melts.ts';
import type { MeltTrace } from '#analysis/curves/trace.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import { addTransitions } from './add-transitions.ts';
import { SCAN_POINTS, canBeat, fitMelt, listParameters, thinCurve } from './fit.ts';
import { analyzeMeltingSets } from './melting.ts';
import { prepare, solveAt } from './model.ts';
import type { MeltModel } from './model.ts';
import type { SequenceMelting } from './types.ts';

const STRAIGHT: MeltModel = {
  shape: 'thermodynamic',
  transitions: 1,
  baseline: { kind: 'free' },
  deltaCpKcalPerMolK: 0,
  isQuenched: false,
};

function analyze(...wells: Omit<MeltWell, 'sample'>[]): SequenceMelting {
  return analyzeMeltingSets([createMeltSet(wells.map((well) => createMeltTrace({ ...well, sample: 'a' })))])
    .sequences[0];
}

const createStep = (change: Partial<MeltTruth> = {}): MeltWell => ({
  well: 'A1',
  transitions: [{ tmC: 60, dhKcalPerMol: 120, amplitude: 0.3 }],
  offset: 0.8,
  noiseSd: 0.001,
  ...change,
});

const getHalf = ({ tm }: SequenceMelting): number => (tm?.ci95High ?? Number.NaN) - (tm?.value ?? Number.NaN);

describe('ratio of two wavelengths', () => {
  /** The protein keeps this part of its light at 330 nm when it unfolds; the ratio weighs both states by their light. */
  const light = (kept: number): MeltTrace[] => {
    const unfolded = createMeltTrace({ ...createStep({ offset: 0, noiseSd: 0 }) }).signal.map(
      (value) => value / 0.3,
    );
    const noise = createMeltTrace(createStep({ transitions: [], offset: 0, noiseSd: 0.001 })).signal;
    const trace = createMeltTrace(createStep());
    const at330 = unfolded.map((part) => 1000 * (1 - part + kept * part));
    const at350 = unfolded.map((part) => 1000 * (0.8 * (1 - part) + 1.1 * kept * part));
    const ratio = at350.map((value, i) => value / at330[i] + noise[i]);
    return [
      { ...trace, channel: 'ratio', signal: ratio },
      { ...trace, channel: '330nm', signal: at330 },
    ];
  };
  const analyzeLight = (traces: MeltTrace[]): SequenceMelting =>
    analyzeMeltingSets([createBareMeltSet(traces)]).sequences[0];

  test('Tm: unfolding dims the protein, and the file has 330 nm → that of the protein, not of the ratio', () => {
    const [ratio, at330] = light(0.4);
    assert.ok(Math.abs((analyzeLight([ratio, at330]).tm?.value ?? 0) - 60) < 0.1);
    assert.ok((analyzeLight([ratio]).tm?.value ?? 0) > 61);
  });

  test('interval: the file lacks 330 nm → holds a protein that dims; with it → narrow', () => {
    const [ratio, at330] = light(0.4);
    const alone = analyzeLight([ratio]);
    assert.ok((alone.tm?.ci95Low ?? 99) < 60 && hasFlag(alone.flags, 'TM_UNCERTAIN'));
    assert.ok(getHalf(analyzeLight([ratio, at330])) < 0.3);
  });

  test('Tm: light that stays the same → not moved', () => {
    const [ratio, at330] = light(1);
    const [withLight, alone] = [analyzeLight([ratio, at330]), analyzeLight([ratio])];
    assert.ok(Math.abs((withLight.tm?.value ?? 0) - (alone.tm?.value ?? 99)) < 0.01);
  });
});

describe('shape of one step', () => {
  const split = (apartC: number, dhKcalPerMol: number): SequenceMelting => {
    const tmsC = [60 - apartC / 2, 60 + apartC / 2];
    const transitions = tmsC.map((tmC) => ({ tmC, dhKcalPerMol, amplitude: 0.15 }));
    return analyze(createStep({ transitions, noiseSd: 0.002 }));
  };

  test('TM_UNCERTAIN: two transitions 4 °C apart that one describes → raised, an estimate that holds the first', () => {
    const { tm, flags } = split(4, 150);
    assert.ok(
      flags.some(({ code, message }) => code === 'TM_UNCERTAIN' && message.includes('two overlapping')),
    );
    assert.equal(tm?.relation, '~');
    assert.ok((tm.ci95Low ?? 99) < 58.5);
  });

  test('TM_UNCERTAIN: a wide step that may be two, without proof → told, measured, and the interval reaches to the first; through strong noise → not told so', () => {
    const wide = (noiseSd: number): SequenceMelting =>
      analyze(createStep({ transitions: [{ tmC: 60, dhKcalPerMol: 65, amplitude: 0.3 }], noiseSd, seed: 2 }));
    const isTold = ({ flags }: SequenceMelting): boolean =>
      flags.some(({ code, message }) => code === 'TM_UNCERTAIN' && message.includes('two overlapping'));
    const clear = wide(0.006);
    assert.ok(isTold(clear));
    assert.equal(clear.tm?.relation, '=');
    assert.ok((clear.tm.ci95Low ?? 99) < 58 && getHalf(clear) > 2);
    assert.ok(!isTold(wide(0.06)));
  });

  test('TM_UNCERTAIN: two transitions at one temperature → not raised, and firm', () => {
    const { tm, flags } = split(0, 120);
    assert.deepEqual([tm?.relation, flags], ['=', []]);
  });

  test('interval: a bent baseline under the step → holds Tm, where the noise alone would not', () => {
    const found = analyze(createStep({ bendPerC2: 2e-5, noiseSd: 0.0005 }));
    assert.ok(Math.abs((found.tm?.value ?? 0) - 60) < getHalf(found));
    assert.ok(getHalf(found) > getHalf(analyze(createStep({ noiseSd: 0.0005 }))));
  });
});

describe('dye baselines', () => {
  const fall = (dyeFallPerC: number): SequenceMelting =>
    analyze({
      ...createStep({
        dyeFallPerC,
        noiseSd: 0.003,
        transitions: [{ tmC: 60, dhKcalPerMol: 80, amplitude: 1 }],
      }),
      channel: 'dye',
    });

  test('middle: flat and sloped baselines 1 to 2 °C apart → a firm Tm between them, with an interval to both', () => {
    const found = fall(0.04);
    assert.equal(found.tm?.relation, '=');
    assert.ok(hasFlag(found.flags, 'TM_UNCERTAIN'));
    assert.ok(Math.abs(found.tm.value - 60) < getHalf(found), `${found.tm.value}`);
    assert.ok(found.tm.value > (found.replicates[0].fit?.fromC ?? 0) && getHalf(found) > 0.6);
  });

  test('middle: baselines that agree → the sloped fit, without a flag; further apart → an estimate', () => {
    const [near, far] = [fall(0.01), fall(0.08)];
    assert.deepEqual([near.tm?.relation, near.flags], ['=', []]);
    assert.ok(Math.abs((near.tm?.value ?? 0) - 60) < 0.3);
    assert.equal(far.tm?.relation, '~');
  });
});

describe('replicates', () => {
  const repeat = (count: number, change: Partial<MeltWell> = {}): MeltWell[] =>
    Array.from({ length: count }, (_, i) => ({
      ...createStep({ seed: i + 1 }),
      ...change,
      well: `A${i + 1}`,
      replicate: i + 1,
    }));

  test('shared error: eight wells with the same bent baselines → an interval as wide as what they share', () => {
    const found = analyze(...repeat(8, { bendPerC2: 4e-5, noiseSd: 0.0005, seed: 1 }));
    const least = Math.min(...found.replicates.map(({ tmSharedSeC }) => tmSharedSeC));
    assert.ok(least > 0.02 && getHalf(found) >= 1.96 * least, `${getHalf(found)}, ${least}`);
  });

  test('shared error: eight wells that only noise moves → a narrower interval than one has', () => {
    const noisy = { noiseSd: 0.02 };
    assert.ok(getHalf(analyze(...repeat(8, noisy))) < getHalf(analyze(...repeat(1, noisy))));
  });

  test('vague replicate: one of three with an interval many times as wide → it does not move the mean', () => {
    const clear = repeat(2);
    const vague = { ...createStep({ noiseSd: 0.06, seed: 3 }), well: 'A3', replicate: 3 };
    const [two, three] = [analyze(...clear), analyze(...clear, vague)];
    assert.ok((three.replicates[2].tm?.ci95High ?? 0) - (three.replicates[2].tm?.value ?? 0) > 1);
    assert.equal(three.tm?.value, two.tm?.value);
  });

  test('vague replicate: three alike → all of them count', () => {
    const found = analyze(...repeat(3));
    const mean = found.replicates.reduce((sum, { tm }) => sum + (tm?.value ?? 0), 0) / 3;
    assert.ok(Math.abs((found.tm?.value ?? 0) - mean) < 1e-9);
  });
});

describe('search for further transitions', () => {
  test('canBeat: a second transition that is there → refined; one fitted to noise → not', () => {
    const judge = (tmsC: readonly number[]): boolean => {
      const transitions = tmsC.map((tmC) => ({ tmC, dhKcalPerMol: 130, amplitude: 0.3 / tmsC.length }));
      const curve = createMeltTrace(createStep({ transitions }));
      const rival = fitMelt(curve, STRAIGHT);
      const thin = thinCurve(curve, SCAN_POINTS);
      const two = { ...STRAIGHT, transitions: 2 };
      const problem = prepare(thin.temperatureC, thin.signal, two);
      const { ssr } = solveAt(problem, listParameters(fitMelt(thin, two, { known: listParameters(rival) })));
      return canBeat(rival, thin, { problem, ssr });
    };
    assert.deepEqual([judge([52, 66]), judge([60])], [true, false]);
  });

  test('starts: three steps on bent slopes, started at their peaks → all three; without → one broad step', () => {
    const tmsC = [50, 62, 74];
    const transitions = tmsC.map((tmC) => ({ tmC, dhKcalPerMol: 150, amplitude: 0.3 }));
    const curve = createMeltTrace({
      well: 'A1',
      transitions,
      noiseSd: 0.0015,
      slopePerC: 0.004,
      slopeChangePerC: -0.006,
    });
    const single = fitMelt(curve, STRAIGHT);
    const find = (peaksC: readonly number[]): number[] =>
      addTransitions(curve, single, 3, peaksC).transitions.map(({ tmC }) => Math.round(tmC));
    assert.deepEqual(find(tmsC), tmsC);
    assert.equal(find([]).length, 1);
  });
});

describe('precipitation', () => {
  const flicker = (times: number, fromC: number): SequenceMelting => {
    const clean = createMeltTrace({ ...createStep({ noiseSd: 0 }), channel: '350nm' });
    const noise = createMeltTrace({ well: 'A1', transitions: [], offset: 0, noiseSd: 0.001, seed: 3 }).signal;
    const signal = clean.signal.map((value, i) => {
      const beyondC = Math.max(0, clean.temperatureC[i] - fromC);
      return value - 0.01 * beyondC + noise[i] * (beyondC > 0 ? times : 1);
    });
    return analyzeMeltingSets([createMeltSet([{ ...clean, signal }])]).sequences[0];
  };

  test('TM_UNCERTAIN: the noise is ten times as strong from 70 °C on → left out and told, and Tm firm and right', () => {
    const { tm, flags, replicates } = flicker(10, 70);
    assert.ok(flags.some(({ code, message }) => code === 'TM_UNCERTAIN' && message.includes('left out')));
    assert.equal(tm?.relation, '=');
    assert.ok(Math.abs(tm.value - 60) < 0.5, `${tm.value}`);
    assert.ok((replicates[0].fit?.toC ?? 99) <= 71);
  });

  test('TM_UNCERTAIN: the noise stays the same → nothing is left out', () => {
    const { flags, replicates } = flicker(1, 99);
    assert.equal(replicates[0].fit?.toC, 95);
    assert.ok(!flags.some(({ message }) => message.includes('left out')));
  });
});
