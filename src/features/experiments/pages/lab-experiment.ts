/** `/lab/experiments/{id or code}`: an order as the lab sees it, with what its state allows. */
import { formatCount } from '#core/words.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { previewRawFiles } from '../../runs/raw-files/preview-contract.ts';
import { listRawFiles, putRawFile } from '../../runs/raw-files/run-contract.ts';
import { getLabMaterials, type MaterialsRecord } from '../../materials/contract.ts';
import { getLabExperiment, getLabSequences, type LabExperiment } from '../../queue/contract.ts';
import { getAnyQuote } from '../../quotes/lab-contract.ts';
import { getLabReview } from '../../review/contract.ts';
import { getLabRun } from '../../runs/run-contract.ts';
import { getLabTargetRequest } from '../../targets/answer-contract.ts';
import { ANALYSIS_PROGRESS } from '../../updates/details.ts';
import { renderDone, writeNext } from '#ui/action.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { getPathParameter } from '#ui/http.ts';
import { renderInvoiceChip } from '../../invoices/pages/invoice-chip.ts';
import type { PageContent } from '#ui/layout.ts';
import { followAll } from '../../updates/pages/live.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderOutcomeChip, renderStatusChip } from '#ui/pieces.ts';
import { renderStepper } from './progress.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderTime, statusWords, toSentenceCase } from '#ui/words.ts';
import { outcomeWords } from '../../results/pages/readings.ts';
import { experimentActions, renderExperimentActions, renderNoteForm, upload } from './lab-actions.ts';
import { createFormsView, type FormsView } from '#ui/form.ts';
import {
  renderAlsoAwaited,
  renderAwaited,
  renderClient,
  renderFacts,
  renderLabHead,
  renderPromise,
  renderWait,
} from '#ui/lab-pieces.ts';
import { loadLabTalk, renderLabTalkCard, writeToClient } from '../../messages/pages/talk.ts';
import { renderRepeatsCard } from '../../review/pages/decision-rows.ts';
import { renderRawFiles } from '../../runs/pages/raw-files.ts';
import type { LabRoutes, Remark } from '#ui/screen.ts';
import type { FormFile } from '#ui/upload-form.ts';

export type Recorded = Output<typeof listRawFiles>;

export function addExperimentForms(routes: LabRoutes): void {
  routes.addActions([...experimentActions, writeToClient], loadExperimentPage);
  routes.addUpload(upload.path, putRawFile, putFile, loadExperimentPage);
}

/** Stores the uploaded file under the name that it has on the disk of the person. */
async function putFile({ api, request }: FormContext, file: FormFile): Promise<string> {
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  await api.reply(putRawFile, { params: { ...params, name: file.name }, upload: file.staged });
  return writeNext(upload, params);
}

export async function loadExperimentPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session, parts } = context;
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  const [order, recorded] = await Promise.all([
    api.call(getLabExperiment, { params }),
    api.call(listRawFiles, { params }),
  ]);
  const messages = await loadLabTalk(context, order.id);
  const needsMaterials = order.status === 'waiting_for_materials' || order.status === 'in_queue';
  const materials = needsMaterials ? await api.call(getLabMaterials, { params }) : null;
  const isRepeated = order.status === 'in_production' && order.runs.length > 1;
  const review = isRepeated ? await api.call(getLabReview, { params }) : null;
  const forms = createFormsView(context, remark);
  const now = parts.work.clock.now();
  const body = markup`${renderLabHead(markup`<bdi>${order.name}</bdi>`, {
    above: ['/lab/experiments', 'Queue'],
    over: markup`<span class="mono">${order.code}</span> · <bdi>${order.organization_name}</bdi>`,
    side: renderStatusChip(order.status),
  })}
${renderDone(context, [...experimentActions, upload])}
${renderStatusCard(order, now)}
<div class="columns split">
<div class="first stack">${renderExperimentActions(forms, order, recorded.run)}</div>
<div class="main stack">${materials !== null && renderMaterialsCard(materials)}${review !== null && renderRepeatsCard(review, order)}${renderRunsCard(order, session)}${renderRawFiles(recorded, canCall(session, previewRawFiles))}${renderOutcomesCard(order)}${renderHistoryCard(order, session)}</div>
<div class="rest stack">${renderOrderCard(order, session)}${renderMoneyCard(order, session, now)}${renderLabTalkCard(forms, order.code, messages)}${renderNotesCard(order, forms)}</div>
</div>`;
  return {
    title: `${order.code} ${order.name}: ${statusWords[order.status]}`,
    body,
    scripts: ['upload'],
    live: followAll(context, { experiments: [order.id] }),
  };
}

function isAnalyzing({ status, problem }: LabExperiment): boolean {
  return status === 'data_analysis' && problem === null;
}

/** What the worker said last while it analyzes; a short analysis says nothing. */
function renderProgress(order: LabExperiment): Markup | null {
  if (!isAnalyzing(order)) return null;
  const lastUpdate = order.history.at(-1);
  const done = lastUpdate?.name === ANALYSIS_PROGRESS ? lastUpdate.description : null;
  return markup`<p class="note" role="status" data-follow>The files are being analyzed${done === null ? '.' : markup`: <bdi>${done}</bdi>`}</p>`;
}

