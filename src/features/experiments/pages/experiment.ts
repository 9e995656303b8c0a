/** `/experiments/{id or code}`: status, costs, next step and results. */
import { formatCount } from '#core/words.ts';
import type { Turn } from '#core/lifecycle.ts';
import { getExperiment, type ExpInfo } from '../contract.ts';
import { getInvoicePdf } from '../../invoices/contract.ts';
import { getQuotePdf } from '../../quotes/contract.ts';
import { getExperimentResults } from '../../results/contract.ts';
import { getExperimentTurn } from '../turn.ts';
import { loadTalk, renderTalkCard } from '../../messages/pages/talk.ts';
import { getExperimentUpdates } from '../../updates/contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { createFormsView } from '#ui/form.ts';
import { getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { followOwn } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Remark } from '#ui/screen.ts';
import { canCall, type Session } from '#ui/session.ts';
import { toSentenceCase, statusWords, renderTime } from '#ui/words.ts';
import { renderOrderedCard } from './designs.ts';
import { renderDeclinedTarget, renderExperimentActions } from './forms.ts';
import { loadExplorer, renderExplorer, type Explorer } from '../../results/pages/explorer.ts';
import { renderFigures } from '../../results/pages/figures.ts';
import { renderEta, renderOwnOtherTurns, renderStatusChip, renderTurn } from '#ui/pieces.ts';
import { renderEstimate, renderInvoiced, renderQuoted } from '../../pricing/pages/price.ts';
import { refreshSeconds, renderStepper, renderTimeline } from './progress.ts';
import {
  findRequestOfExperiment,
  renderRequestChip,
  REQUESTS_PATH,
  type RequestItem,
} from '../../targets/pages/target-request-pieces.ts';

const UPDATES_SIZE = 100;

export async function loadExperimentPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { request, api, session, parts } = context;
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  const experiment = await api.call(getExperiment, { params });
  const hasResults = experiment.results_status !== 'none' && canCall(session, getExperimentResults);
  const [updates, explorer, targetRequest, messages] = await Promise.all([
    canCall(session, getExperimentUpdates)
      ? api.call(getExperimentUpdates, { params, query: { limit: UPDATES_SIZE, sort: 'desc(timestamp)' } })
      : null,
    hasResults ? loadExplorer(context, experiment.code) : null,
    findRequestOfExperiment(experiment, api, session),
    loadTalk(context, experiment.code),
  ]);
  const forms = createFormsView(context, remark);
  const isDeclined = targetRequest?.status === 'rejected';
  const declined = isDeclined && (await renderDeclinedTarget(forms, targetRequest, experiment, api));
  const isPaused = queryParameter(request, 'live') === 'off';
  const isDraft = experiment.status === 'draft';
  const hasExplorer = explorer !== null && explorer.overview.total > 0;
  const designs =
    !hasExplorer && (await renderOrderedCard(experiment, Number(queryParameter(request, 'offset'))));
  const seconds = refreshSeconds(experiment, parts.work.site.environment === 'sandbox');
  const body = markup`${renderHead(experiment)}
${renderStatusCard(experiment, { seconds, isPaused, isDeclined })}
${declined}
${hasExplorer && renderResultsSection(experiment, explorer)}
<div class="columns split">
<div class="first">${renderMoneyCard(experiment, { session, isDeclined }, renderExperimentActions(forms, experiment, isDeclined))}</div>
<div class="main stack">${isDraft && designs}${renderTalkCard(forms, experiment.code, messages)}${updates !== null && renderTimeline(updates.items, updates.total)}${!isDraft && designs}</div>
<div class="rest stack">${renderFactsCard(experiment, targetRequest)}</div>
</div>`;
  const title = `${experiment.code} ${experiment.name ?? ''}: ${statusWords[experiment.status]}`;
  return {
    title,
    body,
    section: 'experiments',
    api: { path: `/experiments/${experiment.code}`, id: experiment.id },
    scripts: ['explorer'],
    ...(isPaused ? {} : { refreshSeconds: seconds, live: followOwn(context, experiment.id) }),
  };
}

