/** The data package of results in review: the link to it, and the page that follows its making. */
import type { FastifyReply } from 'fastify';
import { labScope } from '#core/scope.ts';
import { getLabDataPackage } from '../../results/lab-contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { loadPackagePage, openPackage, type PackagePage } from '../../results/pages/package-page.ts';

/** The operation records that somebody reads the results. */
export async function openReviewPackage(context: PortalContext): Promise<FastifyReply> {
  const page = getPage(context);
  const { headers } = await context.api.reply(getLabDataPackage, {
    params: { experiment_id: page.experimentId },
  });
  return openPackage(context, { ...page, link: headers.location ?? '/lab' });
}

/** This page is read again and again and shows no result, so only its link is recorded. */
export async function loadReviewPackageProgress(context: PortalContext): Promise<PageContent> {
  return loadPackagePage(context, getPage(context));
}

function getPage({ request }: PortalContext): PackagePage {
  const experimentId = getPathParameter(request, 'id');
  const base = `/lab/experiments/${encodeURIComponent(experimentId)}`;
  const link = `${base}/data-package`;
  return { scope: labScope, experimentId, link, path: `${link}/progress`, back: `${base}/review` };
}
