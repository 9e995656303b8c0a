/** Serves the document, without the operations for partners and for staff to whoever is neither. */
import type { FastifyRequest } from 'fastify';
import { runInSlices, type Steps } from '#core/slices.ts';
import type { Authenticate } from '../authenticate.ts';
import type { Binding } from '#features/binding.ts';
import { getApiKeyHeader, getCredentials, writeBrandedDocument, type Branding } from '../branding.ts';
import { getAudience, listAudiences, type Audience } from '../permissions.ts';
import { writeOpenapi } from './document.ts';
import type { Routes } from '#ui/routes.ts';

export interface DocumentParts {
  readonly bindings: readonly Binding[];
  readonly authenticate: Authenticate;
  readonly branding: Branding;
}

export function addOpenapiRoute(routes: Routes, path: string, parts: DocumentParts): void {
  // Written at the first request, because most services start more often than they are asked for it.
  const written = new Map<string, Promise<string>>();
  const write = (audiences: ReadonlySet<Audience>): Promise<string> => {
    const key = [...audiences].join(' ');
    const known =
      written.get(key) ??
      runInSlices(writeFor(parts.bindings, audiences)).then((text) =>
        writeBrandedDocument(text, parts.branding),
      );
    written.set(key, known);
    return known;
  };
  routes.get(path, { config: { isPublished: true } }, async (request, reply) => {
    const document = await write(await identifyAudiences(parts, request));
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'private, no-cache')
      .header('vary', `authorization, ${getApiKeyHeader(parts.branding).toLowerCase()}`)
      .send(document);
  });
}

/** Writes the document as one of these audiences sees it. */
export function writeFor(bindings: readonly Binding[], audiences: ReadonlySet<Audience>): Steps<string> {
  return writeOpenapi(bindings.filter(({ operation }) => audiences.has(getAudience(operation))));
}

/** The document needs no token, so an invalid token counts as none. */
async function identifyAudiences(
  { authenticate, branding }: DocumentParts,
  request: FastifyRequest,
): Promise<ReadonlySet<Audience>> {
  const credentials = getCredentials(request.headers, branding);
  if (credentials.authorization === undefined && credentials.apiKey === undefined) return listAudiences(null);
  try {
    return listAudiences(await authenticate(credentials));
  } catch {
    return listAudiences(null);
  }
}
