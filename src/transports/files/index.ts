/**
 * Documents behind signed links. They need no token and no cookie; the link is the permission.
 * This folder: files behind signed links. Not here: what the files contain (`workflows/data-package`, `workflows/billing`).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WriteArchive } from '#core/archive.ts';
import type { Blobs } from '#core/blobs.ts';
import type { DocumentFile, Documents, Work } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { LinkSigner } from '#core/signed-link.ts';
import type { RenderPdf } from '#presentation/document.ts';
import type { Database } from '#core/sql.ts';
import { DOCUMENT_PATH, formatDocumentHeaders, toBuffer } from '#workflows/billing/link-document.ts';
import { DATA_PACKAGE_PATH, REVIEW_PACKAGE_PATH } from '#workflows/data-package/package-link.ts';
import { watchClient } from '../client-signal.ts';
import { getPathParameter } from '../pages/http.ts';
import type { Routes } from '../rest/routes.ts';
import { createOrganizationScope, labScope, type Scope } from '#core/scope.ts';
import { ArchivePlaces } from './archive-places.ts';
import { cutSlowReader } from './cut-slow-reader.ts';

export interface FilesParts {
  readonly work: Work;
  readonly database: Database;
  readonly links: LinkSigner;
  readonly writeArchive: WriteArchive;
  readonly renderPdf: RenderPdf;
  /** The kept raw files, of which packages hold parts. */
  readonly blobs: Pick<Blobs, 'locate'>;
  readonly documents: Documents;
}

export function addFiles(routes: Routes, parts: FilesParts): void {
  const { work, database, links, writeArchive } = parts;
  const places = new ArchivePlaces();
  addDocuments(routes, parts);

  const openArchive = async (
    reply: FastifyReply,
    of: { readonly scope: Scope; readonly experimentId: string },
  ) => {
    // Eighty modules of figures and reports: a service loads them with its first package.
    const { buildDataPackage } = await import('#workflows/data-package/build-data-package.ts');
    const { renderPdf, blobs } = parts;
    const tools = { site: work.site, sql: database.read, renderPdf, blobs, signal: watchClient(reply) };
    const { entries, fileName, releasedAt, onWritten } = await buildDataPackage(
      tools,
      of.scope,
      of.experimentId,
    );
    return { archive: writeArchive(entries, { modifiedAt: releasedAt, onWritten }), fileName };
  };
  const sendPackage = async (
    request: FastifyRequest,
    reply: FastifyReply,
    of: { readonly scope: Scope; readonly owner: string; readonly experimentId: string },
  ) => {
    const [path = ''] = request.url.split('?');
    links.check(path, request.query, work.clock.now());
    const release = places.take(of.owner);
    const { archive, fileName } = await openArchive(reply, of).catch((error: unknown) => {
      release();
      throw error;
    });
    archive.once('close', release);
    cutSlowReader(reply.raw);
    return reply
      .header('content-type', 'application/zip')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .header('cache-control', 'private, no-store')
      .send(archive);
  };
  routes.get(`${DATA_PACKAGE_PATH}/:organization_id/:experiment_id`, (request, reply) => {
    const organizationId = getPathParameter(request, 'organization_id');
    const experimentId = getPathParameter(request, 'experiment_id');
    return sendPackage(request, reply, {
      scope: createOrganizationScope(organizationId),
      owner: organizationId,
      experimentId,
    });
  });
  routes.get(`${REVIEW_PACKAGE_PATH}/:experiment_id`, (request, reply) =>
    sendPackage(request, reply, {
      scope: labScope,
      owner: 'lab',
      experimentId: getPathParameter(request, 'experiment_id'),
    }),
  );
}

function addDocuments(routes: Routes, { work, links, documents }: FilesParts): void {
  routes.get(`${DOCUMENT_PATH}/:kind/:id`, async (request, reply) => {
    const [path = ''] = request.url.split('?');
    links.check(path, request.query, work.clock.now());
    const document = await documents.find(
      getPathParameter(request, 'kind'),
      getPathParameter(request, 'id'),
      watchClient(reply),
    );
    if (document === undefined) throw fail('document_not_found');
    return sendDocument(reply, document);
  });
}

export function sendDocument(reply: FastifyReply, { fileName, bytes }: DocumentFile): FastifyReply {
  return reply
    .headers(formatDocumentHeaders(fileName))
    .header('cache-control', 'private, no-cache')
    .send(toBuffer(bytes));
}
