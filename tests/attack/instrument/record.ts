/** Records the curves of a design: stated steps, true exposures, binding, and correlated noise. */
import { integrateSignal, type BindingModel, type Exposure } from '../physics/integrate.ts';
import { createOneToOne } from '../physics/models.ts';
import type { Random } from '../physics/random.ts';
import type { Design, Technique } from './design.ts';

export interface Step {
  readonly name: 'baseline' | 'association' | 'dissociation';
  readonly startS: number;
  readonly endS: number;
  /** As stated; 0 for buffer. */
  readonly concentrationM: number;
}

/** One trace as recorded. Faults change its times and its signal. */
export interface Curve {
  readonly trace: string;
  readonly well: string;
  readonly role: 'sample' | 'blank' | 'reference' | 'positive_control' | 'negative_control';
  /** Empty for a reference. */
  readonly sample: string;
  /** Index of the dose; −1 for a blank. */
  readonly dose: number;
  /** One for each association, as stated. */
  readonly statedM: readonly number[];
  readonly replicate?: number;
  readonly steps: readonly Step[];
  timesS: number[];
  signal: Float64Array;
}

export interface Recording {
  readonly technique: Technique;
  readonly curves: Curve[];
  /** The highest response by binding alone, before noise and faults. */
  readonly peak: number;
}

/** How the surface departs from 1:1 binding of the stated doses at the stated times. */
export interface Physics {
  /** The surface at the dose; −1 for a blank. 1:1 by the rates of the design otherwise; null where nothing binds. */
  readonly createSurface?: ((dose: number) => BindingModel) | null;
  /** What the reference shows; nothing otherwise. */
  readonly createReference?: (dose: number) => BindingModel;
  readonly trueDosesM?: readonly number[];
  /** Delays of the arrival of analyte and of buffer after the stated times. */
  readonly lagS?: { readonly start: number; readonly end: number };
  /** Fraction of the analyte that stays in the buffer after an injection. */
  readonly remainder?: number;
  /** How far a sample is taken from its regular time, at most, in parts of the interval. */
  readonly jitter?: number;
}

export const SAMPLE = 'design-1';

export function planSteps(design: Design, statedM: readonly number[]): Step[] {
  const steps: Step[] = [{ name: 'baseline', startS: 0, endS: design.baselineS, concentrationM: 0 }];
  let atS = design.baselineS;
  for (const [index, concentrationM] of statedM.entries()) {
    const isLast = index === statedM.length - 1;
    const pauseS = isLast ? design.dissociationS : (design.pauseS ?? 0);
    steps.push({ name: 'association', startS: atS, endS: atS + design.associationS, concentrationM });
    atS += design.associationS;
    steps.push({ name: 'dissociation', startS: atS, endS: atS + pauseS, concentrationM: 0 });
    atS += pauseS;
  }
  return steps;
}

export function listTimes(steps: readonly Step[], rateHz: number): number[] {
  const endS = steps.at(-1)?.endS ?? 0;
  return Array.from({ length: Math.floor(endS * rateHz) + 1 }, (_, index) => index / rateHz);
}

function disturbTimes(timesS: readonly number[], byS: number, random: Random): number[] {
  if (byS === 0) return [...timesS];
  return timesS.map((timeS, index) => (index === 0 ? timeS : timeS + byS * random.draw(-1, 1)));
}

export function planExposures(
  steps: readonly Step[],
  trueM: readonly number[],
  physics: Physics,
): Exposure[] {
  const { start, end } = physics.lagS ?? { start: 0, end: 0 };
  const exposures: Exposure[] = [];
  let injection = -1;
  for (const step of steps) {
    if (step.name === 'association') injection += 1;
    const dose = trueM[injection] ?? 0;
    if (step.name === 'association') exposures.push({ startS: step.startS + start, concentrationM: dose });
    else if (step.name === 'dissociation')
      exposures.push({ startS: step.startS + end, concentrationM: dose * (physics.remainder ?? 0) });
    else exposures.push({ startS: step.startS, concentrationM: 0 });
  }
  return exposures;
}

