/**
 * The hidden truth of the assays without a target: the stability, expression and brightness of a sequence. Like the
 * truth of binding it is a pure function of (version, sequence, replicate); replicates scatter around the design.
 */
import { toCanonicalSequence, computeLatentScore } from './latent.ts';
import { createRandomSource } from './random.ts';
import type { SeedPart } from './random.ts';
import { EXPRESSED_MIN_NG_PER_UL, drawTruth } from './truth.ts';
import type { Force, Library } from './truth.ts';

/** Failures of one well: an empty well, a sensor that loads nothing, a bubble. */
export type AssayFailure = 'empty_well' | 'bad_sensor' | 'bubble';

export interface AssayTruthRequest {
  sequence: string;
  /** Name of the assay, which seeds the scatter of the replicates. */
  assay: string;
  /** The kind of failure, if a well fails. */
  failure?: AssayFailure | undefined;
  /** Counted from 1. Absent for the truth of the design itself. */
  replicate?: number;
  attempt?: number;
  force?: Force | undefined;
  library?: Library | undefined;
}

export interface AssayTruth {
  expressed: boolean;
  yieldNgPerUl: number;
  /** Midpoint of unfolding in °C; null for a design that shows no transition, folded or not. */
  tmC: number | null;
  unfoldingEnthalpyKcalPerMol: number;
  /** Fluorescence relative to the wild type, above zero; a dark design has 0. */
  brightness: number;
  failure: AssayFailure | null;
}

/** Fractions of designs, by latent stability, that show no transition. */
const NO_TRANSITION_SHARE = 0.05;
const REPLICATE_TM_SD_C = 0.25;
const REPLICATE_LOG10_YIELD_SD = 0.06;
const REPLICATE_LN_BRIGHTNESS_SD = 0.05;
/** One in five variants is dark; log2 of the others scatters slightly below the wild type. */
const DARK_Z = -0.8416;
const LOG2_BRIGHTNESS_MEAN = -0.35;
const LOG2_BRIGHTNESS_SD = 0.75;
const FAILURE_SHARE = 0.015;

export function drawAssayTruth(request: AssayTruthRequest): AssayTruth {
  const sequence = toCanonicalSequence(request.sequence);
  const { assay, replicate, attempt = 1, force, library } = request;
  const base = drawTruth({ sequence, targetId: '', force, library });
  const isFlat = createRandomSource('transition', sequence).drawUniform() < NO_TRANSITION_SHARE;
  const z = computeLatentScore(sequence, 'brightness');
  const isDark = z < DARK_Z || base.yieldNgPerUl < EXPRESSED_MIN_NG_PER_UL;
  const design: AssayTruth = {
    expressed: base.expressed,
    yieldNgPerUl: base.yieldNgPerUl,
    tmC: isFlat ? null : base.tmC,
    unfoldingEnthalpyKcalPerMol: base.unfoldingEnthalpyKcalPerMol,
    brightness: isDark ? 0 : 2 ** (LOG2_BRIGHTNESS_MEAN + LOG2_BRIGHTNESS_SD * z),
    failure: null,
  };
  if (replicate === undefined) return design;
  return scatterTruth(design, ['assay', assay, sequence, replicate, attempt], request);
}

function scatterTruth(design: AssayTruth, seed: readonly SeedPart[], request: AssayTruthRequest): AssayTruth {
  const random = createRandomSource(...seed);
  const [tm, yields, brightness] = [random.drawNormal(), random.drawNormal(), random.drawNormal()];
  const isForced = request.force === 'no_loading';
  const fails = isForced || (request.force === undefined && random.drawUniform() < FAILURE_SHARE);
  return {
    ...design,
    tmC: design.tmC === null ? null : design.tmC + REPLICATE_TM_SD_C * tm,
    yieldNgPerUl: design.yieldNgPerUl * 10 ** (REPLICATE_LOG10_YIELD_SD * yields),
    brightness: design.brightness * Math.exp(REPLICATE_LN_BRIGHTNESS_SD * brightness),
    failure: fails ? (request.failure ?? 'empty_well') : null,
  };
}

/** Controls of the simulated lab; their truth is fixed: no seed, no scatter, no failure. */
const CONTROL: AssayTruth = {
  expressed: true,
  yieldNgPerUl: 60,
  tmC: 65,
  unfoldingEnthalpyKcalPerMol: 120,
  brightness: 1,
  failure: null,
};

/** The midpoint of hen egg-white lysozyme in neutral buffer is in the low seventies (°C). */
export const MELT_CONTROL = {
  name: 'Lysozyme',
  truth: { ...CONTROL, tmC: 72.5, unfoldingEnthalpyKcalPerMol: 118, yieldNgPerUl: 200 } satisfies AssayTruth,
};
/** The same proteins after they were spoiled: they unfold early, are hardly expressed, and do not glow. */
export function spoilControl<Control extends { readonly truth: AssayTruth }>(control: Control): Control {
  const { tmC, yieldNgPerUl, brightness } = control.truth;
  const truth = {
    ...control.truth,
    tmC: tmC === null ? null : tmC - 12,
    yieldNgPerUl: 0.01 * yieldNgPerUl,
    brightness: 0.01 * brightness,
  };
  return { ...control, truth };
}

export const EXPRESSION_CONTROL = { name: 'Expression control', truth: CONTROL };
export const NO_DNA = { name: 'no-DNA', truth: { ...CONTROL, expressed: false, yieldNgPerUl: 0 } };
export const WILD_TYPE = { name: 'Wild type', truth: CONTROL };
export const DARK = { name: 'Dark variant', truth: { ...CONTROL, brightness: 0 } };
