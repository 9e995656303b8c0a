/**
 * Every operation of the service with its handler. REST, the OpenAPI document, the tools and the tests read this
 * list.
 */
import * as audit from '#features/audit/contract.ts';
import * as auditHeads from '#features/audit/head-contract.ts';
import * as dataPackages from '#features/results/package/contract.ts';
import * as billing from '#features/billing/contract.ts';
import * as clones from '#features/experiments/clone-contract.ts';
import * as experiments from '#features/experiments/contract.ts';
import * as imports from '#features/experiments/import-contract.ts';
import * as feedback from '#features/feedback/contract.ts';
import * as info from '#features/installation/contract.ts';
import * as invoices from '#features/invoices/contract.ts';
import * as payments from '#features/payments/contract.ts';
import * as notifications from '#features/notifications/contract.ts';
import * as organizations from '#features/organizations/contract.ts';
import * as partners from '#features/tokens/partners/contract.ts';
import * as partnerTokens from '#features/tokens/partners/token-contract.ts';
import * as quotes from '#features/quotes/contract.ts';
import * as refunds from '#features/invoices/refunds/contract.ts';
import * as results from '#features/results/contract.ts';
import * as plots from '#features/results/experiment-plot.ts';
import * as versions from '#features/results/versions.ts';
import * as sequences from '#features/sequences/contract.ts';
import * as targetAnswers from '#features/targets/answer-contract.ts';
import * as targetRequests from '#features/targets/request-contract.ts';
import * as catalog from '#features/targets/catalog-contract.ts';
import * as targets from '#features/targets/contract.ts';
import * as assayTypes from '#features/pricing/assay-types/contract.ts';
import * as priceLists from '#features/pricing/list-contract.ts';
import * as tokens from '#features/tokens/contract.ts';
import * as updates from '#features/updates/contract.ts';
import * as webhooks from '#features/webhooks/contract.ts';
import * as deliveries from '#features/webhooks/delivery-contract.ts';
import * as triggers from '#features/webhooks/trigger-contract.ts';
import * as sharedUpdates from '#features/updates/shared-contract.ts';
import { bindCompute, bindOutward, bindPublic, bindRead, bindWrite, type Binding } from './binding.ts';
import { labBindings } from './lab-operations.ts';

