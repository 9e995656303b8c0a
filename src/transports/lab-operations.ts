/** The operations of the lab's staff with their handlers: orders, quotes, materials, runs, files, review, money. */
import * as labExperiments from '#domain/experiments/lab-contract.ts';
import * as labInvoices from '#domain/invoices/lab-contract.ts';
import * as lab from '#domain/lab/contract.ts';
import * as controls from '#domain/controls/contract.ts';
import * as labMappings from '#domain/lab/mapping-contract.ts';
import * as labPreviews from '#domain/lab/preview-contract.ts';
import * as labRuns from '#domain/lab/run-contract.ts';
import * as simulatedLab from '#domain/lab/simulated-lab-contract.ts';
import * as notifications from '#domain/notifications/contract.ts';
import * as labMaterials from '#domain/materials/contract.ts';
import * as priceDrafts from '#domain/pricing/draft-contract.ts';
import * as labPayments from '#domain/payments/lab-contract.ts';
import * as labUnpaid from '#domain/lab/unpaid-contract.ts';
import * as sharedFiles from '#domain/runs/file-contract.ts';
import * as storedRuns from '#domain/runs/run-contract.ts';
import * as labQuotes from '#domain/quotes/lab-contract.ts';
import * as queue from '#domain/queue/contract.ts';
import * as labResults from '#domain/results/lab-contract.ts';
import * as review from '#domain/review/contract.ts';
import * as runPlans from '#domain/runs/contract.ts';
import * as jobs from '#domain/jobs/contract.ts';
import * as labOrganizations from '#domain/organizations/lab-contract.ts';
import * as staff from '#domain/staff/contract.ts';
import * as sharedUpdates from '#domain/updates/shared-contract.ts';
import { getLabNotifications } from '#workflows/notifications/get-lab-notifications.ts';
import { updateLabNotifications } from '#workflows/notifications/update-lab-notifications.ts';
import { getAnyInvoice } from '#workflows/invoices/get-any-invoice.ts';
import { listAllInvoices } from '#workflows/invoices/list-all-invoices.ts';
import { reissueInvoice } from '#workflows/invoices/reissue-invoice.ts';
import { sendInvoice } from '#workflows/invoices/send-invoice.ts';
import { voidInvoice } from '#workflows/invoices/void-invoice.ts';
import { writeOffInvoice } from '#workflows/invoices/write-off-invoice.ts';
import { addRawFile } from '#workflows/lab/add-raw-file.ts';
import { completeRawData } from '#workflows/lab/complete-raw-data.ts';
import { getControlChartPlot } from '#workflows/controls/get-control-chart-plot.ts';
import { listControlCharts } from '#workflows/controls/list-control-charts.ts';
import { getRawFileMapping } from '#workflows/lab/get-raw-file-mapping.ts';
import { listRawFiles } from '#workflows/lab/list-raw-files.ts';
import { mapRawFiles } from '#workflows/lab/map-raw-files.ts';
import { previewRawFile } from '#workflows/lab/preview-raw-file.ts';
import { previewRawFiles } from '#workflows/lab/preview-raw-files.ts';
import { putRawFile } from '#workflows/lab/put-raw-file.ts';
import { reanalyzeExperiment } from '#workflows/lab/reanalyze-experiment.ts';
import { receiveMaterials } from '#workflows/lab/receive-materials.ts';
import { releaseResults } from '#workflows/lab/release-results.ts';
import { sendExperimentBack } from '#workflows/lab/send-experiment-back.ts';
import { editRunPlan } from '#workflows/runs/edit-run-plan.ts';
import { planRun } from '#workflows/runs/plan-run.ts';
import { writeRunFile } from '#workflows/runs/write-run-file.ts';
import { getSimulatedLab } from '#workflows/lab/get-simulated-lab.ts';
import { setSimulatedLab } from '#workflows/lab/set-simulated-lab.ts';
import { startRun } from '#workflows/lab/start-run.ts';
import { recordBankTransfer } from '#workflows/payments/record-bank-transfer.ts';
import { allowUnpaidRun } from '#workflows/lab/allow-unpaid-run.ts';
import { addRunRawFile } from '#workflows/runs/add-run-raw-file.ts';
import { completeLabRun } from '#workflows/runs/complete-lab-run.ts';
import { getRunRawFileMapping } from '#workflows/runs/get-run-raw-file-mapping.ts';
import { listRunRawFiles } from '#workflows/runs/list-run-raw-files.ts';
import { mapRunRawFiles } from '#workflows/runs/map-run-raw-files.ts';
import { previewRunRawFile } from '#workflows/runs/preview-run-raw-file.ts';
import { previewRunRawFiles } from '#workflows/runs/preview-run-raw-files.ts';
import { putRunRawFile } from '#workflows/runs/put-run-raw-file.ts';
import { cancelLabRun } from '#workflows/runs/cancel-lab-run.ts';
import { createLabRun } from '#workflows/runs/create-lab-run.ts';
import { editLabRun } from '#workflows/runs/edit-lab-run.ts';
import { getLabRun } from '#workflows/runs/get-lab-run.ts';
import { listLabRuns } from '#workflows/runs/list-lab-runs.ts';
import { startLabRun } from '#workflows/runs/start-lab-run.ts';
import { writeLabRunFile } from '#workflows/runs/write-lab-run-file.ts';
import { getPriceListFile } from '#workflows/pricing/get-price-list-file.ts';
import { importPriceList } from '#workflows/pricing/import-price-list.ts';
import { compareOrderCost } from '#workflows/pricing/compare-order-cost.ts';
import { validatePriceListImport } from '#workflows/pricing/validate-price-list-import.ts';
import { listLabMaterials } from '#workflows/materials/list-lab-materials.ts';
import { getLabMaterials } from '#workflows/materials/get-lab-materials.ts';
import { recordMaterials } from '#workflows/materials/record-materials.ts';
import { addLabNote } from '#workflows/queue/add-lab-note.ts';
import { getLabExperiment } from '#workflows/queue/get-lab-experiment.ts';
import { listLabExperiments } from '#workflows/queue/list-lab-experiments.ts';
import { getLabSequences } from '#workflows/queue/get-lab-sequences.ts';
import { createCustomQuote } from '#workflows/quotes/create-custom-quote.ts';
import { editCustomQuote } from '#workflows/quotes/edit-custom-quote.ts';
import { getAnyQuotePdf } from '#workflows/quotes/get-any-quote-pdf.ts';
import { getAnyQuote } from '#workflows/quotes/get-any-quote.ts';
import { listAllQuotes } from '#workflows/quotes/list-all-quotes.ts';
import { openCustomQuote } from '#workflows/quotes/open-custom-quote.ts';
import { withdrawQuote } from '#workflows/quotes/withdraw-quote.ts';
import { cancelExperimentByStaff } from '#workflows/experiments/cancel-experiment-by-staff.ts';
import { listJobs } from '#workflows/jobs/list-jobs.ts';
import { retryJob } from '#workflows/jobs/retry-job.ts';
import { listLabOrganizations } from '#workflows/organizations/list-lab-organizations.ts';
import { amendResults } from '#workflows/review/amend-results.ts';
import { decideReplicates } from '#workflows/review/decide-replicates.ts';
import { diffLabResults } from '#workflows/review/diff-lab-results.ts';
import { discardAmendment } from '#workflows/review/discard-amendment.ts';
import { getLabDataPackage } from '#workflows/review/get-lab-data-package.ts';
import { getLabPlot } from '#workflows/review/get-lab-plot.ts';
import { getLabResult } from '#workflows/review/get-lab-result.ts';
import { getLabResultCurves } from '#workflows/review/get-lab-result-curves.ts';
import { getLabResultPlot } from '#workflows/review/get-lab-result-plot.ts';
import { getLabReview } from '#workflows/review/get-lab-review.ts';
import { listLabResults } from '#workflows/review/list-lab-results.ts';
import { appointStaff } from '#workflows/staff/appoint-staff.ts';
import { changeStaffRoles } from '#workflows/staff/change-staff-roles.ts';
import { dismissStaff } from '#workflows/staff/dismiss-staff.ts';
import { listAllUpdates } from '#workflows/updates/list-all-updates.ts';
import { streamAllUpdates } from '#workflows/updates/stream-all-updates.ts';
import { listStaff } from '#workflows/staff/list-staff.ts';
import { bindCompute, bindOutward, bindRead, bindWitnessed, bindWrite, type Binding } from './binding.ts';

