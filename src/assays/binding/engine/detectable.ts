/**
 * The weakest KD that a replicate without a response would have shown. A replicate excludes binding only if it would
 * have shown a binder within its doses; otherwise it is inconclusive.
 */
import { formatConcentration } from '#core/number-words.ts';
import { bisect } from '#analysis/numerics/search.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { PlateLevels } from './kinetics/plate-levels.ts';
import type { ProcessedCurve } from './kinetics/process.ts';
import type { BindingSettings } from './settings.ts';
import type { BindingReplicate } from './types.ts';

export type RmaxSource = 'positive_control' | 'theory' | 'loading';

export interface DetectionBasis {
  /** What the expected Rmax was taken from; null where nothing tells it. */
  rmaxFrom: RmaxSource | null;
  /** The smallest Rmax to expect of a sequence that binds, in the unit of the signal. */
  rmaxExpected: number | null;
  /** The smallest response that would have been found, in the unit of the signal. */
  responseMin: number;
  noise: number;
  topConcentrationM: number;
  /** Length of the association of the highest concentration, in s. */
  associationS: number;
  /** The slowest association assumed, in 1/(M·s). */
  konMinPerMS: number;
  /**
   * With a slower association, in 1/(M·s), a binder of any KD would have been missed: within the association it does not
   * reach the smallest response that is found. Null where no association is fast enough.
   */
  konDetectablePerMS: number | null;
  /** Why no KD is stated, or why it excludes too little; null where binding is excluded. */
  reason: string | null;
}

export interface Detection {
  kdDetectableM: number | null;
  kdDetectableBasis: DetectionBasis;
}

/**
 * The part of the full response that a sequence is expected to reach at least. A control shows a protein that is
 * active on this plate, and a design may be half as active. Theory counts every captured molecule as active, of which
 * a third is a low share. Loading alone leaves the masses open too: an analyte of a third of the ligand's mass.
 */
const RMAX_PARTS: Readonly<Record<RmaxSource, number>> = {
  positive_control: 1 / 2,
  theory: 1 / 3,
  loading: 1 / 9,
};
/** Few proteins associate more slowly. */
const KON_MIN_PER_M_S = 1e4;
/** A response this many standard errors above its threshold passes it; one in seven hundred does not. */
const CLEAR_SE = 3;

interface Evidence {
  levels: PlateLevels;
  settings: BindingSettings;
  /** The response above which this replicate counts as responding. */
  threshold: number;
}

/** What a replicate without a response excludes. `curves` ascend in concentration. */
export function evaluateAbsence(
  replicate: Pick<BindingReplicate, 'sample' | 'loading'>,
  curves: readonly ProcessedCurve[],
  { levels, settings, threshold }: Evidence,
): Detection & { flag: Flag | null } {
  const top = curves[curves.length - 1];
  const { associationS, injections } = top.fit;
  const last = injections?.at(-1);
  const open = {
    ...expectRmax(replicate, levels, settings),
    // A drift that goes down hides as much as it takes away until the end of association.
    responseMin: threshold + CLEAR_SE * top.responseSe + Math.abs(top.driftPerS) * associationS,
    noise: top.noise,
    topConcentrationM: top.concentrationM,
    associationS: last === undefined ? associationS : last.endS - last.startS,
    konMinPerMS: KON_MIN_PER_M_S,
    reason: null,
  };
  const basis: DetectionBasis = { ...open, konDetectablePerMS: computeSlowestKon(open) };
  const kdDetectableM = solveWeakestKd(basis);
  const reason = explainOpen(basis, kdDetectableM, { curves, levels });
  const found = { kdDetectableM, kdDetectableBasis: { ...basis, reason } };
  if (reason === null) return { ...found, flag: null };
  const message = `There is no response, but binding is not excluded: ${reason}.`;
  const numbers = { value: basis.rmaxExpected ?? Number.NaN, limit: basis.responseMin };
  return { ...found, flag: createFlag('BINDING_NOT_EXCLUDED', 'warning', message, numbers) };
}

