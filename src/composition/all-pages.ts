/** All pages and forms, and the page about a failure. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatArguments } from '#cli/kit-flags.ts';
import { quoteForShell } from '#cli/help-layout.ts';
import { operationsByWords } from '#cli/siblings.ts';
import type { Operation } from '#core/operation.ts';
import { addAssets } from '#ui/assets.ts';
import { addDevicePages } from '#transports/pages/device/routes.ts';
import { addDocs } from '#transports/pages/docs.ts';
import { sendErrorPage, sendErrorToProgram } from '#transports/pages/errors.ts';
import { redirectAfterForm } from '#ui/http.ts';
import { addLiveStreams } from '#features/updates/pages/live.ts';
import type { Visitor } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addOAuth } from '#transports/pages/oauth/routes.ts';
import { addPayPages } from '#features/payments/pages/pay.ts';
import { addAuthRoutes } from '#transports/pages/people/auth-routes.ts';
import { addAccountPages } from '#features/people/pages/account.ts';
import { addBillingPages } from '#features/billing/pages/billing.ts';
import { addNotificationPages } from '#features/notifications/pages/notifications.ts';
import { addUnsubscribePages } from '#features/people/pages/unsubscribe.ts';
import { addOrganizationPages } from '#features/people/pages/organization.ts';
import { addProgramPages } from '#features/people/pages/programs.ts';
import { addTokenPages } from '#features/tokens/pages/tokens.ts';
import { addSharePages } from '#features/shares/pages/shares.ts';
import { addSharedPages } from '#features/shares/pages/shared.ts';
import { SHARED_PATH } from '#features/shares/rules.ts';
import { addWebhookPages } from '#features/webhooks/pages/webhooks.ts';
import { addOrganizationSwitch, sendOtherOrganization } from '#features/people/pages/switch.ts';
import { addSignInPages, sendSignedOut } from '#features/people/pages/sign-in.ts';
import { findSignedIn, NoOrganizationError, OtherOrganizationError } from '#ui/session.ts';
import { toFailure } from '#transports/rest/errors.ts';
import type { Routes } from '#ui/routes.ts';
import { addPortalPage } from '#ui/context.ts';
import {
  addDemo,
  loadExperimentListPage,
  loadHomePage,
} from '#features/experiments/pages/experiment-list.ts';
import { loadExperimentPage } from '#features/experiments/pages/experiment.ts';
import {
  loadDataPackageProgress,
  openDataPackage,
  PACKAGE_PATH,
} from '#features/results/pages/package-page.ts';
import { addDraftEdit } from '#features/experiments/pages/edit-draft.ts';
import { addNewExperiment } from '#features/experiments/pages/new-experiment.ts';
import {
  CSV_PATH,
  sendInvoicesCsv,
  loadInvoiceListPage,
  redirectToInvoicePdf,
  redirectToOwnInvoicePdf,
} from '#features/invoices/pages/invoices.ts';
import { addQuoteForms, loadQuotePage, redirectToQuotePdf } from '#features/quotes/pages/quote.ts';
import {
  sendExperimentPlot,
  sendResultCurves,
  sendResultCurvesCsv,
  sendResultJson,
  loadResultPage,
  sendResultPlot,
} from '#features/results/pages/result.ts';
import {
  sendExplorerPart,
  sendResultsCsv,
  sendResultsWorkbook,
  sendThumbnails,
} from '#features/results/pages/explorer.ts';
import { loadComparePage, sendCompareCsv, sendComparePlot } from '#features/results/pages/compare.ts';
import { loadDesignsPage, sendDesignsCsv } from '#features/results/pages/designs.ts';
import { sendResultThumbnail } from '#features/results/pages/thumbnail.ts';
import { addTargetRequestForm } from '#features/targets/pages/target-request-form.ts';
import { loadTargetRequestListPage, loadTargetRequestPage } from '#features/targets/pages/target-requests.ts';
import { loadTargetListPage, loadTargetPage } from '#features/targets/pages/targets.ts';
import { writeToLab } from '#features/messages/pages/talk.ts';
import { experimentActions, sendSequencesFasta } from '#features/experiments/pages/forms.ts';
import { bindings } from '#transports/operations.ts';
import { assayTypesScreen } from '#features/pricing/pages/assay-types.ts';
import { calendarScreen } from '#features/pricing/pages/calendar.ts';
import { createAuditScreen } from '#features/audit/pages/audit.ts';
import { controlsScreen } from '#features/controls/pages/controls.ts';
import { clientsScreen } from '#features/organizations/pages/clients.ts';
import { healthScreen } from '#features/installation/pages/health.ts';
import { invoicesScreen } from '#features/invoices/pages/lab-invoices.ts';
import { refundsScreen } from '#features/invoices/pages/refunds.ts';
import { catalogScreen } from '#features/targets/pages/catalog/screen.ts';
import { plannerScreen } from '#features/runs/pages/planner/screen.ts';
import { materialsScreen } from '#features/materials/pages/screen.ts';
import { pricesScreen } from '#features/pricing/pages/price-lists/screen.ts';
import { queueScreen } from '#features/queue/pages/queue.ts';
import { quotesScreen } from '#features/quotes/pages/composer/screen.ts';
import { requestsScreen } from '#features/targets/pages/answers/screen.ts';
import { runsScreen } from '#features/runs/pages/screen.ts';
import { addPortalActions, createLabRoutes, type LabScreen } from '#ui/screen.ts';
import { staffScreen } from '#features/people/pages/staff.ts';
import { todayScreen } from '#features/queue/pages/today.ts';

export function addAllPages(routes: Routes, parts: PagesParts): void {
  addAssets(routes);
  addPayPages(routes, parts);
  addAuthRoutes(routes, parts);
  addOAuth(routes, parts);
  addSignInPages(routes, parts);
  addAccountPages(routes, parts);
  addProgramPages(routes, parts);
  addNotificationPages(routes, parts);
  addUnsubscribePages(routes, parts);
  addOrganizationSwitch(routes, parts);
  addOrganizationPages(routes, parts);
  addBillingPages(routes, parts);
  addTokenPages(routes, parts);
  addSharePages(routes, parts);
  addSharedPages(routes, parts);
  addWebhookPages(routes, parts);
  addLiveStreams(routes, parts);
  addPortal(routes, parts);
  addLab(routes, parts);
  addDevicePages(routes, parts);
  addDocs(routes, parts, writeCommand);
}

const wordsOfOperations = new Map(Array.from(operationsByWords, ([words, { id }]) => [id, words]));

/** The example of an operation as it is typed into a terminal. */
function writeCommand(operation: Operation): string | null {
  const words = wordsOfOperations.get(operation.id);
  if (words === undefined) return null;
  const { upload, text, example } = operation;
  const file =
    upload === undefined && text === undefined ? undefined : (example.params?.['name'] ?? 'file.csv');
  const typed = formatArguments(operation, { ...example, file });
  return ['assayer', words, ...typed.map(quoteForShell)].join(' ');
}

