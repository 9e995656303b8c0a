import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { getLabRun as operation } from './run-contract.ts';
import { describeRun, requireRun } from './stored-run.ts';

/** `GET /lab/runs/{run_id}`: a run with its plan, its experiments and what keeps it from starting. */
export async function getLabRun(input: Input<typeof operation>, { sql, clock }: ReadContext) {
  return describeRun(sql, await requireRun(sql, input.params.run_id), clock.now());
}
