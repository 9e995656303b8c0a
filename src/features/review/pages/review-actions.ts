/** What a review may do next, for those who may: release, analyze again, send back, amend, discard. */
import { formatCount } from '#core/counts.ts';
import { formatUsd } from '#core/money.ts';
import { joinWords } from '#core/word-list.ts';
import { reanalyzeExperiment } from '../../runs/raw-files/contract.ts';
import { releaseResults, sendExperimentBack } from '../../runs/raw-files/run-contract.ts';
import { refundInvoice } from '../../invoices/refunds/contract.ts';
import { amendResults, discardAmendment } from '../contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { SHORTFALL_REASON } from '../../experiments/pages/lab-actions.ts';
import { renderLabForm, type FormsView, type LabField } from '#ui/form.ts';
import type { Review } from './decision-rows.ts';

const REASON = { name: 'reason', label: 'Reason', lengthMax: 500, isRequired: true } as const;

/** `settings` are those of the newest version, which another analysis changes. */
export function renderReviewActions(forms: FormsView, review: Review, settings: string): Markup {
  const actions = [
    renderRelease(forms, review),
    renderPartialRelease(forms, review),
    renderAmendment(forms, review),
    renderReanalysis(forms, review, settings),
    renderSendingBack(forms, review, settings),
    renderDiscard(forms, review),
  ].filter((action) => action !== null);
  return markup`<section class="card stack" aria-labelledby="actions"><h2 id="actions">What comes next</h2>
${renderSecondPerson(forms, review)}
${actions.length === 0 ? markup`<p class="muted">Nothing waits here that your roles allow.</p>` : markup`<div class="decision lab-actions">${actions}</div>`}</section>`;
}

function getAction({ experiment_code: code }: Review, verb: string): string {
  return `/lab/experiments/${code}/review/${verb}`;
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

function renderRelease(forms: FormsView, review: Review): Markup | null {
  if (review.awaits !== 'release' || !canCall(forms.session, releaseResults)) return null;
  const waiting = review.sequences.filter((each) => !each.is_released).length;
  const replaces = review.released_version !== null && review.released_version !== review.version;
  return renderLabForm(forms, {
    action: getAction(review, 'release'),
    button: review.results_status === 'partial' ? `Release the other ${waiting}` : 'Release all results',
    tone: 'primary',
    fields: review.shortfall === null ? [] : [{ ...SHORTFALL_REASON, isRequired: true }],
    hint: `The client sees them at once.${replaces ? ` What was released before is replaced by version ${review.version}.` : ''} This cannot be taken back.`,
  });
}

function renderPartialRelease(forms: FormsView, review: Review): Markup | null {
  const waiting = review.sequences.filter((each) => !each.is_released).map(({ name }) => name);
  if (review.awaits !== 'release' || waiting.length < 2 || !canCall(forms.session, releaseResults))
    return null;
  return renderLabForm(forms, {
    action: getAction(review, 'release-part'),
    button: 'Release these',
    summary: 'Release a part',
    fields: [
      {
        name: 'sequences',
        label: 'Sequences',
        kind: 'area',
        hint: `One on each line. ${formatCount(waiting.length, 'sequence')} wait; remove those that have to stay.`,
        value: waiting.join('\n'),
        lengthMax: 60_000,
        isRequired: true,
      },
      ...(review.shortfall === null ? [] : [SHORTFALL_REASON]),
    ],
  });
}

/** What was not delivered, and what it cost; a person decides on the refund. */
export function renderShortfall({ session }: FormsView, { shortfall }: Review): Markup | null {
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

function renderAmendment(forms: FormsView, review: Review): Markup | null {
  if (review.awaits !== 'amendment' || !canCall(forms.session, amendResults)) return null;
  return renderLabForm(forms, {
    action: getAction(review, 'amend'),
    button: `Release version ${review.version} as an amendment`,
    tone: 'primary',
    fields: [{ ...REASON, hint: 'Clients read it in the feed and with the version.' }],
  });
}

function renderDiscard(forms: FormsView, review: Review): Markup | null {
  if (review.awaits !== 'amendment' || !canCall(forms.session, discardAmendment)) return null;
  return renderLabForm(forms, {
    action: getAction(review, 'discard'),
    button: 'Discard the amendment',
    tone: 'danger',
    summary: 'Discard the amendment',
    hint: 'The client keeps what was released and learns nothing of it.',
    fields: [{ ...REASON, hint: 'Clients never see it.' }],
  });
}

const describeSettings = (value: string): LabField => ({
  name: 'settings',
  label: 'Settings of the analysis',
  kind: 'area',
  hint: 'JSON; what is left out has its usual value.',
  value,
  lengthMax: 20_000,
});

function renderReanalysis(forms: FormsView, review: Review, settings: string): Markup | null {
  const isPossible = review.status === 'in_review' || review.status === 'done';
  if (!isPossible || !canCall(forms.session, reanalyzeExperiment)) return null;
  return renderLabForm(forms, {
    action: getAction(review, 'reanalyze'),
    button: 'Analyze again',
    summary: 'Change the settings and analyze again',
    hint: `Makes a version that waits here beside version ${review.version}, with the differences.`,
    fields: [
      { ...REASON, hint: 'Clients read it with the version, once that is released.' },
      describeSettings(settings),
    ],
  });
}

function renderSendingBack(forms: FormsView, review: Review, settings: string): Markup | null {
  if (review.status !== 'in_review' || !canCall(forms.session, sendExperimentBack)) return null;
  return renderLabForm(forms, {
    action: getAction(review, 'send-back'),
    button: 'Send back',
    summary: 'Send back to analysis',
    hint: 'The client reads that the order is analyzed again, and why.',
    fields: [{ ...REASON, hint: 'Clients read it.' }, describeSettings(settings)],
  });
}
