import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { importTargets as operation } from './catalog-contract.ts';
import { lockCatalog } from './catalog-store.ts';
import { buildTarget } from './entry.ts';
import { insertTarget, rewriteTarget } from './store.ts';
import { describeImport, planTargetImport, type ImportPlan } from './plan-target-import.ts';

/** `POST /lab/targets/import`. */
export async function importTargets(input: Input<typeof operation>, context: WriteContext) {
  await lockCatalog(context.tx);
  const plan = await planTargetImport(context.tx, input.body.content);
  if (plan.problems.length > 0)
    throw fail(
      'import_refused',
      { count: plan.problems.length },
      { problems: plan.problems.map(({ line, message }) => ({ path: `line ${line}`, message })) },
    );
  await writePlan(context, plan);
  const described = describeImport(plan);
  const listNumbers = (action: string): string[] =>
    described.items.filter((item) => item.action === action).map((item) => item.catalog_number);
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ added: listNumbers('add'), changed: listNumbers('change') });
  return described;
}

async function writePlan({ tx, ids, clock }: WriteContext, { planned, rows }: ImportPlan): Promise<void> {
  const at = clock.now();
  for (const { action, after } of planned) {
    const id = rows.get(after.catalog_number)?.id ?? ids.createUuid();
    const target = buildTarget(after, { id, createdAt: at, ownerOrganizationId: null });
    if (action === 'add') await insertTarget(tx, target);
    if (action === 'change') await rewriteTarget(tx, target, at);
  }
}
