/** Yields by capture on sensors and by absorbance, and what goes wrong with standards and blanks. */
import { integrateCapture, type CaptureSensor } from './capture.ts';
import { LIMITS, limitKept, type Limits, type SimulatedRun, type Truth, type WellsFamily } from './family.ts';
import { decideOutcomes } from './judge.ts';
import { nameWell, writePlateMap, writeBlock } from './plate-map.ts';
import { computeAbsorbance280, computeMassDa, drawSequence } from './protein.ts';
import { createRandom, type Random } from './random.ts';

const DESIGN = 'design-1';
const STANDARD_DA = 27_000;
const BASELINE_S = 20;
const LOADING_S = 60;

interface Sensor {
  readonly role: 'standard' | 'negative_control' | 'sample';
  readonly sample: string;
  readonly replicate: number;
  /** What the file says; null for samples. */
  readonly statedNgPerUl: number | null;
  readonly ngPerUl: number;
  /** Crude reactions stick to sensors; standards in buffer do not. */
  readonly sticksNmPerS: number;
}

/** The conditions of one capture plate. */
interface CapturePlan {
  readonly levels: readonly number[];
  readonly capture: CaptureSensor;
  readonly cv: number;
  readonly reactionCv: number;
  readonly noiseNm: number;
  readonly sticksNmPerS: number;
}

function drawPlan(random: Random): CapturePlan {
  const top = random.logUniform(100, 1000);
  const ratio = random.pick([2, 2.2, 2.5]);
  const levels = Array.from({ length: random.integer(7, 8) }, (_, i) => top / ratio ** i).toReversed();
  const capture = {
    rmaxNm: random.uniform(3, 9),
    // Over the first 30 s the highest standard fills between a tenth and most of the sensor.
    onPerSPerNgPerUl: random.uniform(0.1, 1.2) / 30 / top,
    offPerS: random.logUniform(1e-5, 1e-3),
    transportLoad: random.uniform(0, 1.5),
  };
  const lowestNmPerS =
    (capture.onPerSPerNgPerUl * (levels[0] ?? 0) * capture.rmaxNm) / (1 + capture.transportLoad);
  return {
    levels,
    capture,
    cv: random.uniform(0.01, 0.04),
    reactionCv: random.uniform(0.02, 0.1),
    noiseNm: random.logUniform(0.0005, 0.002),
    sticksNmPerS: random.uniform(0, 0.4) * lowestNmPerS,
  };
}

interface CaptureFault {
  /** Scales the true concentration of standards; 1 leaves one as stated. */
  readonly spoilStandard?: (index: number) => number;
  /** Tagged protein in the reactions without DNA. */
  readonly contamination?: readonly number[];
}

function drawCapture(
  random: Random,
  plan: CapturePlan,
  ngPerUl: number,
  { spoilStandard = () => 1, contamination = [0, 0, 0] }: CaptureFault = {},
): SimulatedRun {
  const { sticksNmPerS } = plan;
  const stated = [0, 0, ...plan.levels.flatMap((level) => [level, level])];
  const standards = stated.map((level, i): Sensor => {
    const replicate = (i % 2) + 1;
    const amount = level * spoilStandard(i);
    return {
      role: 'standard',
      sample: 'Standard',
      replicate,
      statedNgPerUl: level,
      ngPerUl: amount,
      sticksNmPerS: 0,
    };
  });
  const empty = contamination.map((content, i): Sensor => {
    const shared = { statedNgPerUl: null, ngPerUl: content, sticksNmPerS };
    return { role: 'negative_control', sample: 'no-DNA', replicate: i + 1, ...shared };
  });
  const samples = drawReactions(random, ngPerUl, plan.reactionCv).map((content, i): Sensor => {
    const shared = { statedNgPerUl: null, ngPerUl: content, sticksNmPerS };
    return { role: 'sample', sample: DESIGN, replicate: i + 1, ...shared };
  });
  const sensors = [...standards, ...empty, ...samples];
  const text = writeTraces(random, plan, sensors);
  const sequence = drawSequence(random);
  return {
    run: createRun([{ name: 'capture.csv', text }], sequence),
    truth: createTruth(ngPerUl, {
      quantified_by: 'capture',
      lowest_standard: plan.levels[0] ?? null,
      top_standard: plan.levels.at(-1) ?? null,
      contamination: Math.max(...contamination),
      wells: samples.length,
    }),
  };
}

