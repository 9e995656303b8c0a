import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { joinWords } from '#core/words.ts';
import { requireShownAssay } from '#assays/shown.ts';
import { requireExperiment } from '../../experiments/require-experiment.ts';
import { isExperimentAllowed } from '../../tokens/attenuation.ts';
import type { Measure } from '../figures/measures.ts';
import { computeDrift, findQuantity, joinResults } from './compare.ts';
import { COMPARED_MAX, type Comparison, type compareExperiments as operation } from './contract.ts';
import { selectCompared } from './store.ts';

/** `GET /experiments/{experiment_id}/comparison`. */
export async function compareExperiments(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<Comparison> {
  return (await loadComparison(input, context)).comparison;
}

/**
 * Throws `invalid_query`, `experiment_not_found`, `token_restricted`, `results_not_released` or
 * `experiments_not_comparable`.
 */
export async function loadComparison(
  { params, query }: Pick<Input<typeof operation>, 'params' | 'query'>,
  context: ReadContext,
): Promise<{ readonly comparison: Comparison; readonly measure: Measure }> {
  const { principal, sql } = context;
  const others = query.with.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const named = [params.experiment_id, ...others];
  if (others.length === 0 || named.length > COMPARED_MAX)
    throw fail('invalid_query', { reason: `with must name one to ${COMPARED_MAX - 1} other experiments.` });
  const experiments = await Promise.all(named.map((name) => requireExperiment(context, name)));
  // The door has checked the experiment of the path alone.
  if (!experiments.every((each) => isExperimentAllowed(principal.restrictions.experiments, each)))
    throw fail('token_restricted', { reason: 'it is limited to other experiments' });
  if (new Set(experiments.map(({ id }) => id)).size < experiments.length)
    throw fail('invalid_query', { reason: 'an experiment is named twice.' });
  if (experiments.some(({ results_status: state }) => state === 'none')) throw fail('results_not_released');
  const measures = experiments.map(({ experiment_type: type }) => requireShownAssay(type).measure);
  const [measure] = measures;
  if (measure === undefined || measures.some(({ axis }) => axis !== measure.axis))
    throw fail('experiments_not_comparable', {
      types: joinWords([...new Set(experiments.map(({ experiment_type: type }) => type))], 'and'),
    });
  const rows = await Promise.all(experiments.map(({ id }) => selectCompared(getScope(principal), sql, id)));
  const { join = 'sequence' } = query;
  const items = joinResults(rows, measure, join);
  const quantities = rows.flat().flatMap((row) => findQuantity(measure, row) ?? []);
  const comparison: Comparison = {
    quantity: measure.axis.replace(/ \(.*\)$/, ''),
    unit: quantities.find(({ unit }) => unit !== undefined)?.unit ?? null,
    scale: measure.isDecades ? 'log10' : 'linear',
    join,
    experiments: experiments.map(({ id, code, name, experiment_type, target_id }, at) => ({
      experiment_id: id,
      experiment_code: code,
      name,
      experiment_type,
      target_id,
      n_results: rows[at]?.length ?? 0,
      drift: at === 0 ? null : computeDrift(items, at),
    })),
    items,
  };
  return { comparison, measure };
}
