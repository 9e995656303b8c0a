import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { writeLabRunFile as operation } from './run-contract.ts';
import { writePlanFile } from './plan-file.ts';
import { parsePlan } from './plan-request.ts';
import { requireRun } from './stored-run.ts';

/** `POST /lab/runs/{run_id}/files`. */
export async function writeLabRunFile({ params, body }: Input<typeof operation>, { sql }: ReadContext) {
  const run = await requireRun(sql, params.run_id);
  return writePlanFile(parsePlan(run.plan), body);
}
