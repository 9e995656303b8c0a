import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { editPlan } from './edit-plan.ts';
import type { EditInput, PlanRecord } from './plan-schemas.ts';
import type { editLabRun as operation } from './run-contract.ts';
import { changeRun } from './store.ts';
import { describePlan, parseEdit, parsePlan } from './plan-request.ts';
import { describeRun, holdPlannedRun, refusePlan } from './stored-run.ts';

/** `PATCH /lab/runs/{run_id}`. */
export async function editLabRun({ params, body }: Input<typeof operation>, context: WriteContext) {
  const { tx, clock } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const run = await holdPlannedRun(tx, params.run_id, 'be edited');
  const { edits = [], instrument = run.instrument, operator = run.operator } = body;
  const plan = edits.length === 0 ? run.plan : applyEdits(run.plan, edits);
  const at = clock.now();
  const change = { instrument, operator, ...(plan === run.plan ? {} : { plan }) };
  await changeRun(tx, run.id, { change, at });
  context.addAuditDetails({ run: run.code, edits: edits.length, instrument, operator });
  const edited = { ...run, plan, instrument, operator, updated_at: at.toISOString() };
  return describeRun(tx, edited, at);
}

/** Throws `run_plan_refused` with the reasons of the first edit that cannot be made. */
function applyEdits(stored: PlanRecord, edits: readonly EditInput[]): PlanRecord {
  let plan = parsePlan(stored);
  for (const edit of edits) {
    const edited = editPlan(plan, parseEdit(edit));
    if ('problems' in edited) refusePlan(edited.problems);
    else plan = edited.plan;
  }
  return describePlan(plan);
}
