import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasFlag } from '#analysis/quality/flags.ts';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import type { MeltTruth, MeltWell } from '#testing/analysis/melts.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import { createUniforms } from '#testing/analysis/synthetic.ts';
import { KELVIN, R_KCAL } from './model.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { MeltingSettingsInput } from './settings.ts';
import type { SequenceMelting, ThermostabilityAnalysis } from './types.ts';

const NOISE = 0.003;
const FLAT_CURVES = Math.min(200, countCalibrationSets(30));
const CURVES = Math.min(400, countCalibrationSets(240));
const DERIVATIVES = Math.min(200, countCalibrationSets(50));

function run(wells: MeltWell[], settings: MeltingSettingsInput = {}): ThermostabilityAnalysis {
  return analyzeMeltingSets([createMeltSet(wells.map(createMeltTrace))], settings);
}

function analyzeTruth(
  truth: MeltTruth & { channel?: string },
  settings: MeltingSettingsInput = {},
): SequenceMelting {
  const { sequences } = run([{ well: 'A1', ...truth }], { curves: false, ...settings });
  assert.equal(sequences.length, 1);
  return sequences[0];
}

/** A signal-to-noise of 5 at each point. */
function createNoisyTruth(): MeltTruth {
  return { transitions: [{ tmC: 55, dhKcalPerMol: 130, amplitude: 0.5 }], noiseSd: 0.1 };
}

function computeOnset(tmC: number, dhKcalPerMol: number): number {
  return 1 / (1 / (tmC + KELVIN) + (R_KCAL * Math.log(99)) / dhKcalPerMol) - KELVIN;
}

const TWO_STATE: MeltTruth = {
  transitions: [{ tmC: 62, dhKcalPerMol: 110, amplitude: 0.3 }],
  slopePerC: -0.002,
  slopeChangePerC: 0.001,
  noiseSd: NOISE,
};

/** Returns curves without a transition inside the data: flat, sloping, bent, and cut off at either end. */
function createFlatTruth(index: number): MeltTruth {
  const uniform = createUniforms(index + 1);
  const drawBetween = (low: number, high: number): number => low + (high - low) * uniform();
  const rho = [0, 0.6, 0.9][index % 3];
  const slopePerC = drawBetween(-0.01, 0.01);
  const step = (tmC: number): MeltTruth => ({
    transitions: [{ tmC, dhKcalPerMol: drawBetween(80, 200), amplitude: 0.3 }],
    slopePerC: slopePerC / 5,
  });
  const kinds: MeltTruth[] = [
    { transitions: [] },
    { transitions: [], slopePerC },
    { transitions: [], slopePerC, bendPerC2: drawBetween(-1e-4, 1e-4) },
    step(drawBetween(94, 110)),
    step(drawBetween(10, 26)),
  ];
  return { ...kinds[index % kinds.length], noiseSd: NOISE, rho, seed: 500 + index };
}

describe('no transition', () => {
  for (const method of ['two_state', 'derivative', 'boltzmann', 'auto'] as const) {
    test(`NO_TRANSITION: ${method}, ${FLAT_CURVES} flat, sloping, bent and range-edge curves → no Tm, with a reason`, () => {
      for (let index = 0; index < FLAT_CURVES; index += 1) {
        const channel = index % 2 === 0 ? 'ratio' : 'dye';
        const found = analyzeTruth({ ...createFlatTruth(index), channel }, { method });
        assert.equal(found.tm, null, `curve ${index}: ${found.tm?.value}`);
        assert.ok(found.noTransition !== null && found.noTransition.message !== '');
        assert.ok(hasFlag(found.flags, 'NO_TRANSITION'));
        assert.deepEqual([found.tmAll, found.tonset, found.dh], [[], null, null]);
      }
    });
  }

  test('failed_qc: too few points, a short range or a constant signal → no Tm, with the reason', () => {
    const wrong: [Partial<MeltTruth>, string][] = [
      [{ stepC: 5 }, 'too_few_points'],
      [{ fromC: 40, toC: 48 }, 'range_too_short'],
      [{ transitions: [], slopePerC: 0, slopeChangePerC: 0, noiseSd: 0 }, 'constant_signal'],
    ];
    for (const [change, reason] of wrong) {
      const found = analyzeTruth({ ...TWO_STATE, ...change });
      assert.deepEqual([found.outcome, found.tm, found.noTransition?.reason], ['failed_qc', null, reason]);
    }
  });

  test('NO_TRANSITION: a flat curve → measured without a Tm', () => {
    const found = analyzeTruth({ transitions: [], noiseSd: NOISE });
    assert.deepEqual([found.outcome, found.noTransition?.reason], ['measured', 'amplitude_below_noise']);
  });
});

