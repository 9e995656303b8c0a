import type { ReadContext } from '#core/context.ts';
import type { Ids } from '#core/ids.ts';
import type { Input } from '#core/operation.ts';
import { runInSlices } from '#core/slices.ts';
import { findPlanProblems } from './check-plan.ts';
import type { planRun as operation } from './contract.ts';
import { makePlan } from './make-plan.ts';
import { listRunFileKinds } from '#presentation/run-files/write-run-file.ts';
import { describePlan, describeProblems, readPlanRequest } from './plan-request.ts';

/** `POST /lab/run-plans`. */
export async function planRun({ body }: Input<typeof operation>, { sql, ids }: ReadContext) {
  const planRequest = { ...body, seed: body.seed ?? drawSeed(ids) };
  const request = await readPlanRequest(sql, planRequest);
  const outcome = await runInSlices(makePlan(request));
  if ('problems' in outcome)
    return {
      request: planRequest,
      plan: null,
      files: [],
      ...describeProblems(outcome.problems),
      is_startable: false,
    };
  const { plan } = outcome;
  return {
    request: { ...planRequest, layout: plan.layout },
    plan: describePlan(plan),
    files: listRunFileKinds(plan),
    ...describeProblems(findPlanProblems(plan, request)),
  };
}

function drawSeed(ids: Ids): number {
  return Buffer.from(ids.createSecret(), 'base64url').readUInt32BE(0);
}
