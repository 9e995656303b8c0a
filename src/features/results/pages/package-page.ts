/** The data package of an experiment: the link to it, and the page that follows its making. */
import type { FastifyReply } from 'fastify';
import { Failure } from '#core/failures.ts';
import type { Scope } from '#core/scope.ts';
import { watchClient } from '#ui/client-signal.ts';
import type { PortalContext } from '#ui/context.ts';
import { redirectAfterForm, getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { type PackageTools, awaitPackage } from '../package/await-package.ts';
import { getScope } from '#core/principal.ts';
import { getDataPackage } from '../package/contract.ts';

declare module '#ui/parts.ts' {
  interface PagesParts {
    readonly packages: PackageTools;
  }
}

/** Most packages of a few results are made within it, so that a press of the link downloads them. */
const PATIENCE_MS = 2_000;
const REFRESH_SECONDS = 2;

export interface PackagePage {
  readonly scope: Scope;
  readonly experimentId: string;
  /** The signed link to the archive. */
  readonly link: string;
  /** Where this page is, and where the results are. */
  readonly path: string;
  readonly back: string;
}

/** Sends the browser to the archive if it is made soon, and otherwise to the page that follows its making. */
export async function openPackage(context: PortalContext, page: PackagePage): Promise<FastifyReply> {
  const state = await readState(context, page, PATIENCE_MS);
  return redirectAfterForm(context.reply, state.kind === 'ready' ? page.link : page.path);
}

export async function loadPackagePage(context: PortalContext, page: PackagePage): Promise<PageContent> {
  const state = await readState(context, page, 0);
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="${page.back}">Back to the results</a></nav>
<div class="page-head"><h1>Data package</h1></div>
<section class="card stack" aria-label="State of the data package">${renderState(state, page)}</section>`;
  const isMoving = state.kind === 'being_made';
  return {
    title: isMoving ? `Data package: ${describeProgress(state)}` : 'Data package',
    body,
    section: 'experiments',
    width: 'narrow',
    ...(isMoving ? { refreshSeconds: REFRESH_SECONDS, live: { everySeconds: REFRESH_SECONDS } } : {}),
  };
}

type State =
  | { readonly kind: 'ready'; readonly sizeBytes: number }
  | { readonly kind: 'being_made'; readonly done: number; readonly total: number }
  | { readonly kind: 'failed'; readonly sentence: string };

async function readState(
  { parts, reply }: PortalContext,
  { scope, experimentId }: PackagePage,
  limitMs: number,
): Promise<State> {
  try {
    const wait = { limitMs, signal: watchClient(reply) };
    const { sizeBytes } = await awaitPackage(parts.packages, scope, experimentId, wait);
    return { kind: 'ready', sizeBytes };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'data_package_failed') return { kind: 'failed', sentence: error.message };
    if (error.code !== 'data_package_not_ready') throw error;
    return {
      kind: 'being_made',
      done: Number(error.extra.results_done),
      total: Number(error.extra.results_total),
    };
  }
}

function describeProgress({ done, total }: Extract<State, { kind: 'being_made' }>): string {
  return `being made, ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} results`;
}

function renderState(state: State, { link, path }: PackagePage): Markup {
  if (state.kind === 'ready')
    return markup`<p role="status">Ready, ${(state.sizeBytes / 1e6).toFixed(1)} MB.</p><p><a class="button" href="${link}" download>Download</a></p>`;
  if (state.kind === 'failed') return markup`<p class="note attention" role="alert">${state.sentence}</p>`;
  return markup`<p role="status">The data package is ${describeProgress(state)}.</p>
<progress max="${state.total}" value="${state.done}" aria-label="Results done">${state.done} of ${state.total}</progress>
<p class="hint">The link stands here when it is ready. It is made once, and kept for later downloads. You may leave this page.</p>
<noscript><p class="hint">This page is loaded anew every ${REFRESH_SECONDS} s. <a href="${path}">Load it now</a></p></noscript>`;
}

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
