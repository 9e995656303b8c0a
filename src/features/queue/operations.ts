/** The operations of queue, each with what carries it out. */
import { bindAuditedRead, bindLabList, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as needsContract from './needs-contract.ts';
import * as contract from './contract.ts';
import type { ReadContext, AuditedReadContext, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { selectNeeds, listQueuePage, findLabExperiment, selectLabSequences, insertNote } from './store.ts';
import { listNeedKinds } from './needs.ts';
import { fail } from '#core/failures.ts';
import { runInSlices } from '#core/slices.ts';
import { findQualityWarnings } from '../sequences/check-sequences.ts';
import { findExperiment } from '../experiments/store.ts';
import { writeFasta } from '../results/package/texts.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';

export const queueOperations: readonly Binding[] = [
  bindRead(needsContract.getLabNeeds, getLabNeeds),
  bindLabList(contract.listLabExperiments, ({ scope, sql, site }, query) =>
    listQueuePage(scope, sql, query, site.baseUrl),
  ),
  bindRead(contract.getLabExperiment, getLabExperiment),
  bindAuditedRead(contract.getLabSequences, getLabSequences),
  bindWrite(contract.addLabNote, addLabNote),
];

const ORDERS_OF_EACH = 5;

/** `GET /lab/needs`: reads which orders wait for the person who asks, each once. */
async function getLabNeeds(
  _input: Input<typeof needsContract.getLabNeeds>,
  { sql, principal, clock }: ReadContext,
) {
  const { permissions } = principal;
  const needs = await selectNeeds(labScope, sql, {
    kinds: listNeedKinds(permissions),
    ordersOfEach: ORDERS_OF_EACH,
    showsMoney: permissions.has('lab:bill'),
    at: clock.now(),
  });
  return { needs };
}

/**
 * `GET /lab/experiments/{experiment_id}`: an experiment of any organization with its money, runs, results,
 * history and notes.
 */
async function getLabExperiment(input: Input<typeof contract.getLabExperiment>, context: ReadContext) {
  const { experiment_id: idOrCode } = input.params;
  const experiment = await findLabExperiment(labScope, context.sql, idOrCode, context.site.baseUrl);
  if (experiment === undefined) throw fail('experiment_not_found');
  return experiment;
}

/**
 * `GET /lab/experiments/{experiment_id}/sequences`: the sequences of an experiment of any organization. The audit trail
 * of that organization records the reading.
 */
async function getLabSequences(input: Input<typeof contract.getLabSequences>, context: AuditedReadContext) {
  const experiment = await findExperiment(labScope, context.sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  const scope = createOrganizationScope(experiment.organization_id);
  const rows = await selectLabSequences(scope, context.sql, experiment.id);
  const sequences = rows.map(({ name, aa_string: aaString, is_control: isControl, metadata }) => ({
    name,
    aaString,
    isControl,
    metadata,
  }));
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    sequences: rows,
    fasta: writeFasta(sequences),
    warning_groups: await runInSlices(findQualityWarnings(sequences)),
  };
}

/**
 * `POST /lab/experiments/{experiment_id}/notes`: adds a note of staff, which clients never read. So only the audit trail
 * of the installation has it, with its words: they outlive a draft that its client deletes.
 */
async function addLabNote(input: Input<typeof contract.addLabNote>, context: WriteContext) {
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
  await insertNote(scope, tx, { id, experiment_id: experiment.id, author, note, created_at: createdAt });
  return { id, author, note, created_at: createdAt.toISOString() };
}