export const bindings: readonly Binding[] = [
  bindPublic(info, 'checkHealth', () => import('#features/installation/check-health.ts')),
  bindRead(info, 'checkDatabase', () => import('#features/installation/check-database.ts')),
  bindRead(tokens, 'identifyCaller', () => import('#features/people/identify-caller.ts')),
  bindRead(tokens, 'listTokens', () => import('#features/tokens/list-tokens.ts')),
  bindWrite(tokens, 'createToken', () => import('#features/tokens/create-token.ts')),
  bindWrite(tokens, 'attenuateToken', () => import('#features/tokens/attenuate-token.ts')),
  bindWrite(tokens, 'revokeToken', () => import('#features/tokens/revoke-token.ts')),
  bindWrite(tokens, 'revokeTokenById', () => import('#features/tokens/revoke-token-by-id.ts')),

  bindRead(targets, 'listTargets', () => import('#features/targets/list-targets.ts')),
  bindRead(targets, 'getTargetInfo', () => import('#features/targets/get-target-info.ts')),
  bindRead(
    targetRequests,
    'listCustomTargetRequests',
    () => import('#features/targets/list-custom-target-requests.ts'),
  ),
  bindWrite(
    targetRequests,
    'createCustomTargetRequest',
    () => import('#features/targets/create-custom-target-request.ts'),
  ),
  bindRead(
    targetRequests,
    'getCustomTargetRequest',
    () => import('#features/targets/get-custom-target-request.ts'),
  ),
  bindRead(
    targetAnswers,
    'listLabTargetRequests',
    () => import('#features/targets/list-lab-target-requests.ts'),
  ),
  bindRead(targetAnswers, 'getLabTargetRequest', () => import('#workflows/quote/get-lab-target-request.ts')),
  bindWrite(
    targetAnswers,
    'approveTargetRequest',
    () => import('#workflows/quote/approve-target-request.ts'),
  ),
  bindWrite(
    targetAnswers,
    'declineTargetRequest',
    () => import('#workflows/quote/decline-target-request.ts'),
  ),

  bindRead(experiments, 'listExperiments', () => import('#features/experiments/list-experiments.ts')),
  bindWrite(experiments, 'createExperiment', () => import('#workflows/order/create-experiment.ts')),
  bindWrite(clones, 'cloneExperiment', () => import('#workflows/order/clone-experiment.ts')),
  bindWrite(imports, 'importExperiment', () => import('#workflows/order/import-experiment.ts')),
  bindCompute(
    experiments,
    'validateExperiment',
    () => import('#features/experiments/validate-experiment.ts'),
  ),
  bindCompute(experiments, 'estimateCost', () => import('#features/experiments/estimate-cost.ts')),
  bindRead(experiments, 'getExperiment', () => import('#features/experiments/get-experiment.ts')),
  bindWrite(experiments, 'modifyExperiment', () => import('#workflows/order/modify-experiment.ts')),
  bindWrite(experiments, 'deleteExperiment', () => import('#features/experiments/delete-experiment.ts')),
  bindWrite(experiments, 'submitExperiment', () => import('#workflows/order/submit-experiment.ts')),
  bindWrite(experiments, 'cancelExperiment', () => import('#workflows/order/cancel-experiment.ts')),

  bindRead(sequences, 'listSequences', () => import('#features/sequences/list-sequences.ts')),
  bindWrite(sequences, 'addSequences', () => import('#workflows/order/add-sequences.ts')),
  bindRead(sequences, 'getSequenceInfo', () => import('#features/sequences/get-sequence-info.ts')),
  bindRead(
    sequences,
    'getExperimentSequences',
    () => import('#features/sequences/get-experiment-sequences.ts'),
  ),

  bindRead(quotes, 'listQuotes', () => import('#features/quotes/list-quotes.ts')),
  bindRead(quotes, 'getQuoteInfo', () => import('#features/quotes/get-quote-info.ts')),
  bindRead(quotes, 'getQuoteMetadata', () => import('#features/quotes/get-quote-metadata.ts')),
  bindRead(quotes, 'getQuotePdf', () => import('#features/quotes/get-quote-pdf.ts')),
  bindWrite(quotes, 'confirmQuote', () => import('#workflows/quote/confirm-quote.ts')),
  bindWrite(quotes, 'confirmExperimentQuote', () => import('#workflows/quote/confirm-experiment-quote.ts')),
  bindWrite(quotes, 'rejectQuote', () => import('#features/quotes/reject-quote.ts')),

  bindRead(invoices, 'listInvoices', () => import('#features/invoices/list-invoices.ts')),
  bindRead(invoices, 'getInvoice', () => import('#features/invoices/get-invoice.ts')),
  bindRead(invoices, 'getInvoiceMetadata', () => import('#features/invoices/get-invoice-metadata.ts')),
  bindRead(invoices, 'getInvoicePdf', () => import('#features/invoices/get-invoice-pdf.ts')),
  bindRead(invoices, 'getCreditNotePdf', () => import('#features/invoices/get-credit-note-pdf.ts')),
  bindOutward(invoices, 'payInvoice', () => import('#workflows/pay/pay-invoice.ts')),
  bindWrite(payments, 'mintPaymentToken', () => import('#features/payments/mint-payment-token.ts')),
  bindWrite(triggers, 'triggerEvent', () => import('#workflows/notify/trigger-event.ts')),

  bindRead(results, 'listResults', () => import('#features/results/list-results.ts')),
  bindRead(results, 'getResultInfo', () => import('#features/results/get-result-info.ts')),
  bindRead(results, 'getResultCurves', () => import('#features/results/get-result-curves.ts')),
  bindRead(results, 'getResultPlot', () => import('#features/results/get-result-plot.ts')),
  bindRead(results, 'getExperimentResults', () => import('#features/results/get-experiment-results.ts')),
  bindRead(plots, 'getExperimentPlot', () => import('#features/results/get-experiment-plot.ts')),
  bindRead(versions, 'listResultVersions', () => import('#features/results/list-result-versions.ts')),
  bindRead(versions, 'diffResults', () => import('#features/results/diff-results.ts')),
  bindRead(dataPackages, 'getDataPackage', () => import('#features/results/package/get-data-package.ts')),
  bindRead(
    dataPackages,
    'getDataPackageStatus',
    () => import('#features/results/package/get-data-package-status.ts'),
  ),

  bindRead(updates, 'listUpdates', () => import('#features/updates/list-updates.ts')),
  bindRead(updates, 'streamUpdates', () => import('#features/experiments/stream-updates.ts')),
  bindRead(updates, 'getUpdate', () => import('#features/updates/get-update.ts')),
  bindRead(sharedUpdates, 'listPartnerUpdates', () => import('#features/updates/list-partner-updates.ts')),
  bindRead(updates, 'getExperimentUpdates', () => import('#features/experiments/get-experiment-updates.ts')),

  bindRead(webhooks, 'listWebhooks', () => import('#features/webhooks/list-webhooks.ts')),
  bindOutward(webhooks, 'createWebhook', () => import('#features/webhooks/create-webhook.ts')),
  bindOutward(webhooks, 'updateWebhook', () => import('#features/webhooks/update-webhook.ts')),
  bindWrite(webhooks, 'deleteWebhook', () => import('#features/webhooks/delete-webhook.ts')),
  bindOutward(webhooks, 'rollWebhookSecret', () => import('#features/webhooks/roll-webhook-secret.ts')),
  bindRead(deliveries, 'listDeliveries', () => import('#features/webhooks/list-deliveries.ts')),
  bindRead(
    deliveries,
    'listWebhookDeliveries',
    () => import('#features/webhooks/list-webhook-deliveries.ts'),
  ),
  bindRead(deliveries, 'getDelivery', () => import('#features/webhooks/get-delivery.ts')),
  bindWrite(deliveries, 'resendDelivery', () => import('#features/webhooks/resend-delivery.ts')),
  bindWrite(
    deliveries,
    'resendWebhookDeliveries',
    () => import('#features/webhooks/resend-webhook-deliveries.ts'),
  ),
  bindWrite(deliveries, 'testWebhook', () => import('#features/webhooks/test-webhook.ts')),

  bindRead(notifications, 'getNotifications', () => import('#features/notifications/get-notifications.ts')),
  bindWrite(
    notifications,
    'updateNotifications',
    () => import('#features/notifications/update-notifications.ts'),
  ),

  bindWrite(feedback, 'submitFeedback', () => import('#features/feedback/submit-feedback.ts')),
  bindRead(feedback, 'listFeedback', () => import('#features/feedback/list-feedback.ts')),

  bindRead(audit, 'listAudit', () => import('#features/audit/list-audit.ts')),
  bindRead(audit, 'listAllAudit', () => import('#features/audit/list-all-audit.ts')),
  bindRead(auditHeads, 'getAuditHead', () => import('#features/audit/get-audit-head.ts')),
  bindPublic(auditHeads, 'listSigningKeys', () => import('#features/tokens/list-signing-keys.ts')),

  bindRead(organizations, 'listMembers', () => import('#features/organizations/list-members.ts')),
  bindWrite(organizations, 'changeMemberRole', () => import('#features/organizations/change-member-role.ts')),
  bindWrite(organizations, 'removeMember', () => import('#features/organizations/remove-member.ts')),
  bindRead(organizations, 'listInvitations', () => import('#features/organizations/list-invitations.ts')),
  bindWrite(organizations, 'inviteMember', () => import('#features/people/invite-member.ts')),
  bindWrite(organizations, 'resendInvitation', () => import('#features/organizations/resend-invitation.ts')),
  bindWrite(organizations, 'revokeInvitation', () => import('#features/organizations/revoke-invitation.ts')),

  bindWrite(partners, 'mintToken', () => import('#features/tokens/partners/mint-token.ts')),
  bindRead(
    partnerTokens,
    'listPartnerTokens',
    () => import('#features/tokens/partners/list-partner-tokens.ts'),
  ),
  bindWrite(
    partnerTokens,
    'renewPartnerToken',
    () => import('#features/tokens/partners/renew-partner-token.ts'),
  ),
  bindWrite(
    partnerTokens,
    'revokePartnerToken',
    () => import('#features/tokens/partners/revoke-partner-token.ts'),
  ),

  bindRead(catalog, 'listLabTargets', () => import('#features/targets/list-lab-targets.ts')),
  bindRead(catalog, 'getCatalogFile', () => import('#features/targets/get-catalog-file.ts')),
  bindRead(catalog, 'getLabTarget', () => import('#features/targets/get-lab-target.ts')),
  bindWrite(catalog, 'createTarget', () => import('#features/targets/create-target.ts')),
  bindWrite(catalog, 'editTarget', () => import('#features/targets/edit-target.ts')),
  bindCompute(catalog, 'validateTargetImport', () => import('#features/targets/validate-target-import.ts')),
  bindWrite(catalog, 'importTargets', () => import('#features/targets/import-targets.ts')),

  bindRead(assayTypes, 'listAssayTypes', () => import('#features/pricing/assay-types/list-assay-types.ts')),
  bindRead(
    assayTypes,
    'listLabAssayTypes',
    () => import('#features/pricing/assay-types/list-lab-assay-types.ts'),
  ),
  bindWrite(assayTypes, 'editAssayType', () => import('#features/pricing/assay-types/edit-assay-type.ts')),
  bindRead(priceLists, 'listPriceLists', () => import('#features/pricing/list-price-lists.ts')),
  bindRead(priceLists, 'getPriceList', () => import('#features/pricing/get-price-list.ts')),
  bindRead(priceLists, 'comparePriceList', () => import('#features/pricing/compare-price-list.ts')),
  bindWrite(priceLists, 'createPriceList', () => import('#features/pricing/create-price-list.ts')),
  bindWrite(priceLists, 'editPriceList', () => import('#features/pricing/edit-price-list.ts')),
  bindWrite(priceLists, 'deletePriceList', () => import('#features/pricing/delete-price-list.ts')),
  bindWrite(priceLists, 'publishPriceList', () => import('#features/pricing/publish-price-list.ts')),

  bindRead(billing, 'getBillingProfile', () => import('#features/billing/get-billing-profile.ts')),
  bindWrite(billing, 'updateBillingProfile', () => import('#features/billing/update-billing-profile.ts')),
  bindRead(billing, 'getOrganizationBilling', () => import('#features/billing/get-organization-billing.ts')),
  bindWrite(
    billing,
    'updateOrganizationBilling',
    () => import('#features/billing/update-organization-billing.ts'),
  ),
  bindRead(billing, 'listTaxRates', () => import('#features/billing/list-tax-rates.ts')),
  bindWrite(billing, 'setTaxRate', () => import('#features/billing/set-tax-rate.ts')),
  bindWrite(billing, 'removeTaxRate', () => import('#features/billing/remove-tax-rate.ts')),

  bindRead(refunds, 'listRefunds', () => import('#features/invoices/refunds/list-refunds.ts')),
  bindWrite(refunds, 'refundInvoice', () => import('#features/invoices/refunds/refund-invoice.ts')),
  bindWrite(refunds, 'retryRefund', () => import('#features/invoices/refunds/retry-refund.ts')),
  bindOutward(refunds, 'recordRefund', () => import('#workflows/pay/record-refund.ts')),
  ...labBindings,
];

export function getBinding(operationId: string): Binding {
  const operationBinding = bindings.find((binding) => binding.operation.id === operationId);
  if (operationBinding === undefined) throw new Error(`there is no operation ${operationId}`);
  return operationBinding;
}
