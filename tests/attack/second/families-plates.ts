/** Yields by capture, intensities of a reader and screens, with what pipettes, lamps and tips do to them. */
import type { Dice } from './dice.ts';
import type { Family } from './families-bli.ts';
import { addNoise } from './sensor.ts';
import { EMPTY, readMass, computeBath } from './surface.ts';
import type { SimulatedRun, Subject } from './truth.ts';
import { writeTraces, writeValues, type Trace, type TraceStep, type ValueWell } from './writers.ts';

const SEQUENCE = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ';
/** Of the standard; 1 ng/µL is 1 mg/L. */
const MASS_DA = 27_000;
const nameSequences = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, SEQUENCE]));
const nameWell = (at: number) => `${'ABCDEFGH'[at % 8]}${Math.floor(at / 8) + 1}`;

interface YieldFaults {
  /** Factor of one standard, and which. */
  readonly pipetting?: { readonly at: number; readonly factor: number; readonly carriesOn: boolean };
  /** Protein above this blocks its own capture. */
  readonly hookNgPerUl?: number;
}

/** Tagged protein lands on a tag sensor: transport-limited at first, saturating later. */
function drawCapture(
  dice: Dice,
  kinetics: { half: number; fastest: number; noise: number; hookNgPerUl: number | undefined },
  ngPerUl: number,
): TraceStep[] {
  const { half, fastest, noise, hookNgPerUl } = kinetics;
  const hook = hookNgPerUl === undefined ? 1 : 1 / (1 + (ngPerUl / hookNgPerUl) ** 2);
  const rate = fastest * (ngPerUl / (ngPerUl + half)) * hook * (1 + dice.normal(0.04));
  const [hz, ceiling] = [5, 4];
  const signals = Array.from(
    { length: 120 * hz },
    (_, index) => ceiling * (1 - Math.exp(-(rate * index) / hz / ceiling)),
  );
  const base = Array.from({ length: 30 * hz }, () => 0);
  const seen = addNoise(dice, [...base, ...signals], noise, hz);
  const times = seen.map((_, index) => index / hz);
  return [
    { step: 'baseline', timesS: times.slice(0, base.length), signals: seen.slice(0, base.length) },
    { step: 'loading', timesS: times.slice(base.length), signals: seen.slice(base.length) },
  ];
}

function runYield(dice: Dice, faults: YieldFaults): SimulatedRun {
  const standards = [200, 100, 50, 25, 12.5, 6.25, 3.125, 1.5625];
  const half = dice.logUniform(30, 150);
  const fastest = dice.uniform(0.02, 0.06);
  const noise = dice.logUniform(0.001, 0.003);
  const found: Trace[] = [];
  const add = (
    role: Trace['role'],
    sample: string,
    replicate: number,
    known: number | null,
    trulyNg: number,
  ) => {
    const well = nameWell(found.length);
    const kinetics = { half, fastest, noise, hookNgPerUl: faults.hookNgPerUl };
    const steps = drawCapture(dice, kinetics, trulyNg);
    const concentrationsM = known === null ? [] : [known / MASS_DA / 1000];
    found.push({ well, role, sample, replicate, concentrationsM, steps });
  };
  const { pipetting } = faults;
  standards.forEach((known, at) => {
    for (const replicate of [1, 2]) {
      const isHit =
        pipetting !== undefined && (at === pipetting.at || (pipetting.carriesOn && at > pipetting.at));
      add(
        'standard',
        'standard',
        replicate,
        known,
        known * (isHit ? pipetting.factor : 1) * (1 + dice.normal(0.02)),
      );
    }
  });
  for (const replicate of [1, 2, 3]) add('negative_control', 'no DNA', replicate, null, dice.uniform(0, 0.3));
  const names = ['design-1', 'design-2', 'design-3', 'design-4'];
  const subjects: Subject[] = names.map((name) => {
    const truth = dice.logUniform(4, faults.hookNgPerUl === undefined ? 120 : 600);
    for (const replicate of [1, 2]) add('sample', name, replicate, null, truth * (1 + dice.normal(0.04)));
    const isSound = truth > 4 && truth < 120;
    return { name, quantity: 'yield_ng_per_ul', truth: { low: truth, high: truth }, isSound };
  });
  const files = writeTraces('bli', found, 5, MASS_DA);
  return {
    run: {
      experimentType: 'expression',
      method: null,
      files,
      sequences: nameSequences(names),
      orderedNm: null,
    },
    subjects,
    story: { half, fastest, noise, ...faults },
  };
}

