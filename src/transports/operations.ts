/**
 * Every operation of the service with its handler. REST, the OpenAPI document, the tools and the tests read this
 * list.
 */
import * as audit from '#domain/audit/contract.ts';
import * as auditHeads from '#domain/audit/head-contract.ts';
import * as dataPackages from '#domain/data-package/contract.ts';
import * as billing from '#domain/billing/contract.ts';
import * as clones from '#domain/experiments/clone-contract.ts';
import * as experiments from '#domain/experiments/contract.ts';
import * as imports from '#domain/experiments/import-contract.ts';
import * as feedback from '#domain/feedback/contract.ts';
import * as info from '#domain/info/contract.ts';
import * as invoices from '#domain/invoices/contract.ts';
import * as payments from '#domain/payments/contract.ts';
import * as notifications from '#domain/notifications/contract.ts';
import * as organizations from '#domain/organizations/contract.ts';
import * as partners from '#domain/partners/contract.ts';
import * as partnerTokens from '#domain/partners/token-contract.ts';
import * as quotes from '#domain/quotes/contract.ts';
import * as refunds from '#domain/refunds/contract.ts';
import * as results from '#domain/results/contract.ts';
import * as plots from '#domain/results/experiment-plot.ts';
import * as versions from '#domain/results/versions.ts';
import * as sequences from '#domain/sequences/contract.ts';
import * as targetAnswers from '#domain/targets/answer-contract.ts';
import * as targetRequests from '#domain/targets/request-contract.ts';
import * as catalog from '#domain/targets/catalog-contract.ts';
import * as targets from '#domain/targets/contract.ts';
import * as assayTypes from '#domain/assay-types/contract.ts';
import * as priceLists from '#domain/pricing/list-contract.ts';
import * as tokens from '#domain/tokens/contract.ts';
import * as updates from '#domain/updates/contract.ts';
import * as webhooks from '#domain/webhooks/contract.ts';
import * as deliveries from '#domain/webhooks/delivery-contract.ts';
import * as triggers from '#domain/webhooks/trigger-contract.ts';
import * as sharedUpdates from '#domain/updates/shared-contract.ts';
import { bindCompute, bindOutward, bindPublic, bindRead, bindWrite, type Binding } from './binding.ts';
import { labBindings } from './lab-operations.ts';

