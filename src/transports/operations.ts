/** Every operation of the service with what carries it out. REST, the document, the tools and the tests read this. */
import * as audit from '#domain/audit/contract.ts';
import * as dataPackages from '#domain/data-package/contract.ts';
import * as billing from '#domain/billing/contract.ts';
import * as experiments from '#domain/experiments/contract.ts';
import * as feedback from '#domain/feedback/contract.ts';
import * as info from '#domain/info/contract.ts';
import * as invoices from '#domain/invoices/contract.ts';
import * as labInvoices from '#domain/invoices/lab-contract.ts';
import * as lab from '#domain/lab/contract.ts';
import * as labRuns from '#domain/lab/run-contract.ts';
import * as payments from '#domain/payments/contract.ts';
import * as organizations from '#domain/organizations/contract.ts';
import * as partners from '#domain/partners/contract.ts';
import * as labQuotes from '#domain/quotes/lab-contract.ts';
import * as quotes from '#domain/quotes/contract.ts';
import * as refunds from '#domain/refunds/contract.ts';
import * as results from '#domain/results/contract.ts';
import { getExperimentPlot } from '#domain/results/experiment-plot.ts';
import * as versions from '#domain/results/versions.ts';
import * as sequences from '#domain/sequences/contract.ts';
import * as targetAnswers from '#domain/targets/answer-contract.ts';
import * as targetRequests from '#domain/targets/request-contract.ts';
import * as targets from '#domain/targets/contract.ts';
import * as tokens from '#domain/tokens/contract.ts';
import * as updates from '#domain/updates/contract.ts';
import {
  approveRequest,
  declineRequest,
  targetRequestOfAny,
  targetRequestsOfAll,
} from '#workflows/targets/answer-target-request.ts';
import { auditTrail, auditTrails } from '#workflows/audit/audit-trail.ts';
import * as documents from '#workflows/billing/billing-documents.ts';
import * as profiles from '#workflows/billing/billing-profile.ts';
import * as closing from '#workflows/invoices/close-invoice.ts';
import * as customQuotes from '#workflows/quotes/custom-quote.ts';
import { feedbackOfClients, takeFeedback } from '#workflows/feedback/collect-feedback.ts';
import { confirmOpenQuote, confirmQuoteOfExperiment } from '#workflows/quotes/confirm-quote.ts';
import { createNewExperiment, validateNewExperiment } from '#workflows/experiments/create-experiment.ts';
import { linkDataPackage } from '#workflows/data-package/build-data-package.ts';
import { estimateCost } from '#workflows/experiments/estimate-cost.ts';
import {
  addToDraft,
  cancelBeforeConfirmation,
  deleteDraft,
  modifyDraft,
} from '#workflows/experiments/modify-experiment.ts';
import { mintClientToken } from '#workflows/partners/mint-token.ts';
import { databaseHealth } from '#workflows/info/check-health.ts';
import { readExperiment } from '#workflows/experiments/read-experiment.ts';
import * as labSteps from '#workflows/lab/lab-steps.ts';
import * as lists from '#workflows/reading/read-lists.ts';
import * as money from '#workflows/reading/read-money.ts';
import { addRawFile, putRawFile, readRawFiles } from '#workflows/lab/raw-files.ts';
import { payByMachine } from '#workflows/invoices/pay-invoice.ts';
import * as records from '#workflows/reading/read-records.ts';
import { recordRefundByHand } from '#workflows/refunds/record-refund.ts';
import { invite, resend, revoke } from '#workflows/organizations/invitations.ts';
import { changeRole, invitations, members, removeOne } from '#workflows/organizations/members.ts';
import { rejectOpenQuote } from '#workflows/quotes/reject-quote.ts';
import {
  customTargetRequest,
  customTargetRequests,
  requestCustomTarget,
} from '#workflows/targets/request-target.ts';
import { experimentPlot } from '#workflows/results/experiment-plot.ts';
import { issueAgain } from '#workflows/invoices/reissue-invoice.ts';
import { requestReanalysis } from '#workflows/lab/reanalyse-experiment.ts';
import { diffOfResults, resultVersions } from '#workflows/results/result-versions.ts';
import { recordTransfer } from '#workflows/payments/record-transfer.ts';
import { sendDraftInvoice } from '#workflows/invoices/staff-invoices.ts';
import { submitDraft } from '#workflows/experiments/submit-experiment.ts';
import { mintTestToken } from '#workflows/payments/test-tokens.ts';
import { attenuate, createRootToken, revokeOne, revokeOwn } from '#workflows/tokens/tokens.ts';
import { compute, effect, publicly, read, write, type Binding } from './binding.ts';