describe('calibration', () => {
  for (const rho of [0, 0.6]) {
    test(`intervals: two-state, noise with autocorrelation ${rho} → at least 95 % of ${CURVES} hold Tm, 92–98 % the onset`, (context) => {
      const uniform = createUniforms(11);
      const errors: number[] = [];
      let covered = 0;
      let onsets = 0;
      for (let index = 0; index < CURVES; index += 1) {
        const tmC = 45 + 35 * uniform();
        const dhKcalPerMol = 70 + 90 * uniform();
        const found = analyzeTruth({
          transitions: [{ tmC, dhKcalPerMol, amplitude: uniform() < 0.5 ? -0.3 : 0.3 }],
          slopePerC: 0.004 * (uniform() - 0.5),
          slopeChangePerC: 0.004 * (uniform() - 0.5),
          noiseSd: NOISE,
          rho,
          seed: index + 1,
        });
        assert.ok(found.tm !== null && found.tonset !== null, `curve ${index} has a transition`);
        assert.equal(found.tmAll.length, 1);
        errors.push(Math.abs(found.tm.value - tmC));
        if (isWithin(found.tm, tmC)) covered += 1;
        if (isWithin(found.tonset, computeOnset(tmC, dhKcalPerMol))) onsets += 1;
      }
      context.diagnostic(
        `Tm covered ${covered}, onset ${onsets} of ${CURVES}; median error ${errors.sort((a, b) => a - b)[CURVES >> 1]} °C`,
      );
      // No upper bound for Tm: its interval also holds bent baselines, skewed steps and a heat capacity change, which these
      // curves lack.
      assert.ok(covered >= 0.95 * CURVES, `Tm: ${covered} of ${CURVES}`);
      assert.ok(onsets >= 0.92 * CURVES && onsets <= 0.98 * CURVES, `onset: ${onsets} of ${CURVES}`);
    });
  }
});

test(`intervals: derivative of ${DERIVATIVES} two-state curves, smoothing included → 92–98 % hold Tm`, (context) => {
  const uniform = createUniforms(13);
  let covered = 0;
  for (let index = 0; index < DERIVATIVES; index += 1) {
    const tmC = 45 + 35 * uniform();
    const truth: MeltTruth = {
      transitions: [{ tmC, dhKcalPerMol: 70 + 90 * uniform(), amplitude: 0.3 }],
      slopePerC: 0.004 * (uniform() - 0.5),
      slopeChangePerC: 0.004 * (uniform() - 0.5),
      noiseSd: NOISE,
      seed: index + 1,
    };
    const { tm } = analyzeTruth(truth, { method: 'derivative', transitionsMax: 1 });
    assert.ok(tm !== null, `curve ${index} has an inflection`);
    if (isWithin(tm, tmC)) covered += 1;
  }
  context.diagnostic(`covered ${covered} of ${DERIVATIVES}`);
  assert.ok(covered >= 0.92 * DERIVATIVES && covered <= 0.98 * DERIVATIVES, `${covered} of ${DERIVATIVES}`);
});

function isWithin(quantity: { ci95Low: number | null; ci95High: number | null }, truth: number): boolean {
  assert.ok(quantity.ci95Low !== null && quantity.ci95High !== null);
  return quantity.ci95Low <= truth && truth <= quantity.ci95High;
}

