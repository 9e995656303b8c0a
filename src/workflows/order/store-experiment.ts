/** Stores a new experiment with its number, its sequences, the request of its target and its first update. */
import type { PaymentMethod } from '#core/capability.ts';
import type { WriteContext } from '#core/context.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { NewExperimentSpec } from '#features/experiments/rules.ts';
import { insertExperiment, takeExperimentNumber, type ExperimentRow } from '#features/experiments/store.ts';
import { insertFact } from '#features/notifications/notice-store.ts';
import { insertSequences } from '#features/sequences/store.ts';
import { insertTargetRequest } from '#features/targets/store.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';

const DEFAULT_SERIES = 1;

export interface NewExperiment {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly webhookUrl: string | null;
  readonly webhookSecret: string | null;
  readonly status: ExperimentStatus;
  readonly spec: NewExperimentSpec;
  readonly rail: PaymentMethod;
  /** The id of the request of its target, where it has one; the price names it. */
  readonly targetRequestId: string;
}

/**
 * Takes the number as late as it can: others who create in the organization wait for it until this transaction ends.
 * What needs no number, such as the draft of the quote, is best written before.
 */
export async function storeExperiment(
  context: WriteContext,
  scope: OrganizationScope,
  { id, spec, rail, targetRequestId, webhookSecret, ...given }: NewExperiment,
): Promise<ExperimentRow> {
  const { tx, principal, ids, clock, sealer } = context;
  const createdAt = clock.now();
  const into = { experimentId: id, firstOrdinal: 1, createdAt };
  const sequenceIds = spec.sequences.map(() => ids.createUuid());
  await insertSequences(scope, tx, into, spec.sequences, sequenceIds);
  const number = await takeExperimentNumber(scope, tx, DEFAULT_SERIES);
  const code = formatExperimentCode(principal.organizationSlug, DEFAULT_SERIES, number);
  const experiment = await insertExperiment(scope, tx, {
    ...given,
    sealedWebhookSecret: webhookSecret === null ? null : sealer.seal(webhookSecret),
    id,
    code,
    spec,
    paymentMethod: rail,
    userId: principal.userId,
    tokenId: principal.tokenId,
    createdAt,
  });
  if (spec.requestedTarget !== null)
    await requestTarget(
      context,
      scope,
      { experimentId: id, id: targetRequestId, code },
      spec.requestedTarget,
    );
  await addUpdate(context, tx, experiment, {
    event: 'experiment.created',
    name: 'Experiment created',
    previousStatus: null,
    status: experiment.status,
  });
  return experiment;
}

async function requestTarget(
  context: WriteContext,
  scope: OrganizationScope,
  { code, ...ids }: { readonly id: string; readonly experimentId: string; readonly code: string },
  requested: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { name, catalog_number: catalogNumber, uniprot_id: uniprotId } = requested;
  const productId = [catalogNumber, uniprotId].find((value) => typeof value === 'string') ?? 'unspecified';
  const at = context.clock.now();
  const request = { ...ids, name: String(name), productId, request: requested, createdAt: at };
  if (!(await insertTargetRequest(scope, context.tx, request))) return;
  await insertFact(scope, context.tx, {
    id: ids.id,
    kind: 'target.requested',
    experimentCode: code,
    details: { subject: request.name },
    at,
  });
}

function formatExperimentCode(slug: string, series: number, number: number): string {
  return `${slug}-${series.toString().padStart(3, '0')}-${number.toString().padStart(3, '0')}`;
}
