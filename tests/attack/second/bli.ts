/** A BLI plate: eight or so tips that are loaded, washed, dipped in the analyte and in buffer. */
import type { AttackRun } from '../analyze-run.ts';
import { isSoundDesign, type Design } from './design.ts';
import type { Dice } from './dice.ts';
import { addNoise, computeMovingAverage } from './sensor.ts';
import { EMPTY, readMass, computeBath, type Chemistry } from './surface.ts';
import type { SimulatedRun } from './truth.ts';
import { writeTraces, type RawFile, type Trace, type TraceStep } from './writers.ts';

export interface BliFaults {
  readonly chemistry?: Partial<Chemistry>;
  /** Transient of the tip after loading, in shares of the loading, drawn anew for every tip. */
  readonly transient?: () => { readonly share: number; readonly tauS: number };
  readonly sensitivitySd?: number;
  /** Doses as they truly are, by index of the stated ones. */
  readonly trueDosesM?: readonly number[];
  /** Doses as stated in the file; absent: those of the design. */
  readonly statedDosesM?: readonly number[];
  readonly referenceLoaded?: number;
  /** Signal at the highest dose from what sticks to any tip, in shares of Rmax, and how it goes with the dose. */
  readonly stick?: { readonly share: number; readonly power: number; readonly leavePerS: number };
  readonly driftPerS?: (tip: number) => number;
  /** Seconds by which the file states the dissociation too early (negative: too late). */
  readonly lateS?: number;
  readonly smoothing?: number;
  readonly decimals?: number;
  readonly jump?: { readonly tip: number; readonly height: number; readonly atS: number };
  readonly controlDied?: boolean;
  readonly isEvaporating?: number;
}

interface Tip {
  readonly role: Trace['role'];
  readonly sample: string;
  readonly index: number;
  readonly trueM: number;
  readonly statedM: number;
  readonly loaded: number;
  readonly chemistry: Chemistry;
  readonly binds: number;
}

const LOADING_S = 240;
const CONTROL_KD_M = 1.2e-8;

/** Cuts the signal into the steps that the file states; the association may be stated to end too early. */
function cutSteps(
  seen: readonly number[],
  parts: readonly { readonly step: TraceStep['step']; readonly signals: readonly number[] }[],
  hz: number,
  lateS: number,
): TraceStep[] {
  const shift = Math.round(lateS * hz);
  const lengths = parts.map(({ signals }) => signals.length);
  const steps: TraceStep[] = [];
  let begin = 0;
  parts.forEach(({ step }, at) => {
    const isLast = at === parts.length - 1;
    let end = begin + (lengths[at] ?? 0);
    if (step === 'association') end -= shift;
    if (isLast) end = seen.length;
    const signals = seen.slice(begin, end);
    steps.push({ step, signals, timesS: signals.map((_, index) => (begin + index) / hz) });
    begin = end;
  });
  return steps;
}

function runTip(
  dice: Dice,
  design: Design,
  faults: BliFaults,
  tip: Tip,
  loading: number,
  well: string,
): Trace {
  const { hz, baselineS, associationS, dissociationS, rmax } = design;
  const gain = 1 + dice.normal(faults.sensitivitySd ?? 0.02);
  const capacity = rmax * tip.binds * (1 + dice.normal(0.03));
  const transient = faults.transient?.() ?? { share: 0, tauS: 1 };
  const leach = tip.chemistry.leachPerS ?? 0;
  const drift = (faults.driftPerS?.(tip.index) ?? dice.normal(rmax * 2e-6)) * 1;
  const parts: { step: TraceStep['step']; signals: number[] }[] = [];
  const early = 60 * hz;
  const captured = Array.from(
    { length: LOADING_S * hz },
    (_, index) => tip.loaded * loading * (1 - Math.exp(-(index / hz) / 80)),
  );
  const height = captured.at(-1) ?? 0;
  const settle = (timeS: number) =>
    height * Math.exp(-leach * timeS) + transient.share * loading * Math.exp(-timeS / transient.tauS);
  parts.push({ step: 'baseline', signals: Array.from({ length: early }, () => 0) });
  parts.push({ step: 'loading', signals: captured });
  parts.push({
    step: 'baseline',
    signals: Array.from({ length: baselineS * hz }, (_, index) => settle(index / hz)),
  });
  const wet = tip.trueM * (1 + (faults.isEvaporating ?? 0));
  const bound = computeBath(tip.chemistry, EMPTY, { seconds: associationS, concentrationM: wet }, hz);
  const released = computeBath(
    tip.chemistry,
    bound.end,
    { seconds: dissociationS, concentrationM: 0 },
    hz,
    associationS,
  );
  const top = Math.max(...design.dosesM);
  const stickTop = rmax * (faults.stick?.share ?? 0) * (tip.trueM / top) ** (faults.stick?.power ?? 1);
  const leave = faults.stick?.leavePerS ?? 0.02;
  const stuck = (timeS: number) =>
    timeS <= associationS
      ? stickTop * (1 - Math.exp(-(timeS / associationS) * 3))
      : stickTop * 0.95 * (0.2 + 0.8 * Math.exp(-(timeS - associationS) * leave));
  const read = (states: typeof bound.samples, fromS: number) =>
    states.map((state, index) => {
      const timeS = fromS + index / hz;
      return capacity * readMass(state) + settle(baselineS + timeS) + stuck(timeS);
    });
  parts.push({ step: 'association', signals: read(bound.samples, 0) });
  parts.push({ step: 'dissociation', signals: read(released.samples, associationS) });
  const offset = dice.normal(0.02);
  const whole = parts
    .flatMap(({ signals }) => signals)
    .map((signal, index) => {
      const timeS = index / hz;
      const jump = faults.jump?.tip === tip.index && timeS > 60 + LOADING_S + baselineS + faults.jump.atS;
      return (signal + (jump ? (faults.jump?.height ?? 0) : 0)) * gain + drift * timeS + offset;
    });
  let seen = addNoise(dice, whole, design.noise, hz);
  if (faults.smoothing !== undefined) seen = computeMovingAverage(seen, faults.smoothing);
  const steps = cutSteps(seen, parts, hz, faults.lateS ?? 0);
  const { role, sample } = tip;
  return { well, role, sample, replicate: 1, concentrationsM: [tip.statedM], steps };
}