describe('Tm', () => {
  test('two-state fit: noise-free curve → the true Tm, ΔH and onset', () => {
    const found = analyzeTruth({ ...TWO_STATE, noiseSd: 0 });
    assert.ok(Math.abs((found.tm?.value ?? 0) - 62) < 1e-4);
    assert.ok(Math.abs((found.dh?.value ?? 0) - 110) < 1e-2);
    assert.equal(found.dh?.unit, 'kcal/mol');
    assert.ok(Math.abs((found.tonset?.value ?? 0) - computeOnset(62, 110)) < 1e-3);
  });

  test('Tm: an uneven temperature axis → the same value', () => {
    const trace = createMeltTrace({ well: 'A1', ...TWO_STATE, noiseSd: 0 });
    const isKept = (_: number, i: number): boolean => i % 7 !== 0 && i % 11 !== 3;
    const uneven = {
      ...trace,
      temperatureC: trace.temperatureC.filter(isKept),
      signal: trace.signal.filter(isKept),
    };
    for (const [method, tolerance] of [
      ['two_state', 1e-4],
      ['derivative', 0.3],
    ] as const) {
      const [found] = analyzeMeltingSets([createMeltSet([uneven])], { method }).sequences;
      assert.ok(Math.abs((found.tm?.value ?? 0) - 62) < tolerance, method);
    }
  });

  test('SEVERAL_TRANSITIONS: two or three resolved transitions → all in ascending order, and Tm is the first', () => {
    const transitions = [
      { tmC: 48, dhKcalPerMol: 120, amplitude: 0.3 },
      { tmC: 64, dhKcalPerMol: 150, amplitude: 0.2 },
      { tmC: 80, dhKcalPerMol: 160, amplitude: 0.3 },
    ];
    for (const count of [2, 3]) {
      const found = analyzeTruth({ ...TWO_STATE, transitions: transitions.slice(0, count) });
      assert.equal(found.tmAll.length, count);
      for (const [k, each] of found.tmAll.entries())
        assert.ok(Math.abs(each.tmC - transitions[k].tmC) < 0.5, `${count}: ${each.tmC}`);
      assert.equal(found.tm?.value, found.tmAll[0].tmC);
      assert.ok(hasFlag(found.flags, 'SEVERAL_TRANSITIONS'));
    }
  });

  test('dye curves: they fall after their maximum → fitted as Boltzmann curves up to it', () => {
    const truth: MeltTruth = {
      transitions: [{ tmC: 55, dhKcalPerMol: 130, amplitude: 1 }],
      noiseSd: NOISE,
      dyeFallPerC: 0.02,
    };
    const analysis = run([{ well: 'A1', channel: 'dye', ...truth }]);
    assert.equal(analysis.analysis.model, 'boltzmann');
    const [found] = analysis.sequences;
    assert.ok(Math.abs((found.tm?.value ?? 0) - 55) < 1, `${found.tm?.value}`);
    const [replicate] = found.replicates;
    assert.ok((replicate.fit?.toC ?? 95) < 75);
    assert.equal(replicate.curve?.fit?.length, replicate.curve?.signal.length);
    assert.equal(replicate.curve?.fit?.at(-1), null);
  });

  test('dye curves: two steps, or one on a rising baseline → both Tm, or one', () => {
    const steps = (amplitude: number): MeltTruth => ({
      transitions: [
        { tmC: 47, dhKcalPerMol: 150, amplitude: 1 },
        { tmC: 62, dhKcalPerMol: 150, amplitude },
      ],
      noiseSd: NOISE,
      stepC: 1,
      dyeFallPerC: 0.02,
    });
    const [two] = run([{ well: 'A1', channel: 'dye', ...steps(0.8) }]).sequences;
    assert.deepEqual(
      two.tmAll.map(({ tmC }) => Math.round(tmC)),
      [47, 62],
    );
    assert.equal(Math.round(two.tm?.value ?? 0), 47);
    assert.ok(two.flags.some((each) => each.code === 'SEVERAL_TRANSITIONS'));
    const one = { ...steps(0), transitions: steps(0).transitions.slice(0, 1), slopePerC: 0.004 };
    const [single] = run([{ well: 'A1', channel: 'dye', ...one }]).sequences;
    assert.equal(single.tmAll.length, 1);
    assert.ok(Math.abs((single.tm?.value ?? 0) - 47) < 1);
  });

  test('method choice: curves that the model describes less closely than the limit → the derivative for the whole experiment', () => {
    const wells = [
      { well: 'A1', ...TWO_STATE },
      { well: 'A2', ...TWO_STATE, seed: 2 },
    ];
    assert.equal(run(wells).analysis.model, 'two_state');
    const { analysis, sequences } = run(wells, { limits: { r2Min: 1 } });
    assert.equal(analysis.model, 'derivative');
    for (const { tm, tmAll } of sequences) {
      assert.ok(Math.abs((tm?.value ?? 0) - 62) < 1, `${tm?.value}`);
      assert.equal(tmAll[0].dhKcalPerMol, null);
    }
  });

  test('method choice: curves that the model describes, under noise → the model, with a wide interval', () => {
    const noisy = createNoisyTruth();
    const { analysis, sequences } = run([
      { well: 'A1', ...noisy },
      { well: 'A2', ...noisy, seed: 2 },
    ]);
    assert.equal(analysis.model, 'two_state');
    for (const { tm } of sequences) {
      assert.ok(Math.abs((tm?.value ?? 0) - 55) < 1, `${tm?.value}`);
      assert.ok((tm?.ci95Low ?? 99) < 55 && (tm?.ci95High ?? 0) > 55);
    }
  });

  test('onset: a transition starts before the first temperature → an upper limit', () => {
    const found = analyzeTruth({
      ...TWO_STATE,
      transitions: [{ tmC: 42, dhKcalPerMol: 45, amplitude: 0.5 }],
      noiseSd: 0.001,
    });
    assert.deepEqual([found.tonset?.relation, found.tonset?.value, found.tonset?.ci95Low], ['<', 25, null]);
  });

  test('shared baselines: several wells → one recorded pair of slopes, closer to the truth than free ones', () => {
    const wells = [46, 47, 48, 49, 50, 51].map((tmC, i): MeltWell => {
      return {
        well: `A${i + 1}`,
        transitions: [{ tmC, dhKcalPerMol: 75, amplitude: 0.4 }],
        slopePerC: -0.006,
        slopeChangePerC: 0.002,
        noiseSd: 0.002,
        seed: i + 1,
        fromC: 36,
        toC: 64,
      };
    });
    const error = (baseline: 'free' | 'shared'): number => {
      const { analysis, sequences } = run(wells, { baseline });
      assert.equal(analysis.sharedSlopes !== null, baseline === 'shared');
      if (analysis.sharedSlopes !== null)
        assert.ok(Math.abs(analysis.sharedSlopes.foldedPerC + 0.006) < 0.001);
      const errors = sequences.map(({ tm }, i) => ((tm?.value ?? Number.NaN) - (46 + i)) ** 2);
      return Math.sqrt(errors.reduce((sum, value) => sum + value, 0));
    };
    assert.ok(error('shared') < error('free'));
  });
});

