import type { WriteContext } from '#core/context.ts';
import { getScope } from '#core/principal.ts';
import type { NewSequence } from './rules.ts';
import { insertSequences } from './store.ts';

export async function appendSequences(
  context: WriteContext,
  experimentId: string,
  firstOrdinal: number,
  sequences: readonly NewSequence[],
): Promise<string[]> {
  const ids = sequences.map(() => context.ids.createUuid());
  const into = { experiment_id: experimentId, first_ordinal: firstOrdinal, created_at: context.clock.now() };
  await insertSequences(getScope(context.principal), context.tx, into, sequences, ids);
  return ids;
}
