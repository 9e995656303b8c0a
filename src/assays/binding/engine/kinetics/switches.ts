/**
 * Leaves out the seconds in which the valves of an SPR instrument switch: at both ends of an injection the pressure and
 * the refractive index jump, and a reference that is passed a moment later does not cancel it.
 */
import { selectSamples } from '#analysis/curves/trace.ts';
import type { TraceStep } from '#analysis/curves/trace.ts';
import type { BindingSettings } from '../settings.ts';

type Trims = Pick<BindingSettings, 'trimAssociationS' | 'trimDissociationS' | 'trimBeforeS'>;

/** A phase that would keep fewer samples than this is kept whole. */
const SAMPLES_MIN = 3;

/** Returns the steps without the samples around the start and the end of each injection. */
export function trimSwitches(
  steps: readonly TraceStep[],
  { trimAssociationS, trimDissociationS, trimBeforeS }: Trims,
): TraceStep[] {
  return steps.map((step, i) => {
    const next = steps.at(i + 1);
    const isBeforeSwitch =
      (step.step === 'association' && next !== undefined) ||
      ((step.step === 'baseline' || step.step === 'dissociation') && next?.step === 'association');
    const heads = { association: trimAssociationS, dissociation: trimDissociationS };
    const head = step.step === 'association' || step.step === 'dissociation' ? heads[step.step] : 0;
    const tail = isBeforeSwitch ? trimBeforeS : 0;
    if (head === 0 && tail === 0) return step;
    const fromS = head === 0 ? Number.NEGATIVE_INFINITY : step.startS + head - 1e-9;
    const toS = tail === 0 || next === undefined ? Number.POSITIVE_INFINITY : next.startS - tail + 1e-9;
    const trimmedStep = selectSamples(step, (t) => t >= fromS && t <= toS);
    return trimmedStep.timeS.length < SAMPLES_MIN ? step : trimmedStep;
  });
}
