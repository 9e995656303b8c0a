/**
 * The pages of the service: payment, sign-in, the portal, the lab, the API reference. They are plain HTML, which is
 * complete without scripts. They load with the first request for one of them.
 * This folder: the pages of the service, plain HTML. Not here: rules and SQL: a page calls operations.
 */
import { loadInTurns } from '#core/load-in-turns.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import type { ServedRoutes } from '../rest/serve-routes.ts';
import { PUBLIC_FORM_BYTES_MAX, setPageHeaders } from './http.ts';
import { pageModules } from './late-modules.ts';
import type { PagesParts } from './parts.ts';

export type { PagesParts } from './parts.ts';

let inTurns: Promise<void> | undefined;

/** Two hundred modules. */
async function loadPages() {
  await (inTurns ??= loadInTurns(pageModules));
  return import('./all-pages.ts');
}

export function addPages(served: ServedRoutes, parts: PagesParts): void {
  served.addLate({
    defaults: {
      begin: setPageHeaders,
      bodyLimit: PUBLIC_FORM_BYTES_MAX,
      answerError: async (request, reply, error) =>
        (await loadPages()).answerPageError(parts, request, reply, error),
    },
    add: async (routes) => (await loadPages()).addAllPages(routes, parts),
    answerUnknown,
  });
}

/** Unknown addresses: a page for a person, the API's own answer for all others. */
function answerUnknown(request: FastifyRequest, reply: FastifyReply): void {
  const isPerson = request.headers.accept?.includes('text/html') ?? false;
  if (!isPerson) return reply.callNotFound();
  throw fail('route_not_found', { method: 'GET', path: '' });
}