/** Prefers what was measured on the plate to what is calculated. */
function expectRmax(
  { sample, loading }: Pick<BindingReplicate, 'sample' | 'loading'>,
  { positiveMedian, positiveLoading }: PlateLevels,
  settings: BindingSettings,
): Pick<DetectionBasis, 'rmaxFrom' | 'rmaxExpected'> {
  const byTheory = computeTheoreticalRmax(sample, loading, settings);
  const full: [RmaxSource, number | null][] = [
    ['positive_control', scaleByLoading(positiveMedian, loading, positiveLoading)],
    ['theory', byTheory],
    ['loading', loading !== null && loading > 0 ? loading : null],
  ];
  for (const [rmaxFrom, rmax] of full)
    if (rmax !== null) return { rmaxFrom, rmaxExpected: RMAX_PARTS[rmaxFrom] * rmax };
  return { rmaxFrom: null, rmaxExpected: null };
}

/** More loading than the control's may be a heavier protein, so it is not expected to respond more. */
function scaleByLoading(
  response: number | null,
  loading: number | null,
  positiveLoading: number | null,
): number | null {
  if (response === null || loading === null || positiveLoading === null || !(positiveLoading > 0))
    return response;
  return response * Math.min(1, Math.max(0, loading) / positiveLoading);
}

/**
 * Returns the largest possible response, (MW analyte / MW ligand) · loading · stoichiometry; null if one of them is
 * unknown.
 */
export function computeTheoreticalRmax(
  sample: string,
  loading: number | null,
  { analyteMassDa, ligandMassDa, stoichiometry }: BindingSettings,
): number | null {
  const ligand = ligandMassDa[sample];
  if (analyteMassDa === null || ligand === undefined || loading === null || loading <= 0) return null;
  return (analyteMassDa / ligand) * loading * stoichiometry;
}

/** The tightest binder responds most; its response is Rmax · (1 − e^(−kon · C · t)). */
function computeSlowestKon({
  rmaxExpected,
  responseMin,
  topConcentrationM,
  associationS,
}: Omit<DetectionBasis, 'konDetectablePerMS'>): number | null {
  const part = responseMin / (rmaxExpected ?? 0);
  return part < 1 ? -Math.log1p(-part) / (topConcentrationM * associationS) : null;
}

const SEARCHED_M = { from: 1e-15, to: 1 } as const;
const STEPS = 60;

/** Returns the KD at which the expected response falls to the smallest one that is found; null if none reaches it. */
function solveWeakestKd(basis: DetectionBasis): number | null {
  const isFound = (lnKd: number): boolean =>
    computeExpectedResponse(Math.exp(lnKd), basis) >= basis.responseMin;
  const inside = Math.log(SEARCHED_M.from);
  if (!isFound(inside)) return null;
  return Math.exp(bisect(isFound, { inside, outside: Math.log(SEARCHED_M.to), steps: STEPS }).inside);
}

/**
 * Response of 1:1 binding at the end of association, with the slowest association assumed. At one KD a faster
 * association responds more.
 */
function computeExpectedResponse(
  kdM: number,
  { rmaxExpected, topConcentrationM: top, associationS, konMinPerMS }: DetectionBasis,
): number {
  const reached = -Math.expm1(-konMinPerMS * (top + kdM) * associationS);
  return (rmaxExpected ?? 0) * (top / (top + kdM)) * reached;
}

function explainOpen(
  { rmaxFrom, rmaxExpected, responseMin }: DetectionBasis,
  kdDetectableM: number | null,
  { curves, levels }: { curves: readonly ProcessedCurve[]; levels: PlateLevels },
): string | null {
  if (rmaxExpected === null)
    return 'nothing says how large a response would be (no loading, no positive control, no masses)';
  if (rmaxFrom === 'positive_control' && (levels.positiveMedian ?? 0) <= responseMin)
    return 'the positive control of the plate shows no response either';
  if (kdDetectableM === null)
    return `a binder of any KD could respond with less than the ${responseMin.toPrecision(2)} that would be found`;
  const middleM = Math.sqrt(curves[0].concentrationM * curves[curves.length - 1].concentrationM);
  if (kdDetectableM >= middleM) return null;
  return `a binder with a KD of ${formatConcentration(middleM)}, in the middle of the concentrations, would not have been found`;
}
