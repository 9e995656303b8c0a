import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getSequenceInfo as operation } from './contract.ts';
import { findSequence } from './store.ts';

/** `GET /sequences/{sequence_id}`: one sequence with its experiment. */
export async function getSequenceInfo(input: Input<typeof operation>, context: ReadContext) {
  const row = await findSequence(getScope(context.principal), context.sql, input.params.sequence_id);
  if (row === undefined) throw fail('sequence_not_found');
  return {
    id: row.id,
    name: row.name,
    aa_string: row.aa_string,
    length: row.length,
    is_control: row.is_control,
    control: row.is_control,
    metadata: row.metadata,
    created_at: row.created_at,
    experiment: {
      experiment_id: row.experiment_id,
      experiment_code: row.experiment_code,
      experiment_status: row.experiment_status,
    },
  };
}