describe('aggregation', () => {
  test('Tagg: scattering leaves its baseline → that temperature; it does not → above the range', () => {
    const scattering = (amplitude: number): MeltWell => {
      const transitions = [{ tmC: 75, dhKcalPerMol: 200, amplitude }];
      return { well: 'A1', channel: 'scattering', transitions, noiseSd: 0.01, slopePerC: 0.001 };
    };
    const rising = run([{ well: 'A1', ...TWO_STATE }, scattering(5)]).sequences[0];
    assert.equal(rising.tagg?.relation, '=');
    assert.ok((rising.tagg?.value ?? 0) > 65 && (rising.tagg?.value ?? 0) < 75, `${rising.tagg?.value}`);
    const never = run([{ well: 'A1', ...TWO_STATE }, scattering(0)]).sequences[0];
    assert.deepEqual([never.tagg?.relation, never.tagg?.value], ['>', 95]);
    assert.ok(Math.abs((never.tm?.value ?? 0) - 62) < 0.5);
  });
});

describe('replicates, controls and ranks', () => {
  const at = (well: string, tmC: number, change: Partial<MeltWell> = {}): MeltWell => {
    const seed = 31 * well.charCodeAt(0) + well.charCodeAt(1);
    return { well, ...TWO_STATE, transitions: [{ tmC, dhKcalPerMol: 110, amplitude: 0.3 }], seed, ...change };
  };

  test('replicates: two designs and a control → means, spread, ranks and ΔTm with an interval', () => {
    const { sequences, controls, plates } = run(
      [
        at('A1', 60, { sample: 'design-1' }),
        at('A2', 60.4, { sample: 'design-1' }),
        at('B1', 66, { sample: 'design-2' }),
        at('B2', 70, { sample: 'design-2' }),
        at('H1', 58, { sample: 'parent', role: 'positive_control' }),
      ],
      { controlTmC: { parent: 50 } },
    );
    const [first, second] = sequences;
    assert.ok(Math.abs((first.tm?.value ?? 0) - 60.2) < 0.1);
    assert.ok(Math.abs((first.tmSdC ?? 0) - 0.28) < 0.1);
    // The interval of the second, of two replicates 4 °C apart, contains the first.
    assert.deepEqual([first.place, second.place], [1, 1]);
    assert.deepEqual([first.nReplicates, first.nReplicatesPassed, first.tm?.n], [2, 2, 2]);
    assert.deepEqual(
      first.replicates.map((each) => each.replicate),
      [1, 2],
    );
    assert.ok(!hasFlag(first.flags, 'REPLICATES_DISAGREE') && hasFlag(second.flags, 'REPLICATES_DISAGREE'));
    const [delta] = first.deltaTm;
    assert.equal(delta.control, 'parent');
    assert.ok(Math.abs((delta.deltaC ?? 0) - 2.2) < 0.2);
    assert.ok((delta.ci95LowC ?? 9) < 2.2 && (delta.ci95HighC ?? 0) > 2.2);
    assert.deepEqual([controls.length, controls[0].place, controls[0].isControl], [1, null, true]);
    assert.equal(plates[0].pass, false);
    assert.ok(hasFlag(first.flags, 'CONTROL_FAILED'));
  });

  test('BLANK_MELTS, REPLICATES_DISAGREE: a blank that melts, a replicate without transition → each raises its flag', () => {
    const { sequences, plates } = run([
      at('A1', 60, { sample: 'design-1' }),
      at('A2', 60, { sample: 'design-1', transitions: [] }),
      at('H1', 58, { sample: 'buffer', role: 'blank' }),
    ]);
    assert.ok(hasFlag(sequences[0].flags, 'REPLICATES_DISAGREE'));
    assert.deepEqual([sequences[0].tm?.n, sequences[0].nReplicatesPassed], [1, 1]);
    assert.ok(hasFlag(plates[0].flags, 'BLANK_MELTS'));
  });

  test('assign: wells are named or excluded in the settings → they are', () => {
    const { sequences } = run([at('A1', 60), at('A2', 61), at('A3', 62)], {
      assign: { A1: { sample: 'design-1' }, 'P1/A2': { sample: 'design-1' }, A3: { exclude: true } },
    });
    assert.deepEqual(
      sequences.map((each) => [each.sample, each.nReplicates]),
      [['design-1', 2]],
    );
  });
});

test('SEVERAL_TRANSITIONS: two equal domains far apart → the derivative shows both', () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const transitions = [48, 68].map((tmC) => ({ tmC, dhKcalPerMol: 100, amplitude: 1 / 3 }));
    const curve = { transitions, noiseSd: NOISE / 3, stepC: 0.5, seed, channel: '330nm' };
    const { tmAll, flags } = analyzeTruth(curve, { method: 'derivative' });
    assert.equal(tmAll.length, 2, `seed ${seed}: ${JSON.stringify(tmAll)}`);
    assert.ok(Math.abs(tmAll[0].tmC - 48) < 1 && Math.abs(tmAll[1].tmC - 68) < 1);
    assert.ok(hasFlag(flags, 'SEVERAL_TRANSITIONS'));
  }
});
