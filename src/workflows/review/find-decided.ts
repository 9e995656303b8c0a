/** Finds the replicates that a request decides about, in the newest results or among those that were left out. */
import { fail } from '#core/failures.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '#domain/experiments/store.ts';
import { selectMeasuredReplicates } from '#domain/results/version-store.ts';
import { isExclusion, isSameReplicate, type DecisionName, type ReplicateKey } from '#domain/review/rules.ts';
import { selectDecisions } from '#domain/review/store.ts';

interface Asked {
  readonly sequence: string;
  readonly plate: string;
  readonly replicate: number;
  readonly well?: string | undefined;
  readonly decision: DecisionName;
  readonly reason?: string | undefined;
}

export interface Decided extends ReplicateKey {
  readonly decision: DecisionName;
  readonly reason: string | null;
}

/** Throws `replicate_not_found`, and `invalid_request` for a missing reason or an ambiguous replicate. */
export async function findDecided(
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'organization_id'>,
  version: number,
  asked: readonly Asked[],
): Promise<Decided[]> {
  const scope = createOrganizationScope(experiment.organization_id);
  const names = [...new Set(asked.map(({ sequence }) => sequence))];
  const of = { experimentId: experiment.id, version };
  const measured = await selectMeasuredReplicates(scope, tx, of, names);
  const held = await selectDecisions(scope, tx, experiment.id);
  const known: ReplicateKey[] = held.filter(isExclusion);
  for (const { plate, ...rest } of measured) {
    const key = { ...rest, plate: plate ?? '' };
    if (!known.some((other) => isSameReplicate(other, key))) known.push(key);
  }
  return asked.map((each, index) => decideOne(each, index, known));
}

function decideOne(asked: Asked, index: number, known: readonly ReplicateKey[]): Decided {
  const { sequence, plate, replicate, well, decision, reason = null } = asked;
  const path = `decisions.${index}`;
  const matches = known.filter(
    (each) =>
      each.sequence === sequence &&
      each.plate === plate &&
      each.replicate === replicate &&
      (well === undefined || each.well === well),
  );
  const [match] = matches;
  if (match === undefined) {
    const which = `${sequence}, replicate ${replicate} on ${plate}`;
    throw fail(
      'replicate_not_found',
      { which },
      { problems: [{ path, message: `no such replicate: ${which}` }] },
    );
  }
  if (matches.length > 1) throw createInvalid(`${path}.well`, 'the plate has several wells of it: name one');
  if (decision !== 'accept' && reason === null)
    throw createInvalid(`${path}.reason`, 'is needed to exclude or repeat a replicate');
  return { ...match, decision, reason };
}

function createInvalid(path: string, message: string): Error {
  return fail('invalid_request', { reason: `${path} ${message}.` }, { problems: [{ path, message }] });
}
