/** What an organization without an experiment sees at home: the demo of a sandbox, or what to do first. */
import { readFile } from 'node:fs/promises';
import { USUAL_ASSAY } from '#assays/registry.ts';
import { ROOT } from '#core/package-root.ts';
import { toRecord } from '#core/records.ts';
import { writeBody } from '#core/reply.ts';
import { getBillingProfile } from '../../billing/contract.ts';
import { getInvoice, payInvoice } from '../../invoices/contract.ts';
import { mintPaymentToken } from '../../payments/contract.ts';
import { readSequences } from '../../sequences/read-sequences.ts';
import { listTargets } from '../../targets/contract.ts';
import { createExperiment } from '../contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { createFormsView, readKey, renderLabForm } from '#ui/form.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Remark } from '#ui/screen.ts';
import { canCall, type Session } from '#ui/session.ts';

export const DEMO_PATH = '/demo';
/** Pays at once; on the other rails a person has to open the payment page. */
const TEST_RAIL = 'mpp-spt';
const TARGET = 'EGFR';
const REPLICATES = 3;

export function renderFirstOrder(context: PortalContext, remark?: Remark): Markup {
  const { session, parts } = context;
  const isSandbox = parts.work.site.environment === 'sandbox';
  const mayOrder = canCall(session, createExperiment);
  if (!mayOrder)
    return markup`<h2>No experiments yet</h2><p class="muted">Your role reads orders and results. They stand here as soon as somebody of your organization orders.</p>`;
  const create = markup`<a class="button" href="/experiments/new">New experiment</a>`;
  if (!isSandbox)
    return markup`<h2>What to do first</h2><ol class="steps">${listSteps(session)}</ol>${create}`;
  const demo = renderLabForm(createFormsView(context, remark), {
    action: DEMO_PATH,
    button: 'Run the demo',
    tone: 'primary',
    fields: [],
  });
  return markup`<h2>No experiments yet</h2><p class="muted">The demo orders 40 published and made-up designs against ${TARGET}, pays with test money and has ranked results within a minute. The lab and its numbers are simulated.</p>${demo}<p class="muted">Or bring your own sequences:</p>${create}`;
}

function listSteps(session: Session): Markup[] {
  return [
    ...(canCall(session, getBillingProfile)
      ? [
          markup`<li><a href="/organization/billing">Say who is billed</a>: name, address and tax id stand on every quote.</li>`,
        ]
      : []),
    ...(canCall(session, listTargets)
      ? [markup`<li><a href="/targets">Find your target</a>, or request one that the catalog lacks.</li>`]
      : []),
    markup`<li><a href="/experiments/new">Order</a>: paste or drop sequences, and see price and date before anything is sent.</li>`,
  ];
}

/** Orders and pays the experiment of `assayer demo` for this organization. */
export async function runDemo({ api, form, session, parts }: FormContext): Promise<string> {
  const mayPay = canCall(session, mintPaymentToken) && canCall(session, payInvoice);
  const paysAtOnce = mayPay && parts.work.site.machineMethods.some((method) => method === TEST_RAIL);
  const created = await api.reply(createExperiment, {
    body: {
      name: 'Demo: a nanobody, its variants and other designs',
      experiment_spec: {
        experiment_type: USUAL_ASSAY,
        method: 'bli',
        target: TARGET,
        n_replicates: REPLICATES,
        sequences: await readDemoSequences(),
        parameters: { sandbox: { library: 'naive' } },
      },
      auto_accept_quote: true,
      ...(paysAtOnce ? { payment: { method: TEST_RAIL } } : {}),
    },
    idempotencyKey: readKey(form),
  });
  const { invoice_id: invoiceId, experiment_code: code } = toRecord(JSON.parse(writeBody(created.body)));
  if (typeof invoiceId !== 'string') return typeof code === 'string' ? `/experiments/${code}` : '/';
  const params = { invoice_id: invoiceId };
  const invoice = await api.call(getInvoice, { params });
  if (invoice.status === 'open') {
    const token = await api.call(mintPaymentToken, { body: { max_amount_cents: invoice.total_cents } });
    await api.reply(payInvoice, { params, body: { spt: token.spt } });
  }
  return `/experiments/${invoice.experiment_code}`;
}

async function readDemoSequences(): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(new URL('examples/campaign.fasta', ROOT), 'utf8');
  return Object.fromEntries(readSequences(text).records.map(({ name, value }) => [name, value] as const));
}