export const bindings: readonly Binding[] = [
  bindPublic(info, 'checkHealth', () => import('#workflows/info/check-health.ts')),
  bindRead(info, 'checkDatabase', () => import('#workflows/info/check-database.ts')),
  bindRead(tokens, 'identifyCaller', () => import('#workflows/tokens/identify-caller.ts')),
  bindRead(tokens, 'listTokens', () => import('#workflows/tokens/list-tokens.ts')),
  bindWrite(tokens, 'createToken', () => import('#workflows/tokens/create-token.ts')),
  bindWrite(tokens, 'attenuateToken', () => import('#workflows/tokens/attenuate-token.ts')),
  bindWrite(tokens, 'revokeToken', () => import('#workflows/tokens/revoke-token.ts')),
  bindWrite(tokens, 'revokeTokenById', () => import('#workflows/tokens/revoke-token-by-id.ts')),

  bindRead(targets, 'listTargets', () => import('#workflows/targets/list-targets.ts')),
  bindRead(targets, 'getTargetInfo', () => import('#workflows/targets/get-target-info.ts')),
  bindRead(
    targetRequests,
    'listCustomTargetRequests',
    () => import('#workflows/targets/list-custom-target-requests.ts'),
  ),
  bindWrite(
    targetRequests,
    'createCustomTargetRequest',
    () => import('#workflows/targets/create-custom-target-request.ts'),
  ),
  bindRead(
    targetRequests,
    'getCustomTargetRequest',
    () => import('#workflows/targets/get-custom-target-request.ts'),
  ),
  bindRead(
    targetAnswers,
    'listLabTargetRequests',
    () => import('#workflows/targets/list-lab-target-requests.ts'),
  ),
  bindRead(
    targetAnswers,
    'getLabTargetRequest',
    () => import('#workflows/targets/get-lab-target-request.ts'),
  ),
  bindWrite(
    targetAnswers,
    'approveTargetRequest',
    () => import('#workflows/targets/approve-target-request.ts'),
  ),
  bindWrite(
    targetAnswers,
    'declineTargetRequest',
    () => import('#workflows/targets/decline-target-request.ts'),
  ),

  bindRead(experiments, 'listExperiments', () => import('#workflows/experiments/list-experiments.ts')),
  bindWrite(experiments, 'createExperiment', () => import('#workflows/experiments/create-experiment.ts')),
  bindWrite(clones, 'cloneExperiment', () => import('#workflows/experiments/clone-experiment.ts')),
  bindWrite(imports, 'importExperiment', () => import('#workflows/experiments/import-experiment.ts')),
  bindCompute(
    experiments,
    'validateExperiment',
    () => import('#workflows/experiments/validate-experiment.ts'),
  ),
  bindCompute(experiments, 'estimateCost', () => import('#workflows/experiments/estimate-cost.ts')),
  bindRead(experiments, 'getExperiment', () => import('#workflows/experiments/get-experiment.ts')),
  bindWrite(experiments, 'modifyExperiment', () => import('#workflows/experiments/modify-experiment.ts')),
  bindWrite(experiments, 'deleteExperiment', () => import('#workflows/experiments/delete-experiment.ts')),
  bindWrite(experiments, 'submitExperiment', () => import('#workflows/experiments/submit-experiment.ts')),
  bindWrite(experiments, 'cancelExperiment', () => import('#workflows/experiments/cancel-experiment.ts')),

  bindRead(sequences, 'listSequences', () => import('#workflows/sequences/list-sequences.ts')),
  bindWrite(sequences, 'addSequences', () => import('#workflows/sequences/add-sequences.ts')),
  bindRead(sequences, 'getSequenceInfo', () => import('#workflows/sequences/get-sequence-info.ts')),
  bindRead(
    sequences,
    'getExperimentSequences',
    () => import('#workflows/sequences/get-experiment-sequences.ts'),
  ),

  bindRead(quotes, 'listQuotes', () => import('#workflows/quotes/list-quotes.ts')),
  bindRead(quotes, 'getQuoteInfo', () => import('#workflows/quotes/get-quote-info.ts')),
  bindRead(quotes, 'getQuoteMetadata', () => import('#workflows/quotes/get-quote-metadata.ts')),
  bindRead(quotes, 'getQuotePdf', () => import('#workflows/quotes/get-quote-pdf.ts')),
  bindWrite(quotes, 'confirmQuote', () => import('#workflows/quotes/confirm-quote.ts')),
  bindWrite(quotes, 'confirmExperimentQuote', () => import('#workflows/quotes/confirm-experiment-quote.ts')),
  bindWrite(quotes, 'rejectQuote', () => import('#workflows/quotes/reject-quote.ts')),

  bindRead(invoices, 'listInvoices', () => import('#workflows/invoices/list-invoices.ts')),
  bindRead(invoices, 'getInvoice', () => import('#workflows/invoices/get-invoice.ts')),
  bindRead(invoices, 'getInvoiceMetadata', () => import('#workflows/invoices/get-invoice-metadata.ts')),
  bindRead(invoices, 'getInvoicePdf', () => import('#workflows/invoices/get-invoice-pdf.ts')),
  bindRead(invoices, 'getCreditNotePdf', () => import('#workflows/invoices/get-credit-note-pdf.ts')),
  bindOutward(invoices, 'payInvoice', () => import('#workflows/invoices/pay-invoice.ts')),
  bindWrite(payments, 'mintPaymentToken', () => import('#workflows/payments/mint-payment-token.ts')),
  bindWrite(triggers, 'triggerEvent', () => import('#workflows/webhooks/trigger-event.ts')),

  bindRead(results, 'listResults', () => import('#workflows/results/list-results.ts')),
  bindRead(results, 'getResultInfo', () => import('#workflows/results/get-result-info.ts')),
  bindRead(results, 'getResultCurves', () => import('#workflows/results/get-result-curves.ts')),
  bindRead(results, 'getResultPlot', () => import('#workflows/results/get-result-plot.ts')),
  bindRead(results, 'getExperimentResults', () => import('#workflows/results/get-experiment-results.ts')),
  bindRead(plots, 'getExperimentPlot', () => import('#workflows/results/get-experiment-plot.ts')),
  bindRead(versions, 'listResultVersions', () => import('#workflows/results/list-result-versions.ts')),
  bindRead(versions, 'diffResults', () => import('#workflows/results/diff-results.ts')),
  bindRead(dataPackages, 'getDataPackage', () => import('#workflows/data-package/get-data-package.ts')),
  bindRead(
    dataPackages,
    'getDataPackageStatus',
    () => import('#workflows/data-package/get-data-package-status.ts'),
  ),

  bindRead(updates, 'listUpdates', () => import('#workflows/updates/list-updates.ts')),
  bindRead(updates, 'streamUpdates', () => import('#workflows/updates/stream-updates.ts')),
  bindRead(updates, 'getUpdate', () => import('#workflows/updates/get-update.ts')),
  bindRead(sharedUpdates, 'listPartnerUpdates', () => import('#workflows/updates/list-partner-updates.ts')),
  bindRead(updates, 'getExperimentUpdates', () => import('#workflows/updates/get-experiment-updates.ts')),

  bindRead(webhooks, 'listWebhooks', () => import('#workflows/webhooks/list-webhooks.ts')),
  bindOutward(webhooks, 'createWebhook', () => import('#workflows/webhooks/create-webhook.ts')),
  bindOutward(webhooks, 'updateWebhook', () => import('#workflows/webhooks/update-webhook.ts')),
  bindWrite(webhooks, 'deleteWebhook', () => import('#workflows/webhooks/delete-webhook.ts')),
  bindOutward(webhooks, 'rollWebhookSecret', () => import('#workflows/webhooks/roll-webhook-secret.ts')),
  bindRead(deliveries, 'listDeliveries', () => import('#workflows/webhooks/list-deliveries.ts')),
  bindRead(
    deliveries,
    'listWebhookDeliveries',
    () => import('#workflows/webhooks/list-webhook-deliveries.ts'),
  ),
  bindRead(deliveries, 'getDelivery', () => import('#workflows/webhooks/get-delivery.ts')),
  bindWrite(deliveries, 'resendDelivery', () => import('#workflows/webhooks/resend-delivery.ts')),
  bindWrite(
    deliveries,
    'resendWebhookDeliveries',
    () => import('#workflows/webhooks/resend-webhook-deliveries.ts'),
  ),
  bindWrite(deliveries, 'testWebhook', () => import('#workflows/webhooks/test-webhook.ts')),

  bindRead(notifications, 'getNotifications', () => import('#workflows/notifications/get-notifications.ts')),
  bindWrite(
    notifications,
    'updateNotifications',
    () => import('#workflows/notifications/update-notifications.ts'),
  ),

  bindWrite(feedback, 'submitFeedback', () => import('#workflows/feedback/submit-feedback.ts')),
  bindRead(feedback, 'listFeedback', () => import('#workflows/feedback/list-feedback.ts')),

  bindRead(audit, 'listAudit', () => import('#workflows/audit/list-audit.ts')),
  bindRead(audit, 'listAllAudit', () => import('#workflows/audit/list-all-audit.ts')),
  bindRead(auditHeads, 'getAuditHead', () => import('#workflows/audit/get-audit-head.ts')),
  bindPublic(auditHeads, 'listSigningKeys', () => import('#workflows/audit/list-signing-keys.ts')),

  bindRead(organizations, 'listMembers', () => import('#workflows/organizations/list-members.ts')),
  bindWrite(
    organizations,
    'changeMemberRole',
    () => import('#workflows/organizations/change-member-role.ts'),
  ),
  bindWrite(organizations, 'removeMember', () => import('#workflows/organizations/remove-member.ts')),
  bindRead(organizations, 'listInvitations', () => import('#workflows/organizations/list-invitations.ts')),
  bindWrite(organizations, 'inviteMember', () => import('#workflows/organizations/invite-member.ts')),
  bindWrite(organizations, 'resendInvitation', () => import('#workflows/organizations/resend-invitation.ts')),
  bindWrite(organizations, 'revokeInvitation', () => import('#workflows/organizations/revoke-invitation.ts')),

  bindWrite(partners, 'mintToken', () => import('#workflows/partners/mint-token.ts')),
  bindRead(partnerTokens, 'listPartnerTokens', () => import('#workflows/partners/list-partner-tokens.ts')),
  bindWrite(partnerTokens, 'renewPartnerToken', () => import('#workflows/partners/renew-partner-token.ts')),
  bindWrite(partnerTokens, 'revokePartnerToken', () => import('#workflows/partners/revoke-partner-token.ts')),

  bindRead(catalog, 'listLabTargets', () => import('#workflows/targets/list-lab-targets.ts')),
  bindRead(catalog, 'getCatalogFile', () => import('#workflows/targets/get-catalog-file.ts')),
  bindRead(catalog, 'getLabTarget', () => import('#workflows/targets/get-lab-target.ts')),
  bindWrite(catalog, 'createTarget', () => import('#workflows/targets/create-target.ts')),
  bindWrite(catalog, 'editTarget', () => import('#workflows/targets/edit-target.ts')),
  bindCompute(catalog, 'validateTargetImport', () => import('#workflows/targets/validate-target-import.ts')),
  bindWrite(catalog, 'importTargets', () => import('#workflows/targets/import-targets.ts')),

  bindRead(assayTypes, 'listAssayTypes', () => import('#workflows/assay-types/list-assay-types.ts')),
  bindRead(assayTypes, 'listLabAssayTypes', () => import('#workflows/assay-types/list-lab-assay-types.ts')),
  bindWrite(assayTypes, 'editAssayType', () => import('#workflows/assay-types/edit-assay-type.ts')),
  bindRead(priceLists, 'listPriceLists', () => import('#workflows/pricing/list-price-lists.ts')),
  bindRead(priceLists, 'getPriceList', () => import('#workflows/pricing/get-price-list.ts')),
  bindRead(priceLists, 'comparePriceList', () => import('#workflows/pricing/compare-price-list.ts')),
  bindWrite(priceLists, 'createPriceList', () => import('#workflows/pricing/create-price-list.ts')),
  bindWrite(priceLists, 'editPriceList', () => import('#workflows/pricing/edit-price-list.ts')),
  bindWrite(priceLists, 'deletePriceList', () => import('#workflows/pricing/delete-price-list.ts')),
  bindWrite(priceLists, 'publishPriceList', () => import('#workflows/pricing/publish-price-list.ts')),

  bindRead(billing, 'getBillingProfile', () => import('#workflows/billing/get-billing-profile.ts')),
  bindWrite(billing, 'updateBillingProfile', () => import('#workflows/billing/update-billing-profile.ts')),
  bindRead(billing, 'getOrganizationBilling', () => import('#workflows/billing/get-organization-billing.ts')),
  bindWrite(
    billing,
    'updateOrganizationBilling',
    () => import('#workflows/billing/update-organization-billing.ts'),
  ),
  bindRead(billing, 'listTaxRates', () => import('#workflows/billing/list-tax-rates.ts')),
  bindWrite(billing, 'setTaxRate', () => import('#workflows/billing/set-tax-rate.ts')),
  bindWrite(billing, 'removeTaxRate', () => import('#workflows/billing/remove-tax-rate.ts')),

  bindRead(refunds, 'listRefunds', () => import('#workflows/refunds/list-refunds.ts')),
  bindWrite(refunds, 'refundInvoice', () => import('#workflows/refunds/refund-invoice.ts')),
  bindWrite(refunds, 'retryRefund', () => import('#workflows/refunds/retry-refund.ts')),
  bindOutward(refunds, 'recordRefund', () => import('#workflows/refunds/record-refund.ts')),
  ...labBindings,
];

export function getBinding(operationId: string): Binding {
  const operationBinding = bindings.find((binding) => binding.operation.id === operationId);
  if (operationBinding === undefined) throw new Error(`there is no operation ${operationId}`);
  return operationBinding;
}
