/** What the state of an order allows, for those who may do it. */
import { isRecord } from '#core/records.ts';
import { Type } from '#core/schema.ts';
import { findMove } from '#core/lifecycle.ts';
import { reanalyzeExperiment, allowUnpaidRun } from '../../runs/raw-files/contract.ts';
import {
  completeRawData,
  putRawFile,
  receiveMaterials,
  releaseResults,
  sendExperimentBack,
  startRun,
} from '../../runs/raw-files/run-contract.ts';
import { createCustomQuote } from '../../quotes/lab-contract.ts';
import { addLabNote, getLabExperiment, type LabExperiment } from '../../queue/contract.ts';
import { act, defineAction, defineFields, renderAction, type Action } from '#ui/action.ts';
import { getField, getPathParameter, type Form } from '#ui/http.ts';
import { formatUsd } from '#core/money.ts';
import { getAnyInvoice } from '../../invoices/lab-contract.ts';
import { computeLeftToRefund, formatCents, parseNumber, readAmount } from '#ui/amount.ts';
import { isConfirmed, renderConfirmation, type Confirmation } from '#ui/confirm.ts';
import type { FormContext } from '#ui/context.ts';
import type { PageContent } from '#ui/layout.ts';
import { cancelExperimentByStaff } from '../lab-contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import type { Recorded } from './lab-experiment.ts';
import { renderUploadForm } from '#ui/upload-form.ts';
import type { FormsView } from '#ui/form.ts';

type Run = Recorded['run'];

const PAGE = '/lab/experiments/:experiment_id';
const REASON = { label: 'Reason', hint: 'Clients read it.' };
export const SHORTFALL_REASON = {
  label: 'Reason for less than ordered',
  hint: 'Needed only where replicates or curves are missing, or names were not ordered. Clients never see it.',
};
const SETTINGS = {
  label: 'Settings of the analysis',
  hint: 'Optional JSON, such as {"association_s": 300}; what is left out has its usual value.',
  lengthMax: 20_000,
};
export const COMPLETION = { reason: SHORTFALL_REASON, settings: SETTINGS };

/** A setting that files of sensors often leave out, in a field of its own. */
const ASSOCIATION = defineFields(Type.Object({ association_s: Type.Optional(Type.Number()) }), {
  association_s: {
    label: 'Association in s',
    hint: 'Needed only where the files do not state where dissociation begins.',
    about: 'settings.association_s',
    lengthMax: 10,
  },
});

const receipt = defineAction(receiveMaterials, {
  path: `${PAGE}/materials`,
  page: PAGE,
  button: 'All materials are in the lab',
  tone: 'primary',
  hint: 'What is missing is recorded as received, and the order moves to the queue.',
  done: 'The materials are in the lab; the order is in the queue.',
});
const start = defineAction(startRun, {
  path: `${PAGE}/runs`,
  page: PAGE,
  button: 'Start the run',
  fields: {
    instrument: { label: 'Instrument', hint: 'Such as Octet R8' },
    override_reason: { label: 'Reason to start before the payment', hint: 'The invoice is not paid.' },
  },
  done: 'The run has started.',
});
const permission = defineAction(allowUnpaidRun, {
  path: `${PAGE}/allow-unpaid`,
  page: PAGE,
  button: 'Allow it',
  hint: 'The client still owes the invoice.',
  fields: { reason: { label: 'Reason', hint: 'Clients never see it.' } },
  done: 'The order may start before its payment.',
});
const completion = addAssociation(
  defineAction(completeRawData, {
    path: `${PAGE}/complete`,
    page: PAGE,
    button: 'Raw data are complete',
    summary: 'Complete the raw data',
    hint: 'The analysis starts, and the run takes no more files.',
    fields: COMPLETION,
    done: 'The raw data are complete; the analysis has started.',
  }),
);
const release = defineAction(releaseResults, {
  path: `${PAGE}/release`,
  page: PAGE,
  button: 'Release the results',
  tone: 'primary',
  hint: 'The client sees them at once. This cannot be taken back.',
  fields: { reason: SHORTFALL_REASON },
  done: 'The results are released.',
});
const sendingBack = defineAction(sendExperimentBack, {
  path: `${PAGE}/send-back`,
  page: PAGE,
  button: 'Analyze again',
  fields: { reason: REASON, settings: SETTINGS },
  done: 'The raw data are analyzed again.',
});
const reanalysis = defineAction(reanalyzeExperiment, {
  path: `${PAGE}/reanalyze`,
  page: PAGE,
  button: 'Analyze again',
  summary: 'Amend the released results',
  hint: 'Each result gets a new version; the old one stays.',
  fields: { reason: { label: 'Reason', hint: 'Clients read it with the versions.' }, settings: SETTINGS },
  done: 'The raw data are analyzed again.',
});
const cancellation = defineAction(cancelExperimentByStaff, {
  path: `${PAGE}/cancel`,
  page: PAGE,
  button: 'Cancel the order',
  tone: 'danger',
  summary: 'Cancel the order',
  fields: {
    reason: REASON,
    refund_cents: { label: 'Refund in USD', hint: 'Empty: all of it.', lengthMax: 15 },
  },
  done: 'The order is canceled.',
  does: cancel,
});

