/** The pages of the service: pay, sign in, and the portal. They are plain HTML and run no script. */
import type { FastifyInstance } from 'fastify';
import { addAssets } from './assets.ts';
import { sendErrorPage } from './errors.ts';
import { FORM_BYTES_MAX, setPageHeaders } from './http.ts';
import type { PagesParts } from './parts.ts';
import { addPayPages } from './pay.ts';

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
    pages.setErrorHandler((error, request, reply) => {
      const isBare = request.url.startsWith('/pay/');
      const frame = { environment: parts.work.site.environment, visitor: null, isBare };
      return sendErrorPage(parts, frame, request, reply, error);
    });
    addAssets(pages);
    addPayPages(pages, parts);
    done();
  });
}