function renderStatusCard(order: LabExperiment, now: Date): Markup {
  return markup`<section class="card status" aria-label="Status">${renderStepper(order.status)}
<div class="turn"><p>${order.waiting_actor !== null && markup`<span class="over">Next</span> `}${renderAwaited(order)}${renderAlsoAwaited(order)}</p><div class="since">${renderWait(order, now)}${renderPromise(order, now)}</div></div>${renderProgress(order)}
${order.problem !== null && markup`<p class="note attention"><strong>The analysis stopped.</strong> ${order.problem}</p>`}</section>`;
}

const MATERIALS_NAMED = 5;

function renderMaterialsCard({
  experiment_code: code,
  materials,
  n_missing: missing,
}: MaterialsRecord): Markup {
  const unusable = materials.filter(({ is_usable: isUsable }) => !isUsable).map(({ name }) => name);
  const more = unusable.length - MATERIALS_NAMED;
  const body =
    missing === 0
      ? markup`<p><span class="chip good">All ${materials.length} are there</span></p>`
      : markup`<p><strong>${missing} of ${materials.length} missing:</strong> <bdi>${unusable.slice(0, MATERIALS_NAMED).join(', ')}</bdi>${more > 0 && ` and ${more} more`}</p>`;
  return markup`<section class="card" aria-labelledby="materials"><div class="card-head"><h2 id="materials">Materials</h2><a href="/lab/experiments/${code}/materials">Open the list<span class="visually-hidden"> of materials</span></a></div>${body}</section>`;
}

function renderTarget(order: LabExperiment, session: Session): Part {
  const { target_name: name, target_request_id: request } = order;
  if (name === null) return null;
  if (request === null || !canCall(session, getLabTargetRequest)) return markup`<bdi>${name}</bdi>`;
  return markup`<bdi>${name}</bdi><span class="sub"><a href="/lab/target-requests/${request}">Request of this target</a></span>`;
}

function renderOrderCard(order: LabExperiment, session: Session): Markup {
  const maySeeSequences = canCall(session, getLabSequences);
  const sequences = formatCount(order.sequence_count, 'sequence');
  const series = order.antigen_concentrations_nm;
  const facts: readonly (readonly [string, Part])[] = [
    [
      'Assay',
      markup`${toSentenceCase(order.experiment_type)}${order.method !== null && markup` <span class="muted">${order.method.toUpperCase()}</span>`}`,
    ],
    ['Target', renderTarget(order, session)],
    [
      'Sequences',
      maySeeSequences
        ? markup`<a href="/lab/experiments/${order.code}/sequences">${sequences}</a>`
        : sequences,
    ],
    ['Replicates', order.n_replicates],
    ['Concentrations', series !== null && `${series.join(', ')} nM`],
    ['Client', renderClient(order.organization_id, order.organization_name)],
    ['Ordered by', order.ordered_by !== null && markup`<bdi>${order.ordered_by}</bdi>`],
    ['Submitted', order.submitted_at !== null && renderTime(order.submitted_at)],
  ];
  const parameters = order.parameters !== null && Object.keys(order.parameters).length > 0;
  return markup`<section class="card" aria-labelledby="order"><h2 id="order">Order</h2>
${order.description !== null && markup`<p class="description"><bdi>${order.description}</bdi></p>`}${renderFacts(facts)}
${parameters && markup`<details><summary>Parameters</summary><pre tabindex="0">${JSON.stringify(order.parameters, null, 2)}</pre></details>`}
${maySeeSequences && markup`<p class="hint">The audit trail of the client records who opens the sequences.</p>`}</section>`;
}

function renderMoneyCard(order: LabExperiment, session: Session, now: Date): Markup {
  const { code, quote, invoice, payment_method: method, unpaid_release: release } = order;
  const quoteWords =
    quote !== null &&
    markup`${toSentenceCase(quote.status)} <span class="number">${formatUsd(quote.total_cents)}</span>`;
  const mayQuote = canCall(session, getAnyQuote);
  const facts: readonly (readonly [string, Part])[] = [
    [
      'Quote',
      quote !== null && mayQuote ? markup`<a href="/lab/quotes/${quote.id}">${quoteWords}</a>` : quoteWords,
    ],
    [
      'Invoice',
      invoice !== null &&
        markup`<a href="/lab/invoices/${invoice.id}">${formatUsd(invoice.total_cents)}</a> ${renderInvoiceChip({ status: invoice.status, due_date: null }, now)}`,
    ],
    ['Payment method', method === 'async_invoice' ? 'Invoice' : method],
    [
      'May start unpaid',
      release !== null &&
        markup`<bdi>${release.reason}</bdi><span class="sub"><bdi>${release.released_by}</bdi></span>`,
    ],
  ];
  const all =
    quote !== null &&
    mayQuote &&
    markup`<a href="/lab/quotes?search=${code}">All quotes<span class="visually-hidden"> of this order</span></a>`;
  return markup`<section class="card" aria-labelledby="money"><div class="card-head"><h2 id="money">Money</h2>${all}</div>${renderFacts(facts)}</section>`;
}

