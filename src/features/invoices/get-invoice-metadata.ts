import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getInvoiceMetadata as operation } from './contract.ts';
import { findInvoiceOfExperiment } from './store.ts';
import { findHostedUrl } from './wire.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';

/**
 * `GET /experiments/{experiment_id}/invoice`: the invoice of an experiment; its fields are null while there is none.
 */
export async function getInvoiceMetadata(input: Input<typeof operation>, context: ReadContext) {
  const experiment = await requireExperiment(context, input.params.experiment_id);
  const invoice = await findInvoiceOfExperiment(getScope(context.principal), context.sql, experiment.id);
  return {
    experiment_id: experiment.id,
    invoice_id: invoice?.id ?? null,
    status: invoice?.status ?? null,
    provider_invoice_url: invoice === undefined ? null : findHostedUrl(context.site, invoice),
  };
}
