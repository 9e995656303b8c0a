/**
 * The injections of single-cycle kinetics as people assign them: their concentrations, and their times where a file
 * has no steps.
 */
import type { TraceAssignment } from '../assignments.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import type { BindingSettings } from '../settings.ts';
import {
  selectAssociations,
  withConcentrations,
  type Trace,
  type StepName,
  type TraceStep,
} from '#analysis/curves/trace.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';

/**
 * Returns the trace's steps with the assignment applied; throws `settings_invalid` unless each association has a
 * concentration.
 */
export function withInjections(
  trace: Trace,
  { injectionsM, injectionStartsS }: TraceAssignment,
  settings: Pick<BindingSettings, 'associationS'>,
): TraceStep[] {
  const name = `assign["${trace.id}"]`;
  if (injectionStartsS !== undefined && injectionsM?.length !== injectionStartsS.length)
    throw createSettingError(`${name}.injection_starts_s has to come with as many injections_m`);
  if (injectionsM === undefined) return trace.steps;
  const isWhole = trace.steps.some(({ step }) => step === 'unsegmented');
  if (!isWhole && injectionStartsS !== undefined)
    throw createSettingError(
      `${name}.injection_starts_s is for files that do not state their steps; this one does`,
    );
  const steps = isWhole
    ? cut(trace, injectionStartsS ?? [], { count: injectionsM.length, lengthS: settings.associationS })
    : trace.steps;
  const stated = withConcentrations(steps, injectionsM);
  if (stated !== null) return stated;
  throw createSettingError(
    `${name}.injections_m has to be ${selectAssociations(steps).length} concentrations in M, one per association`,
  );
}

/** Cuts the unsegmented step into injections of one length with buffer between them. */
function cut(
  { id, steps }: Trace,
  startsS: readonly number[],
  { count, lengthS }: { count: number; lengthS: number | null },
): TraceStep[] {
  if (startsS.length !== count || lengthS === null) {
    const missing = `injection_starts_s (when each of the ${count} injections starts, in s) and association_s (how long each lasts)`;
    throw createSettingError(
      `assign["${id}"].injections_m needs ${missing}: the file does not state its steps`,
    );
  }
  return steps.flatMap((step) => {
    if (step.step !== 'unsegmented') return [step];
    const lastS = step.timeS[step.timeS.length - 1];
    for (const [i, startS] of startsS.entries()) {
      const endS = startS + lengthS;
      if (startS < step.startS || endS > (startsS[i + 1] ?? lastS))
        throw createSettingError(
          `assign["${id}"].injection_starts_s has to leave ${lengthS} s (association_s) for each injection between ${step.startS} and ${lastS} s`,
        );
    }
    const pieces = [
      cutPiece(step, 'baseline', step.startS, startsS[0]),
      ...startsS.flatMap((startS, i) => [
        cutPiece(step, 'association', startS, startS + lengthS),
        cutPiece(step, 'dissociation', startS + lengthS, startsS[i + 1] ?? Number.POSITIVE_INFINITY),
      ]),
    ];
    return pieces.filter((each) => each.timeS.length > 0);
  });
}

/** Returns the samples in [`fromS`, `toS`). */
function cutPiece(whole: TraceStep, step: StepName, fromS: number, toS: number): TraceStep {
  return { step, startS: fromS, ...keepPoints(whole, (t) => t >= fromS && t < toS) };
}

function createSettingError(sentence: string): AnalysisError {
  return new AnalysisError('settings_invalid', `Setting ${sentence}.`);
}
