/** All pages and forms, and the page about a failure. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addAssets } from './assets.ts';
import { addDevicePages } from './device/routes.ts';
import { addDocs } from './docs.ts';
import { sendErrorPage, sendErrorToProgram } from './errors.ts';
import { redirectAfterForm } from './http.ts';
import { addLab } from './lab/routes.ts';
import { addLiveStreams } from './live.ts';
import type { Visitor } from './layout.ts';
import type { PagesParts } from './parts.ts';
import { addOAuth } from './oauth/routes.ts';
import { addPayPages } from './pay.ts';
import { addPortal } from './portal/routes.ts';
import { addAuthRoutes } from './people/auth-routes.ts';
import { addAccountPages } from './people/account.ts';
import { addBillingPages } from './people/billing.ts';
import { addNotificationPages } from './people/notifications.ts';
import { addUnsubscribePages } from './people/unsubscribe.ts';
import { addOrganizationPages } from './people/organization.ts';
import { addProgramPages } from './people/programs.ts';
import { addTokenPages } from './people/tokens.ts';
import { addWebhookPages } from './people/webhooks.ts';
import { addOrganizationSwitch } from './people/switch.ts';
import { sendOtherOrganization } from './people/other-organization.ts';
import { findElsewhere, sendElsewhere } from './people/page-elsewhere.ts';
import { addSignInPages, sendSignedOut } from './people/sign-in.ts';
import { findSignedIn, NoOrganizationError, OtherOrganizationError } from './session.ts';
import { toFailure } from '../rest/errors.ts';
import type { Routes } from '../rest/routes.ts';

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
  const { code } = toFailure(error);
  if (code === 'unauthenticated') return sendSignedOut(parts, request, reply);
  if (isFromProgram(request)) return sendErrorToProgram(parts, request, reply, error);
  // The page about a failure must not fail for the same reason.
  const elsewhere = await findElsewhere(parts, request, code).catch(() => undefined);
  if (elsewhere !== undefined) return sendElsewhere(parts, request, reply, elsewhere);
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
