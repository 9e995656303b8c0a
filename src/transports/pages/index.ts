/**
 * The pages of the service: payment, sign-in, the portal, the lab, the API reference. They are plain HTML, which is
 * complete without scripts.
 * This folder: the server of pages, the API reference and the doors of programs. Not here: the pages of a noun, which
 * stand with it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import type { ServedRoutes } from '../rest/serve-routes.ts';
import { PUBLIC_FORM_BYTES_MAX, setPageHeaders } from '#ui/http.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Routes } from '#ui/routes.ts';
import { createPagesParts, type DoorParts } from './parts.ts';
import type { RouteDefaults } from '../rest/routes.ts';

/** Every page and form, and the answer to a failure of one. */
export interface Pages {
  readonly addAllPages: (routes: Routes, parts: PagesParts) => void;
  readonly answerPageError: (
    parts: PagesParts,
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ) => Promise<FastifyReply>;
}

export function addPages(served: ServedRoutes, doors: DoorParts, pages: Pages): void {
  const parts = createPagesParts(doors);
  const defaults: RouteDefaults = {
    begin: setPageHeaders,
    bodyLimit: PUBLIC_FORM_BYTES_MAX,
    answerError: (request, reply, error) => pages.answerPageError(parts, request, reply, error),
  };
  pages.addAllPages(served.open(defaults), parts);
  served.addUnknown(defaults, answerUnknown);
}

/** Unknown addresses: a page for a person, the API's own answer for all others. */
function answerUnknown(request: FastifyRequest, reply: FastifyReply): void {
  const isPerson = request.headers.accept?.includes('text/html') ?? false;
  if (!isPerson) return reply.callNotFound();
  throw fail('route_not_found', { method: 'GET', path: '' });
}