const note = defineAction(addLabNote, {
  path: `${PAGE}/notes`,
  page: PAGE,
  button: 'Add the note',
  fields: { note: { label: 'New note', kind: 'area' } },
  done: 'The note was added.',
});
export const upload = { path: `${PAGE}/files`, page: PAGE, done: 'The file was read and stored.' };
export const experimentActions = [
  receipt,
  start,
  permission,
  completion,
  release,
  sendingBack,
  reanalysis,
  cancellation,
  note,
];

export function renderExperimentActions(forms: FormsView, order: LabExperiment, run: Run): Markup {
  const actions = listActions(forms, order, run).filter((action) => action !== null && action !== false);
  const lead = renderLead(forms, order);
  const isSimulated = run?.by_hand === false && ['in_production', 'data_analysis'].includes(order.status);
  return markup`<section class="card stack" aria-labelledby="actions"><h2 id="actions">Actions</h2>
${lead}
${isSimulated && markup`<p class="note">The simulated lab records this run and completes it.</p>`}
${actions.length > 0 && markup`<div class="decision lab-actions">${actions}</div>`}
${actions.length === 0 && lead === null && markup`<p class="muted">This state needs nothing that your roles allow.</p>`}</section>`;
}

function listActions(forms: FormsView, order: LabExperiment, run: Run): (Markup | null | false)[] {
  const { status, problem } = order;
  const params = { experiment_id: order.code };
  const isStopped = status === 'data_analysis' && problem !== null;
  const isPaid = order.invoice_status === 'paid';
  return [
    status === 'waiting_for_materials' && renderAction(forms, receipt, { params }),
    (status === 'in_queue' || status === 'in_review') && renderStart(forms, order),
    !isPaid &&
      (status === 'waiting_for_materials' || status === 'in_queue') &&
      renderPermission(forms, order),
    (status === 'in_production' || isStopped) && run?.by_hand === true && renderUpload(forms, order),
    status === 'in_production' &&
      run?.by_hand === true &&
      renderAction(forms, completion, {
        params,
        fields: order.method === null ? WITHOUT_ASSOCIATION : {},
      }),
    status === 'in_review' && renderAction(forms, release, { params }),
    (status === 'in_review' || isStopped) &&
      renderAction(forms, sendingBack, {
        params,
        summary: isStopped ? 'Analyze again' : 'Send back to analysis',
      }),
    status === 'done' && renderAction(forms, reanalysis, { params }),
    findMove(status, 'cancel', 'lab') !== undefined &&
      renderAction(forms, cancellation, {
        params,
        hint: isPaid ? 'The payment is refunded.' : 'An open invoice is voided.',
        fields: isPaid ? {} : { refund_cents: false },
      }),
  ];
}

/** The page on which the state is seen to. */
function renderLead(forms: FormsView, { status, code, quote }: LabExperiment): Markup | null {
  const isDrafted = quote?.status === 'draft';
  if (status === 'waiting_for_confirmation' && canCall(forms.session, createCustomQuote))
    return markup`<p><a class="button primary" href="/lab/quotes/${isDrafted ? quote.id : `new?experiment=${code}`}">${isDrafted ? 'Finish the quote' : 'Compose the quote'}</a></p>`;
  return status === 'in_review'
    ? markup`<p><a class="button primary" href="/lab/experiments/${code}/review">Review the results</a></p>`
    : null;
}

