/**
 * The hidden truth of the simulated lab: how a sequence really binds a target.
 *
 * A truth is a pure function of (version, sequence, target, replicate), and of the shift of an enriched library. Without
 * a replicate it is the truth of the design; with one it is the truth of that independently prepared sample, which
 * scatters around the design.
 *
 * Target mix of a naive library, from a published design round: 5.5 % not expressed, 81 % no binding, 6 % weak
 * (1–10 µM), 6.7 % medium (50 nM–1 µM), 1 % strong (< 50 nM).
 * This folder: the hidden truth of sequences and how instruments observe it. Not here: analysis: whatever it shares
 * with the truth would prove nothing.
 */
import type { BindingStrength } from '#core/binding-strength.ts';
import { computeMean } from '#analysis/numerics/statistics.ts';
import type { SandboxForce, SandboxLibrary } from '#features/experiments/sandbox-options.ts';
import { toCanonicalSequence, computeLatentScore } from './latent.ts';
import { findRelative, type Relative } from './families.ts';
import { createRandomSource } from './random.ts';

export type Failure = 'no_loading' | 'spike' | 'heterogeneous';
export type Force = SandboxForce;
export type Library = SandboxLibrary;

export interface TruthRequest {
  sequence: string;
  targetId: string;
  /** Counted from 1. Absent for the truth of the design itself, without scatter and without failures. */
  replicate?: number;
  /** Number of the preparation of the replicate; a repeat measurement counts up. Default 1. */
  attempt?: number;
  force?: Force | undefined;
  library?: Library | undefined;
  /** What the selection adds to the score, of `computeSelectionShift`. Default 0. */
  selectionShift?: number | undefined;
}

export interface Truth {
  expressed: boolean;
  yieldNgPerUl: number;
  binds: boolean;
  strength: BindingStrength;
  /** koff / kon, in M; null without binding. */
  kdM: number | null;
  konPerMS: number | null;
  koffPerS: number | null;
  /** Midpoint of thermal unfolding, in °C. */
  tmC: number;
  /** Van 't Hoff enthalpy of unfolding at Tm, in kcal/mol. */
  unfoldingEnthalpyKcalPerMol: number;
  failure: Failure | null;
}

export interface ReplicateTruth extends Truth {
  replicate: number;
}

/** The best possible result of one experiment for one sequence. */
export interface RunTruth {
  design: Truth;
  replicates: ReplicateTruth[];
  /** Geometric means over the replicates that can be measured (no failed loading); null without any. */
  kdM: number | null;
  konPerMS: number | null;
  koffPerS: number | null;
  /** Number of replicates in those means. */
  nReplicatesMeasurable: number;
}

/** Below this yield a sample counts as not expressed. */
export const EXPRESSED_MIN_NG_PER_UL = 2;

const YIELD_MEDIAN_NG_PER_UL = 60;
/** SD of ln(yield) below the median: 5.5 % of N(0, 1) fall below 2 ng/µL. */
const YIELD_LN_SD_BELOW = 2.13;
/** SD of ln(yield) above the median: one design in a thousand reaches 1 mg/mL, as in cell-free expression. */
const YIELD_LN_SD_ABOVE = 0.9;
const EXPRESSION_SHIFT: Record<Library, number> = { naive: 0, enriched: 0.15 };
/** Of the designs that can bind at all; one in twenty of those is not expressed. */
const ENRICHED_SHARE = 0.65;

interface KdPoint {
  z: number;
  log10Kd: number;
}

/**
 * Pairs (z, log10 KD), linear between and beyond; z ≤ 1.06 does not bind. The class limits 1 µM and 50 nM are at the
 * published fractions. The weakest binder has 2 µM although the class extends to 10 µM: with 1 µM as the usual top
 * concentration, hardly any analysis determines a higher KD to 0.1 log10.
 */
const BINDING_THRESHOLD_Z = 1.06;
/** By how much the weakest selected design passes the threshold. */
const MARGIN_Z = 0.01;
const WEAKEST: KdPoint = { z: BINDING_THRESHOLD_Z, log10Kd: -5.7 };
const WEAK_TO_MEDIUM: KdPoint = { z: 1.4, log10Kd: -6 };
const MEDIUM_TO_STRONG: KdPoint = { z: 2.31, log10Kd: -7.301 };
/** Tightest simulated binding, 0.32 nM: a tighter one with the slowest koff of the window would need kon > 1e6. */
const LOG10_KD_MIN = -9.5;

const LOG10_KON_MEAN = 5.2;
const LOG10_KON_SD = 0.45;
/**
 * Decades of kon lost per decade of KD above 50 nM: weak binders mostly associate slowly, or they would dissociate
 * within a second.
 */
