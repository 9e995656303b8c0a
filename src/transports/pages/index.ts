/** The pages of the service: pay, sign in, the portal, the API reference. They are plain HTML and run no script. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import { addAssets } from './assets.ts';
import { addDocs } from './docs.ts';
import { sendErrorPage } from './errors.ts';
import { FORM_BYTES_MAX, sendPage, setPageHeaders } from './http.ts';
import { renderPage, type Visitor } from './layout.ts';
import type { PagesParts } from './parts.ts';
import { addPayPages } from './pay.ts';
import { addPortal } from './portal/routes.ts';
import { findOpenSession } from './session.ts';
import { addSignInPages, signedOutPage } from './sign-in.ts';
import { toFailure } from '../rest/errors.ts';

export type { PagesParts } from './parts.ts';

export function addPages(app: FastifyInstance, parts: PagesParts): void {
  void app.register((pages, _options, done) => {
    pages.addHook('onRequest', (_request, reply, next) => {
      setPageHeaders(reply);
      next();
    });
    pages.addHook('onRoute', (route) => {
      route.bodyLimit ??= FORM_BYTES_MAX;
    });
    pages.setErrorHandler((error, request, reply) => answerError(parts, request, reply, error));
    addAssets(pages);
    addPayPages(pages, parts);
    addSignInPages(pages, parts);
    addPortal(pages, parts);
    addDocs(pages, parts);
    addUnknown(pages);
    done();
  });
}

/** An address that nothing serves: a page for a person, the API's own answer for everything else. */
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
  const { environment } = parts.work.site;
  if (toFailure(error).code === 'unauthenticated') {
    const status = request.method === 'GET' && request.routeOptions.url === '/' ? 200 : 401;
    return sendPage(reply, renderPage({ environment, visitor: null }, signedOutPage), status);
  }
  const isBare = request.url.startsWith('/pay/');
  const visitor = isBare ? null : await visitorOf(parts, request);
  return sendErrorPage(parts, { environment, visitor, isBare }, request, reply, error);
}

/** The page about a failure must not fail for the same reason. */
async function visitorOf(parts: PagesParts, request: FastifyRequest): Promise<Visitor | null> {
  const session = await findOpenSession(parts, request).catch(() => null);
  return session?.visitor ?? null;
}
