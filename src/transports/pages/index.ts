/**
 * The pages of the service: payment, sign-in, the portal, the lab, the API reference. They are plain HTML, which is
 * complete without scripts.
 * This folder: the pages of the service, plain HTML. Not here: rules and SQL: a page calls operations.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import { addAssets } from './assets.ts';
import { addDevicePages } from './device/routes.ts';
import { addDocs } from './docs.ts';
import { sendErrorPage, sendErrorToProgram } from './errors.ts';
import { PUBLIC_FORM_BYTES_MAX, redirectAfterForm, setPageHeaders } from './http.ts';
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
import { addSignInPages, sendSignedOut } from './people/sign-in.ts';
import { findSignedIn, NoOrganizationError } from './session.ts';
import { toFailure } from '../rest/errors.ts';

export type { PagesParts } from './parts.ts';

export function addPages(app: FastifyInstance, parts: PagesParts): void {
  void app.register((pages, _options, done) => {
    pages.addHook('onRequest', (_request, reply, next) => {
      setPageHeaders(reply);
      next();
    });
    pages.addHook('onRoute', (route) => {
      route.bodyLimit ??= PUBLIC_FORM_BYTES_MAX;
    });
    pages.setErrorHandler((error, request, reply) => answerError(parts, request, reply, error));
    addAssets(pages);
    addPayPages(pages, parts);
    addAuthRoutes(pages, parts);
    addOAuth(pages, parts);
    addSignInPages(pages, parts);
    addAccountPages(pages, parts);
    addProgramPages(pages, parts);
    addNotificationPages(pages, parts);
    addUnsubscribePages(pages, parts);
    addOrganizationSwitch(pages, parts);
    addOrganizationPages(pages, parts);
    addBillingPages(pages, parts);
    addTokenPages(pages, parts);
    addWebhookPages(pages, parts);
    addLiveStreams(pages, parts);
    addPortal(pages, parts);
    addLab(pages, parts);
    addDevicePages(pages, parts);
    addDocs(pages, parts);
    addUnknown(pages);
    done();
  });
}

/** Unknown addresses: a page for a person, the API's own answer for all others. */
function addUnknown(pages: FastifyInstance): void {
  pages.get('/*', (request, reply) => {
    const [path = ''] = request.url.split('?');
    const isPerson = request.headers.accept?.includes('text/html') ?? false;
    if (!isPerson || /^\/(?:api|mcp)(?:\/|$)/.test(path)) return reply.callNotFound();
    throw fail('route_not_found', { method: 'GET', path: '' });
  });
}

async function answerError(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<FastifyReply> {
  const { site } = parts.work;
  if (error instanceof NoOrganizationError) return redirectAfterForm(reply, '/organizations');
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
