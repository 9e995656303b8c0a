/**
 * Chooses the model that the curves support. 1:1 is kept unless another model lowers the Bayesian information
 * criterion by more than 10 (Schwarz 1978; "very strong" in Kass & Raftery 1995). Correlated residuals reduce the
 * effective number of points.
 */
import { countIndependentPoints } from '#analysis/numerics/autocorrelation.ts';
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { ALTERNATIVES } from './alternatives.ts';
import type { AlternativeModel } from './alternatives.ts';
import { toKineticFit, computeFraction, buildSites, withProfile } from './alternative-fit.ts';
import type { Site } from './alternative-fit.ts';
import { finishFit, fitKinetics, buildOutline, listLinearTerms, solveKinetics } from './fit.ts';
import type { FitOptions, FitOutline, KineticFit, SolvedFit } from './fit.ts';
import type { SlopeDoubt } from './drift-verdict.ts';
import { solveFrom, solveThinned } from './general-fit.ts';
import type { FitCurve } from './model.ts';
import { prepareProblem } from './problem.ts';
import { isExact } from './residual-limits.ts';
import { isInside } from './solve.ts';

/** 1:1 with the terms of the settings; with an added drift or bulk shift per curve; or another mechanism. */
export type BindingModel = '1:1' | '1:1_drift' | '1:1_bulk_shift' | AlternativeModel;

export interface Candidate {
  model: BindingModel;
  /** BIC minus that of 1:1; null where the model could not be fitted. */
  deltaBic: number | null;
  parameters: number;
  kdM: number | null;
  r2: number | null;
  accepted: boolean;
  /** Why the model was not accepted. */
  reason: string | null;
}

export interface Choice {
  model: BindingModel;
  fit: KineticFit;
  /** The options of `fit`, for further fits of the same kind. */
  options: FitOptions;
  /** More than one for a heterogeneous ligand, the larger part first. */
  sites: Site[];
  candidates: Candidate[];
  /** A rejected model that fits far better and has another KD, so the chosen model is wrong too. */
  better: Candidate | null;
  /** A model that fits about as well as the one chosen and has another KD, so the curves decide for neither. */
  rival: Candidate | null;
}

export interface ModelRule {
  /** `auto` chooses by the evidence. */
  model: 'auto' | '1:1' | AlternativeModel;
  /** The target has several binding sites for the ligand (dimer, Fc fusion): a bivalent analyte is possible. */
  bivalentAnalyte: boolean;
  /** Why the slopes of the curves, in signal/s, are no drift; null where they are. */
  findSlopeDoubt?: (slopesPerS: readonly number[]) => SlopeDoubt | null;
}

/** BIC must fall by more than this. */
export const EVIDENCE_MIN = 10;
const DELTA_BIC_MAX = -EVIDENCE_MIN;
/** Each kind of site must have at least this fraction of the capacity. */
const FRACTION_MIN = 0.1;
/** On thinned curves a model must show this fraction of the required gain. */
const THINNED_GAIN_MIN = 0.7;
/**
 * As for 1:1: fraction of the complex that must dissociate, and the error of ln KD that leaves a significant digit.
 */
const DISSOCIATED_MIN = 0.05;
const SE_LN_KD_MAX = 0.7;
/** A smaller change of KD does not count. */
const KD_CHANGE_MIN = 0.05;

/** Returns the number of independent points to which the correlated residuals of a fit correspond. */
export function computeEffectivePoints({ n, p, correlationFactor }: FitOutline): number {
  return Math.max(p + 2, countIndependentPoints(n, correlationFactor));
}

/** Returns the BIC of `fit` minus that of `base`, with the effective number of points of `fit`. */
function computeDeltaBic(base: FitOutline, fit: FitOutline): number {
  const effective = computeEffectivePoints({ ...fit, p: base.p, n: base.n });
  return effective * Math.log(fit.ssr / base.ssr) + (fit.p - base.p) * Math.log(effective);
}

