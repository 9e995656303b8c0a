/** Hooks for every route that is added afterwards: those of the API, the pages and the tool protocol. */
import type { FastifyInstance } from 'fastify';
import { fail } from '#core/failures.ts';
import { requireStorableRequest } from '../storable-text.ts';

export function guardRequests(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    // The client left while it was being identified; waiting for its body would never end.
    const isGone = request.raw.destroyed && !request.raw.complete;
    done(isGone ? fail('upload_broken_off') : null, payload);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    requireStorableRequest(request);
    done();
  });
}
