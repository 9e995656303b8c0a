/**
 * The definitions of all operations, without what carries them out: a command of a client needs no handler and no store.
 */
import type { Operation } from '#core/operation.ts';
import { isRecord } from '#core/records.ts';
import * as audit from '#features/audit/contract.ts';
import * as auditHead from '#features/audit/head-contract.ts';
import * as billing from '#features/billing/contract.ts';
import * as controls from '#features/controls/contract.ts';
import * as experiments from '#features/experiments/contract.ts';
import * as experimentsDraft from '#features/experiments/draft-contract.ts';
import * as experimentsLab from '#features/experiments/lab-contract.ts';
import * as feedback from '#features/feedback/contract.ts';
import * as installation from '#features/installation/contract.ts';
import * as invoices from '#features/invoices/contract.ts';
import * as invoicesLab from '#features/invoices/lab-contract.ts';
import * as invoicesRefunds from '#features/invoices/refunds/contract.ts';
import * as jobs from '#features/jobs/contract.ts';
import * as materials from '#features/materials/contract.ts';
import * as notifications from '#features/notifications/contract.ts';
import * as organizations from '#features/organizations/contract.ts';
import * as payments from '#features/payments/contract.ts';
import * as peopleStaff from '#features/people/staff/contract.ts';
import * as pricingAssayTypes from '#features/pricing/assay-types/contract.ts';
import * as pricingDraft from '#features/pricing/draft-contract.ts';
import * as pricingList from '#features/pricing/list-contract.ts';
import * as queue from '#features/queue/contract.ts';
import * as queueNeeds from '#features/queue/needs-contract.ts';
import * as quotes from '#features/quotes/contract.ts';
import * as quotesLab from '#features/quotes/lab-contract.ts';
import * as results from '#features/results/contract.ts';
import * as resultsLab from '#features/results/lab-contract.ts';
import * as resultsPackage from '#features/results/package/contract.ts';
import * as review from '#features/review/contract.ts';
import * as runs from '#features/runs/contract.ts';
import * as runsFile from '#features/runs/file-contract.ts';
import * as runsRawFiles from '#features/runs/raw-files/contract.ts';
import * as runsRawFilesMapping from '#features/runs/raw-files/mapping-contract.ts';
import * as runsRawFilesPreview from '#features/runs/raw-files/preview-contract.ts';
import * as runsRawFilesRun from '#features/runs/raw-files/run-contract.ts';
import * as runsRun from '#features/runs/run-contract.ts';
import * as sequences from '#features/sequences/contract.ts';
import * as targetsAnswer from '#features/targets/answer-contract.ts';
import * as targetsCatalog from '#features/targets/catalog-contract.ts';
import * as targets from '#features/targets/contract.ts';
import * as targetsRequest from '#features/targets/request-contract.ts';
import * as tokens from '#features/tokens/contract.ts';
import * as tokensPartners from '#features/tokens/partners/contract.ts';
import * as updates from '#features/updates/contract.ts';
import * as webhooks from '#features/webhooks/contract.ts';
import * as webhooksDelivery from '#features/webhooks/delivery-contract.ts';

/** A file that defines operations stands here; a test names the one that is missing. */
const contracts: readonly object[] = [
  audit,
  auditHead,
  billing,
  controls,
  experiments,
  experimentsDraft,
  experimentsLab,
  feedback,
  installation,
  invoices,
  invoicesLab,
  invoicesRefunds,
  jobs,
  materials,
  notifications,
  organizations,
  payments,
  peopleStaff,
  pricingAssayTypes,
  pricingDraft,
  pricingList,
  queue,
  queueNeeds,
  quotes,
  quotesLab,
  results,
  resultsLab,
  resultsPackage,
  review,
  runs,
  runsFile,
  runsRawFiles,
  runsRawFilesMapping,
  runsRawFilesPreview,
  runsRawFilesRun,
  runsRun,
  sequences,
  targetsAnswer,
  targetsCatalog,
  targets,
  targetsRequest,
  tokens,
  tokensPartners,
  updates,
  webhooks,
  webhooksDelivery,
];

export const operations: readonly Operation[] = contracts.flatMap((contract) =>
  Object.values(contract).filter(isOperation),
);

function isOperation(value: unknown): value is Operation {
  return isRecord(value) && 'method' in value && 'failures' in value;
}
