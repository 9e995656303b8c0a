/** `/lab/experiments/{id or code}/review`: what waits for its release, as the client will see it, and the decisions. */
import { formatCount, joinWords } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { getLabExperiment } from '../../queue/contract.ts';
import { listLabResults } from '../../results/lab-contract.ts';
import { decideReplicates, getLabReview, amendResults, discardAmendment } from '../contract.ts';
import type { ReviewAction } from '../rules.ts';
import { defineAction, renderAction, renderDone } from '#ui/action.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { followAll } from '../../updates/pages/live.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderFigures } from '../../results/pages/figures.ts';
import { renderPager, renderStatusChip } from '#ui/pieces.ts';
import { renderRankedResults } from '../../results/pages/results-table.ts';
import { canCall } from '#ui/session.ts';
import { renderTime, statusWords } from '#ui/words.ts';
import { createFormsView, type FormsView } from '#ui/form.ts';
import { readOffset } from '#ui/list.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';
import type { Remark } from '#ui/screen.ts';
import { renderDecisionForm } from './decision-form.ts';
import { listReplicateRows, type Review } from './decision-rows.ts';
import { formatUsd } from '#core/money.ts';
import { reanalyzeExperiment } from '../../runs/raw-files/contract.ts';
import { releaseResults, sendExperimentBack } from '../../runs/raw-files/run-contract.ts';
import { refundInvoice } from '../../invoices/refunds/contract.ts';
import { SHORTFALL_REASON } from '../../experiments/pages/lab-actions.ts';

type Results = Output<typeof listLabResults>;

/** Sequences on a page: their decisions are the fields of one form. */
const PAGE_SIZE = 16;

const PAGE = '/lab/experiments/:experiment_id/review';
const SETTINGS = {
  label: 'Settings of the analysis',
  hint: 'JSON; what is left out has its usual value.',
  lengthMax: 20_000,
};

const release = defineAction(releaseResults, {
  path: `${PAGE}/release`,
  page: PAGE,
  button: 'Release all results',
  tone: 'primary',
  fields: { reason: { ...SHORTFALL_REASON, isRequired: true } },
  done: 'The results are released.',
});
const partialRelease = defineAction(releaseResults, {
  path: `${PAGE}/release-part`,
  page: PAGE,
  button: 'Release these',
  summary: 'Release a part',
  fields: {
    sequences: { label: 'Sequences', kind: 'area', lengthMax: 60_000, isRequired: true },
    reason: SHORTFALL_REASON,
  },
  done: 'These results are released; the others wait here.',
});
const amendment = defineAction(amendResults, {
  path: `${PAGE}/amend`,
  page: PAGE,
  button: 'Release as an amendment',
  tone: 'primary',
  fields: { reason: { label: 'Reason', hint: 'Clients read it in the feed and with the version.' } },
  done: 'The amendment is released.',
});
const reanalysis = defineAction(reanalyzeExperiment, {
  path: `${PAGE}/reanalyze`,
  page: PAGE,
  button: 'Analyze again',
  summary: 'Change the settings and analyze again',
  fields: {
    reason: { label: 'Reason', hint: 'Clients read it with the version, once that is released.' },
    settings: SETTINGS,
  },
  done: 'The files are analyzed again; the version appears here.',
});
const sendingBack = defineAction(sendExperimentBack, {
  path: `${PAGE}/send-back`,
  page: PAGE,
  button: 'Send back',
  summary: 'Send back to analysis',
  hint: 'The client reads that the order is analyzed again, and why.',
  fields: { reason: { label: 'Reason', hint: 'Clients read it.' }, settings: SETTINGS },
  done: 'The order is back in analysis.',
});
const discard = defineAction(discardAmendment, {
  path: `${PAGE}/discard`,
  page: PAGE,
  button: 'Discard the amendment',
  tone: 'danger',
  summary: 'Discard the amendment',
  hint: 'The client keeps what was released and learns nothing of it.',
  fields: { reason: { label: 'Reason', hint: 'Clients never see it.' } },
  done: 'The amendment is discarded.',
});

export const reviewActions = [release, partialRelease, amendment, reanalysis, sendingBack, discard];
export const decision = {
  path: `${PAGE}/decisions`,
  page: PAGE,
  done: 'The decisions are kept. Where they change what counts, the files are analyzed again.',
};
export const reviewDeeds = [decision, ...reviewActions];

