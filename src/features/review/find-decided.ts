/** Finds the replicates that a request decides about, in the newest results or among those that were left out. */
import { formatConcentration } from '#core/number-words.ts';
import { fail } from '#core/failures.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import { findCurves } from '../results/store.ts';
import { selectMeasuredReplicates } from '../results/release-store.ts';
import { isExclusion, isSameReplicate, type DecisionName, type ReplicateKey } from './rules.ts';
import { selectDecisions } from './store.ts';

interface Asked {
  readonly sequence: string;
  readonly plate: string;
  readonly replicate: number;
  readonly well?: string | undefined;
  readonly concentration_m?: number | undefined;
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
  decisions: readonly Asked[],
): Promise<Decided[]> {
  const scope = createOrganizationScope(experiment.organization_id);
  const names = [...new Set(decisions.map(({ sequence }) => sequence))];
  const of = { experimentId: experiment.id, version };
  const measured = await selectMeasuredReplicates(scope, tx, of, names);
  const earlierDecisions = await selectDecisions(scope, tx, experiment.id);
  const known: ReplicateKey[] = earlierDecisions.filter(isExclusion);
  const isOfCurve = new Set(
    decisions.filter((each) => each.concentration_m !== undefined).map((each) => each.sequence),
  );
  for (const { plate, resultId, ...rest } of measured) {
    const key = { ...rest, plate: plate ?? '' };
    const doses = isOfCurve.has(rest.sequence) ? await listDoses(tx, resultId, rest.replicate) : [];
    for (const dose of [null, ...doses]) {
      // The well of a replicate is that of its first sensor, so it says nothing of another curve.
      const one = dose === null ? key : { ...key, well: null, concentration_m: dose };
      if (!known.some((other) => isSameReplicate(other, one))) known.push(one);
    }
  }
  return decisions.map((each, index) => decideOne(each, index, known));
}

/** Lists the concentrations in M of the curves of a replicate. */
async function listDoses(tx: Transaction, resultId: string, replicate: number): Promise<number[]> {
  const curves = await findCurves(labScope, tx, resultId);
  const doses = (curves?.curves ?? []).flatMap((curve) =>
    curve.kind === 'sensorgram' && curve.replicate === replicate ? (curve.concentration_m ?? []) : [],
  );
  return [...new Set(doses)];
}

/** As the analysis compares concentrations, which files round. */
const SAME_CONCENTRATION = 1e-3;

function isSameDose(doseM: number | undefined, known: number | null): boolean {
  if (doseM === undefined || known === null) return doseM === undefined && known === null;
  return Math.abs(doseM - known) <= SAME_CONCENTRATION * known;
}

function decideOne(input: Asked, index: number, known: readonly ReplicateKey[]): Decided {
  const { sequence, plate, replicate, well, concentration_m: dose, decision, reason = null } = input;
  const path = `decisions.${index}`;
  const matches = known.filter(
    (each) =>
      each.sequence === sequence &&
      each.plate === plate &&
      each.replicate === replicate &&
      isSameDose(dose, each.concentration_m ?? null) &&
      (well === undefined || dose !== undefined || each.well === well),
  );
  const [match] = matches;
  if (match === undefined) {
    const replicateName = `${sequence}, replicate ${replicate} on ${plate}${dose === undefined ? '' : ` at ${formatConcentration(dose)}`}`;
    throw fail(
      'replicate_not_found',
      { which: replicateName },
      { problems: [{ path, message: `no such replicate: ${replicateName}` }] },
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
