/**
 * This folder: what a lab sets up, and the signals that its instrument then records, with their faults.
 * Not here: how binding proceeds (`physics/`), and how a file says it (`writers/`).
 */
import type { Random } from '../physics/random.ts';
import type { Rates } from '../physics/models.ts';

export type Technique = 'bli' | 'spr';

/** One run of one analyte against one ligand. Signals are in nm (BLI) or RU (SPR). */
export interface Design {
  readonly technique: Technique;
  readonly rates: Rates;
  /** Ascending, as the lab states them. */
  readonly dosesM: readonly number[];
  /** Of each dose: one sensor each in BLI, one surface in SPR. */
  readonly rmax: readonly number[];
  readonly noise: number;
  /** Correlation of one sample's noise with the next. */
  readonly correlation: number;
  readonly rateHz: number;
  readonly baselineS: number;
  readonly associationS: number;
  readonly dissociationS: number;
  readonly hasReferences: boolean;
  readonly blanks: number;
  /** Between the injections of a single cycle; null for a cycle or a sensor for each dose. */
  readonly pauseS: number | null;
}

export interface Wish {
  readonly technique?: Technique;
  /** Rates that the family needs; drawn over the plausible range otherwise. */
  readonly kon?: readonly [low: number, high: number];
  readonly koff?: readonly [low: number, high: number];
  /** Middle dose over KD; within the firmness range unless a family says otherwise. */
  readonly centering?: readonly [low: number, high: number];
  readonly hasReferences?: boolean;
  readonly blanks?: number;
  readonly isSingleCycle?: boolean;
  /** Whether the run has to be one that a lab would call well designed; see `isFirm`. */
  readonly mustBeFirm?: boolean;
}

const KON: readonly [number, number] = [1e4, 3e6];
const KOFF: readonly [number, number] = [5e-5, 5e-2];
const DOSE_MIN_M = 1e-12;
const DOSE_MAX_M = 1e-4;
const FIRM_SPAN: readonly [number, number] = [0.1, 10];
const FIRM_DISSOCIATED = 0.05;
const FIRM_OVER_NOISE = 20;
const TRIES = 500;

export function findKd({ kon, koff }: Rates): number {
  return koff / kon;
}

/** The geometric middle of a dose series. */
export function findMiddleDose(dosesM: readonly number[]): number {
  return Math.exp(dosesM.reduce((sum, dose) => sum + Math.log(dose), 0) / dosesM.length);
}

/** The response that the highest dose reaches by rate alone; an estimate that decides about the design only. */
function estimateTopResponse({ rates, dosesM, rmax, associationS }: Design): number {
  const top = dosesM.at(-1) ?? 0;
  const rate = rates.kon * top + rates.koff;
  return (rmax.at(-1) ?? 0) * ((rates.kon * top) / rate) * (1 - Math.exp(-rate * associationS));
}

/**
 * The range in which a value has to be firm: KD 0.1 to 10 times the middle dose, 5 % dissociated, Rmax 20 times the
 * noise. A series that shows nothing by its short association is none, so the highest response counts instead of Rmax.
 */
export function isFirm(design: Design): boolean {
  const span = findKd(design.rates) / findMiddleDose(design.dosesM);
  const dissociated = 1 - Math.exp(-design.rates.koff * design.dissociationS);
  return (
    span >= FIRM_SPAN[0] &&
    span <= FIRM_SPAN[1] &&
    dissociated >= FIRM_DISSOCIATED &&
    estimateTopResponse(design) >= FIRM_OVER_NOISE * design.noise
  );
}

/** Whether the highest dose stands out from the noise, so that no binding may be claimed firmly. */
export function isDetectable(design: Design): boolean {
  return estimateTopResponse(design) >= 5 * design.noise;
}

function drawDesignOnce(random: Random, wish: Wish): Design {
  const technique = wish.technique ?? random.pick(['bli', 'spr'] as const);
  const isSingleCycle = wish.isSingleCycle ?? false;
  const rates = { kon: random.drawLog(...(wish.kon ?? KON)), koff: random.drawLog(...(wish.koff ?? KOFF)) };
  const count = random.drawInteger(4, isSingleCycle ? 6 : 8);
  const fold = random.pick([2, 3]);
  const middle = findKd(rates) * random.drawLog(...(wish.centering ?? FIRM_SPAN));
  const dosesM = Array.from({ length: count }, (_, index) =>
    Number((middle * fold ** (index - (count - 1) / 2)).toPrecision(4)),
  );
  const surface = technique === 'bli' ? random.drawLog(0.2, 1.5) : random.drawLog(20, 300);
  // Sensors are loaded alike within some percent; an SPR surface is the same one in each cycle.
  const spread = technique === 'bli' ? random.draw(0, 0.08) : 0;
  return {
    technique,
    rates,
    dosesM,
    rmax: dosesM.map(() => surface * (1 + spread * random.draw(-1, 1))),
    noise: technique === 'bli' ? random.drawLog(0.001, 0.005) : random.drawLog(0.1, 1),
    correlation: technique === 'bli' ? 0.6 : random.draw(0, 0.6),
    rateHz: random.pick([1, 1, 1, 2, 5]),
    baselineS: technique === 'bli' ? 60 : random.pick([30, 60]),
    associationS: isSingleCycle ? random.pick([60, 90, 120, 180]) : random.pick([120, 180, 240, 300]),
    dissociationS: random.pick([300, 400, 600, 900]),
    hasReferences: wish.hasReferences ?? (technique === 'bli' ? random.hasLuck(0.5) : random.hasLuck(0.15)),
    blanks: wish.blanks ?? random.pick(technique === 'bli' ? [1, 1, 2] : [1, 2]),
    pauseS: isSingleCycle ? random.pick([15, 30, 60]) : null,
  };
}

/** Draws until the design is plausible, and firm where the family asks for it. */
export function drawDesign(random: Random, wish: Wish = {}): Design {
  for (let index = 0; index < TRIES; index += 1) {
    const design = drawDesignOnce(random, wish);
    const isPlausible = (design.dosesM[0] ?? 0) >= DOSE_MIN_M && (design.dosesM.at(-1) ?? 1) <= DOSE_MAX_M;
    if (isPlausible && ((wish.mustBeFirm ?? true) ? isFirm(design) : true)) return design;
  }
  throw new Error('No design within the plausible range was found.');
}