export async function loadReviewPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request } = context;
  const params = { experiment_id: getPathParameter(request, 'experiment_id') };
  const [order, review] = await Promise.all([
    api.call(getLabExperiment, { params }),
    api.call(getLabReview, { params }),
  ]);
  const query = { limit: PAGE_SIZE, offset: readOffset(request) };
  const results = review.version === 0 ? null : await api.call(listLabResults, { params, query });
  const forms = createFormsView(context, remark);
  const base = `/lab/experiments/${order.code}`;
  const settings = results?.items[0]?.analysis['settings'] ?? {};
  const body = markup`${renderLabHead(markup`Review of <bdi>${order.name}</bdi>`, {
    above: [base, order.code],
    over: markup`<span class="mono">${order.code}</span> · <bdi>${order.organization_name}</bdi>`,
    side: renderStatusChip(order.status),
  })}
${renderDone(context, reviewDeeds)}
${renderStateCard(review)}
<div class="stack">${renderShortfall(forms, review)}${renderFollow(review)}${results === null ? markup`<section class="card"><h2>No results yet</h2><p class="muted">They stand here after the first analysis.</p></section>` : renderResults(forms, review, results)}
<div class="columns equal">${renderReviewActions(forms, review, settings)}${renderEvents(review)}</div></div>`;
  return {
    title: `Review of ${order.code}: ${statusWords[order.status]}`,
    body,
    scripts: ['review'],
    live: followAll(context, { experiments: [order.id] }),
  };
}

/** The note that the script keeps up to date while files are analyzed. */
export function renderFollow({ is_analysis_open: isOpen }: Review): Markup | null {
  if (!isOpen) return null;
  return markup`<p class="note" role="status" data-follow>The files are being analyzed again. The new version will stand here.</p>`;
}

function renderStateCard(review: Review): Markup {
  const { version, released_version: released, awaits } = review;
  const left = review.decisions.filter(({ decision }) => decision !== 'accept').length;
  const waiting = listWaiting(review).length;
  const state =
    awaits === 'release'
      ? `Version ${version} waits for its release: ${formatCount(waiting, 'sequence')} of ${review.sequences.length}.`
      : awaits === 'amendment'
        ? `Version ${version} waits as an amendment; clients have version ${released ?? '–'}.`
        : 'Nothing waits for a release.';
  const sentences = {
    none: 'The client sees no result.',
    partial: 'The client sees a part of the results.',
    all: 'The client sees all released results.',
  };
  return markup`<section class="card status review-state" aria-label="State of the review"><div><p><strong>${state}</strong></p>
<p class="hint">${sentences[review.results_status]}${left > 0 && ` ${formatCount(left, 'measurement')} left out by decision.`}</p></div><p><a class="button" href="#actions">Decide</a></p></section>`;
}

function renderResults(forms: FormsView, review: Review, results: Results): Markup {
  const { experiment_code: code } = review;
  const base = `/lab/experiments/${code}`;
  const pager = renderPager(`${base}/review`, {}, results, PAGE_SIZE, 'result');
  return markup`<section class="card flush" aria-labelledby="results"><div class="card-head"><h2 id="results">Results</h2><p class="hint">As the client will see them · <a href="${base}/data-package">Report and data package</a></p></div>
${renderRankedResults(results.items, { base: `${base}/results` })}${pager}</section>
${canCall(forms.session, decideReplicates) && renderReplicates(forms, review, results)}
${renderFigures(base, code, results.items)}`;
}

function renderReplicates(forms: FormsView, review: Review, { items }: Results): Markup | null {
  const canDecide = review.status === 'in_review' || review.status === 'done';
  if (!canDecide) return null;
  const base = `/lab/experiments/${review.experiment_code}`;
  const pages = new Map(items.map((item) => [item.sequence_name, `${base}/results/${item.id}`]));
  const rows = items.flatMap((item) => listReplicateRows(item, review.decisions));
  return markup`<section class="card flush" aria-labelledby="replicates"><div class="card-head"><h2 id="replicates">Decisions</h2><p class="hint keys-hint"><kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>a</kbd> accept, <kbd>x</kbd> exclude, <kbd>r</kbd> repeat</p></div>
${renderDecisionForm(forms, {
  action: `${base}/review/decisions`,
  page: '',
  id: 'decision',
  label: 'Decisions on replicates',
  rows,
  mayRepeat: review.status === 'in_review',
  findPage: (sequence) => pages.get(sequence),
})}</section>`;
}

const EVENT_WORDS: Readonly<Record<ReviewAction, string>> = {
  completed: 'Raw data completed with less than ordered',
  analyzed: 'Analyzed',
  analysis_asked: 'Another analysis was asked for',
  analysis_failed: 'The analysis failed',
  decided: 'Decided',
  sent_back: 'Sent back',
  run_repeated: 'A run was begun to repeat measurements',
  released_part: 'Released in part',
  released: 'Released',
  amended: 'Amended',
  discarded: 'Discarded',
};