export const bindings: readonly Binding[] = [
  publicly(info.health, records.liveness),
  publicly(info.healthDb, databaseHealth),
  read(tokens.whoami, records.whoAmI),
  read(tokens.listTokens, lists.tokens),
  write(tokens.createToken, createRootToken),
  write(tokens.attenuateToken, attenuate),
  write(tokens.revokeToken, revokeOwn),
  write(tokens.revokeOneToken, revokeOne),

  read(targets.listTargets, lists.targets),
  read(targets.getTargetInfo, records.target),
  read(targetRequests.listCustomTargetRequests, customTargetRequests),
  write(targetRequests.createCustomTargetRequest, requestCustomTarget),
  read(targetRequests.getCustomTargetRequest, customTargetRequest),
  read(targetAnswers.listLabTargetRequests, targetRequestsOfAll),
  read(targetAnswers.getLabTargetRequest, targetRequestOfAny),
  write(targetAnswers.approveTargetRequest, approveRequest),
  write(targetAnswers.declineTargetRequest, declineRequest),

  read(experiments.listExperiments, lists.experiments),
  write(experiments.createExperiment, createNewExperiment),
  compute(experiments.validateExperiment, validateNewExperiment),
  compute(experiments.costEstimate, estimateCost),
  read(experiments.getExperiment, readExperiment),
  write(experiments.modifyExperiment, modifyDraft),
  write(experiments.deleteExperiment, deleteDraft),
  write(experiments.submitExperiment, submitDraft),
  write(experiments.cancelExperiment, cancelBeforeConfirmation),

  read(sequences.listSequences, lists.sequences),
  write(sequences.addSequences, addToDraft),
  read(sequences.getSequenceInfo, records.sequence),
  read(sequences.getExperimentSequences, lists.sequencesOfExperiment),

  read(quotes.listQuotes, lists.quotes),
  read(quotes.getQuoteInfo, money.readQuote),
  read(quotes.getQuoteMetadata, money.readQuoteOfExperiment),
  read(quotes.getQuotePdf, documents.linkQuote),
  write(quotes.confirmQuote, confirmOpenQuote),
  write(quotes.confirmExperimentQuote, confirmQuoteOfExperiment),
  write(quotes.rejectQuote, rejectOpenQuote),

  read(invoices.listInvoices, lists.invoices),
  read(invoices.getInvoice, money.readInvoice),
  read(invoices.getInvoiceMetadata, money.readInvoiceOfExperiment),
  read(invoices.getInvoicePdf, documents.linkInvoice),
  read(invoices.getCreditNotePdf, documents.linkCreditNote),
  effect(invoices.payInvoice, payByMachine),
  write(payments.mintPaymentToken, mintTestToken),

  read(results.listResults, lists.results),
  read(results.getResultInfo, records.result),
  read(results.getResultCurves, records.resultCurves),
  read(results.getResultPlot, records.resultPlot),
  read(results.getExperimentResults, lists.resultsOfExperiment),
  read(getExperimentPlot, experimentPlot),
  read(versions.listResultVersions, resultVersions),
  read(versions.diffResults, diffOfResults),
  read(dataPackages.getDataPackage, linkDataPackage),

  read(updates.listUpdates, lists.updates),
  read(updates.getExperimentUpdates, lists.updatesOfExperiment),

  write(feedback.submitFeedback, takeFeedback),
  read(feedback.listFeedback, feedbackOfClients),

  read(audit.listAudit, auditTrail),
  read(audit.listAllAudit, auditTrails),

  read(organizations.listMembers, members),
  write(organizations.changeMemberRole, changeRole),
  write(organizations.removeMember, removeOne),
  read(organizations.listInvitations, invitations),
  write(organizations.inviteMember, invite),
  write(organizations.resendInvitation, resend),
  write(organizations.revokeInvitation, revoke),

  write(partners.mintToken, mintClientToken),

  read(labQuotes.listAllQuotes, lists.allQuotes),
  read(labQuotes.getAnyQuote, customQuotes.readAnyQuote),
  read(labQuotes.getAnyQuotePdf, documents.linkAnyQuote),
  write(labQuotes.createCustomQuote, customQuotes.draftCustomQuote),
  write(labQuotes.editCustomQuote, customQuotes.editDraft),
  write(labQuotes.openCustomQuote, customQuotes.openDraft),
  write(labQuotes.withdrawQuote, customQuotes.withdraw),

  read(billing.getBillingProfile, profiles.ownProfile),
  write(billing.updateBillingProfile, profiles.changeOwnProfile),
  read(billing.getOrganizationBilling, profiles.profileOfOrganization),
  write(billing.updateOrganizationBilling, profiles.changeProfileOfOrganization),
  read(billing.listTaxRates, profiles.taxRateList),
  write(billing.setTaxRate, profiles.setRate),
  write(billing.removeTaxRate, profiles.removeRate),

  read(labInvoices.listAllInvoices, lists.allInvoices),
  read(labInvoices.getAnyInvoice, money.readAnyInvoice),
  write(labInvoices.voidInvoice, closing.voidUnpaidInvoice),
  write(labInvoices.reissueInvoice, issueAgain),
  write(labInvoices.writeOffInvoice, closing.giveUpInvoice),
  read(refunds.listRefunds, lists.refunds),
  write(refunds.refundInvoice, closing.refundPaidInvoice),
  write(refunds.retryRefund, closing.retryRefusedRefund),
  effect(refunds.recordRefund, recordRefundByHand),
  write(refunds.cancelByStaff, closing.cancelOrder),

  write(labRuns.receiveMaterials, labSteps.receiveMaterials),
  write(labRuns.startRun, labSteps.startRun),
  effect(labRuns.putRawFile, putRawFile),
  effect(labRuns.addRawFile, addRawFile),
  read(labRuns.listRawFiles, readRawFiles),
  write(labRuns.completeRawData, labSteps.completeRawData),
  write(labRuns.releaseResults, labSteps.releaseByStaff),
  write(labRuns.sendBack, labSteps.sendBack),

  write(lab.sendInvoice, sendDraftInvoice),
  write(lab.reanalyseExperiment, requestReanalysis),
  write(lab.recordBankTransfer, recordTransfer),
];

export function bindingOf(operationId: string): Binding {
  const found = bindings.find((binding) => binding.operation.id === operationId);
  if (found === undefined) throw new Error(`there is no operation ${operationId}`);
  return found;
}