function drawReactions(random: Random, ngPerUl: number, cv: number): number[] {
  return Array.from({ length: random.integer(2, 4) }, () => ngPerUl * Math.exp(cv * random.normal()));
}

function writeTraces(random: Random, plan: CapturePlan, sensors: readonly Sensor[]): string {
  const table = sensors.map(({ role, sample, replicate, statedNgPerUl }, i) => {
    const molar = statedNgPerUl === null ? '' : (statedNgPerUl / STANDARD_DA / 1000).toPrecision(8);
    return `T${i + 1},${nameWell(i)},${role},${sample},${replicate},${molar}`;
  });
  const points = sensors.flatMap(({ ngPerUl, sticksNmPerS }, i) => {
    const sensorGain = Math.exp(plan.cv * random.normal());
    const bound = integrateCapture(plan.capture, ngPerUl, LOADING_S);
    const format = (value: number) => (value + plan.noiseNm * random.normal()).toFixed(5);
    const baseline = Array.from({ length: BASELINE_S }, (_, t) => `T${i + 1},baseline,${t},${format(0)}`);
    const loading = bound.map((value, t) => {
      const signal = sensorGain * (value + sticksNmPerS * t);
      return `T${i + 1},loading,${BASELINE_S + t},${format(signal)}`;
    });
    return [...baseline, ...loading];
  });
  return [
    '# assayer-traces: 1',
    '# technique: bli',
    '# instrument: reader with tag sensors',
    '# signal_unit: nm',
    '# plate: P1',
    `# standard_mass_da: ${STANDARD_DA}`,
    '',
    'trace,well,role,sample,replicate,concentration_m',
    ...table,
    '',
    'trace,step,time_s,signal',
    ...points,
    '',
  ].join('\n');
}

interface AbsorbanceFault {
  /** Absorbance that does not belong into each of the three blanks. */
  readonly contamination?: readonly number[];
  /** Absorbance of a reaction that made nothing, above that of buffer. */
  readonly background?: number;
}

/** Absorbance at 280 nm as a plate reader writes it, path of 1 cm. */
function drawAbsorbance(
  random: Random,
  { contamination = [0, 0, 0], background = 0 }: AbsorbanceFault = {},
): SimulatedRun {
  const sequence = drawSequence(random);
  const perNgPerUl = computeAbsorbance280(sequence) / computeMassDa(sequence) / 1000;
  const ngPerUl = random.uniform(0.08, 1.2) / perNgPerUl;
  const buffer = random.uniform(0.03, 0.06);
  const sd = random.uniform(0.0005, 0.003);
  const reactions = drawReactions(random, ngPerUl, random.uniform(0.02, 0.08));
  const isBufferSpoiled = random.chance(0.5);
  const spoil = (i: number, isSpoiled: boolean) => (isSpoiled ? (contamination[i] ?? 0) : 0);
  const wells = [
    ...[0, 1, 2].map((i) => ({
      role: 'blank',
      sample: 'Buffer',
      replicate: i + 1,
      value: buffer + spoil(i, isBufferSpoiled),
    })),
    ...[0, 1, 2].map((i) => ({
      role: 'negative_control',
      sample: 'no-DNA',
      replicate: i + 1,
      value: buffer + background + spoil(i, !isBufferSpoiled),
    })),
    ...reactions.map((content, i) => ({
      role: 'sample',
      sample: DESIGN,
      replicate: i + 1,
      value: buffer + background + content * perNgPerUl,
    })),
  ].map((each, i) => ({
    ...each,
    well: nameWell(i),
    ngPerUl: null,
    value: each.value * Math.exp(0.01 * random.normal()) + sd * random.normal(),
  }));
  const values = writeBlock('A280', wells, ({ value }) => value.toFixed(4));
  const text = `Instrument,plate reader\nPlate,P1\n\n${values}\n${writePlateMap(wells)}`;
  return {
    run: createRun([{ name: 'absorbance.csv', text }], sequence),
    truth: createTruth(ngPerUl, {
      quantified_by: 'a280',
      absorbance: ngPerUl * perNgPerUl,
      background,
      contamination: Math.max(...contamination),
      spoiled: isBufferSpoiled ? 'buffer' : 'no-DNA',
      wells: reactions.length,
    }),
  };
}

