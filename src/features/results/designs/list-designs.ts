import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { parseList } from '#core/parse-list.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { narrowToExperiment } from '../../experiments/require-experiment.ts';
import { designsList, type listDesigns as operation } from './contract.ts';
import { countEdits } from './near.ts';
import { listDesignPage, selectSequencesOfLength, type NearDesign } from './store.ts';

const OWN_PARAMETERS = ['experiment_id', 'sequence', 'max_distance'];

/** `GET /designs`. */
export async function listDesigns(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const { experiment_id: named, sequence, max_distance: distance = 0, ...asked } = input.query;
  const order = sequence === undefined ? {} : { sort: asked.sort ?? 'distance,-created_at' };
  const place = [named ?? '', sequence ?? '', distance].join(' ');
  const query = parseList(context, designsList.fields, { ...asked, ...order }, OWN_PARAMETERS, place);
  const experimentId = await narrowToExperiment(context, named);
  const near = sequence === undefined ? null : await findNear(context, experimentId, sequence, distance);
  return listDesignPage(getScope(context.principal), context.sql, query, { experimentId, near });
}

/** So many comparisons take a few milliseconds; then others get a turn. */
const BATCH = 2_000;

/** Throws `invalid_query` for what is no sequence. */
async function findNear(
  { principal, sql }: ReadContext,
  experimentId: string | null,
  typed: string,
  distance: number,
): Promise<NearDesign[]> {
  const own = typed.replaceAll(/\s+/g, '').toUpperCase();
  if (!/^[A-Z]+(?::[A-Z]+)*$/.test(own))
    throw fail('invalid_query', {
      reason: 'sequence must be amino acids in single letters, with ":" between chains.',
    });
  const length = own.replaceAll(':', '').length;
  const sequences = await selectSequencesOfLength(getScope(principal), sql, {
    experimentId,
    least: length - distance,
    most: length + distance,
  });
  const near: NearDesign[] = [];
  for (const [index, { id, aa_string: other }] of sequences.entries()) {
    const edits = countEdits(own, other, distance);
    if (edits !== undefined) near.push({ id, distance: edits });
    if (index % BATCH === BATCH - 1) await nextTurn();
  }
  return near;
}
