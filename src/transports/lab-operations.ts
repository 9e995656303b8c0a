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
import * as needs from '#domain/queue/needs-contract.ts';
import * as labResults from '#domain/results/lab-contract.ts';
import * as review from '#domain/review/contract.ts';
import * as runPlans from '#domain/runs/contract.ts';
import * as setup from '#domain/info/setup-contract.ts';
import * as jobs from '#domain/jobs/contract.ts';
import * as labOrganizations from '#domain/organizations/lab-contract.ts';
import * as staff from '#domain/staff/contract.ts';
import * as sharedUpdates from '#domain/updates/shared-contract.ts';
import {
  bindAuditedRead,
  bindCompute,
  bindComputedUpload,
  bindOutward,
  bindRead,
  bindUpload,
  bindWrite,
  type Binding,
} from './binding.ts';

export const labBindings: readonly Binding[] = [
  bindRead(sharedUpdates, 'listAllUpdates', () => import('#workflows/updates/list-all-updates.ts')),
  bindRead(sharedUpdates, 'streamAllUpdates', () => import('#workflows/updates/stream-all-updates.ts')),
  bindRead(staff, 'listStaff', () => import('#workflows/staff/list-staff.ts')),
  bindWrite(staff, 'appointStaff', () => import('#workflows/staff/appoint-staff.ts')),
  bindWrite(staff, 'changeStaffRoles', () => import('#workflows/staff/change-staff-roles.ts')),
  bindWrite(staff, 'dismissStaff', () => import('#workflows/staff/dismiss-staff.ts')),
  bindRead(setup, 'getLabSetup', () => import('#workflows/info/get-lab-setup.ts')),
  bindRead(jobs, 'listJobs', () => import('#workflows/jobs/list-jobs.ts')),
  bindWrite(jobs, 'retryJob', () => import('#workflows/jobs/retry-job.ts')),
  bindRead(
    labOrganizations,
    'listLabOrganizations',
    () => import('#workflows/organizations/list-lab-organizations.ts'),
  ),
  bindRead(labQuotes, 'listAllQuotes', () => import('#workflows/quotes/list-all-quotes.ts')),
  bindRead(labQuotes, 'getAnyQuote', () => import('#workflows/quotes/get-any-quote.ts')),
  bindRead(labQuotes, 'getAnyQuotePdf', () => import('#workflows/quotes/get-any-quote-pdf.ts')),
  bindWrite(labQuotes, 'createCustomQuote', () => import('#workflows/quotes/create-custom-quote.ts')),
  bindWrite(labQuotes, 'editCustomQuote', () => import('#workflows/quotes/edit-custom-quote.ts')),
  bindWrite(labQuotes, 'openCustomQuote', () => import('#workflows/quotes/open-custom-quote.ts')),
  bindWrite(labQuotes, 'withdrawQuote', () => import('#workflows/quotes/withdraw-quote.ts')),
  bindRead(labInvoices, 'listAllInvoices', () => import('#workflows/invoices/list-all-invoices.ts')),
  bindRead(labInvoices, 'getAnyInvoice', () => import('#workflows/invoices/get-any-invoice.ts')),
  bindWrite(labInvoices, 'voidInvoice', () => import('#workflows/invoices/void-invoice.ts')),
  bindWrite(labInvoices, 'reissueInvoice', () => import('#workflows/invoices/reissue-invoice.ts')),
  bindWrite(labInvoices, 'writeOffInvoice', () => import('#workflows/invoices/write-off-invoice.ts')),
  bindWrite(labExperiments, 'rejectExperiment', () => import('#workflows/experiments/reject-experiment.ts')),
  bindWrite(
    labExperiments,
    'cancelExperimentByStaff',
    () => import('#workflows/experiments/cancel-experiment-by-staff.ts'),
  ),
  bindRead(needs, 'getLabNeeds', () => import('#workflows/queue/get-lab-needs.ts')),
  bindRead(queue, 'listLabExperiments', () => import('#workflows/queue/list-lab-experiments.ts')),
  bindRead(queue, 'getLabExperiment', () => import('#workflows/queue/get-lab-experiment.ts')),
  bindAuditedRead(queue, 'getLabSequences', () => import('#workflows/queue/get-lab-sequences.ts')),
  bindWrite(queue, 'addLabNote', () => import('#workflows/queue/add-lab-note.ts')),
  bindRead(priceDrafts, 'compareOrderCost', () => import('#workflows/pricing/compare-order-cost.ts')),
  bindRead(priceDrafts, 'getPriceListFile', () => import('#workflows/pricing/get-price-list-file.ts')),
  bindCompute(
    priceDrafts,
    'validatePriceListImport',
    () => import('#workflows/pricing/validate-price-list-import.ts'),
  ),
  bindWrite(priceDrafts, 'importPriceList', () => import('#workflows/pricing/import-price-list.ts')),
  bindWrite(labRuns, 'receiveMaterials', () => import('#workflows/lab/receive-materials.ts')),
  bindRead(labMaterials, 'listLabMaterials', () => import('#workflows/materials/list-lab-materials.ts')),
  bindRead(labMaterials, 'getLabMaterials', () => import('#workflows/materials/get-lab-materials.ts')),
  bindWrite(labMaterials, 'recordMaterials', () => import('#workflows/materials/record-materials.ts')),
  bindCompute(runPlans, 'planRun', () => import('#workflows/runs/plan-run.ts')),
  bindCompute(runPlans, 'editRunPlan', () => import('#workflows/runs/edit-run-plan.ts')),
  bindCompute(runPlans, 'writeRunFile', () => import('#workflows/runs/write-run-file.ts')),
  bindWrite(labRuns, 'startRun', () => import('#workflows/lab/start-run.ts')),
  bindWrite(labUnpaid, 'allowUnpaidRun', () => import('#workflows/lab/allow-unpaid-run.ts')),
  bindRead(storedRuns, 'listLabRuns', () => import('#workflows/runs/list-lab-runs.ts')),
  bindWrite(storedRuns, 'createLabRun', () => import('#workflows/runs/create-lab-run.ts')),
  bindRead(storedRuns, 'getLabRun', () => import('#workflows/runs/get-lab-run.ts')),
  bindWrite(storedRuns, 'editLabRun', () => import('#workflows/runs/edit-lab-run.ts')),
  bindWrite(storedRuns, 'startLabRun', () => import('#workflows/runs/start-lab-run.ts')),
  bindWrite(storedRuns, 'cancelLabRun', () => import('#workflows/runs/cancel-lab-run.ts')),
  bindRead(storedRuns, 'writeLabRunFile', () => import('#workflows/runs/write-lab-run-file.ts')),
  bindUpload(sharedFiles, 'putRunRawFile', () => import('#workflows/runs/put-run-raw-file.ts')),
  bindOutward(sharedFiles, 'addRunRawFile', () => import('#workflows/runs/add-run-raw-file.ts')),
  bindRead(sharedFiles, 'listRunRawFiles', () => import('#workflows/runs/list-run-raw-files.ts')),
  bindComputedUpload(
    sharedFiles,
    'previewRunRawFile',
    () => import('#workflows/runs/preview-run-raw-file.ts'),
  ),
  bindCompute(sharedFiles, 'previewRunRawFiles', () => import('#workflows/runs/preview-run-raw-files.ts')),
  bindRead(sharedFiles, 'getRunRawFileMapping', () => import('#workflows/runs/get-run-raw-file-mapping.ts')),
  bindWrite(sharedFiles, 'mapRunRawFiles', () => import('#workflows/runs/map-run-raw-files.ts')),
  bindOutward(sharedFiles, 'completeLabRun', () => import('#workflows/runs/complete-lab-run.ts')),
  bindUpload(labRuns, 'putRawFile', () => import('#workflows/lab/put-raw-file.ts')),
  bindOutward(labRuns, 'addRawFile', () => import('#workflows/lab/add-raw-file.ts')),
  bindRead(labRuns, 'listRawFiles', () => import('#workflows/lab/list-raw-files.ts')),
  bindComputedUpload(labPreviews, 'previewRawFile', () => import('#workflows/lab/preview-raw-file.ts')),
  bindCompute(labPreviews, 'previewRawFiles', () => import('#workflows/lab/preview-raw-files.ts')),
  bindRead(labMappings, 'getRawFileMapping', () => import('#workflows/lab/get-raw-file-mapping.ts')),
  bindWrite(labMappings, 'mapRawFiles', () => import('#workflows/lab/map-raw-files.ts')),
  bindRead(controls, 'listControlCharts', () => import('#workflows/controls/list-control-charts.ts')),
  bindRead(controls, 'getControlChartPlot', () => import('#workflows/controls/get-control-chart-plot.ts')),
  bindOutward(labRuns, 'completeRawData', () => import('#workflows/lab/complete-raw-data.ts')),
  bindWrite(labRuns, 'releaseResults', () => import('#workflows/lab/release-results.ts')),
  bindWrite(labRuns, 'sendExperimentBack', () => import('#workflows/lab/send-experiment-back.ts')),
  bindRead(
    notifications,
    'getLabNotifications',
    () => import('#workflows/notifications/get-lab-notifications.ts'),
  ),
  bindWrite(
    notifications,
    'updateLabNotifications',
    () => import('#workflows/notifications/update-lab-notifications.ts'),
  ),
  bindRead(simulatedLab, 'getSimulatedLab', () => import('#workflows/lab/get-simulated-lab.ts')),
  bindWrite(simulatedLab, 'setSimulatedLab', () => import('#workflows/lab/set-simulated-lab.ts')),
  bindAuditedRead(labResults, 'listLabResults', () => import('#workflows/review/list-lab-results.ts')),
  bindAuditedRead(labResults, 'getLabResult', () => import('#workflows/review/get-lab-result.ts')),
  bindRead(labResults, 'getLabResultCurves', () => import('#workflows/review/get-lab-result-curves.ts')),
  bindRead(labResults, 'getLabResultPlot', () => import('#workflows/review/get-lab-result-plot.ts')),
  bindRead(labResults, 'diffLabResults', () => import('#workflows/review/diff-lab-results.ts')),
  bindRead(labResults, 'getLabPlot', () => import('#workflows/review/get-lab-plot.ts')),
  bindAuditedRead(labResults, 'getLabDataPackage', () => import('#workflows/review/get-lab-data-package.ts')),
  bindRead(review, 'getLabReview', () => import('#workflows/review/get-lab-review.ts')),
  bindWrite(review, 'decideReplicates', () => import('#workflows/review/decide-replicates.ts')),
  bindWrite(review, 'amendResults', () => import('#workflows/review/amend-results.ts')),
  bindWrite(review, 'discardAmendment', () => import('#workflows/review/discard-amendment.ts')),
  bindWrite(labInvoices, 'sendInvoice', () => import('#workflows/invoices/send-invoice.ts')),
  bindWrite(lab, 'reanalyzeExperiment', () => import('#workflows/lab/reanalyze-experiment.ts')),
  bindWrite(labPayments, 'recordBankTransfer', () => import('#workflows/payments/record-bank-transfer.ts')),
];
