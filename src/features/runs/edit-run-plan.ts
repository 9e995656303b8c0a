import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { findShapeProblems } from './check-arrangement.ts';
import { findPlanProblems } from './check-plan.ts';
import type { editRunPlan as operation } from './contract.ts';
import { editPlan } from './edit-plan.ts';
import { describePlan, describeProblems, parseEdit, parsePlan, readPlanRequest } from './plan-request.ts';

/** `POST /lab/run-plans/edit`. A plan whose wells collide is not edited, because an edit would lose one of them. */
export async function editRunPlan({ body }: Input<typeof operation>, { sql }: ReadContext) {
  const request = await readPlanRequest(sql, body.request);
  const plan = parsePlan(body.plan);
  const misshapen = findShapeProblems(plan);
  if (misshapen.length > 0) return { is_edited: false, plan: body.plan, ...describeProblems(misshapen) };
  const edited = editPlan(plan, parseEdit(body.edit));
  if ('problems' in edited) {
    const problems = [...edited.problems, ...findPlanProblems(plan, request)];
    return { is_edited: false, plan: body.plan, ...describeProblems(problems) };
  }
  return {
    is_edited: true,
    plan: describePlan(edited.plan),
    ...describeProblems(findPlanProblems(edited.plan, request)),
  };
}
