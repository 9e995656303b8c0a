/** What the state of an order allows, for those who may do it. */
import { findMove } from '#core/lifecycle.ts';
import { cancelExperimentByStaff } from '../lab-contract.ts';
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
import type { LabExperiment } from '../../queue/contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import type { Recorded } from './lab-experiment.ts';
import { renderUploadForm } from '#ui/upload-form.ts';
import { renderLabForm, type FormsView, type LabField } from '#ui/form.ts';

type Run = Recorded['run'];

export const REASON = { name: 'reason', label: 'Reason', lengthMax: 500, isRequired: true } as const;
export const SETTINGS: LabField = {
  name: 'settings',
  label: 'Settings of the analysis',
  kind: 'area',
  hint: 'Optional JSON, such as {"association_s": 300}; what is left out has its usual value.',
  lengthMax: 20_000,
};

export const SHORTFALL_REASON: LabField = {
  name: 'reason',
  label: 'Reason for less than ordered',
  hint: 'Needed only where replicates or curves are missing, or names were not ordered. Clients never see it.',
  lengthMax: 500,
};

/** What completing may need: the setting that files of sensors often leave out, and a reason. */
export function listCompletionFields(hasSensors: boolean): LabField[] {
  const association: LabField = {
    name: 'association_s',
    about: 'settings.association_s',
    kind: 'number',
    label: 'Association in s',
    hint: 'Needed only where the files do not state where dissociation begins.',
    lengthMax: 10,
  };
  return [...(hasSensors ? [association] : []), SHORTFALL_REASON];
}

export function renderExperimentActions(forms: FormsView, order: LabExperiment, run: Run): Markup {
  const actions = [
    renderReceipt(forms, order),
    renderStart(forms, order),
    renderUnpaidRelease(forms, order),
    renderUpload(forms, order, run),
    renderCompletion(forms, order, run),
    renderRelease(forms, order),
    renderSendingBack(forms, order),
    renderReanalysis(forms, order),
    renderCancellation(forms, order),
  ].filter((action) => action !== null);
  const lead = renderLead(forms, order);
  const isSimulated = run?.by_hand === false && ['in_production', 'data_analysis'].includes(order.status);
  return markup`<section class="card stack" aria-labelledby="actions"><h2 id="actions">Actions</h2>
${lead}
${isSimulated && markup`<p class="note">The simulated lab records this run and completes it.</p>`}
${actions.length > 0 && markup`<div class="decision lab-actions">${actions}</div>`}
${actions.length === 0 && lead === null && markup`<p class="muted">This state needs nothing that your roles allow.</p>`}</section>`;
}

/** The page on which the state is seen to. */
function renderLead(forms: FormsView, order: LabExperiment): Markup | null {
  const { status, code, quote } = order;
  const isDrafted = quote?.status === 'draft';
  if (status === 'waiting_for_confirmation' && canCall(forms.session, createCustomQuote))
    return markup`<p><a class="button primary" href="/lab/quotes/${isDrafted ? quote.id : `new?experiment=${code}`}">${isDrafted ? 'Finish the quote' : 'Compose the quote'}</a></p>`;
  return status === 'in_review'
    ? markup`<p><a class="button primary" href="${getAction(order, 'review')}">Review the results</a></p>`
    : null;
}

function getAction({ code }: LabExperiment, verb: string): string {
  return `/lab/experiments/${code}/${verb}`;
}

function renderReceipt(forms: FormsView, order: LabExperiment): Markup | null {
  if (order.status !== 'waiting_for_materials' || !canCall(forms.session, receiveMaterials)) return null;
  return renderLabForm(forms, {
    action: getAction(order, 'materials'),
    button: 'All materials are in the lab',
    tone: 'primary',
    hint: 'What is missing is recorded as received, and the order moves to the queue.',
  });
}

/** A run before the payment is for those who may review, and needs a reason. */
function renderStart(forms: FormsView, order: LabExperiment): Markup | null {
  const isRepeat = order.status === 'in_review';
  if ((order.status !== 'in_queue' && !isRepeat) || !canCall(forms.session, startRun)) return null;
  const isPaid = order.invoice_status === 'paid';
  if (!isPaid && !canCall(forms.session, releaseResults))
    return markup`<p class="note warn">The invoice is not paid. A manager may start the run before the payment.</p>`;
  return renderLabForm(forms, {
    action: getAction(order, 'runs'),
    button: isRepeat ? 'Repeat the run' : 'Start the run',
    ...(isRepeat ? { summary: 'Repeat the run' } : { tone: 'primary' as const }),
    fields: [
      { name: 'instrument', label: 'Instrument', hint: 'Such as Octet R8', lengthMax: 200, isRequired: true },
      ...(isPaid
        ? []
        : [
            {
              name: 'override_reason',
              label: 'Reason to start before the payment',
              hint: 'The invoice is not paid.',
              lengthMax: 500,
              isRequired: true,
            },
          ]),
    ],
  });
}