interface Considered {
  model: BindingModel;
  outline: FitOutline;
  /** The complete fit, computed when the model is chosen. */
  fit: () => KineticFit;
  options: FitOptions;
  sites: Site[];
  refused: string | null;
  /** Sum of squares on thinned curves, as a fraction of that of 1:1; absent where none was needed. */
  thinnedRatio?: number;
  /** Whether one kind of site is too small a part of the capacity. */
  isSmall?: boolean;
}

/**
 * The error of joining dissociation to association looks like drift or bulk shift. Therefore the models for joined
 * curves are compared with a free step per curve, and the chosen model is then fitted to the joined curves.
 */
export function chooseModel(
  curves: readonly FitCurve[],
  base: KineticFit,
  options: FitOptions,
  rule: ModelRule,
): Choice {
  const isJoined = curves.some(({ joinSe = 0 }) => joinSe > 0);
  if (!isJoined || rule.model !== 'auto') return choose(curves, base, options, rule);
  const free = { ...options, step: true, start: base, timeZero: base.timeZero };
  const { chosen, ...comparison } = compareModels(curves, fitKinetics(curves, free), free, rule);
  return { ...choose(curves, base, options, { ...rule, model: chosen.model }), ...comparison };
}

interface AnyRule extends Omit<ModelRule, 'model'> {
  model: 'auto' | BindingModel;
}

function choose(curves: readonly FitCurve[], base: KineticFit, options: FitOptions, rule: AnyRule): Choice {
  const { chosen, ...comparison } = compareModels(curves, base, options, rule);
  const { model, fit, options: used, sites } = chosen;
  return { model, fit: fit(), options: used, sites, ...comparison };
}

/** Returns the best of the rejected models if the evidence for it over `best` is very strong and it has another KD. */
function findBetter(best: Considered, others: readonly Considered[], base: KineticFit): Considered | null {
  const rejected = others.filter(({ refused }) => refused !== null);
  return findContradicting(best, rejected, { base, bicAboveMax: DELTA_BIC_MAX });
}

/**
 * Returns the best of the models over which the evidence for `best` is not very strong: of mechanisms, where `best` is one, with
 * another KD beyond its error; of all models, with a KD that differs more than threefold.
 */
function findRival(best: Considered, others: readonly Considered[], base: KineticFit): Considered | null {
  const models = others.filter((each) => each !== best && each.refused !== UNDECLARED);
  const isMechanism = (each: Considered): boolean => each.model in ALTERNATIVES;
  const mechanisms = isMechanism(best) ? models.filter(isMechanism) : [];
  const bicAboveMax = EVIDENCE_MIN;
  return (
    findContradicting(best, mechanisms, { base, bicAboveMax }) ??
    findContradicting(best, models, { base, bicAboveMax, changeMin: Math.log(RIVAL_FACTOR) })
  );
}

/** Models that describe the curves about as well may differ in KD by this factor. */
export const RIVAL_FACTOR = 3;

/** Returns the model with the lowest BIC among those below that of `best` plus a margin that have another KD. */
function findContradicting(
  best: Considered,
  models: readonly Considered[],
  { base, bicAboveMax, changeMin }: { base: KineticFit; bicAboveMax: number; changeMin?: number },
): Considered | null {
  const getBic = ({ outline }: Considered): number => computeDeltaBic(base, outline);
  const near = models.filter((each) => getBic(each) < getBic(best) + bicAboveMax);
  if (near.length === 0) return null;
  const { kdM, seLnKd, widening } = best.fit();
  const change = changeMin ?? Math.max(KD_CHANGE_MIN, NORMAL_95 * seLnKd * widening.kd);
  return near
    .filter(({ outline }) => !(Math.abs(Math.log(outline.kdM / kdM)) < change))
    .reduce<Considered | null>(
      (found, each) => (found === null || getBic(each) < getBic(found) ? each : found),
      null,
    );
}

