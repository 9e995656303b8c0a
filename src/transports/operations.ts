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
import { getAuditHead } from '#workflows/audit/get-audit-head.ts';
import { listAllAudit } from '#workflows/audit/list-all-audit.ts';
import { listAudit } from '#workflows/audit/list-audit.ts';
import { listSigningKeys } from '#workflows/audit/list-signing-keys.ts';
import { getBillingProfile } from '#workflows/billing/get-billing-profile.ts';
import { getOrganizationBilling } from '#workflows/billing/get-organization-billing.ts';
import { listTaxRates } from '#workflows/billing/list-tax-rates.ts';
import { removeTaxRate } from '#workflows/billing/remove-tax-rate.ts';
import { setTaxRate } from '#workflows/billing/set-tax-rate.ts';
import { updateBillingProfile } from '#workflows/billing/update-billing-profile.ts';
import { updateOrganizationBilling } from '#workflows/billing/update-organization-billing.ts';
import { getDataPackage } from '#workflows/data-package/get-data-package.ts';
import { cancelExperiment } from '#workflows/experiments/cancel-experiment.ts';
import { cloneExperiment } from '#workflows/experiments/clone-experiment.ts';
import { createExperiment } from '#workflows/experiments/create-experiment.ts';
import { deleteExperiment } from '#workflows/experiments/delete-experiment.ts';
import { estimateCost } from '#workflows/experiments/estimate-cost.ts';
import { getExperiment } from '#workflows/experiments/get-experiment.ts';
import { importExperiment } from '#workflows/experiments/import-experiment.ts';
import { listExperiments } from '#workflows/experiments/list-experiments.ts';
import { modifyExperiment } from '#workflows/experiments/modify-experiment.ts';
import { submitExperiment } from '#workflows/experiments/submit-experiment.ts';
import { validateExperiment } from '#workflows/experiments/validate-experiment.ts';
import { listFeedback } from '#workflows/feedback/list-feedback.ts';
import { submitFeedback } from '#workflows/feedback/submit-feedback.ts';
import { checkDatabase } from '#workflows/info/check-database.ts';
import { checkHealth } from '#workflows/info/check-health.ts';
import { getCreditNotePdf } from '#workflows/invoices/get-credit-note-pdf.ts';
import { getInvoiceMetadata } from '#workflows/invoices/get-invoice-metadata.ts';
import { getInvoicePdf } from '#workflows/invoices/get-invoice-pdf.ts';
import { getInvoice } from '#workflows/invoices/get-invoice.ts';
import { listInvoices } from '#workflows/invoices/list-invoices.ts';
import { payInvoice } from '#workflows/invoices/pay-invoice.ts';
import { getNotifications } from '#workflows/notifications/get-notifications.ts';
import { updateNotifications } from '#workflows/notifications/update-notifications.ts';
import { changeMemberRole } from '#workflows/organizations/change-member-role.ts';
import { inviteMember } from '#workflows/organizations/invite-member.ts';
import { listInvitations } from '#workflows/organizations/list-invitations.ts';
import { listMembers } from '#workflows/organizations/list-members.ts';
import { removeMember } from '#workflows/organizations/remove-member.ts';
import { resendInvitation } from '#workflows/organizations/resend-invitation.ts';
import { revokeInvitation } from '#workflows/organizations/revoke-invitation.ts';
import { listPartnerTokens } from '#workflows/partners/list-partner-tokens.ts';
import { mintToken } from '#workflows/partners/mint-token.ts';
import { renewPartnerToken } from '#workflows/partners/renew-partner-token.ts';
import { revokePartnerToken } from '#workflows/partners/revoke-partner-token.ts';
import { mintPaymentToken } from '#workflows/payments/mint-payment-token.ts';
import { confirmExperimentQuote } from '#workflows/quotes/confirm-experiment-quote.ts';
import { confirmQuote } from '#workflows/quotes/confirm-quote.ts';
import { getQuoteInfo } from '#workflows/quotes/get-quote-info.ts';
import { getQuoteMetadata } from '#workflows/quotes/get-quote-metadata.ts';
import { getQuotePdf } from '#workflows/quotes/get-quote-pdf.ts';
import { listQuotes } from '#workflows/quotes/list-quotes.ts';
import { rejectQuote } from '#workflows/quotes/reject-quote.ts';
import { listRefunds } from '#workflows/refunds/list-refunds.ts';
import { recordRefund } from '#workflows/refunds/record-refund.ts';
import { refundInvoice } from '#workflows/refunds/refund-invoice.ts';
import { retryRefund } from '#workflows/refunds/retry-refund.ts';
import { diffResults } from '#workflows/results/diff-results.ts';
import { getExperimentPlot } from '#workflows/results/get-experiment-plot.ts';
import { getExperimentResults } from '#workflows/results/get-experiment-results.ts';
import { getResultCurves } from '#workflows/results/get-result-curves.ts';
import { getResultInfo } from '#workflows/results/get-result-info.ts';
import { getResultPlot } from '#workflows/results/get-result-plot.ts';
import { listResultVersions } from '#workflows/results/list-result-versions.ts';
import { listResults } from '#workflows/results/list-results.ts';
import { editAssayType } from '#workflows/assay-types/edit-assay-type.ts';
import { listAssayTypes } from '#workflows/assay-types/list-assay-types.ts';
import { listLabAssayTypes } from '#workflows/assay-types/list-lab-assay-types.ts';
import { comparePriceList } from '#workflows/pricing/compare-price-list.ts';
import { createPriceList } from '#workflows/pricing/create-price-list.ts';
import { deletePriceList } from '#workflows/pricing/delete-price-list.ts';
import { editPriceList } from '#workflows/pricing/edit-price-list.ts';
import { getPriceList } from '#workflows/pricing/get-price-list.ts';
import { listPriceLists } from '#workflows/pricing/list-price-lists.ts';
import { publishPriceList } from '#workflows/pricing/publish-price-list.ts';
import { addSequences } from '#workflows/sequences/add-sequences.ts';
import { getExperimentSequences } from '#workflows/sequences/get-experiment-sequences.ts';
import { getSequenceInfo } from '#workflows/sequences/get-sequence-info.ts';
import { listSequences } from '#workflows/sequences/list-sequences.ts';
import { approveTargetRequest } from '#workflows/targets/approve-target-request.ts';
import { createCustomTargetRequest } from '#workflows/targets/create-custom-target-request.ts';
import { createTarget } from '#workflows/targets/create-target.ts';
import { editTarget } from '#workflows/targets/edit-target.ts';
import { getCatalogFile } from '#workflows/targets/get-catalog-file.ts';
import { getLabTarget } from '#workflows/targets/get-lab-target.ts';
import { importTargets } from '#workflows/targets/import-targets.ts';
import { listLabTargets } from '#workflows/targets/list-lab-targets.ts';
import { validateTargetImport } from '#workflows/targets/validate-target-import.ts';
import { declineTargetRequest } from '#workflows/targets/decline-target-request.ts';
import { getCustomTargetRequest } from '#workflows/targets/get-custom-target-request.ts';
import { getLabTargetRequest } from '#workflows/targets/get-lab-target-request.ts';
import { getTargetInfo } from '#workflows/targets/get-target-info.ts';
import { listCustomTargetRequests } from '#workflows/targets/list-custom-target-requests.ts';
import { listLabTargetRequests } from '#workflows/targets/list-lab-target-requests.ts';
import { listTargets } from '#workflows/targets/list-targets.ts';
import { attenuateToken } from '#workflows/tokens/attenuate-token.ts';
import { createToken } from '#workflows/tokens/create-token.ts';
import { identifyCaller } from '#workflows/tokens/identify-caller.ts';
import { listTokens } from '#workflows/tokens/list-tokens.ts';
import { revokeTokenById } from '#workflows/tokens/revoke-token-by-id.ts';
import { revokeToken } from '#workflows/tokens/revoke-token.ts';
import { getExperimentUpdates } from '#workflows/updates/get-experiment-updates.ts';
import { getUpdate } from '#workflows/updates/get-update.ts';
import { listPartnerUpdates } from '#workflows/updates/list-partner-updates.ts';
import { streamUpdates } from '#workflows/updates/stream-updates.ts';
import { listUpdates } from '#workflows/updates/list-updates.ts';
import { createWebhook } from '#workflows/webhooks/create-webhook.ts';
import { deleteWebhook } from '#workflows/webhooks/delete-webhook.ts';
import { getDelivery } from '#workflows/webhooks/get-delivery.ts';
import { listDeliveries } from '#workflows/webhooks/list-deliveries.ts';
import { listWebhookDeliveries } from '#workflows/webhooks/list-webhook-deliveries.ts';
import { listWebhooks } from '#workflows/webhooks/list-webhooks.ts';
import { resendDelivery } from '#workflows/webhooks/resend-delivery.ts';
import { resendWebhookDeliveries } from '#workflows/webhooks/resend-webhook-deliveries.ts';
import { rollWebhookSecret } from '#workflows/webhooks/roll-webhook-secret.ts';
import { testWebhook } from '#workflows/webhooks/test-webhook.ts';
import { triggerEvent } from '#workflows/webhooks/trigger-event.ts';
import { updateWebhook } from '#workflows/webhooks/update-webhook.ts';
import { bindCompute, bindOutward, bindPublic, bindRead, bindWrite, type Binding } from './binding.ts';
import { labBindings } from './lab-operations.ts';