const KON_LOSS_PER_KD_DECADE = 0.85;
/**
 * koff is compressed smoothly between 1.6e-4 and 2e-2 per second. The lower end loses 9 % of the signal in 600 s (the
 * 5 % rule, Katsamba 2006, needs 8.5e-5); the upper end has a half-life of 35 samples at 1 Hz.
 */
const LOG10_KOFF_CENTER = -2.75;
const LOG10_KOFF_HALF_WIDTH = 1.05;

/** SD of log10 KD between replicates, as in published rounds; half of the variance each in kon and koff. */
export const REPLICATE_LOG10_KD_SD = 0.11;

const FAILURE_SHARES: readonly (readonly [Failure, number])[] = [
  ['no_loading', 0.02],
  ['spike', 0.01],
  ['heterogeneous', 0.01],
];

/** Returns the hidden truth for one sequence against one target. */
export function drawTruth(request: TruthRequest): Truth {
  const sequence = toCanonicalSequence(request.sequence);
  const library = request.library ?? 'naive';
  const { force } = request;
  const relative = force === undefined ? findRelative(sequence, request.targetId) : undefined;
  const yieldNgPerUl = computeYieldNgPerUl(sequence, library, force, relative);
  const expressed = yieldNgPerUl >= EXPRESSED_MIN_NG_PER_UL;
  const score =
    computeBindingScore(sequence, request.targetId, force, relative) + (request.selectionShift ?? 0);
  const kinetics = expressed ? drawKinetics(sequence, request.targetId, score) : null;
  const scattered = kinetics === null ? null : scatterKinetics(kinetics, sequence, request);
  const kdM = scattered === null ? null : scattered.koffPerS / scattered.konPerMS;
  return {
    expressed,
    yieldNgPerUl,
    binds: scattered !== null,
    strength: classifyStrength(kdM),
    kdM,
    konPerMS: scattered?.konPerMS ?? null,
    koffPerS: scattered?.koffPerS ?? null,
    tmC: 62 + 7 * computeLatentScore(sequence, 'stability'),
    unfoldingEnthalpyKcalPerMol: 70 + 0.45 * sequence.length,
    failure: drawFailure(sequence, request),
  };
}

/** Returns the truth of one sequence in one experiment: the design, every replicate, and their expected aggregate. */
export function runTruth(request: Omit<TruthRequest, 'replicate'> & { nReplicates: number }): RunTruth {
  const { nReplicates, ...rest } = request;
  const replicates: ReplicateTruth[] = [];
  for (let replicate = 1; replicate <= nReplicates; replicate += 1) {
    replicates.push({ replicate, ...drawTruth({ ...rest, replicate }) });
  }
  return { design: drawTruth(rest), replicates, ...aggregateTruth(replicates) };
}

/**
 * Returns geometric means of kon, koff and KD over the measurable replicates. Pass a selection of replicates to get
 * their truth, for example those that passed quality control.
 */
export function aggregateTruth(
  replicates: readonly Truth[],
): Pick<RunTruth, 'kdM' | 'konPerMS' | 'koffPerS' | 'nReplicatesMeasurable'> {
  const measurable = replicates.filter((truth) => truth.binds && truth.failure !== 'no_loading');
  return {
    kdM: computeGeometricMean(measurable.map((truth) => truth.kdM)),
    konPerMS: computeGeometricMean(measurable.map((truth) => truth.konPerMS)),
    koffPerS: computeGeometricMean(measurable.map((truth) => truth.koffPerS)),
    nReplicatesMeasurable: measurable.length,
  };
}

/** Returns the strength class by KD in M: strong < 50 nM, medium < 1 µM, weak above, none without binding. */
function classifyStrength(kdM: number | null): BindingStrength {
  if (kdM === null) return 'none';
  if (kdM < 5e-8) return 'strong';
  return kdM < 1e-6 ? 'medium' : 'weak';
}

interface Kinetics {
  konPerMS: number;
  koffPerS: number;
}

function computeYieldNgPerUl(
  sequence: string,
  library: Library,
  force: Force | undefined,
  relative: Relative | undefined,
): number {
  const value = drawYieldNgPerUl(sequence, library);
  if (force === 'not_expressed') return Math.min(value, 0.25 * EXPRESSED_MIN_NG_PER_UL);
  const least = 10 * EXPRESSED_MIN_NG_PER_UL;
  if (force !== undefined) return Math.max(value, least);
  if (relative?.isAgainstTarget !== true) return value;
  // A variant is expressed as well or as badly beside its parent as it would be without it.
  const parentValue = drawYieldNgPerUl(relative.parent, library);
  return (Math.max(parentValue, least) * value) / parentValue;
}

