import type { WriteContext } from '#core/context.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { editTarget as operation } from './catalog-contract.ts';
import { lockCatalog, lockEntry } from './catalog-store.ts';
import { buildTarget, findEntryProblems, listChanges, normalizeEntry, readEntry } from './entry.ts';
import { isCatalogNumberTaken, rewriteTarget } from './store.ts';
import { requireLabTargetJson } from './require-lab-target-json.ts';

/** `PATCH /lab/targets/{target_id}`. */
export async function editTarget(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock } = context;
  const id = input.params.target_id;
  if (input.body.catalog_number !== undefined) await lockCatalog(tx);
  const row = await lockEntry(tx, id);
  if (row === undefined) throw fail('target_not_found');
  const before = readEntry(row);
  const after = normalizeEntry({ ...before, ...input.body });
  const problems = findEntryProblems(after);
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  const target = buildTarget(after, {
    id,
    createdAt: new Date(row.created_at),
    ownerOrganizationId: row.owner_organization_id,
  });
  const isRenumbered = after.catalog_number !== before.catalog_number;
  if (isRenumbered && (await isCatalogNumberTaken(tx, target)))
    throw fail('target_exists', { catalog_number: after.catalog_number });
  const changes = listChanges(before, after);
  if (changes.length > 0) await rewriteTarget(tx, target, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ changes });
  return requireLabTargetJson(context, tx, id);
}