/** A run before the payment is for those who may review, and needs a reason. */
function renderStart(
  forms: FormsView,
  { code, status, invoice_status: invoice }: LabExperiment,
): Markup | null {
  const isPaid = invoice === 'paid';
  if (!isPaid && canCall(forms.session, startRun) && !canCall(forms.session, releaseResults))
    return markup`<p class="note warn">The invoice is not paid. A manager may start the run before the payment.</p>`;
  const repeat = 'Repeat the run';
  return renderAction(forms, start, {
    params: { experiment_id: code },
    ...(status === 'in_review' ? { button: repeat, summary: repeat } : { tone: 'primary' as const }),
    fields: { override_reason: isPaid ? false : { isRequired: true } },
  });
}

/** A planned run starts an order that is not paid once a manager has allowed it. */
function renderPermission(forms: FormsView, { code, unpaid_release: before }: LabExperiment): Markup | null {
  const words =
    before === null
      ? { summary: 'Allow a planned run to start it unpaid' }
      : { button: 'Replace the reason', summary: 'It may start unpaid', values: before };
  return renderAction(forms, permission, { params: { experiment_id: code }, ...words });
}

/** The current run takes files while it is recorded, and after its analysis stopped. */
function renderUpload(forms: FormsView, { code }: LabExperiment): Markup | null {
  if (!canCall(forms.session, putRawFile)) return null;
  const path = `/lab/experiments/${code}`;
  return markup`<div>${renderUploadForm(forms, { action: `${path}/files`, preview: `${path}/raw-files/preview` })}</div>`;
}

export function renderNoteForm(forms: FormsView, { code }: LabExperiment): Markup | null {
  return renderAction(forms, note, { params: { experiment_id: code } });
}

/** For raw data of no sensor. */
export const WITHOUT_ASSOCIATION = { association_s: false } as const;

/** Adds the field to the form that completes raw data; it has precedence over the same setting. */
export function addAssociation(completing: Action): Action {
  return {
    ...completing,
    fields: new Map([...ASSOCIATION, ...completing.fields]),
    does: (context) => act({ ...context, form: mergeAssociation(context.form) }, completing),
  };
}

function mergeAssociation(form: Form): Form {
  const text = getField(form, 'association_s');
  if (text === '') return form;
  const settings = parseObject(getField(form, 'settings'));
  if (settings === undefined) return form;
  return { ...form, settings: JSON.stringify({ ...settings, association_s: parseNumber(text) }) };
}

/** Undefined for text that the operation will refuse. */
function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function cancel(context: FormContext): Promise<string | PageContent> {
  const confirmation = isConfirmed(context.form) ? undefined : await describeCancellation(context);
  return confirmation === undefined ? act(context, cancellation) : renderConfirmation(context, confirmation);
}

/** Undefined where no money goes back, or where the operation refuses the refund and says why. */
async function describeCancellation({ api, form, request }: FormContext): Promise<Confirmation | undefined> {
  const typedCents = readAmount(form, 'refund_cents');
  const { code, invoice: current } = await api.call(getLabExperiment, {
    params: { experiment_id: getPathParameter(request, 'experiment_id') },
  });
  if (current === null) return undefined;
  const invoice = await api.call(getAnyInvoice, { params: { invoice_id: current.id } });
  const leftCents = computeLeftToRefund(invoice);
  const cents = typedCents ?? leftCents;
  if (invoice.status !== 'paid' || cents <= 0 || cents > leftCents) return undefined;
  const amount = formatUsd(cents);
  const rest = leftCents - cents;
  return {
    title: `Cancel ${code} and refund ${amount}?`,
    sentence: markup`The order ends, and <strong class="number">${amount}</strong> of ${invoice.invoice_number ?? 'its invoice'} go back to the client${rest > 0 && `; the lab keeps ${formatUsd(rest)}`}.`,
    button: `Cancel the order and refund ${amount}`,
    back: `/lab/experiments/${code}`,
    settled: { refund_cents: formatCents(cents) },
  };
}
