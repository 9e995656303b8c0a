/**
 * Melts of a bad day: a rule fires on the case that it is for, and leaves the clean neighbor of the case alone. Counts
 * are of random curves; `hostile-melts.ts` draws them.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawHostileMelt } from '#testing/analysis/hostile-melts.ts';
import type { HostileFamily, HostileMelt } from '#testing/analysis/hostile-melts.ts';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { FlagCode } from '#analysis/quality/flags.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { SequenceMelting } from './types.ts';

const CURVES = Math.min(60, countCalibrationSets(20));
const FAR_C = 2;
/** A firm value that is wrong may happen to one curve in twenty with a fault that is as small as the step. */
const RARE = 0.05 * CURVES;
/** A dye that aggregates take as it binds shows only its early rise, which has the form of a whole one. */
const HIDDEN = 0.15 * CURVES;

function analyzeMelt({ channel, temperatureC, signal }: Omit<HostileMelt, 'tmsC'>): SequenceMelting {
  const trace = { ...createMeltTrace({ well: 'A1', channel, transitions: [] }), temperatureC, signal };
  return analyzeMeltingSets([createMeltSet([trace])], { curves: false }).sequences[0];
}

interface Counts {
  firm: number;
  valued: number;
  /** Firm, and far from the truth or without one. */
  wrong: number;
  /** A value far from the truth, without a flag above info. */
  silent: number;
  /** Firm, with an interval that does not hold the truth. */
  missed: number;
  /** As many transitions as are there. */
  complete: number;
  countFlag: (code: FlagCode) => number;
}

const counted = new Map<HostileFamily, Counts>();

function countFamily(family: HostileFamily): Counts {
  const known = counted.get(family);
  if (known !== undefined) return known;
  const found = Array.from({ length: CURVES }, (_, index) => {
    const melt = drawHostileMelt(family, index + 1);
    return { melt, sequence: analyzeMelt(melt) };
  });
  const count = (is: (each: (typeof found)[number]) => boolean): number => found.filter(is).length;
  const isFirm = ({ sequence }: (typeof found)[number]): boolean => sequence.tm?.relation === '=';
  const isFar = ({ melt, sequence: { tm } }: (typeof found)[number]): boolean => {
    const [truth] = melt.tmsC;
    return tm !== null && !(Math.abs(tm.value - (truth ?? Number.NaN)) <= FAR_C);
  };
  const counts: Counts = {
    firm: count(isFirm),
    valued: count(({ sequence }) => sequence.tm !== null),
    wrong: count((each) => isFirm(each) && isFar(each)),
    silent: count((each) => isFar(each) && each.sequence.flags.every(({ severity }) => severity === 'info')),
    missed: count((each) => {
      const [truth] = each.melt.tmsC;
      const { tm } = each.sequence;
      return isFirm(each) && !((tm?.ci95Low ?? 99) <= truth && truth <= (tm?.ci95High ?? 0));
    }),
    complete: count(({ melt, sequence }) => sequence.tmAll.length === melt.tmsC.length),
    countFlag: (code) => count(({ sequence }) => hasFlag(sequence.flags, code)),
  };
  counted.set(family, counts);
  return counts;
}

describe('clean curves', () => {
  for (const [family, firmMin] of [
    ['clean', 0.95],
    ['clean_dye', 0.9],
    ['noisy', 0.9],
    ['two', 0.9],
  ] as const)
    test(`relation: ${CURVES} curves ${family} → firm, and the intervals hold the truth`, (context) => {
      const counts = countFamily(family);
      context.diagnostic(JSON.stringify(counts));
      assert.ok(counts.firm >= firmMin * CURVES, `${counts.firm} firm`);
      assert.ok(counts.missed <= 0.1 * counts.firm, `${counts.missed} missed`);
      assert.equal(counts.silent, 0);
      assert.equal(counts.countFlag('SATURATED'), 0);
      assert.ok(counts.countFlag('POOR_FIT') <= 0.05 * CURVES);
    });

  test('SEVERAL_TRANSITIONS: 50, 62 and 74 °C at a signal-to-noise of 200 → all three are found', () => {
    const counts = countFamily('three');
    assert.ok(counts.complete >= 0.95 * CURVES, `${counts.complete}`);
    assert.equal(counts.silent + counts.wrong, 0);
  });

  test('SEVERAL_TRANSITIONS: one transition beside quenching, slopes or noise → one', () => {
    for (const family of ['clean', 'noisy'] as const)
      assert.equal(countFamily(family).countFlag('SEVERAL_TRANSITIONS'), 0, family);
  });
});

describe('curves without a transition', () => {
  for (const family of ['oscillation', 'dye_hump', 'broad_bend', 'flat'] as const)
    test(`relation: ${CURVES} curves ${family} → no firm Tm, and none without a flag`, (context) => {
      const counts = countFamily(family);
      context.diagnostic(JSON.stringify(counts));
      assert.deepEqual([counts.firm, counts.silent], [0, 0]);
    });
});

describe('curves with a fault', () => {
  for (const family of [
    'saturated_start',
    'clipped_top',
    'clipped_start',
    'clipped_dye',
    'dye_falls_at_once',
    'precipitation',
    'step_on_waves',
  ] as const)
    test(`relation: ${CURVES} curves ${family} → no wrong firm Tm, and none far off without a flag`, (context) => {
      const counts = countFamily(family);
      context.diagnostic(JSON.stringify(counts));
      const most = family === 'dye_falls_at_once' ? HIDDEN : RARE;
      assert.ok(counts.wrong <= most && counts.silent <= RARE, JSON.stringify(counts));
    });
});