export async function answerPageError(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  const { site } = parts.work;
  if (error instanceof NoOrganizationError) return redirectAfterForm(reply, '/organizations');
  if (error instanceof OtherOrganizationError)
    return sendOtherOrganization(parts, request, reply, error.organizationId);
  if (toFailure(error).code === 'unauthenticated') return sendSignedOut(parts, request, reply);
  if (isFromProgram(request)) return sendErrorToProgram(parts, request, reply, error);
  const isBare = request.url.startsWith('/pay/') || request.url.startsWith(`${SHARED_PATH}/`);
  const visitor = isBare ? null : await findVisitor(parts, request);
  return sendErrorPage(parts, { site, visitor, isBare }, request, reply, error);
}

/** The routes of the sign-in library are for programs and scripts; a browser that navigates there gets a page. */
function isFromProgram({ url, headers }: FastifyRequest): boolean {
  return url.startsWith('/auth/') && !(headers.accept?.includes('text/html') ?? false);
}

/** The page about a failure must not fail for the same reason. */
async function findVisitor(parts: PagesParts, request: FastifyRequest): Promise<Visitor | null> {
  const session = await findSignedIn(parts, request).catch(() => null);
  return session?.visitor ?? null;
}

/**
 * The routes of the portal. Pages read, and forms act, through operations.
 */
