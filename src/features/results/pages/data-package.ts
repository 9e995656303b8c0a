/** The data package of an experiment: the link to it, and the page that follows its making. */
import type { FastifyReply } from 'fastify';
import { getScope } from '#core/principal.ts';
import { getDataPackage } from '../package/contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { loadPackagePage, openPackage, type PackagePage } from './package-page.ts';

export const PACKAGE_PATH = '/experiments/:id/data-package';

export async function openDataPackage(context: PortalContext): Promise<FastifyReply> {
  return openPackage(context, await readPage(context));
}

export async function loadDataPackageProgress(context: PortalContext): Promise<PageContent> {
  return loadPackagePage(context, await readPage(context));
}

/** The operation decides who gets the link. */
async function readPage({ api, request, session }: PortalContext): Promise<PackagePage> {
  const experimentId = getPathParameter(request, 'id');
  const { headers } = await api.reply(getDataPackage, { params: { experiment_id: experimentId } });
  const back = `/experiments/${encodeURIComponent(experimentId)}`;
  return {
    scope: getScope(session.principal),
    experimentId,
    link: headers.location ?? '/',
    path: `${back}/data-package/progress`,
    back,
  };
}