/** Tips of one sequence: a dose each, a loaded one in buffer, unloaded ones in the same doses. */
function listTips(design: Design, faults: BliFaults): Tip[] {
  const truth = faults.trueDosesM ?? design.dosesM;
  const stated = faults.statedDosesM ?? truth;
  const chemistry: Chemistry = { konPerMS: design.konPerMS, koffPerS: design.koffPerS, ...faults.chemistry };
  const binds = design.isBinder ? 1 : 0;
  const tips: Tip[] = [];
  const add = (tip: Omit<Tip, 'index'>) => tips.push({ ...tip, index: tips.length });
  truth.forEach((trueM, at) => {
    const statedM = stated[at] ?? trueM;
    add({ role: 'sample', sample: 'design-1', trueM, statedM, loaded: 1, chemistry, binds });
  });
  if (design.hasBlank)
    add({ role: 'sample', sample: 'design-1', trueM: 0, statedM: 0, loaded: 1, chemistry, binds });
  const loaded = faults.referenceLoaded ?? 0;
  if (design.hasReference) {
    truth.forEach((trueM, at) => {
      const statedM = stated[at] ?? trueM;
      add({ role: 'reference', sample: '', trueM, statedM, loaded, chemistry, binds: binds * loaded });
    });
    add({ role: 'reference', sample: '', trueM: 0, statedM: 0, loaded, chemistry, binds: 0 });
  }
  if (design.hasControl) {
    const known: Chemistry = { ...faults.chemistry, konPerMS: 2e-3 / CONTROL_KD_M, koffPerS: 2e-3 };
    const alive = faults.controlDied === true ? 0 : 1;
    for (const [at, trueM] of [...truth.entries(), [-1, 0] as const]) {
      const statedM = at < 0 ? 0 : (stated[at] ?? trueM);
      add({
        role: 'positive_control',
        sample: 'control',
        trueM,
        statedM,
        loaded: 1,
        chemistry: known,
        binds: alive,
      });
    }
  }
  return tips;
}

export function runBli(
  dice: Dice,
  design: Design,
  faults: BliFaults,
  story: Record<string, unknown>,
): SimulatedRun {
  const loading = design.rmax * dice.uniform(0.8, 2.5);
  const traces = listTips(design, faults).map((tip, at) =>
    runTip(dice, design, faults, tip, loading, `${'ABCDEFGH'[at % 8]}${Math.floor(at / 8) + 1}`),
  );
  const files = writeTraces('bli', traces, faults.decimals ?? design.decimals);
  const settings = design.hasControl ? { settings: { controlKdM: { control: CONTROL_KD_M } } } : {};
  return wrapRun(design, files, settings, { ...design, loading, ...story });
}

export function wrapRun(
  design: Design,
  files: readonly RawFile[],
  settings: Pick<AttackRun, 'settings'>,
  story: Record<string, unknown>,
): SimulatedRun {
  const { kdM, konPerMS, koffPerS, isBinder } = design;
  return {
    run: {
      experimentType: 'affinity',
      method: design.technique,
      files,
      sequences: { 'design-1': 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQ' },
      orderedNm: design.dosesM.map((dose) => Number((dose * 1e9).toPrecision(5))),
      ...settings,
    },
    subjects: [
      {
        name: 'design-1',
        quantity: 'kd',
        truth: isBinder ? { low: kdM, high: kdM } : null,
        ...(isBinder ? { rates: { konPerMS, koffPerS } } : {}),
        isSound: isSoundDesign(design),
      },
    ],
    story,
  };
}
