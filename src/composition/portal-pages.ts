/**
 * The routes of the portal. Pages read, and forms act, through operations.
 */
import { addPortalForm, addPortalPage } from '#ui/context.ts';
import type { PagesParts } from '#ui/parts.ts';
import { loadExperimentListPage } from '#features/experiments/pages/experiment-list.ts';
import { loadExperimentPage } from '#features/experiments/pages/experiment.ts';
import {
  loadDataPackageProgress,
  openDataPackage,
  PACKAGE_PATH,
} from '#features/results/pages/package-page.ts';
import { addNewExperiment } from '#features/experiments/pages/new-experiment.ts';
import {
  loadInvoiceListPage,
  redirectToInvoicePdf,
  redirectToOwnInvoicePdf,
} from '#features/invoices/pages/invoices.ts';
import {
  acceptQuote,
  declineQuote,
  loadQuotePage,
  redirectToQuotePdf,
} from '#features/quotes/pages/quote.ts';
import {
  sendExperimentPlot,
  sendResultCurvesCsv,
  sendResultJson,
  loadResultPage,
  sendResultPlot,
} from '#features/results/pages/result.ts';
import { sendResultThumbnail } from '#features/results/pages/thumbnail.ts';
import { addTargetRequestForm } from '#features/targets/pages/target-request-form.ts';
import { loadTargetRequestListPage, loadTargetRequestPage } from '#features/targets/pages/target-requests.ts';
import { loadTargetListPage, loadTargetPage } from '#features/targets/pages/targets.ts';
import type { Routes } from '#ui/routes.ts';
import {
  cancelOrder,
  chooseTarget,
  cloneOrder,
  sendSequencesFasta,
  submitOrder,
} from '#features/experiments/pages/forms.ts';

export function addPortal(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, '/', loadExperimentListPage);
  addNewExperiment(routes, parts);
  addPortalPage(routes, parts, '/experiments', loadExperimentListPage);
  addPortalPage(routes, parts, '/experiments/:id', loadExperimentPage);
  addPortalPage(routes, parts, '/experiments/:id/sequences.fasta', sendSequencesFasta);
  addPortalPage(routes, parts, '/experiments/:id/plot.svg', sendExperimentPlot);
  addPortalPage(routes, parts, PACKAGE_PATH, openDataPackage);
  addPortalPage(routes, parts, `${PACKAGE_PATH}/progress`, loadDataPackageProgress);
  addPortalPage(routes, parts, '/experiments/:id/quote.pdf', redirectToQuotePdf);
  addPortalPage(routes, parts, '/experiments/:id/invoice.pdf', redirectToInvoicePdf);
  addPortalForm(routes, parts, '/experiments/:id/submit', submitOrder);
  addPortalForm(routes, parts, '/experiments/:id/target', chooseTarget);
  addPortalForm(routes, parts, '/experiments/:id/cancel', cancelOrder);
  addPortalForm(routes, parts, '/experiments/:id/clone', cloneOrder);
  addPortalPage(routes, parts, '/quotes/:id', loadQuotePage);
  addPortalForm(routes, parts, '/quotes/:id/accept', acceptQuote);
  addPortalForm(routes, parts, '/quotes/:id/reject', declineQuote);
  addPortalPage(routes, parts, '/invoices', loadInvoiceListPage);
  addPortalPage(routes, parts, '/invoices/:id/invoice.pdf', redirectToOwnInvoicePdf);
  addPortalPage(routes, parts, '/results/:id', loadResultPage);
  addPortalPage(routes, parts, '/results/:id/plot.svg', sendResultPlot);
  addPortalPage(routes, parts, '/results/:id/thumbnail.svg', sendResultThumbnail);
  addPortalPage(routes, parts, '/results/:id/curves.csv', sendResultCurvesCsv);
  addPortalPage(routes, parts, '/results/:id/record.json', sendResultJson);
  addPortalPage(routes, parts, '/targets', loadTargetListPage);
  addPortalPage(routes, parts, '/targets/:id', loadTargetPage);
  addPortalPage(routes, parts, '/target-requests', loadTargetRequestListPage);
  addTargetRequestForm(routes, parts);
  addPortalPage(routes, parts, '/target-requests/:id', loadTargetRequestPage);
}