/** Returns the models considered, the one chosen, and those that contradict it. */
function compareModels(
  curves: readonly FitCurve[],
  base: KineticFit,
  options: FitOptions,
  rule: AnyRule,
): { chosen: Considered; candidates: Candidate[]; better: Candidate | null; rival: Candidate | null } {
  const plain: Considered = {
    model: '1:1',
    outline: base,
    fit: () => base,
    options,
    sites: [],
    refused: null,
  };
  const started = curves.some((curve) => (curve.initialSignal ?? 0) > 0);
  const nothingLeft = isExact(base) || base.profile !== 'closed' || started;
  const others = rule.model === '1:1' || nothingLeft ? [] : considerModels(curves, base, options, rule);
  const candidates = [plain, ...others].map((each) => buildCandidate(each, base));
  const forced = others.find((each) => each.model === rule.model);
  const best = others
    .filter((each) => each.refused === null && computeDeltaBic(base, each.outline) < DELTA_BIC_MAX)
    .reduce(
      (found, each) =>
        computeDeltaBic(base, each.outline) < computeDeltaBic(base, found.outline) ? each : found,
      plain,
    );
  const better = rule.model === 'auto' ? findBetter(best, others, base) : null;
  // If a rejected mechanism fits better, the second best is no evidence for a mechanism.
  const free = better === null || !(best.model in ALTERNATIVES) ? best : plain;
  const chosen = rule.model === 'auto' ? free : (forced ?? plain);
  for (const each of candidates) {
    each.accepted = each.model === chosen.model;
    if (!each.accepted && each.reason === null) each.reason = 'less evidence than the chosen model';
  }
  const rival = rule.model === 'auto' ? findRival(chosen, others, base) : null;
  const findCandidate = (found: Considered | null): Candidate | null =>
    candidates.find((each) => each.model === found?.model) ?? null;
  return { chosen, candidates, better: findCandidate(better), rival: findCandidate(rival) };
}

function buildCandidate({ model, outline, refused }: Considered, base: KineticFit): Candidate {
  const delta = computeDeltaBic(base, outline);
  const weak = model !== '1:1' && delta >= DELTA_BIC_MAX ? `BIC falls by less than ${-DELTA_BIC_MAX}` : null;
  return {
    model,
    deltaBic: Number.isFinite(delta) ? delta : null,
    parameters: outline.p,
    kdM: outline.kdM,
    r2: outline.r2,
    accepted: false,
    reason: refused ?? weak,
  };
}

function considerModels(
  curves: readonly FitCurve[],
  base: KineticFit,
  options: FitOptions,
  { model, bivalentAnalyte, findSlopeDoubt }: AnyRule,
): Considered[] {
  const found: Considered[] = [];
  const start = { start: base, timeZero: base.timeZero };
  const isAsked = (name: BindingModel): boolean => model === 'auto' || model === name;
  if (isAsked('1:1_drift') && !options.drift)
    found.push(
      refuseSlopes(solveExtended('1:1_drift', curves, { ...options, ...start, drift: true }), findSlopeDoubt),
    );
  if (isAsked('1:1_bulk_shift') && !options.bulkShift)
    found.push(solveExtended('1:1_bulk_shift', curves, { ...options, ...start, bulkShift: true }));
  const names = (['mass_transport', 'heterogeneous_ligand', 'bivalent_analyte'] as const).filter(isAsked);
  for (const name of names) {
    const isDeclared = model === name || bivalentAnalyte || name !== 'bivalent_analyte';
    const rival = isDeclared ? Number.POSITIVE_INFINITY : findTwoPhases(found, base);
    if (rival === null) continue;
    const fitted = solveAlternative(name, curves, base, options, { forced: model === name, rival });
    if (fitted !== null) found.push(isDeclared ? fitted : { ...fitted, refused: UNDECLARED });
  }
  return found;
}

/** The curves may be right where the order is wrong: a dimer that nobody declared binds with both sites all the same. */
const UNDECLARED = 'the target is not declared to have several binding sites';

/**
 * A bivalent analyte leaves in two phases, as it would from two kinds of site. Its costly fit is tried only where the
 * evidence for such sites is very strong, and where thinned curves prefer it to them. Returns what their thinned fit
 * leaves, as a fraction of that of 1:1, or null.
 */
