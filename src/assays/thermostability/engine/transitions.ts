/** States each transition of a curve: its Tm with the errors of noise and model, its relation, and why it is in doubt. */
import { findDecidingCase, type RelationCases, type DoubtCase } from '#core/relations.ts';
import { NORMAL_95 } from '#analysis/numerics/statistics.ts';
import { applyDoubts, createMeasuredWithin } from '#analysis/quantities/quantity.ts';
import type { InflectionPoint } from './derivative.ts';
import { findNearest, listShown } from './doubts.ts';
import type { Verdict } from './doubts.ts';
import type { Examination, Rise } from './examine.ts';
import { listParameters, refineMelt } from './fit.ts';
import type { MeltFit } from './fit.ts';
import { prepare } from './model.ts';
import type { MeltingLimits } from './settings.ts';
import type { TransitionSummary } from './types.ts';

/** States the transitions of a fit, each with its own error of the noise and what the verdict adds. */
export function stateFitted(
  { fit, rise }: Examination & { fit: MeltFit },
  verdict: Verdict,
  hasDh: boolean,
): TransitionSummary[] {
  const shown = listShown(fit);
  const blendsSeC = shown === fit.transitions ? computeBlendSes(fit) : shown.map(() => 0);
  const shiftsC = rise === null ? shown.map(() => 0) : computeShiftsByCut(rise);
  return shown.map(({ seTmC, amplitude, width }, k): TransitionSummary => {
    const { tmC, systematicSeC, doubts } = verdict.transitions[k];
    const se = Math.hypot(seTmC, systematicSeC, blendsSeC[k], shiftsC[k]);
    return {
      tmC,
      seTmC,
      height: amplitude,
      dhKcalPerMol: hasDh ? width : null,
      tm: applyDoubts(createMeasuredWithin(tmC, '°C', se), doubts),
      sharedSeC: systematicSeC,
      doubt: findDecidingCase(doubts),
    };
  });
}

/**
 * States a peak of the derivative, which another window moves by `shiftC`. Without a model that has a transition near the
 * peak it is an estimate.
 */
export function statePeak(
  { temperatureC: tmC, seC, height }: InflectionPoint,
  shiftC: number,
  fit: MeltFit | null,
  verdict: Verdict | null,
  { methodsDifferMaxC }: MeltingLimits,
): TransitionSummary {
  const shown = fit === null || verdict === null ? [] : listShown(fit);
  const near = shown.length === 0 ? null : findNearest(shown, tmC);
  const isNear = near !== null && Math.abs(shown[near].tmC - tmC) <= methodsDifferMaxC;
  const doubts: RelationCases<DoubtCase> =
    isNear && verdict !== null ? verdict.transitions[near].doubts : { melt_unlike_model: true };
  const seTmC = seC === null ? null : Math.hypot(seC, shiftC);
  return {
    tmC,
    seTmC,
    height,
    dhKcalPerMol: null,
    tm: applyDoubts(createMeasuredWithin(tmC, '°C', seTmC), doubts),
    sharedSeC: 0,
    doubt: findDecidingCase(doubts) ?? (seTmC === null ? 'peak_undetermined' : null),
  };
}

/** Widens the interval of each Tm to include the unresolved transitions that it may represent. */
function computeBlendSes({ transitions, overlapping }: MeltFit): number[] {
  const parts = overlapping?.transitions ?? [];
  return transitions.map(({ tmC }, k) => {
    const own = parts.filter((each) => findNearest(transitions, each.tmC) === k);
    return Math.max(0, ...own.map((each) => Math.abs(each.tmC - tmC))) / NORMAL_95;
  });
}

/** Fraction of the rise at which a curve with flat baselines is cut and fitted again. */
const EARLIER_CUT = 0.9;

/**
 * A fit with flat baselines ends at the maximum. If the signal is clipped or falls before the protein is unfolded, Tm
 * depends on that maximum. Returns how far each Tm moves when the curve ends at nine tenths of its rise, which does not
 * affect a complete transition.
 */
function computeShiftsByCut({ curve: { temperatureC, signal }, fit }: Rise): number[] {
  const [from, to] = [fit.fitted[0], fit.fitted[fit.points - 1]];
  const end = fit.fitted.findIndex((value) => (value - from) / (to - from) >= EARLIER_CUT);
  if (end <= fit.parameters + 1) return fit.transitions.map(() => 0);
  const curve = { temperatureC: temperatureC.slice(0, end), signal: signal.slice(0, end) };
  const earlier = refineMelt(
    curve,
    prepare(curve.temperatureC, curve.signal, fit.model),
    listParameters(fit),
  );
  return fit.transitions.map(({ tmC }, k) => Math.abs(earlier.transitions[k].tmC - tmC));
}
