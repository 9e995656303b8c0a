import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { validateTargetImport as operation } from './catalog-contract.ts';
import { describeImport, planTargetImport } from './plan-target-import.ts';

/** `POST /lab/targets/import/validate`. */
export async function validateTargetImport(input: Input<typeof operation>, { sql }: ReadContext) {
  const plan = await planTargetImport(sql, input.body.content);
  return { ...describeImport(plan), problems: [...plan.problems] };
}