function findTwoPhases(found: readonly Considered[], base: KineticFit): number | null {
  const sites = found.find(({ model }) => model === 'heterogeneous_ligand');
  const isEvident = sites !== undefined && computeDeltaBic(base, sites.outline) < DELTA_BIC_MAX;
  return isEvident && sites.isSmall !== true ? (sites.thinnedRatio ?? null) : null;
}

interface Extended extends Considered {
  solved: SolvedFit;
}

function solveExtended(model: BindingModel, curves: readonly FitCurve[], options: FitOptions): Extended {
  const solved = solveKinetics(curves, options);
  const outline = buildOutline(solved);
  let finished: KineticFit | null = null;
  const fit = (): KineticFit => (finished ??= finishFit(solved, outline));
  return { model, outline, fit, options, sites: [], refused: null, solved };
}

const SLOPE_REFUSALS: Readonly<Record<SlopeDoubt, string>> = {
  grows_with_response: 'its slopes grow with the response, so they are no drift',
  unseen_elsewhere: 'neither the plate nor the baselines show such a drift',
};

function refuseSlopes({ solved, ...considered }: Extended, find: ModelRule['findSlopeDoubt']): Considered {
  if (find === undefined) return considered;
  const doubt = find(listLinearTerms(solved).map(({ drift = 0 }) => drift));
  return { ...considered, refused: doubt === null ? null : SLOPE_REFUSALS[doubt] };
}

/**
 * Returns null when thinned curves show that the evidence cannot suffice, or leave no less than `rival`, which is finite
 * for a model that is only to cast doubt.
 */
function solveAlternative(
  model: AlternativeModel,
  curves: readonly FitCurve[],
  base: KineticFit,
  options: FitOptions,
  { forced, rival }: { forced: boolean; rival: number },
): Considered | null {
  const data = { curves, terms: options, time: base.timeZero };
  const coarse = solveThinned(model, data, base);
  if (!forced && !isPromising(model, coarse.ssrRatio, base)) return null;
  if (coarse.ssrRatio >= rival) return null;
  const problem = prepareProblem(curves, options, base.timeZero);
  const solution = solveFrom(model, problem, coarse.theta);
  const fit = toKineticFit(model, problem, solution, base);
  const sites = buildSites(model, solution);
  const fraction = computeFraction(model, solution);
  const small = Math.min(fraction, 1 - fraction) <= FRACTION_MIN && model === 'heterogeneous_ligand';
  const refused = small
    ? `one kind of site is ${(100 * Math.min(fraction, 1 - fraction)).toFixed(1)} % of the capacity`
    : isDetermined(curves, fit, sites)
      ? null
      : 'the curves do not determine its rates';
  // Computed only for a model that may be chosen, because a profile costs as much as many fits.
  const isOpen = refused === null && !Number.isFinite(rival);
  const isAccepted = forced || (isOpen && computeDeltaBic(base, fit) < DELTA_BIC_MAX);
  const stated = isAccepted ? withProfile(model, problem, solution, fit) : fit;
  const thinnedRatio = coarse.ssrRatio;
  return { model, outline: stated, fit: () => stated, options, sites, refused, thinnedRatio, isSmall: small };
}

/** Whether the curves can resolve each rate of each kind of site: none may stay bound throughout the window. */
function isDetermined(curves: readonly FitCurve[], fit: KineticFit, sites: readonly Site[]): boolean {
  const dissociationS = Math.max(
    ...curves.map(({ timeS, associationS }) => timeS[timeS.length - 1] - associationS),
  );
  const seen = [...sites, fit].every((site) => {
    return isInside(site, 0.5) && site.koff * dissociationS > DISSOCIATED_MIN;
  });
  return seen && fit.seLnKd * fit.widening.kd < SE_LN_KD_MAX;
}

function isPromising(model: AlternativeModel, ssrRatio: number, base: KineticFit): boolean {
  const effective = base.n / base.correlationFactor ** 2;
  const needed = DELTA_BIC_MAX - (ALTERNATIVES[model].size - 2) * Math.log(Math.max(2, effective));
  return effective * Math.log(ssrRatio) < THINNED_GAIN_MIN * needed;
}
