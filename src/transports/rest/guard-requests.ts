/** What holds for every route that is added after it: those of the API, of the pages and of the tool protocol. */
import type { FastifyInstance } from 'fastify';
import { fail } from '#core/failures.ts';
import { requireStorableRequest } from '../storable-text.ts';

export function guardRequests(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    // A client that went away while it was being identified: its body would be waited for without end.
    const isGone = request.raw.destroyed && !request.raw.complete;
    done(isGone ? fail('upload_broken_off') : null, payload);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    requireStorableRequest(request);
    done();
  });
}