function addPortal(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, '/', (context) => loadHomePage(context));
  addDemo(routes, parts);
  addNewExperiment(routes, parts);
  addDraftEdit(routes, parts);
  addPortalPage(routes, parts, '/experiments', loadExperimentListPage);
  addPortalPage(routes, parts, '/experiments/:experiment_id', (context) => loadExperimentPage(context));
  addPortalActions(routes, parts, [...experimentActions, writeToLab], loadExperimentPage);
  addPortalPage(routes, parts, '/experiments/:id/sequences.fasta', sendSequencesFasta);
  addPortalPage(routes, parts, '/experiments/:id/plot.svg', sendExperimentPlot);
  addPortalPage(routes, parts, '/experiments/:id/explorer', sendExplorerPart);
  addPortalPage(routes, parts, '/experiments/:id/thumbnails.json', sendThumbnails);
  addPortalPage(routes, parts, '/experiments/:id/results.csv', sendResultsCsv);
  addPortalPage(routes, parts, '/experiments/:id/results.xlsx', sendResultsWorkbook);
  addPortalPage(routes, parts, PACKAGE_PATH, openDataPackage);
  addPortalPage(routes, parts, `${PACKAGE_PATH}/progress`, loadDataPackageProgress);
  addPortalPage(routes, parts, '/experiments/:id/quote.pdf', redirectToQuotePdf);
  addPortalPage(routes, parts, '/experiments/:id/invoice.pdf', redirectToInvoicePdf);
  addPortalPage(routes, parts, '/quotes/:quote_id', (context) => loadQuotePage(context));
  addQuoteForms(routes, parts);
  addPortalPage(routes, parts, '/invoices', loadInvoiceListPage);
  addPortalPage(routes, parts, CSV_PATH, sendInvoicesCsv);
  addPortalPage(routes, parts, '/invoices/:id/invoice.pdf', redirectToOwnInvoicePdf);
  addPortalPage(routes, parts, '/results/:id', loadResultPage);
  addPortalPage(routes, parts, '/results/:id/plot.svg', sendResultPlot);
  addPortalPage(routes, parts, '/results/:id/thumbnail.svg', sendResultThumbnail);
  addPortalPage(routes, parts, '/results/:id/curves.json', sendResultCurves);
  addPortalPage(routes, parts, '/results/:id/curves.csv', sendResultCurvesCsv);
  addPortalPage(routes, parts, '/results/:id/record.json', sendResultJson);
  addPortalPage(routes, parts, '/designs', loadDesignsPage);
  addPortalPage(routes, parts, '/designs.csv', sendDesignsCsv);
  addPortalPage(routes, parts, '/compare', loadComparePage);
  addPortalPage(routes, parts, '/compare/plot.svg', sendComparePlot);
  addPortalPage(routes, parts, '/compare.csv', sendCompareCsv);
  addPortalPage(routes, parts, '/targets', loadTargetListPage);
  addPortalPage(routes, parts, '/targets/:id', loadTargetPage);
  addPortalPage(routes, parts, '/target-requests', loadTargetRequestListPage);
  addTargetRequestForm(routes, parts);
  addPortalPage(routes, parts, '/target-requests/:id', loadTargetRequestPage);
}

/**
 * The screens of the lab, in the order of the navigation. Pages read, and forms act, through operations.
 */

const LAB_SCREENS: readonly LabScreen[] = [
  todayScreen,
  queueScreen,
  requestsScreen,
  quotesScreen,
  materialsScreen,
  plannerScreen,
  runsScreen,
  invoicesScreen,
  refundsScreen,
  clientsScreen,
  catalogScreen,
  pricesScreen,
  assayTypesScreen,
  calendarScreen,
  controlsScreen,
  staffScreen,
  createAuditScreen(
    bindings.filter(({ kind }) => kind === 'audited_read').map(({ operation }) => operation.id),
  ),
  healthScreen,
];

function addLab(routes: Routes, parts: PagesParts): void {
  for (const screen of LAB_SCREENS) screen.add(createLabRoutes(routes, parts, LAB_SCREENS, screen));
}