function drawYieldNgPerUl(sequence: string, library: Library): number {
  const z = computeLatentScore(sequence, 'expression') + EXPRESSION_SHIFT[library];
  return YIELD_MEDIAN_NG_PER_UL * Math.exp((z < 0 ? YIELD_LN_SD_BELOW : YIELD_LN_SD_ABOVE) * z);
}

/**
 * Returns the score that decides about binding, or -Infinity for what cannot bind. A forced binder is mapped into the
 * range of binders and a published antibody to its strong end, and neighbors remain neighbors.
 */
function computeBindingScore(
  sequence: string,
  targetId: string,
  force: Force | undefined,
  relative: Relative | undefined,
): number {
  if (force === 'non_binder' || relative?.isAgainstTarget === false) return -Infinity;
  const natural = computeLatentScore(relative?.parent ?? sequence, 'binding', targetId);
  if (force === 'binder') return Math.min(3, Math.max(1.15, 1.8 + 0.35 * natural));
  if (relative === undefined) return natural;
  return Math.min(3.4, Math.max(2.4, 2.8 + 0.25 * natural)) + relative.effect;
}

/**
 * Returns what a round of selection adds to the score of every design of a library, so that at least six in ten of those
 * that can bind do. A library that binds so well by itself gets 0.
 */
export function computeSelectionShift(sequences: readonly string[], targetId: string): number {
  const scores = sequences
    .map(toCanonicalSequence)
    .map((sequence) => computeBindingScore(sequence, targetId, undefined, findRelative(sequence, targetId)))
    .filter((score) => Number.isFinite(score))
    .toSorted((a, b) => a - b);
  const weakest = scores[Math.floor((1 - ENRICHED_SHARE) * scores.length)];
  if (weakest === undefined) return 0;
  return Math.max(0, BINDING_THRESHOLD_Z + MARGIN_Z - weakest);
}

function drawKinetics(sequence: string, targetId: string, score: number): Kinetics | null {
  if (score <= BINDING_THRESHOLD_Z) return null;
  const log10Kd = Math.max(LOG10_KD_MIN, computeLog10Kd(score));
  const koff = limitKoff(log10Kd, computeLatentScore(sequence, 'association', targetId));
  return { konPerMS: 10 ** (koff - log10Kd), koffPerS: 10 ** koff };
}

/** Returns log10 koff: from KD and a kon that depends on the sequence, compressed into the measurable window. */
function limitKoff(log10Kd: number, associationZ: number): number {
  const weaker = Math.max(0, log10Kd - MEDIUM_TO_STRONG.log10Kd);
  const log10Kon = LOG10_KON_MEAN + LOG10_KON_SD * associationZ - KON_LOSS_PER_KD_DECADE * weaker;
  const free = log10Kd + log10Kon - LOG10_KOFF_CENTER;
  return LOG10_KOFF_CENTER + LOG10_KOFF_HALF_WIDTH * Math.tanh(free / LOG10_KOFF_HALF_WIDTH);
}

function computeLog10Kd(z: number): number {
  const [from, to] = z < WEAK_TO_MEDIUM.z ? [WEAKEST, WEAK_TO_MEDIUM] : [WEAK_TO_MEDIUM, MEDIUM_TO_STRONG];
  return from.log10Kd + ((to.log10Kd - from.log10Kd) * (z - from.z)) / (to.z - from.z);
}

function scatterKinetics(kinetics: Kinetics, sequence: string, request: TruthRequest): Kinetics {
  if (request.replicate === undefined) return kinetics;
  const random = createRandomSource(
    'scatter',
    sequence,
    request.targetId,
    request.replicate,
    request.attempt ?? 1,
  );
  const sd = REPLICATE_LOG10_KD_SD * Math.SQRT1_2;
  return {
    konPerMS: kinetics.konPerMS * 10 ** (sd * random.drawNormal()),
    koffPerS: kinetics.koffPerS * 10 ** (sd * random.drawNormal()),
  };
}

function drawFailure(sequence: string, request: TruthRequest): Failure | null {
  if (request.force === 'no_loading' || request.force === 'spike') return request.force;
  if (request.replicate === undefined || request.force !== undefined) return null;
  const random = createRandomSource(
    'failure',
    sequence,
    request.targetId,
    request.replicate,
    request.attempt ?? 1,
  );
  let left = random.drawUniform();
  for (const [failure, share] of FAILURE_SHARES) {
    if (left < share) return failure;
    left -= share;
  }
  return null;
}

function computeGeometricMean(values: readonly (number | null)[]): number | null {
  const present = values.filter((value) => value !== null);
  if (present.length === 0) return null;
  return Math.exp(computeMean(present.map(Math.log)));
}
