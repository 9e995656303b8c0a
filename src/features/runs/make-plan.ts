/** Makes the plan of a run. */
import type { Steps } from '#core/slices.ts';
import { arrangeColumns } from './arrange-columns.ts';
import { arrangeCycles } from './arrange-cycles.ts';
import { arrangeWells } from './arrange-wells.ts';
import type { Arrangement, ArrangementInput } from './arrangement.ts';
import { findLayout, findRequestProblems } from './check-request.ts';
import { LAYOUTS } from './layouts.ts';
import type { Layout } from './layouts.ts';
import { countWells, createTooManyWells, PLAN_VERSION, WELLS_MAX } from './plan.ts';
import type { PlanProblem, PlanRequest, RunPlan } from './plan.ts';
import { listPreparations } from './preparations.ts';

export type MadePlan = { readonly plan: RunPlan } | { readonly problems: readonly PlanProblem[] };

const ARRANGEMENTS: Readonly<Record<Layout['arrangement'], (parts: ArrangementInput) => Steps<Arrangement>>> =
  {
    columns: arrangeColumns,
    cycles: arrangeCycles,
    capillaries: arrangeWells,
    wells: arrangeWells,
  };

/**
 * Fills plates by the rules of the layout, or names everything that does not fit and what to do. Pauses after each
 * plate, because a plan of thousands of wells takes longer than other requests should wait.
 */
export function* makePlan(request: PlanRequest): Steps<MadePlan> {
  const problems = findRequestProblems(request);
  const name = findLayout(request);
  if (problems.length > 0 || name === null) return { problems };
  const layout = LAYOUTS[name];
  const preparations = listPreparations(request.experiments);
  const arranged = yield* ARRANGEMENTS[layout.arrangement]({ request, layout, preparations });
  if ('problems' in arranged) return arranged;
  const wells = countWells(arranged.plates);
  if (wells > WELLS_MAX) return { problems: [createTooManyWells(wells)] };
  const { seed, size } = request;
  return { plan: { version: PLAN_VERSION, seed, layout: name, size, plates: arranged.plates } };
}