export const labBindings: readonly Binding[] = [
  bindRead(sharedUpdates.listAllUpdates, listAllUpdates),
  bindRead(sharedUpdates.streamAllUpdates, streamAllUpdates),
  bindRead(staff.listStaff, listStaff),
  bindWrite(staff.appointStaff, appointStaff),
  bindWrite(staff.changeStaffRoles, changeStaffRoles),
  bindWrite(staff.dismissStaff, dismissStaff),
  bindRead(jobs.listJobs, listJobs),
  bindWrite(jobs.retryJob, retryJob),
  bindRead(labOrganizations.listLabOrganizations, listLabOrganizations),
  bindRead(labQuotes.listAllQuotes, listAllQuotes),
  bindRead(labQuotes.getAnyQuote, getAnyQuote),
  bindRead(labQuotes.getAnyQuotePdf, getAnyQuotePdf),
  bindWrite(labQuotes.createCustomQuote, createCustomQuote),
  bindWrite(labQuotes.editCustomQuote, editCustomQuote),
  bindWrite(labQuotes.openCustomQuote, openCustomQuote),
  bindWrite(labQuotes.withdrawQuote, withdrawQuote),
  bindRead(labInvoices.listAllInvoices, listAllInvoices),
  bindRead(labInvoices.getAnyInvoice, getAnyInvoice),
  bindWrite(labInvoices.voidInvoice, voidInvoice),
  bindWrite(labInvoices.reissueInvoice, reissueInvoice),
  bindWrite(labInvoices.writeOffInvoice, writeOffInvoice),
  bindWrite(labExperiments.cancelExperimentByStaff, cancelExperimentByStaff),
  bindRead(queue.listLabExperiments, listLabExperiments),
  bindRead(queue.getLabExperiment, getLabExperiment),
  bindWitnessed(queue.getLabSequences, getLabSequences),
  bindWrite(queue.addLabNote, addLabNote),
  bindRead(priceDrafts.compareOrderCost, compareOrderCost),
  bindRead(priceDrafts.getPriceListFile, getPriceListFile),
  bindCompute(priceDrafts.validatePriceListImport, validatePriceListImport),
  bindWrite(priceDrafts.importPriceList, importPriceList),
  bindWrite(labRuns.receiveMaterials, receiveMaterials),
  bindRead(labMaterials.listLabMaterials, listLabMaterials),
  bindRead(labMaterials.getLabMaterials, getLabMaterials),
  bindWrite(labMaterials.recordMaterials, recordMaterials),
  bindCompute(runPlans.planRun, planRun),
  bindCompute(runPlans.editRunPlan, editRunPlan),
  bindCompute(runPlans.writeRunFile, writeRunFile),
  bindWrite(labRuns.startRun, startRun),
  bindWrite(labUnpaid.allowUnpaidRun, allowUnpaidRun),
  bindRead(storedRuns.listLabRuns, listLabRuns),
  bindWrite(storedRuns.createLabRun, createLabRun),
  bindRead(storedRuns.getLabRun, getLabRun),
  bindWrite(storedRuns.editLabRun, editLabRun),
  bindWrite(storedRuns.startLabRun, startLabRun),
  bindWrite(storedRuns.cancelLabRun, cancelLabRun),
  bindRead(storedRuns.writeLabRunFile, writeLabRunFile),
  bindOutward(sharedFiles.putRunRawFile, putRunRawFile),
  bindOutward(sharedFiles.addRunRawFile, addRunRawFile),
  bindRead(sharedFiles.listRunRawFiles, listRunRawFiles),
  bindCompute(sharedFiles.previewRunRawFile, previewRunRawFile),
  bindCompute(sharedFiles.previewRunRawFiles, previewRunRawFiles),
  bindRead(sharedFiles.getRunRawFileMapping, getRunRawFileMapping),
  bindWrite(sharedFiles.mapRunRawFiles, mapRunRawFiles),
  bindOutward(sharedFiles.completeLabRun, completeLabRun),
  bindOutward(labRuns.putRawFile, putRawFile),
  bindOutward(labRuns.addRawFile, addRawFile),
  bindRead(labRuns.listRawFiles, listRawFiles),
  bindCompute(labPreviews.previewRawFile, previewRawFile),
  bindCompute(labPreviews.previewRawFiles, previewRawFiles),
  bindRead(labMappings.getRawFileMapping, getRawFileMapping),
  bindWrite(labMappings.mapRawFiles, mapRawFiles),
  bindRead(controls.listControlCharts, listControlCharts),
  bindRead(controls.getControlChartPlot, getControlChartPlot),
  bindWrite(labRuns.completeRawData, completeRawData),
  bindWrite(labRuns.releaseResults, releaseResults),
  bindWrite(labRuns.sendExperimentBack, sendExperimentBack),
  bindRead(notifications.getLabNotifications, getLabNotifications),
  bindWrite(notifications.updateLabNotifications, updateLabNotifications),
  bindRead(simulatedLab.getSimulatedLab, getSimulatedLab),
  bindWrite(simulatedLab.setSimulatedLab, setSimulatedLab),
  bindWitnessed(labResults.listLabResults, listLabResults),
  bindWitnessed(labResults.getLabResult, getLabResult),
  bindRead(labResults.getLabResultCurves, getLabResultCurves),
  bindRead(labResults.getLabResultPlot, getLabResultPlot),
  bindRead(labResults.diffLabResults, diffLabResults),
  bindRead(labResults.getLabPlot, getLabPlot),
  bindWitnessed(labResults.getLabDataPackage, getLabDataPackage),
  bindRead(review.getLabReview, getLabReview),
  bindWrite(review.decideReplicates, decideReplicates),
  bindWrite(review.amendResults, amendResults),
  bindWrite(review.discardAmendment, discardAmendment),
  bindWrite(labInvoices.sendInvoice, sendInvoice),
  bindWrite(lab.reanalyzeExperiment, reanalyzeExperiment),
  bindWrite(labPayments.recordBankTransfer, recordBankTransfer),
];
