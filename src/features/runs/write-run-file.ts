import type { Input } from '#core/operation.ts';
import type { writeRunFile as operation } from './contract.ts';
import { writePlanFile } from './plan-file.ts';
import { parsePlan } from './plan-request.ts';

/** `POST /lab/run-plans/files`. */
export async function writeRunFile({ body }: Input<typeof operation>) {
  const { plan, ...input } = body;
  return writePlanFile(parsePlan(plan), input);
}