export const bindings: readonly Binding[] = [
  bindPublic(info.checkHealth, checkHealth),
  bindPublic(info.checkDatabase, checkDatabase),
  bindRead(tokens.identifyCaller, identifyCaller),
  bindRead(tokens.listTokens, listTokens),
  bindWrite(tokens.createToken, createToken),
  bindWrite(tokens.attenuateToken, attenuateToken),
  bindWrite(tokens.revokeToken, revokeToken),
  bindWrite(tokens.revokeTokenById, revokeTokenById),

  bindRead(targets.listTargets, listTargets),
  bindRead(targets.getTargetInfo, getTargetInfo),
  bindRead(targetRequests.listCustomTargetRequests, listCustomTargetRequests),
  bindWrite(targetRequests.createCustomTargetRequest, createCustomTargetRequest),
  bindRead(targetRequests.getCustomTargetRequest, getCustomTargetRequest),
  bindRead(targetAnswers.listLabTargetRequests, listLabTargetRequests),
  bindRead(targetAnswers.getLabTargetRequest, getLabTargetRequest),
  bindWrite(targetAnswers.approveTargetRequest, approveTargetRequest),
  bindWrite(targetAnswers.declineTargetRequest, declineTargetRequest),

  bindRead(experiments.listExperiments, listExperiments),
  bindWrite(experiments.createExperiment, createExperiment),
  bindWrite(clones.cloneExperiment, cloneExperiment),
  bindWrite(imports.importExperiment, importExperiment),
  bindCompute(experiments.validateExperiment, validateExperiment),
  bindCompute(experiments.estimateCost, estimateCost),
  bindRead(experiments.getExperiment, getExperiment),
  bindWrite(experiments.modifyExperiment, modifyExperiment),
  bindWrite(experiments.deleteExperiment, deleteExperiment),
  bindWrite(experiments.submitExperiment, submitExperiment),
  bindWrite(experiments.cancelExperiment, cancelExperiment),

  bindRead(sequences.listSequences, listSequences),
  bindWrite(sequences.addSequences, addSequences),
  bindRead(sequences.getSequenceInfo, getSequenceInfo),
  bindRead(sequences.getExperimentSequences, getExperimentSequences),

  bindRead(quotes.listQuotes, listQuotes),
  bindRead(quotes.getQuoteInfo, getQuoteInfo),
  bindRead(quotes.getQuoteMetadata, getQuoteMetadata),
  bindRead(quotes.getQuotePdf, getQuotePdf),
  bindWrite(quotes.confirmQuote, confirmQuote),
  bindWrite(quotes.confirmExperimentQuote, confirmExperimentQuote),
  bindWrite(quotes.rejectQuote, rejectQuote),

  bindRead(invoices.listInvoices, listInvoices),
  bindRead(invoices.getInvoice, getInvoice),
  bindRead(invoices.getInvoiceMetadata, getInvoiceMetadata),
  bindRead(invoices.getInvoicePdf, getInvoicePdf),
  bindRead(invoices.getCreditNotePdf, getCreditNotePdf),
  bindOutward(invoices.payInvoice, payInvoice),
  bindWrite(payments.mintPaymentToken, mintPaymentToken),
  bindWrite(triggers.triggerEvent, triggerEvent),

  bindRead(results.listResults, listResults),
  bindRead(results.getResultInfo, getResultInfo),
  bindRead(results.getResultCurves, getResultCurves),
  bindRead(results.getResultPlot, getResultPlot),
  bindRead(results.getExperimentResults, getExperimentResults),
  bindRead(plots.getExperimentPlot, getExperimentPlot),
  bindRead(versions.listResultVersions, listResultVersions),
  bindRead(versions.diffResults, diffResults),
  bindRead(dataPackages.getDataPackage, getDataPackage),

  bindRead(updates.listUpdates, listUpdates),
  bindRead(updates.streamUpdates, streamUpdates),
  bindRead(updates.getUpdate, getUpdate),
  bindRead(sharedUpdates.listPartnerUpdates, listPartnerUpdates),
  bindRead(updates.getExperimentUpdates, getExperimentUpdates),

  bindRead(webhooks.listWebhooks, listWebhooks),
  bindOutward(webhooks.createWebhook, createWebhook),
  bindOutward(webhooks.updateWebhook, updateWebhook),
  bindWrite(webhooks.deleteWebhook, deleteWebhook),
  bindOutward(webhooks.rollWebhookSecret, rollWebhookSecret),
  bindRead(deliveries.listDeliveries, listDeliveries),
  bindRead(deliveries.listWebhookDeliveries, listWebhookDeliveries),
  bindRead(deliveries.getDelivery, getDelivery),
  bindWrite(deliveries.resendDelivery, resendDelivery),
  bindWrite(deliveries.resendWebhookDeliveries, resendWebhookDeliveries),
  bindWrite(deliveries.testWebhook, testWebhook),

  bindRead(notifications.getNotifications, getNotifications),
  bindWrite(notifications.updateNotifications, updateNotifications),

  bindWrite(feedback.submitFeedback, submitFeedback),
  bindRead(feedback.listFeedback, listFeedback),

  bindRead(audit.listAudit, listAudit),
  bindRead(audit.listAllAudit, listAllAudit),
  bindRead(auditHeads.getAuditHead, getAuditHead),
  bindPublic(auditHeads.listSigningKeys, listSigningKeys),

  bindRead(organizations.listMembers, listMembers),
  bindWrite(organizations.changeMemberRole, changeMemberRole),
  bindWrite(organizations.removeMember, removeMember),
  bindRead(organizations.listInvitations, listInvitations),
  bindWrite(organizations.inviteMember, inviteMember),
  bindWrite(organizations.resendInvitation, resendInvitation),
  bindWrite(organizations.revokeInvitation, revokeInvitation),

  bindWrite(partners.mintToken, mintToken),
  bindRead(partnerTokens.listPartnerTokens, listPartnerTokens),
  bindWrite(partnerTokens.renewPartnerToken, renewPartnerToken),
  bindWrite(partnerTokens.revokePartnerToken, revokePartnerToken),

  bindRead(catalog.listLabTargets, listLabTargets),
  bindRead(catalog.getCatalogFile, getCatalogFile),
  bindRead(catalog.getLabTarget, getLabTarget),
  bindWrite(catalog.createTarget, createTarget),
  bindWrite(catalog.editTarget, editTarget),
  bindCompute(catalog.validateTargetImport, validateTargetImport),
  bindWrite(catalog.importTargets, importTargets),

  bindRead(assayTypes.listAssayTypes, listAssayTypes),
  bindRead(assayTypes.listLabAssayTypes, listLabAssayTypes),
  bindWrite(assayTypes.editAssayType, editAssayType),
  bindRead(priceLists.listPriceLists, listPriceLists),
  bindRead(priceLists.getPriceList, getPriceList),
  bindRead(priceLists.comparePriceList, comparePriceList),
  bindWrite(priceLists.createPriceList, createPriceList),
  bindWrite(priceLists.editPriceList, editPriceList),
  bindWrite(priceLists.deletePriceList, deletePriceList),
  bindWrite(priceLists.publishPriceList, publishPriceList),

  bindRead(billing.getBillingProfile, getBillingProfile),
  bindWrite(billing.updateBillingProfile, updateBillingProfile),
  bindRead(billing.getOrganizationBilling, getOrganizationBilling),
  bindWrite(billing.updateOrganizationBilling, updateOrganizationBilling),
  bindRead(billing.listTaxRates, listTaxRates),
  bindWrite(billing.setTaxRate, setTaxRate),
  bindWrite(billing.removeTaxRate, removeTaxRate),

  bindRead(refunds.listRefunds, listRefunds),
  bindWrite(refunds.refundInvoice, refundInvoice),
  bindWrite(refunds.retryRefund, retryRefund),
  bindOutward(refunds.recordRefund, recordRefund),
  ...labBindings,
];

export function getBinding(operationId: string): Binding {
  const found = bindings.find((binding) => binding.operation.id === operationId);
  if (found === undefined) throw new Error(`there is no operation ${operationId}`);
  return found;
}