function renderEvents({ events }: Review): Markup {
  const items = events.toReversed().map(
    ({ action, version, reason, actor, created_at: at }) =>
      markup`<li><p><strong>${EVENT_WORDS[action]}</strong>${version !== null && markup` <span class="muted">version ${version}</span>`}</p>
${reason !== null && markup`<p class="muted"><bdi>${reason}</bdi></p>`}<p class="hint"><bdi>${actor}</bdi> · ${renderTime(at)}</p></li>`,
  );
  return markup`<section class="card" aria-labelledby="events"><div class="card-head"><h2 id="events">History</h2></div>${items.length === 0 ? markup`<p class="muted">Nothing yet.</p>` : markup`<ol class="timeline">${items}</ol>`}</section>`;
}

/**
 * What a review may do next, for those who may; `settings` are those of the newest version, which another analysis
 * changes.
 */
function renderReviewActions(forms: FormsView, review: Review, settings: unknown): Markup {
  const { status, awaits, version } = review;
  const params = { experiment_id: review.experiment_code };
  const actions = [
    awaits === 'release' && renderRelease(forms, review),
    awaits === 'release' && renderPartialRelease(forms, review),
    awaits === 'amendment' &&
      renderAction(forms, amendment, { params, button: `Release version ${version} as an amendment` }),
    (status === 'in_review' || status === 'done') &&
      renderAction(forms, reanalysis, {
        params,
        values: { settings },
        hint: `Makes a version that waits here beside version ${version}, with the differences.`,
      }),
    status === 'in_review' && renderAction(forms, sendingBack, { params, values: { settings } }),
    awaits === 'amendment' && renderAction(forms, discard, { params }),
  ].filter((action) => action !== null && action !== false);
  return markup`<section class="card stack" aria-labelledby="actions"><h2 id="actions">Decide</h2>
${renderSecondPerson(forms, review)}
${actions.length === 0 ? markup`<p class="muted">Nothing waits here that your roles allow.</p>` : markup`<div class="decision lab-actions">${actions}</div>`}</section>`;
}

/** Says who may end the review, before somebody tries. */
function renderSecondPerson({ session }: FormsView, review: Review): Markup | null {
  const { second_person: second, awaits } = review;
  if (awaits === null) return null;
  const part = review.events.findLast(({ action }) => action === 'released_part');
  const first =
    part !== undefined && markup`<p class="note">A part was released first by <bdi>${part.actor}</bdi>.</p>`;
  if (!second.is_needed || second.not_by === null) return first === false ? null : first;
  const isMine = second.not_by === session.principal.userEmail;
  return markup`${first}<p class="note ${isMine ? 'warn' : ''}">${isMine ? markup`<strong>This needs a second person:</strong> you decided last, so somebody else has to release it.` : markup`<strong>This needs a second person.</strong> <bdi>${second.not_by}</bdi> decided last; you may release it.`}</p>`;
}

const listWaiting = ({ sequences }: Review): string[] =>
  sequences.flatMap(({ name, is_released: isReleased }) => (isReleased ? [] : name));

function renderRelease(forms: FormsView, review: Review): Markup | null {
  const { version, released_version: before, results_status: status } = review;
  const replaces = before !== null && before !== version;
  return renderAction(forms, release, {
    params: { experiment_id: review.experiment_code },
    ...(status === 'partial' ? { button: `Release the other ${listWaiting(review).length}` } : {}),
    fields: review.shortfall === null ? { reason: false } : {},
    hint: `The client sees them at once.${replaces ? ` What was released before is replaced by version ${version}.` : ''} This cannot be taken back.`,
  });
}

function renderPartialRelease(forms: FormsView, review: Review): Markup | null {
  const sequences = listWaiting(review);
  if (sequences.length < 2) return null;
  const hint = `One on each line. ${formatCount(sequences.length, 'sequence')} wait; remove those that have to stay.`;
  return renderAction(forms, partialRelease, {
    params: { experiment_id: review.experiment_code },
    values: { sequences },
    fields: { sequences: { hint }, ...(review.shortfall === null ? { reason: false } : {}) },
  });
}

/** What was not delivered, and what it cost; a person decides on the refund. */
function renderShortfall({ session }: FormsView, { shortfall }: Review): Markup | null {
  if (shortfall === null) return null;
  const { missing, invoice_id: invoiceId, credit_cents: cents, credit_notes: notes } = shortfall;
  const isPaidFor = cents !== null && cents > 0;
  const link =
    invoiceId !== null &&
    canCall(session, refundInvoice) &&
    markup` <a href="/lab/invoices/${invoiceId}?refund=${cents}">Refund it on the invoice</a>, or measure the rest.`;
  const credited =
    !isPaidFor &&
    notes.length > 0 &&
    markup` What was paid for the rest is credited by ${joinWords(notes, 'and')}.`;
  return markup`<p class="note warn"><strong>Less than ordered: ${missing}.</strong>${isPaidFor && markup` ${formatUsd(cents)} with tax were paid for what was not measured${notes.length > 0 && markup` and are not on ${joinWords(notes, 'and')}`}.${link}`}${credited}</p>`;
}
