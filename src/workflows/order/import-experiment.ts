import type { WriteContext } from '#core/context.ts';
import type { Problem } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { importExperiment as operation } from '#features/experiments/import-contract.ts';
import {
  createPathNamer,
  listLineProblems,
  parseConcentrations,
} from '#features/experiments/import-rules.ts';
import type { SequenceReading } from '#features/sequences/csv.ts';
import type { OrderedSequences } from '#features/sequences/given.ts';
import { readSequences } from '#features/sequences/read-sequences.ts';
import { createFrom } from './create-experiment.ts';

/** `POST /experiments/import`. */
export function importExperiment(input: Input<typeof operation>, context: WriteContext) {
  const { query, body, headers } = input;
  const reading = readSequences(body.content);
  const { antigen_concentrations: series, requested_target: requested, ...rest } = query;
  const concentrations = series === undefined ? undefined : parseConcentrations(series);
  const problems: Problem[] = listLineProblems(reading);
  if (concentrations === null)
    problems.push({
      path: 'antigen_concentrations',
      message: 'must be numbers of nM that are separated by commas',
    });
  const { experiment_type, method, target_id, target, n_replicates, ...envelope } = rest;
  const request = {
    ...envelope,
    experiment_spec: {
      experiment_type,
      method,
      target_id,
      target,
      n_replicates,
      antigen_concentrations: concentrations,
      requested_target: requested === undefined ? null : { name: requested },
      sequences: orderSequences(reading),
    },
  };
  return createFrom(request, context, {
    named: { header: headers['payment-method'], payment: body.payment },
    problems,
    namePath: createPathNamer(reading.records),
  });
}

/** A file without a readable sequence has a problem on a line; that it has no sequence says nothing more. */
function orderSequences({ records, problems }: SequenceReading): OrderedSequences {
  if (records.length === 0 && problems.length > 0) return new Map([['(not readable)', 'A']]);
  return new Map(records.map(({ name, value }) => [name, value]));
}
