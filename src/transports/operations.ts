/** The operations of all features and steps. REST, the OpenAPI document, the tools and the tests read this list. */
import type { Binding } from '#features/binding.ts';
import { installationOperations } from '#features/installation/operations.ts';
import { peopleOperations } from '#features/people/operations.ts';
import { tokensOperations } from '#features/tokens/operations.ts';
import { targetsOperations } from '#features/targets/operations.ts';
import { quoteOperations } from '#workflows/quote/operations.ts';
import { experimentsOperations } from '#features/experiments/operations.ts';
import { orderOperations } from '#workflows/order/operations.ts';
import { sequencesOperations } from '#features/sequences/operations.ts';
import { quotesOperations } from '#features/quotes/operations.ts';
import { invoicesOperations } from '#features/invoices/operations.ts';
import { payOperations } from '#workflows/pay/operations.ts';
import { paymentsOperations } from '#features/payments/operations.ts';
import { notifyOperations } from '#workflows/notify/operations.ts';
import { resultsOperations } from '#features/results/operations.ts';
import { sharesOperations } from '#features/shares/operations.ts';
import { updatesOperations } from '#features/updates/operations.ts';
import { webhooksOperations } from '#features/webhooks/operations.ts';
import { notificationsOperations } from '#features/notifications/operations.ts';
import { messagesOperations } from '#features/messages/operations.ts';
import { feedbackOperations } from '#features/feedback/operations.ts';
import { auditOperations } from '#features/audit/operations.ts';
import { organizationsOperations } from '#features/organizations/operations.ts';
import { pricingOperations } from '#features/pricing/operations.ts';
import { billingOperations } from '#features/billing/operations.ts';
import { jobsOperations } from '#features/jobs/operations.ts';
import { queueOperations } from '#features/queue/operations.ts';
import { runsOperations } from '#features/runs/operations.ts';
import { rawFilesOperations } from '#features/runs/raw-files/operations.ts';
import { materialsOperations } from '#features/materials/operations.ts';
import { runOperations } from '#workflows/run/operations.ts';
import { analyzeOperations } from '#workflows/analyze/operations.ts';
import { controlsOperations } from '#features/controls/operations.ts';
import { releaseOperations } from '#workflows/release/operations.ts';
import { reviewOperations } from '#features/review/operations.ts';
import { findPlace } from './openapi/order.ts';

export const bindings: readonly Binding[] = sortByPlace([
  ...installationOperations,
  ...peopleOperations,
  ...tokensOperations,
  ...targetsOperations,
  ...quoteOperations,
  ...experimentsOperations,
  ...orderOperations,
  ...sequencesOperations,
  ...quotesOperations,
  ...invoicesOperations,
  ...payOperations,
  ...paymentsOperations,
  ...notifyOperations,
  ...resultsOperations,
  ...sharesOperations,
  ...updatesOperations,
  ...webhooksOperations,
  ...notificationsOperations,
  ...feedbackOperations,
  ...messagesOperations,
  ...auditOperations,
  ...organizationsOperations,
  ...pricingOperations,
  ...billingOperations,
  ...jobsOperations,
  ...queueOperations,
  ...runsOperations,
  ...rawFilesOperations,
  ...materialsOperations,
  ...runOperations,
  ...analyzeOperations,
  ...controlsOperations,
  ...releaseOperations,
  ...reviewOperations,
]);

function sortByPlace(all: readonly Binding[]): Binding[] {
  return all.toSorted((a, b) => findPlace(a.operation) - findPlace(b.operation));
}

export function getBinding(operationId: string): Binding {
  const operationBinding = bindings.find((binding) => binding.operation.id === operationId);
  if (operationBinding === undefined) throw new Error(`there is no operation ${operationId}`);
  return operationBinding;
}