/** Adds first-order autoregressive noise, which begins in its stationary distribution. */
export function addNoise(signal: Float64Array, deviation: number, correlation: number, random: Random): void {
  const fresh = Math.sqrt(1 - correlation ** 2);
  let noise = random.drawNormal();
  for (let index = 0; index < signal.length; index += 1) {
    signal[index] = (signal[index] ?? 0) + deviation * noise;
    noise = correlation * noise + fresh * random.drawNormal();
  }
}

/** The optical step of a sensor that changes its well, about as large as the noise; it is kept to the end of the step. */
function addWellSteps(curve: Curve, deviation: number, random: Random): void {
  for (const step of curve.steps) {
    if (step.name === 'baseline') continue;
    const height = deviation * random.drawNormal();
    shiftBetween(curve, step.startS, step.endS, height);
  }
}

export function shiftBetween(curve: Curve, fromS: number, toS: number, height: number): void {
  for (const [index, timeS] of curve.timesS.entries())
    if (timeS >= fromS && timeS < toS) curve.signal[index] = (curve.signal[index] ?? 0) + height;
}

const WELL_ROWS = 'ABCDEFGH';

/** Names a trace and its well by the place of the sensor or cycle. */
function nameTrace(index: number): { readonly trace: string; readonly well: string } {
  const well = `${WELL_ROWS[index % 8] ?? 'A'}${String(Math.floor(index / 8) + 1).padStart(2, '0')}`;
  return { trace: `T${index + 1}`, well };
}

interface Wanted {
  readonly role: Curve['role'];
  readonly dose: number;
  readonly statedM: readonly number[];
}

/** Lists the curves that a design asks for: samples, blanks, and a reference beside each where the lab has them. */
function listWanted(design: Design, blankRole: Curve['role']): Wanted[] {
  const { dosesM, blanks, hasReferences, pauseS } = design;
  const top = dosesM.length - 1;
  const doses: Wanted[] =
    pauseS === null
      ? dosesM.map((dose, index) => ({ role: 'sample', dose: index, statedM: [dose] }))
      : [{ role: 'sample', dose: top, statedM: dosesM }];
  const buffer: Wanted = {
    role: blankRole,
    dose: -1,
    statedM: pauseS === null ? [0] : dosesM.map(() => 0),
  };
  const loaded = [...doses, ...Array.from({ length: blanks }, () => buffer)];
  return hasReferences
    ? [...loaded, ...loaded.map((sensor) => ({ ...sensor, role: 'reference' as const }))]
    : loaded;
}

export function recordRun(random: Random, design: Design, physics: Physics = {}): Recording {
  const blankRole = random.pick(['blank', 'sample'] as const);
  const trueM = physics.trueDosesM ?? design.dosesM;
  const chooseModel = ({ role, dose }: Wanted): BindingModel | null => {
    if (role === 'reference') return physics.createReference?.(dose) ?? null;
    if (physics.createSurface === null) return null;
    return physics.createSurface?.(dose) ?? createOneToOne(design.rates, design.rmax[dose] ?? 0);
  };
  let peak = 0;
  const curves = listWanted(design, blankRole).map((wanted, index): Curve => {
    const steps = planSteps(design, wanted.statedM);
    const timesS = disturbTimes(
      listTimes(steps, design.rateHz),
      (physics.jitter ?? 0) / design.rateHz,
      random,
    );
    const injected =
      wanted.dose < 0 ? wanted.statedM : wanted.statedM.length > 1 ? trueM : [trueM[wanted.dose] ?? 0];
    const model = chooseModel(wanted);
    const signal =
      model === null
        ? new Float64Array(timesS.length)
        : integrateSignal(model, planExposures(steps, injected, physics), timesS);
    if (wanted.dose >= 0 && wanted.role !== 'reference')
      for (const value of signal) peak = Math.max(peak, value);
    const sample = wanted.role === 'reference' ? '' : SAMPLE;
    const curve: Curve = { ...nameTrace(index), ...wanted, sample, steps, timesS, signal };
    if (design.technique === 'bli') addWellSteps(curve, design.noise, random);
    addNoise(curve.signal, design.noise, design.correlation, random);
    return curve;
  });
  return { technique: design.technique, curves, peak };
}