interface LightFaults {
  /** Absorbance at which the light of a bright well is lost. */
  readonly innerFilter?: number;
  /** Loss from column to column of the reading. */
  readonly bleach?: number;
  readonly isColumnwise?: boolean;
}

function runLight(dice: Dice, faults: LightFaults): SimulatedRun {
  const full = dice.logUniform(5000, 40_000);
  const dark = dice.uniform(80, 400);
  const names = Array.from({ length: 12 }, (_, index) => `design-${index + 1}`);
  const levels = names.map(() => dice.logUniform(0.05, 1.5));
  const free = Array.from({ length: 96 }, (_, at) => at);
  if (faults.isColumnwise !== true) free.sort(() => dice.uniform(-1, 1));
  const wells: ValueWell[] = [];
  const add = (role: string, sample: string, replicate: number, level: number) => {
    const at = free.shift() ?? 0;
    const column = Math.floor(at / 8);
    const filtered = level * Math.exp(-(faults.innerFilter ?? 0) * level);
    const light = full * filtered * (1 - (faults.bleach ?? 0)) ** column * (1 + dice.normal(0.04));
    wells.push({
      well: nameWell(at),
      role,
      sample,
      replicate,
      value: Math.max(0, dark + light + dice.normal(12)),
    });
  };
  names.forEach((name, at) => {
    for (const replicate of [1, 2, 3]) add('sample', name, replicate, levels[at] ?? 0);
  });
  for (const replicate of [1, 2, 3, 4]) add('positive_control', 'reference', replicate, 1);
  for (const replicate of [1, 2, 3, 4]) add('negative_control', 'dark', replicate, 0.001);
  for (const replicate of [1, 2, 3, 4]) add('blank', '', replicate, 0);
  const subjects: Subject[] = names.map((name, at) => {
    const level = levels[at] ?? 0;
    return { name, quantity: 'normalized_to_control', truth: { low: level, high: level }, isSound: true };
  });
  return {
    run: {
      experimentType: 'fluorescence',
      method: null,
      files: writeValues(wells),
      sequences: nameSequences(names),
      orderedNm: null,
    },
    subjects,
    story: { full, dark, ...faults },
  };
}

interface ScreenFaults {
  /** Share of the negative controls that stick, and how much of a binder's response they show. */
  readonly stickyControls?: { readonly share: number; readonly height: number };
  readonly controlDied?: boolean;
  readonly transient?: number;
  /** What sticks to every tip, loaded or not, in shares of Rmax. */
  readonly sticky?: number;
  readonly hasReference?: boolean;
}

/** A tip of a screen: loading, baseline, one dose, buffer. */
function drawSensor(
  dice: Dice,
  faults: ScreenFaults,
  tip: { doseM: number; rmax: number; noise: number; kdM: number | null; stick: number; isLoaded: boolean },
): TraceStep[] {
  const { doseM, rmax, noise, kdM, stick } = tip;
  const [hz, baselineS, associationS, dissociationS] = [2, 60, 180, 180];
  const loaded = !tip.isLoaded ? 0 : rmax * 1.5 * (1 + dice.normal(0.08));
  const chemistry = { konPerMS: 1e5, koffPerS: 1e5 * (kdM ?? 1e-7) };
  const capacity = kdM === null ? 0 : loaded / 1.5;
  const bound = computeBath(chemistry, EMPTY, { seconds: associationS, concentrationM: doseM }, hz);
  const gone = computeBath(chemistry, bound.end, { seconds: dissociationS, concentrationM: 0 }, hz);
  const share = dice.sign() * (faults.transient ?? 0) * dice.uniform(0.2, 1);
  const tauS = dice.logUniform(20, 200);
  const settle = (timeS: number) => loaded * (1 + share * Math.exp(-timeS / tauS));
  const count = (seconds: number) => Array.from({ length: seconds * hz }, (_, index) => index / hz);
  const pieces = [
    { step: 'loading' as const, signals: count(120).map((timeS) => loaded * (1 - Math.exp(-timeS / 30))) },
    { step: 'baseline' as const, signals: count(baselineS).map(settle) },
    {
      step: 'association' as const,
      signals: bound.samples.map(
        (state, index) =>
          capacity * readMass(state) +
          stick * (1 - Math.exp(-index / hz / 60)) +
          settle(baselineS + index / hz),
      ),
    },
    {
      step: 'dissociation' as const,
      signals: gone.samples.map(
        (state, index) =>
          capacity * readMass(state) +
          stick * 0.95 * Math.exp(-index / hz / 400) +
          settle(baselineS + associationS + index / hz),
      ),
    },
  ];
  const seen = addNoise(
    dice,
    pieces.flatMap(({ signals }) => signals),
    noise,
    hz,
  );
  let begin = 0;
  return pieces.map(({ step, signals }) => {
    const part = seen.slice(begin, begin + signals.length);
    const timesS = part.map((_, index) => (begin + index) / hz);
    begin += signals.length;
    return { step, signals: part, timesS };
  });
}