/** A planned run starts an order that is not paid once a manager has allowed it. */
function renderUnpaidRelease(forms: FormsView, order: LabExperiment): Markup | null {
  const { status, invoice_status: invoice, unpaid_release: release } = order;
  if ((status !== 'waiting_for_materials' && status !== 'in_queue') || invoice === 'paid') return null;
  if (!canCall(forms.session, allowUnpaidRun)) return null;
  return renderLabForm(forms, {
    action: getAction(order, 'allow-unpaid'),
    button: release === null ? 'Allow it' : 'Replace the reason',
    summary: release === null ? 'Allow a planned run to start it unpaid' : 'It may start unpaid',
    hint: 'The client still owes the invoice.',
    fields: [
      { ...REASON, hint: 'Clients never see it.', ...(release === null ? {} : { value: release.reason }) },
    ],
  });
}

/** Whether the current run takes files: while it is recorded, and after its analysis stopped. */
function takesFiles({ status, problem }: LabExperiment, run: Run): boolean {
  const isOpen = status === 'in_production' || (status === 'data_analysis' && problem !== null);
  return isOpen && run?.by_hand === true;
}

function renderUpload(forms: FormsView, order: LabExperiment, run: Run): Markup | null {
  if (!takesFiles(order, run) || !canCall(forms.session, putRawFile)) return null;
  const addresses = { action: getAction(order, 'files'), preview: getAction(order, 'raw-files/preview') };
  return markup`<div>${renderUploadForm(forms, addresses)}</div>`;
}

function renderCompletion(forms: FormsView, order: LabExperiment, run: Run): Markup | null {
  if (order.status !== 'in_production' || run?.by_hand !== true || !canCall(forms.session, completeRawData))
    return null;
  return renderLabForm(forms, {
    action: getAction(order, 'complete'),
    button: 'Raw data are complete',
    summary: 'Complete the raw data',
    hint: 'The analysis starts, and the run takes no more files.',
    fields: [...listCompletionFields(order.method !== null), SETTINGS],
  });
}

function renderRelease(forms: FormsView, order: LabExperiment): Markup | null {
  if (order.status !== 'in_review' || !canCall(forms.session, releaseResults)) return null;
  return renderLabForm(forms, {
    action: getAction(order, 'release'),
    button: 'Release the results',
    tone: 'primary',
    hint: 'The client sees them at once. This cannot be taken back.',
    fields: [SHORTFALL_REASON],
  });
}

function renderSendingBack(forms: FormsView, order: LabExperiment): Markup | null {
  const isStopped = order.status === 'data_analysis' && order.problem !== null;
  if ((order.status !== 'in_review' && !isStopped) || !canCall(forms.session, sendExperimentBack))
    return null;
  return renderLabForm(forms, {
    action: getAction(order, 'send-back'),
    button: 'Analyze again',
    summary: isStopped ? 'Analyze again' : 'Send back to analysis',
    fields: [{ ...REASON, hint: 'Clients read it.' }, SETTINGS],
  });
}

function renderReanalysis(forms: FormsView, order: LabExperiment): Markup | null {
  if (order.status !== 'done' || !canCall(forms.session, reanalyzeExperiment)) return null;
  return renderLabForm(forms, {
    action: getAction(order, 'reanalyze'),
    button: 'Analyze again',
    summary: 'Amend the released results',
    hint: 'Each result gets a new version; the old one stays.',
    fields: [{ ...REASON, hint: 'Clients read it with the versions.' }, SETTINGS],
  });
}

function renderCancellation(forms: FormsView, order: LabExperiment): Markup | null {
  if (findMove(order.status, 'cancel', 'lab') === undefined) return null;
  if (!canCall(forms.session, cancelExperimentByStaff)) return null;
  const isPaid = order.invoice_status === 'paid';
  return renderLabForm(forms, {
    action: getAction(order, 'cancel'),
    button: 'Cancel the order',
    tone: 'danger',
    summary: 'Cancel the order',
    hint: isPaid ? 'The payment is refunded.' : 'An open invoice is voided.',
    fields: [
      { ...REASON, hint: 'Clients read it.' },
      ...(isPaid
        ? [{ name: 'refund', label: 'Refund in USD', hint: 'Empty: all of it.', lengthMax: 15 }]
        : []),
    ],
  });
}
