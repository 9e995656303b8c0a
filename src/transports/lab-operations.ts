/** The operations of the lab's staff with their handlers: orders, quotes, materials, runs, files, review, money. */
import * as labExperiments from '#features/experiments/lab-contract.ts';
import * as labInvoices from '#features/invoices/lab-contract.ts';
import * as lab from '#features/runs/raw-files/contract.ts';
import * as controls from '#features/controls/contract.ts';
import * as labMappings from '#features/runs/raw-files/mapping-contract.ts';
import * as labPreviews from '#features/runs/raw-files/preview-contract.ts';
import * as labRuns from '#features/runs/raw-files/run-contract.ts';
import * as simulatedLab from '#features/runs/raw-files/simulated-lab-contract.ts';
import * as notifications from '#features/notifications/contract.ts';
import * as labMaterials from '#features/materials/contract.ts';
import * as priceDrafts from '#features/pricing/draft-contract.ts';
import * as labPayments from '#features/payments/lab-contract.ts';
import * as labUnpaid from '#features/runs/raw-files/unpaid-contract.ts';
import * as sharedFiles from '#features/runs/file-contract.ts';
import * as storedRuns from '#features/runs/run-contract.ts';
import * as labQuotes from '#features/quotes/lab-contract.ts';
import * as queue from '#features/queue/contract.ts';
import * as needs from '#features/queue/needs-contract.ts';
import * as labResults from '#features/results/lab-contract.ts';
import * as review from '#features/review/contract.ts';
import * as runPlans from '#features/runs/contract.ts';
import * as setup from '#features/installation/setup-contract.ts';
import * as jobs from '#features/jobs/contract.ts';
import * as labOrganizations from '#features/organizations/lab-contract.ts';
import * as staff from '#features/people/staff/contract.ts';
import * as sharedUpdates from '#features/updates/shared-contract.ts';
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
  bindRead(sharedUpdates, 'listAllUpdates', () => import('#features/updates/list-all-updates.ts')),
  bindRead(sharedUpdates, 'streamAllUpdates', () => import('#features/updates/stream-all-updates.ts')),
  bindRead(staff, 'listStaff', () => import('#features/people/staff/list-staff.ts')),
  bindWrite(staff, 'appointStaff', () => import('#features/people/staff/appoint-staff.ts')),
  bindWrite(staff, 'changeStaffRoles', () => import('#features/people/staff/change-staff-roles.ts')),
  bindWrite(staff, 'dismissStaff', () => import('#features/people/staff/dismiss-staff.ts')),
  bindRead(setup, 'getLabSetup', () => import('#features/installation/get-lab-setup.ts')),
  bindRead(jobs, 'listJobs', () => import('#features/jobs/list-jobs.ts')),
  bindWrite(jobs, 'retryJob', () => import('#features/jobs/retry-job.ts')),
  bindRead(
    labOrganizations,
    'listLabOrganizations',
    () => import('#features/organizations/list-lab-organizations.ts'),
  ),
  bindRead(labQuotes, 'listAllQuotes', () => import('#features/quotes/list-all-quotes.ts')),
  bindRead(labQuotes, 'getAnyQuote', () => import('#features/quotes/get-any-quote.ts')),
  bindRead(labQuotes, 'getAnyQuotePdf', () => import('#features/quotes/get-any-quote-pdf.ts')),
  bindWrite(labQuotes, 'createCustomQuote', () => import('#features/quotes/create-custom-quote.ts')),
  bindWrite(labQuotes, 'editCustomQuote', () => import('#features/quotes/edit-custom-quote.ts')),
  bindWrite(labQuotes, 'openCustomQuote', () => import('#features/quotes/open-custom-quote.ts')),
  bindWrite(labQuotes, 'withdrawQuote', () => import('#features/quotes/withdraw-quote.ts')),
  bindRead(labInvoices, 'listAllInvoices', () => import('#features/invoices/list-all-invoices.ts')),
  bindRead(labInvoices, 'getAnyInvoice', () => import('#features/invoices/get-any-invoice.ts')),
  bindWrite(labInvoices, 'voidInvoice', () => import('#workflows/pay/void-invoice.ts')),
  bindWrite(labInvoices, 'reissueInvoice', () => import('#workflows/pay/reissue-invoice.ts')),
  bindWrite(labInvoices, 'writeOffInvoice', () => import('#workflows/pay/write-off-invoice.ts')),
  bindWrite(labExperiments, 'rejectExperiment', () => import('#workflows/order/reject-experiment.ts')),
  bindWrite(
    labExperiments,
    'cancelExperimentByStaff',
    () => import('#workflows/order/cancel-experiment-by-staff.ts'),
  ),
  bindRead(needs, 'getLabNeeds', () => import('#features/queue/get-lab-needs.ts')),
  bindRead(queue, 'listLabExperiments', () => import('#features/queue/list-lab-experiments.ts')),
  bindRead(queue, 'getLabExperiment', () => import('#features/queue/get-lab-experiment.ts')),
  bindAuditedRead(queue, 'getLabSequences', () => import('#features/queue/get-lab-sequences.ts')),
  bindWrite(queue, 'addLabNote', () => import('#features/queue/add-lab-note.ts')),
  bindRead(priceDrafts, 'compareOrderCost', () => import('#features/experiments/compare-order-cost.ts')),
  bindRead(priceDrafts, 'getPriceListFile', () => import('#features/pricing/get-price-list-file.ts')),
  bindCompute(
    priceDrafts,
    'validatePriceListImport',
    () => import('#features/pricing/validate-price-list-import.ts'),
  ),
  bindWrite(priceDrafts, 'importPriceList', () => import('#features/pricing/import-price-list.ts')),
  bindWrite(labRuns, 'receiveMaterials', () => import('#features/runs/raw-files/receive-materials.ts')),
  bindRead(labMaterials, 'listLabMaterials', () => import('#features/materials/list-lab-materials.ts')),
  bindRead(labMaterials, 'getLabMaterials', () => import('#features/materials/get-lab-materials.ts')),
  bindWrite(labMaterials, 'recordMaterials', () => import('#features/runs/record-materials.ts')),
  bindCompute(runPlans, 'planRun', () => import('#features/runs/plan-run.ts')),
  bindCompute(runPlans, 'editRunPlan', () => import('#features/runs/edit-run-plan.ts')),
  bindCompute(runPlans, 'writeRunFile', () => import('#features/runs/write-run-file.ts')),
  bindWrite(labRuns, 'startRun', () => import('#workflows/run/start-run.ts')),
  bindWrite(labUnpaid, 'allowUnpaidRun', () => import('#features/runs/raw-files/allow-unpaid-run.ts')),
  bindRead(storedRuns, 'listLabRuns', () => import('#features/runs/list-lab-runs.ts')),
  bindWrite(storedRuns, 'createLabRun', () => import('#features/runs/create-lab-run.ts')),
  bindRead(storedRuns, 'getLabRun', () => import('#features/runs/get-lab-run.ts')),
  bindWrite(storedRuns, 'editLabRun', () => import('#features/runs/edit-lab-run.ts')),
  bindWrite(storedRuns, 'startLabRun', () => import('#features/runs/start-lab-run.ts')),
  bindWrite(storedRuns, 'cancelLabRun', () => import('#features/runs/cancel-lab-run.ts')),
  bindRead(storedRuns, 'writeLabRunFile', () => import('#features/runs/write-lab-run-file.ts')),
  bindUpload(sharedFiles, 'putRunRawFile', () => import('#features/runs/put-run-raw-file.ts')),
  bindOutward(sharedFiles, 'addRunRawFile', () => import('#features/runs/add-run-raw-file.ts')),
  bindRead(sharedFiles, 'listRunRawFiles', () => import('#features/runs/list-run-raw-files.ts')),
  bindComputedUpload(
    sharedFiles,
    'previewRunRawFile',
    () => import('#features/runs/preview-run-raw-file.ts'),
  ),
  bindCompute(sharedFiles, 'previewRunRawFiles', () => import('#features/runs/preview-run-raw-files.ts')),
  bindRead(sharedFiles, 'getRunRawFileMapping', () => import('#features/runs/get-run-raw-file-mapping.ts')),
  bindWrite(sharedFiles, 'mapRunRawFiles', () => import('#features/runs/map-run-raw-files.ts')),
  bindOutward(sharedFiles, 'completeLabRun', () => import('#workflows/analyze/complete-lab-run.ts')),
  bindUpload(labRuns, 'putRawFile', () => import('#features/runs/raw-files/put-raw-file.ts')),
  bindOutward(labRuns, 'addRawFile', () => import('#features/runs/raw-files/add-raw-file.ts')),
  bindRead(labRuns, 'listRawFiles', () => import('#features/runs/raw-files/list-raw-files.ts')),
  bindComputedUpload(
    labPreviews,
    'previewRawFile',
    () => import('#features/runs/raw-files/preview-raw-file.ts'),
  ),
  bindCompute(labPreviews, 'previewRawFiles', () => import('#features/runs/raw-files/preview-raw-files.ts')),
  bindRead(
    labMappings,
    'getRawFileMapping',
    () => import('#features/runs/raw-files/get-raw-file-mapping.ts'),
  ),
  bindWrite(labMappings, 'mapRawFiles', () => import('#features/runs/raw-files/map-raw-files.ts')),
  bindRead(controls, 'listControlCharts', () => import('#features/controls/list-control-charts.ts')),
  bindRead(controls, 'getControlChartPlot', () => import('#features/controls/get-control-chart-plot.ts')),
  bindOutward(labRuns, 'completeRawData', () => import('#workflows/analyze/complete-raw-data.ts')),
  bindWrite(labRuns, 'releaseResults', () => import('#workflows/release/release-results.ts')),
  bindWrite(labRuns, 'sendExperimentBack', () => import('#workflows/analyze/send-experiment-back.ts')),
  bindRead(
    notifications,
    'getLabNotifications',
    () => import('#features/notifications/get-lab-notifications.ts'),
  ),
  bindWrite(
    notifications,
    'updateLabNotifications',
    () => import('#features/notifications/update-lab-notifications.ts'),
  ),
  bindRead(simulatedLab, 'getSimulatedLab', () => import('#features/runs/raw-files/get-simulated-lab.ts')),
  bindWrite(simulatedLab, 'setSimulatedLab', () => import('#features/runs/raw-files/set-simulated-lab.ts')),
  bindAuditedRead(labResults, 'listLabResults', () => import('#features/review/list-lab-results.ts')),
  bindAuditedRead(labResults, 'getLabResult', () => import('#features/review/get-lab-result.ts')),
  bindRead(labResults, 'getLabResultCurves', () => import('#features/review/get-lab-result-curves.ts')),
  bindRead(labResults, 'getLabResultPlot', () => import('#features/review/get-lab-result-plot.ts')),
  bindRead(labResults, 'diffLabResults', () => import('#features/review/diff-lab-results.ts')),
  bindRead(labResults, 'getLabPlot', () => import('#features/review/get-lab-plot.ts')),
  bindAuditedRead(labResults, 'getLabDataPackage', () => import('#features/review/get-lab-data-package.ts')),
  bindRead(review, 'getLabReview', () => import('#features/review/get-lab-review.ts')),
  bindWrite(review, 'decideReplicates', () => import('#workflows/analyze/decide-replicates.ts')),
  bindWrite(review, 'amendResults', () => import('#features/review/amend-results.ts')),
  bindWrite(review, 'discardAmendment', () => import('#features/review/discard-amendment.ts')),
  bindWrite(labInvoices, 'sendInvoice', () => import('#workflows/pay/send-invoice.ts')),
  bindWrite(lab, 'reanalyzeExperiment', () => import('#workflows/analyze/reanalyze-experiment.ts')),
  bindWrite(labPayments, 'recordBankTransfer', () => import('#features/payments/record-bank-transfer.ts')),
];