const RUN_WORDS = { running: 'Running', complete: 'Raw data complete', analyzed: 'Analyzed' } as const;

function renderRunsCard({ runs }: LabExperiment, session: Session): Markup {
  const mayOpen = canCall(session, getLabRun);
  const rows = runs.toReversed().map(
    (
      run,
    ) => markup`<li><div><strong>Run ${run.ordinal}</strong> <bdi>${run.instrument}</bdi>${run.lab_run_id !== null && mayOpen && markup` · <a href="/lab/runs/${run.lab_run_id}">its plan</a>`}
<p class="hint">${renderTime(run.started_at)}${run.completed_at !== null && markup` to ${renderTime(run.completed_at)}`} · ${formatCount(run.file_count, 'file')}</p>
${run.override_reason !== null && markup`<p class="hint">Started unpaid: <bdi>${run.override_reason}</bdi></p>`}</div>
<span class="chip ${run.problem === null ? (run.status === 'analyzed' ? 'good' : 'moving') : 'attention'}">${run.problem === null ? RUN_WORDS[run.status] : 'Stopped'}</span></li>`,
  );
  const body =
    rows.length === 0
      ? markup`<p class="muted">No run yet. A run starts when the order is in the queue.</p>`
      : markup`<ul class="rows">${rows}</ul>`;
  return markup`<section class="card" aria-labelledby="runs"><h2 id="runs">Runs</h2>${body}</section>`;
}

function renderOutcomesCard({ code, outcomes, results_status: released }: LabExperiment): Markup | null {
  if (outcomes.length === 0) return null;
  const words: Readonly<Record<string, string>> = outcomeWords;
  const rows = outcomes.map(
    (row) =>
      markup`<li><div>${renderOutcomeChip(row.outcome, row.finding === null ? (words[row.outcome] ?? row.outcome) : toSentenceCase(row.finding))}</div><div class="since"><strong class="number">${row.count.toLocaleString('en-US')}</strong><span class="sub">${row.released ? 'released' : 'not released'}</span></div></li>`,
  );
  const sentences = {
    none: 'The client sees none of them.',
    partial: 'The client sees some of them.',
    all: 'The client sees all of them.',
  };
  return markup`<section class="card" aria-labelledby="outcomes"><div class="card-head"><h2 id="outcomes">Results so far</h2><p class="hint">${sentences[released]} <a href="/lab/experiments/${code}/review">Review</a></p></div><ul class="rows">${rows}</ul></section>`;
}

type Happened = LabExperiment['history'][number];

function renderHistoryCard({ history }: LabExperiment, session: Session): Markup {
  const mayQuote = canCall(session, getAnyQuote);
  const items = history.toReversed().map(
    (update) => markup`<li class="${update.type}"><p><strong>${update.name}</strong></p>
${renderHappened(update, mayQuote)}<p class="hint">${renderTime(update.created_at)}</p></li>`,
  );
  return markup`<section class="card" aria-labelledby="history"><div class="card-head"><h2 id="history">History</h2><p class="hint">As the client reads it</p></div><ol class="timeline">${items}</ol></section>`;
}

/** Names quote and invoice by their numbers; ids stay in the addresses. */
function renderHappened(update: Happened, mayQuote: boolean): Markup {
  const { description, quote_number: quote, invoice_id: invoiceId, invoice_number: invoice } = update;
  const isOfQuote = description !== null && (description.startsWith('qt_') || description === quote);
  const quoteId = quote === null ? (isOfQuote ? description : null) : update.quote_id;
  const isNumber = isOfQuote || description === invoice;
  const links = [
    quoteId !== null && (mayQuote ? markup`<a href="/lab/quotes/${quoteId}">${quote ?? 'Quote'}</a>` : quote),
    invoiceId !== null && invoice !== null && markup`<a href="/lab/invoices/${invoiceId}">${invoice}</a>`,
  ].filter((link) => link !== false && link !== null);
  return markup`${description !== null && !isNumber && markup`<p class="muted"><bdi>${description}</bdi></p>`}${links.length > 0 && markup`<p class="muted">${links.map((link, index) => markup`${index > 0 && ', '}${link}`)}</p>`}`;
}

function renderNotesCard(order: LabExperiment, forms: FormsView): Markup {
  const { notes } = order;
  const items = notes.map(
    (note) =>
      markup`<li><div><p class="written"><bdi>${note.note}</bdi></p><p class="hint"><bdi>${note.author}</bdi> · ${renderTime(note.created_at)}</p></div></li>`,
  );
  return markup`<section class="card" aria-labelledby="notes"><div class="card-head"><h2 id="notes">Notes</h2><p class="hint">Clients never see them</p></div>${items.length === 0 ? markup`<p class="muted">No notes yet.</p>` : markup`<ul class="rows">${items}</ul>`}${renderNoteForm(forms, order)}</section>`;
}