test('POOR_FIT: steps on waves, and clean steps → raised on some, on none', () => {
  assert.ok(countFamily('step_on_waves').countFlag('POOR_FIT') > 0);
  assert.equal(countFamily('clean').countFlag('POOR_FIT'), 0);
});

describe('SATURATED', () => {
  const step = (ceiling: number, floor = 0, quantum = 0): SequenceMelting => {
    const trace = createMeltTrace({
      well: 'A1',
      channel: '350nm',
      transitions: [{ tmC: 60, dhKcalPerMol: 110, amplitude: 1 }],
      noiseSd: 0.005,
    });
    const read = (value: number): number => (quantum > 0 ? Math.round(value / quantum) * quantum : value);
    const signal = trace.signal.map((value) => Math.max(floor, Math.min(ceiling, read(value))));
    return analyzeMelt({ ...trace, channel: '350nm', signal });
  };

  test('SATURATED: the detector reads its ceiling from the middle of the step on → told, and no firm Tm', () => {
    const { tm, flags } = step(1.5);
    assert.ok(hasFlag(flags, 'SATURATED'));
    assert.notEqual(tm?.relation, '=');
  });

  test('SATURATED: the detector reads its floor until the middle of the step → told, and no firm Tm', () => {
    const { tm, flags } = step(9, 1.5);
    assert.ok(hasFlag(flags, 'SATURATED'));
    assert.notEqual(tm?.relation, '=');
  });

  test('SATURATED: the same curve below the ceiling, or with few digits → not told, and firm', () => {
    for (const found of [step(9), step(9, 0, 0.02)]) {
      assert.ok(!hasFlag(found.flags, 'SATURATED'));
      assert.equal(found.tm?.relation, '=');
    }
  });

  test('SATURATED: only the cold end is at the ceiling → told, and the Tm behind it is firm and right', () => {
    const trace = createMeltTrace({
      well: 'A1',
      channel: '350nm',
      transitions: [{ tmC: 65, dhKcalPerMol: 140, amplitude: -0.6 }],
      slopePerC: -0.01,
      noiseSd: 0.003,
    });
    const signal = trace.signal.map((value) => Math.min(1.25, value));
    const { tm, flags } = analyzeMelt({ ...trace, channel: '350nm', signal });
    assert.ok(hasFlag(flags, 'SATURATED'));
    assert.equal(tm?.relation, '=');
    assert.ok(Math.abs(tm.value - 65) < 0.5, `${tm.value}`);
  });

  test('SATURATED: one of the two wavelengths of a ratio is at its ceiling → told', () => {
    const at330 = createMeltTrace({
      well: 'A1',
      channel: '330nm',
      transitions: [],
      slopePerC: -0.004,
      noiseSd: 0.002,
    });
    const at350 = createMeltTrace({
      well: 'A1',
      channel: '350nm',
      transitions: [{ tmC: 60, dhKcalPerMol: 110, amplitude: 0.6 }],
      noiseSd: 0.002,
      seed: 2,
    });
    const clipped = { ...at350, signal: at350.signal.map((value) => Math.min(1.3, value)) };
    const analyzePair = (second: typeof at350): SequenceMelting =>
      analyzeMeltingSets([createMeltSet([at330, second])]).sequences[0];
    assert.ok(hasFlag(analyzePair(clipped).flags, 'SATURATED'));
    assert.ok(!hasFlag(analyzePair(at350).flags, 'SATURATED'));
  });
});

describe('TM_UNCERTAIN', () => {
  const flicker = (times: number): SequenceMelting => {
    const truth = { transitions: [{ tmC: 55, dhKcalPerMol: 120, amplitude: 1 }], well: 'A1' };
    const clean = createMeltTrace(truth);
    const noise = createMeltTrace({ well: 'A1', transitions: [], offset: 0, noiseSd: 0.004, seed: 3 });
    const signal = clean.signal.map(
      (value, i) => value + noise.signal[i] * (clean.temperatureC[i] > 60 ? times : 1),
    );
    return analyzeMelt({ ...clean, channel: 'ratio', signal });
  };

  test('TM_UNCERTAIN: noise ten times stronger after the transition, as of aggregates → raised, and Tm an estimate', () => {
    const { tm, flags } = flicker(10);
    assert.ok(hasFlag(flags, 'TM_UNCERTAIN'));
    assert.equal(tm?.relation, '~');
  });

  test('TM_UNCERTAIN: noise that grows as light does → not raised, and Tm firm', () => {
    const { tm, flags } = flicker(1.4);
    assert.ok(!hasFlag(flags, 'TM_UNCERTAIN'));
    assert.equal(tm?.relation, '=');
  });

  test('TM_UNCERTAIN: a range that ends at nine tenths of the transition → raised, and Tm an estimate; ten degrees more → firm', () => {
    const end = (toC: number): SequenceMelting => {
      const transitions = [{ tmC: 60, dhKcalPerMol: 80, amplitude: 1 }];
      return analyzeMelt({
        ...createMeltTrace({ well: 'A1', transitions, noiseSd: 0.0005, slopePerC: 0.001, toC }),
        channel: 'ratio',
      });
    };
    const short = end(66.5);
    assert.ok(short.tm === null || (short.tm.relation === '~' && hasFlag(short.flags, 'TM_UNCERTAIN')));
    assert.equal(end(80).tm?.relation, '=');
  });
});
