/**
 * Documents behind signed links. They need no token and no cookie; the link is the permission.
 * This folder: files behind signed links. Not here: what the files contain (`features/results/package`, `features/billing`).
 */
import type { Documents, Work } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { LinkSigner } from '#core/signed-link.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { DOCUMENT_PATH, sendDocument } from '#features/billing/link-document.ts';
import type { PackageTools } from '#features/results/package/await-package.ts';
import { DATA_PACKAGE_PATH, REVIEW_PACKAGE_PATH } from '#features/results/package/package-link.ts';
import { watchClient } from '#ui/client-signal.ts';
import { getPathParameter } from '#ui/http.ts';
import type { Handle, Routes } from '#ui/routes.ts';
import { sendPackage, type WantedPackage } from './send-package.ts';
import { WaitingPlaces } from './waiting-places.ts';

export interface FilesParts {
  readonly work: Work;
  readonly links: LinkSigner;
  readonly documents: Documents;
  readonly packages: PackageTools;
}

export function addFiles(routes: Routes, parts: FilesParts): void {
  addDocuments(routes, parts);
  addPackages(routes, parts);
}

function addPackages(routes: Routes, { work, links, packages: tools }: FilesParts): void {
  const places = new WaitingPlaces();
  const handle =
    (getWanted: (...of: Parameters<Handle>) => WantedPackage): Handle =>
    (request, reply) => {
      const [path = ''] = request.url.split('?');
      links.check(path, request.query, work.clock.now());
      return sendPackage(request, reply, { places, tools }, getWanted(request, reply));
    };
  const ofClient = handle((request) => {
    const owner = getPathParameter(request, 'organization_id');
    const experimentId = getPathParameter(request, 'experiment_id');
    return { scope: createOrganizationScope(owner), owner, experimentId };
  });
  const ofLab = handle((request) => {
    const experimentId = getPathParameter(request, 'experiment_id');
    return { scope: labScope, owner: 'lab', experimentId };
  });
  routes.get(`${DATA_PACKAGE_PATH}/:organization_id/:experiment_id`, ofClient);
  routes.get(`${REVIEW_PACKAGE_PATH}/:experiment_id`, ofLab);
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
