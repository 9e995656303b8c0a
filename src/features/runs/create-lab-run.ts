import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { findShapeProblems } from './check-arrangement.ts';
import { findMismatches } from './check-plan.ts';
import type { createLabRun as operation } from './run-contract.ts';
import { insertRunExperiments, insertStoredRun } from './store.ts';
import { buildPlanRequest, parsePlan, readExperimentsToPlan } from './plan-request.ts';
import { describeRun, refusePlan, requireRun } from './stored-run.ts';

/** `POST /lab/runs`. */
export async function createLabRun({ body }: Input<typeof operation>, context: WriteContext) {
  const { tx, ids, clock, principal } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const rows = await readExperimentsToPlan(tx, body.request);
  const plan = parsePlan(body.plan);
  const [first] = rows;
  if (first === undefined) throw fail('experiment_not_found');
  const request = await buildPlanRequest(tx, rows, body.request);
  refusePlan([...findShapeProblems(plan), ...findMismatches(plan, request)]);
  const id = ids.createUuid();
  const at = clock.now();
  const stored = {
    id,
    experimentType: first.experiment_type,
    method: first.method,
    request: body.request,
    plan: body.plan,
    instrument: body.instrument ?? null,
    operator: body.operator ?? null,
    createdBy: principal.userEmail,
    createdAt: at,
  };
  await insertStoredRun(tx, stored, rows.length);
  const placed = rows.map((row, position) => ({ id: row.id, position, organizationId: row.organization_id }));
  for (const [organizationId, own] of Map.groupBy(placed, (each) => each.organizationId))
    await insertRunExperiments(createOrganizationScope(organizationId), tx, id, own);
  const run = await requireRun(tx, id);
  context.addAuditDetails({ run: run.code, experiments: rows.map(({ code }) => code) });
  return describeRun(tx, run, at, request);
}
