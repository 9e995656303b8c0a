/** Serves the document. Requests with a partner's token also get the operations for partners. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { remember } from '#core/remember.ts';
import type { Authenticate } from '../authenticate.ts';
import type { Binding } from '../binding.ts';
import { getCredentials, type Branding } from '../branding.ts';
import { isPublished, writeOpenapi } from './document.ts';

export interface DocumentParts {
  readonly bindings: readonly Binding[];
  readonly authenticate: Authenticate;
  readonly branding: Branding;
}

export function addOpenapiRoute(app: FastifyInstance, path: string, parts: DocumentParts): void {
  // Written at the first request, because most services start more often than they are asked for it.
  const writePublished = remember(() => writeOpenapi(parts.bindings.filter(isPublished)));
  const writeWhole = remember(() => writeOpenapi(parts.bindings));
  app.get(path, async (request, reply) => {
    const document = (await isPartner(parts, request)) ? writeWhole() : writePublished();
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('vary', 'authorization')
      .send(document);
  });
}

/** The document needs no token, so an invalid token counts as none. */
async function isPartner({ authenticate, branding }: DocumentParts, request: FastifyRequest) {
  const credentials = getCredentials(request.headers, branding);
  if (credentials.authorization === undefined && credentials.apiKey === undefined) return false;
  try {
    return (await authenticate(credentials)).permissions.has('partner:mint_token');
  } catch {
    return false;
  }
}