function runScreen(dice: Dice, faults: ScreenFaults): SimulatedRun {
  const names = Array.from({ length: 12 }, (_, index) => `design-${index + 1}`);
  const doseM = dice.pick([1e-7, 3e-7, 1e-6]);
  const rmax = dice.uniform(0.3, 1.5);
  const noise = dice.logUniform(0.001, 0.004);
  const traces: Trace[] = [];
  const drawStick = () => rmax * (faults.sticky ?? 0) * dice.uniform(0.7, 1.3);
  const add = (role: Trace['role'], sample: string, kdM: number | null, stick: number) => {
    const steps = drawSensor(dice, faults, {
      doseM,
      rmax,
      noise,
      kdM,
      stick,
      isLoaded: role !== 'reference',
    });
    traces.push({
      well: nameWell(traces.length),
      role,
      sample,
      replicate: 1,
      concentrationsM: [doseM],
      steps,
    });
  };
  const subjects: Subject[] = names.map((name) => {
    const kdM = dice.chance(0.5) ? doseM * dice.logUniform(0.03, 30) : null;
    add('sample', name, kdM, drawStick());
    const truth = kdM === null ? null : { low: kdM, high: kdM };
    return { name, quantity: 'kd', truth, isSound: false };
  });
  for (let index = 0; index < 8; index += 1) {
    const found = faults.stickyControls;
    const sticks = found !== undefined && dice.chance(found.share);
    add(
      'negative_control',
      'scramble',
      null,
      sticks ? rmax * found.height * dice.uniform(0.5, 1.5) : drawStick(),
    );
  }
  if (faults.hasReference === true)
    for (let index = 0; index < 2; index += 1) add('reference', '', null, drawStick());
  for (let index = 0; index < 2; index += 1)
    add('positive_control', 'control', faults.controlDied === true ? null : 1e-8, drawStick());
  return {
    run: {
      experimentType: 'screening',
      method: 'bli',
      files: writeTraces('bli', traces, 5),
      sequences: nameSequences(names),
      orderedNm: [doseM * 1e9],
    },
    subjects,
    story: { doseM, rmax, noise, ...faults },
  };
}

export const PLATE_FAMILIES: Readonly<Record<string, Family>> = {
  'yield-clean': (dice) => runYield(dice, {}),
  'yield-pipetting': (dice) => {
    const factor = dice.pick([0.3, 0.5, 0.7, 1.5, 2]);
    return runYield(dice, { pipetting: { at: dice.integer(0, 6), factor, carriesOn: dice.chance(0.5) } });
  },
  'yield-hook': (dice) => runYield(dice, { hookNgPerUl: dice.logUniform(80, 500) }),
  'light-clean': (dice) => runLight(dice, {}),
  'light-inner-filter': (dice) => runLight(dice, { innerFilter: dice.logUniform(0.05, 0.8) }),
  'light-bleached': (dice) =>
    runLight(dice, { bleach: dice.uniform(0.01, 0.1), isColumnwise: dice.chance(0.5) }),
  'screen-clean': (dice) => runScreen(dice, {}),
  'screen-sticky-controls': (dice) =>
    runScreen(dice, { stickyControls: { share: dice.uniform(0.2, 1), height: dice.logUniform(0.05, 1) } }),
  'screen-dead-control': (dice) => runScreen(dice, { controlDied: true }),
  'screen-settling': (dice) => runScreen(dice, { transient: dice.logUniform(0.02, 0.2) }),
  'screen-sticky-analyte': (dice) =>
    runScreen(dice, { sticky: dice.logUniform(0.05, 0.6), hasReference: dice.chance(0.5) }),
};
