/** All pages and forms, and the page about a failure. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addAssets } from '#ui/assets.ts';
import { addDevicePages } from '#transports/pages/device/routes.ts';
import { addDocs } from '#transports/pages/docs.ts';
import { sendErrorPage, sendErrorToProgram } from '#transports/pages/errors.ts';
import { redirectAfterForm } from '#ui/http.ts';
import { addLab } from './lab-pages.ts';
import { addLiveStreams } from '#features/updates/pages/live.ts';
import type { Visitor } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addOAuth } from '#transports/pages/oauth/routes.ts';
import { addPayPages } from '#features/payments/pages/pay.ts';
import { addPortal } from './portal-pages.ts';
import { addAuthRoutes } from '#transports/pages/people/auth-routes.ts';
import { addAccountPages } from '#features/people/pages/account.ts';
import { addBillingPages } from '#features/billing/pages/billing.ts';
import { addNotificationPages } from '#features/notifications/pages/notifications.ts';
import { addUnsubscribePages } from '#features/people/pages/unsubscribe.ts';
import { addOrganizationPages } from '#features/people/pages/organization.ts';
import { addProgramPages } from '#features/people/pages/programs.ts';
import { addTokenPages } from '#features/tokens/pages/tokens.ts';
import { addWebhookPages } from '#features/webhooks/pages/webhooks.ts';
import { addOrganizationSwitch } from '#features/people/pages/switch.ts';
import { sendOtherOrganization } from '#transports/pages/other-organization.ts';
import { addSignInPages, sendSignedOut } from '#features/people/pages/sign-in.ts';
import { findSignedIn, NoOrganizationError, OtherOrganizationError } from '#ui/session.ts';
import { toFailure } from '#transports/rest/errors.ts';
import type { Routes } from '#ui/routes.ts';

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
  addWebhookPages(routes, parts);
  addLiveStreams(routes, parts);
  addPortal(routes, parts);
  addLab(routes, parts);
  addDevicePages(routes, parts);
  addDocs(routes, parts);
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
  const isBare = request.url.startsWith('/pay/');
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
