import { isDeepStrictEqual } from 'node:util';
import type { WriteContext } from '#core/context.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { RawJson } from '#core/raw-json.ts';
import type { editAssayType as operation } from './contract.ts';
import { findEntryProblems, type OfferEntry } from './rules.ts';
import { findAssayTypeJson, lockAssayType, rewriteAssayType } from './store.ts';
import { INSTALLATION_ID } from '../../audit/rules.ts';

/** `PATCH /lab/assay-types/{experiment_type}`. */
export async function editAssayType(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock } = context;
  const { body } = input;
  const type = input.params.experiment_type;
  const before = await lockAssayType(tx, type);
  if (before === undefined) throw fail('assay_type_not_found');
  const after: OfferEntry = {
    ...before,
    offered: body.offered ?? before.offered,
    methods: body.methods ?? before.methods,
    replicates_min: body.n_replicates_min ?? before.replicates_min,
    replicates_max: body.n_replicates_max ?? before.replicates_max,
    turnaround_workdays:
      body.turnaround_workdays === undefined ? before.turnaround_workdays : body.turnaround_workdays,
  };
  const problems = findEntryProblems(after);
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  if (!isDeepStrictEqual(before, after)) await rewriteAssayType(tx, after, clock.now());
  context.setAuditOrganization(INSTALLATION_ID);
  context.addAuditDetails({ before, after });
  const json = await findAssayTypeJson(tx, type);
  if (json === undefined) throw fail('assay_type_not_found');
  return new RawJson(json);
}
