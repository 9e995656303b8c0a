/** What keeps a planned run from starting, order by order, and the forms that mend or start it. */
import { formatCount } from '#core/counts.ts';
import { allowUnpaidRun } from '../raw-files/unpaid-contract.ts';
import { cancelLabRun, editLabRun, startLabRun } from '../run-contract.ts';
import { renderInvoiceChip } from '../../invoices/pages/invoice-chip.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderStatusChip } from '#ui/pieces.ts';
import { canCall } from '#ui/session.ts';
import { renderLabForm, type FormsView, type LabField } from '#ui/form.ts';
import { renderTable, type Column } from '#ui/list.ts';
import type { Run } from './words.ts';

type Order = Run['experiments'][number];

export function renderOrdersCard(forms: FormsView, run: Run, now: Date): Markup {
  const isPlanned = run.status === 'planned';
  const columns: readonly Column<Order>[] = [
    {
      head: 'Order',
      render: (order) =>
        markup`<a class="mono" href="/lab/experiments/${order.experiment_code}">${order.experiment_code}</a><span class="sub"><bdi>${order.organization_name}</bdi></span>`,
    },
    { head: 'State', render: (order) => renderStatusChip(order.status) },
    ...(isPlanned
      ? [
          { head: 'Materials', render: renderMaterials },
          { head: 'Payment', render: (order: Order) => renderPayment(forms, run, order, now) },
        ]
      : []),
  ];
  return markup`<section class="card flush" aria-labelledby="orders"><div class="card-head"><h2 id="orders">${formatCount(run.experiments.length, 'order')}</h2>${!isPlanned && markup`<p class="hint">Results stand on the page of each order.</p>`}</div>${renderTable(columns, run.experiments)}</section>`;
}

function renderMaterials({ experiment_code: code, n_missing_materials: missing }: Order): Markup {
  const chip =
    missing === 0
      ? markup`<span class="chip good">All there</span>`
      : markup`<span class="chip attention">${missing} missing</span>`;
  return markup`<span>${chip} <a class="sub" href="/lab/experiments/${code}/materials">Materials<span class="visually-hidden"> of ${code}</span></a></span>`;
}

/** An order that is not paid needs a reason of somebody who may review. */
function renderPayment(forms: FormsView, run: Run, order: Order, now: Date): Markup {
  const { experiment_code: code, invoice_status: status, unpaid_reason: reason } = order;
  const chip =
    status === null
      ? markup`<span class="chip attention">No invoice</span>`
      : renderInvoiceChip({ status, due_date: null }, now);
  if (status === 'paid') return markup`<span>${chip}</span>`;
  const may = canCall(forms.session, allowUnpaidRun);
  return markup`<div>${chip}${reason !== null && markup`<span class="sub">May start unpaid: <bdi>${reason}</bdi></span>`}${
    may &&
    renderLabForm(forms, {
      action: `/lab/runs/${run.code}/allow-unpaid/${code}`,
      button: 'Allow it',
      summary: markup`${reason === null ? 'Allow to start unpaid' : 'Change the reason'}<span class="visually-hidden">: ${code}</span>`,
      fields: [
        {
          name: 'reason',
          label: 'Reason',
          hint: 'Clients never see it; they still owe the invoice.',
          lengthMax: 500,
          isRequired: true,
        },
      ],
    })
  }${reason === null && !may && markup`<span class="sub">A manager may let it start before the payment.</span>`}</div>`;
}

/** A sentence about who or what carries out the run is mended in the form of the start itself. */
const isNamedAtStart = (sentence: string): boolean =>
  /^The run has no (?:instrument|operator)/.test(sentence);

export function renderStartCard(forms: FormsView, run: Run): Markup | null {
  if (run.status !== 'planned') return null;
  const reasons = run.start_problems.filter((sentence) => !isNamedAtStart(sentence));
  const people: readonly LabField[] = [
    {
      name: 'instrument',
      label: 'Instrument',
      hint: 'Such as Octet R8',
      value: run.instrument ?? '',
      lengthMax: 200,
    },
    { name: 'operator', label: 'Operator', value: run.operator ?? '', lengthMax: 200 },
  ];
  const mayStart = canCall(forms.session, startLabRun);
  return markup`<section class="card stack" aria-labelledby="start"><h2 id="start">Start</h2>
${reasons.length === 0 ? markup`<p><span class="chip good">Ready to start</span></p>` : markup`<div class="note warn"><strong>${formatCount(reasons.length, 'reason')} why it cannot start yet</strong><ul>${reasons.map((sentence) => markup`<li>${sentence}</li>`)}</ul></div>`}
${mayStart && reasons.length === 0 && markup`<div class="decision">${renderLabForm(forms, { action: `/lab/runs/${run.code}/start`, button: 'Start the run', tone: 'primary', fields: people.map((field) => ({ ...field, isRequired: true })), hint: 'All its orders move to production. This cannot be taken back.' })}</div>`}
${canCall(forms.session, editLabRun) && reasons.length > 0 && renderLabForm(forms, { action: `/lab/runs/${run.code}/details`, button: 'Save', fields: people })}
${canCall(forms.session, cancelLabRun) && renderLabForm(forms, { action: `/lab/runs/${run.code}/cancel`, button: 'Cancel the run', tone: 'danger', summary: 'Cancel the run', hint: 'Its orders stay in the queue.', fields: [{ name: 'reason', label: 'Reason', hint: 'Clients never see it.', lengthMax: 500, isRequired: true }] })}</section>`;
}