function createRun(files: SimulatedRun['run']['files'], sequence: string): SimulatedRun['run'] {
  const sequences = { [DESIGN]: sequence };
  return { experimentType: 'expression', method: null, files, sequences, orderedNm: null };
}

function createTruth(ngPerUl: number, facts: Truth['facts']): Truth {
  return {
    sequence: DESIGN,
    quantity: 'yield_ng_per_ul',
    value: ngPerUl,
    tolerance: { kind: 'relative', by: 0.3 },
    facts: { ...facts, ng_per_ul: ngPerUl },
  };
}

/** A yield well inside of the standards. */
function drawYield(random: Random, { levels }: CapturePlan): number {
  return random.logUniform(3 * (levels[0] ?? 1), (levels.at(-1) ?? 1) / 3);
}

function drawClean(random: Random): SimulatedRun {
  if (random.chance(0.3)) return drawAbsorbance(random);
  const plan = drawPlan(random);
  return drawCapture(random, plan, drawYield(random, plan));
}

/** Reactions absorb more than buffer does; those without DNA show by how much. */
function drawBackground(random: Random): SimulatedRun {
  return drawAbsorbance(random, { background: random.uniform(0.01, 0.06) });
}

/** One well of the standards holds several times more or less than stated. */
function drawBadStandard(random: Random): SimulatedRun {
  const plan = drawPlan(random);
  const bad = random.integer(2, 2 * plan.levels.length + 1);
  const factor = random.logUniform(1.8, 10) ** random.pick([-1, 1]);
  const { run, truth } = drawCapture(random, plan, drawYield(random, plan), {
    spoilStandard: (index) => (index === bad ? factor : 1),
  });
  return { run, truth: { ...truth, facts: { ...truth.facts, bad_standard: bad, factor } } };
}

/** One of three blanks holds protein. */
function drawContaminatedBlank(random: Random): SimulatedRun {
  const spoiled = random.integer(0, 2);
  const fill = (content: number) => [0, 1, 2].map((i) => (i === spoiled ? content : 0));
  if (random.chance(0.4)) return drawAbsorbance(random, { contamination: fill(random.logUniform(0.05, 1)) });
  const plan = drawPlan(random);
  const content = random.logUniform(2 * (plan.levels[0] ?? 1), (plan.levels.at(-1) ?? 1) / 2);
  return drawCapture(random, plan, drawYield(random, plan), { contamination: fill(content) });
}

function drawAboveTop(random: Random): SimulatedRun {
  const plan = drawPlan(random);
  return drawCapture(random, plan, (plan.levels.at(-1) ?? 1) * random.logUniform(1.3, 10));
}

function drawBelowLowest(random: Random): SimulatedRun {
  const plan = drawPlan(random);
  return drawCapture(random, plan, (plan.levels[0] ?? 1) * random.logUniform(0.02, 0.7));
}

function define(name: string, limits: Limits, draw: (random: Random) => SimulatedRun): WellsFamily {
  return { name, limits, judge: decideOutcomes, simulate: (seed) => draw(createRandom(`${name}:${seed}`)) };
}

/** A mild fault leaves a value in most runs. */
const mild = limitKept(0.8);

export const EXPRESSION_FAMILIES: readonly WellsFamily[] = [
  define('clean_expression', LIMITS.clean, drawClean),
  define('a280_reaction_background', LIMITS.common, drawBackground),
  define('one_bad_standard', mild, drawBadStandard),
  define('contaminated_blank', mild, drawContaminatedBlank),
  define('above_top_standard', LIMITS.common, drawAboveTop),
  define('below_lloq', LIMITS.common, drawBelowLowest),
];
