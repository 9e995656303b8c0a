import type { WriteContext } from '#core/context.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { createTarget as operation } from './catalog-contract.ts';
import { buildTarget, EMPTY_ENTRY, findEntryProblems, normalizeEntry } from './entry.ts';
import { insertTarget } from './store.ts';
import { requireLabTargetJson } from './require-lab-target-json.ts';

/** `POST /lab/targets`. */
export async function createTarget(input: Input<typeof operation>, context: WriteContext) {
  const { tx, ids, clock } = context;
  const entry = normalizeEntry({ ...EMPTY_ENTRY, ...input.body });
  const problems = findEntryProblems(entry);
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  const id = ids.createUuid();
  const target = buildTarget(entry, { id, createdAt: clock.now(), ownerOrganizationId: null });
  if (!(await insertTarget(tx, target)))
    throw fail('target_exists', { catalog_number: entry.catalog_number });
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ target_id: id, catalog_number: entry.catalog_number });
  return requireLabTargetJson(context, tx, id);
}