function renderHead(experiment: ExpInfo): Markup {
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Experiments</a></nav>
<div class="page-head"><div><p class="over mono">${experiment.code}</p><h1><bdi>${experiment.name ?? experiment.code}</bdi></h1></div>${renderStatusChip(experiment.status)}</div>
${experiment.description !== null && experiment.description !== undefined && markup`<p class="lead description"><bdi>${experiment.description}</bdi></p>`}`;
}

interface Followed {
  readonly seconds: number | undefined;
  readonly isPaused: boolean;
  readonly isDeclined: boolean;
}

function renderStatusCard(experiment: ExpInfo, { seconds, isPaused, isDeclined }: Followed): Markup {
  const turn: Turn =
    isDeclined && experiment.status === 'draft'
      ? { actor: 'client', does: 'choose another target' }
      : getExperimentTurn(experiment);
  const invoice = experiment.costs?.type === 'invoiced' ? experiment.costs.status : null;
  const path = `/experiments/${experiment.code}`;
  const note = isPaused
    ? markup`<p class="hint">Updates are paused. <a href="${path}">Follow live</a></p>`
    : seconds !== undefined &&
      markup`<noscript><p class="hint">This page is loaded anew every ${seconds} s. <a href="${path}?live=off">Pause</a></p></noscript>`;
  return markup`<section class="card status" aria-label="Status">
${renderStepper(experiment.status)}
<div class="turn"><p>${turn.actor !== null && markup`<span class="over">Next</span> `}${renderTurn(turn)}${renderOwnOtherTurns(experiment.status, invoice)}</p>${renderExpected(experiment)}${note}</div>
</section>`;
}

function renderExpected({ status, eta }: ExpInfo): Markup | null {
  const date = renderEta(status, eta);
  return date && markup`<p><span class="over">Results</span> ${date}</p>`;
}

function renderResultsSection(experiment: ExpInfo, explorer: Explorer): Markup {
  const { version } = explorer.overview;
  return markup`<div class="stack results"><span id="explorer-version" data-version="${version}" hidden></span>${renderExplorer(explorer)}
${renderFigures(`/experiments/${experiment.code}`, experiment.code, explorer.page.items)}</div>`;
}

interface Seen {
  readonly session: Session;
  readonly isDeclined: boolean;
}

function renderMoneyCard(experiment: ExpInfo, seen: Seen, actions: Markup | null): Markup | null {
  const { costs } = experiment;
  if ((costs === null || costs === undefined) && actions === null) return null;
  return markup`<section class="card stack money" aria-labelledby="money"><h2 id="money">${getCostTitle(costs)}</h2>${renderCosts(experiment, seen)}${actions}</section>`;
}

function getCostTitle(costs: ExpInfo['costs']): string {
  switch (costs?.type) {
    case 'quoted':
      return 'Quote';
    case 'invoiced':
      return 'Invoice';
    case undefined:
      return 'Actions';
    default:
      return 'Estimate';
  }
}

function renderCosts({ code, status, costs }: ExpInfo, { session, isDeclined }: Seen): Markup | null {
  if (costs === null || costs === undefined) return null;
  const path = `/experiments/${code}`;
  if (costs.type === 'quoted')
    return renderQuoted(costs, canCall(session, getQuotePdf) ? `${path}/quote.pdf` : null);
  if (costs.type === 'invoiced')
    return renderInvoiced(costs, status, canCall(session, getInvoicePdf) ? `${path}/invoice.pdf` : null);
  return renderEstimate(
    costs,
    isDeclined ? 'The lab declined the target. Choose another one to see the price.' : undefined,
  );
}

function renderFactTarget(experiment: ExpInfo, targetRequest: RequestItem | null): Markup | null {
  const { requested_target: requested } = experiment.experiment_spec;
  if (typeof experiment.target_id === 'string')
    return markup`<a href="/targets/${experiment.target_id}"><bdi>${experiment.target_name ?? 'Target'}</bdi></a>`;
  if (requested === null || requested === undefined) return null;
  if (targetRequest === null)
    return markup`<bdi>${requested.name}</bdi> <span class="muted">(requested)</span>`;
  return markup`<a href="${REQUESTS_PATH}/${targetRequest.id}"><bdi>${requested.name}</bdi></a> <span class="muted nowrap">requested:</span> ${renderRequestChip(targetRequest.status)}`;
}

function renderFactsCard(experiment: ExpInfo, targetRequest: RequestItem | null): Markup {
  const spec = experiment.experiment_spec;
  const target = renderFactTarget(experiment, targetRequest);
  const series = experiment.antigen_concentrations;
  const count = experiment.sequences.length;
  return markup`<section class="card" aria-labelledby="facts"><h2 id="facts">Specification</h2><dl class="facts">
<div><dt>Assay</dt><dd>${toSentenceCase(spec.experiment_type)}${spec.method && markup` <span class="muted">${spec.method.toUpperCase()}</span>`}</dd></div>
${target && markup`<div><dt>Target</dt><dd>${target}</dd></div>`}
<div><dt>Sequences</dt><dd><a href="/experiments/${experiment.code}/sequences.fasta" download>${formatCount(count, 'sequence')}, FASTA</a></dd></div>
<div><dt>Replicates</dt><dd>${experiment.n_replicates}</dd></div>
${Array.isArray(series) && markup`<div><dt>Concentrations</dt><dd class="number">${series.join(', ')} nM</dd></div>`}
<div><dt>Created</dt><dd>${renderTime(experiment.created_at)}</dd></div>
<div><dt>Changed</dt><dd>${renderTime(experiment.updated_at)}</dd></div>
</dl></section>`;
}
