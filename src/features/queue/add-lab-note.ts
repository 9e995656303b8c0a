import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { findExperiment } from '../experiments/store.ts';
import type { addLabNote as operation } from './contract.ts';
import { insertNote } from './store.ts';

/**
 * `POST /lab/experiments/{experiment_id}/notes`: adds a note of staff, which clients never read. So only the audit trail
 * of the installation has it, with its words: they outlive a draft that its client deletes.
 */
export async function addLabNote(input: Input<typeof operation>, context: WriteContext) {
  const { clock, ids, principal, tx } = context;
  const experiment = await findExperiment(labScope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(INSTALLATION_ID);
  const id = ids.createUuid();
  const createdAt = clock.now();
  const { note } = input.body;
  const author = principal.userEmail;
  context.addAuditDetails({ experiment: experiment.code, note });
  const scope = createOrganizationScope(experiment.organization_id);
  await insertNote(scope, tx, { id, experimentId: experiment.id, author, note, createdAt });
  return { id, author, note, created_at: createdAt.toISOString() };
}
