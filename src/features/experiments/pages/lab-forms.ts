/** The forms on the page of an order; each calls the operation of its name. */
import { formatUsd } from '#core/money.ts';
import type { Operation } from '#core/operation.ts';
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
import { getAnyInvoice } from '../../invoices/lab-contract.ts';
import { addLabNote, getLabExperiment } from '../../queue/contract.ts';
import { computeLeftToRefund, formatCents, readAmount } from '#ui/amount.ts';
import type { FormContext } from '#ui/context.ts';
import { getField, getPathParameter, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import { isConfirmed, renderConfirmation, type Confirmation } from '#ui/confirm.ts';
import { loadExperimentPage } from './lab-experiment.ts';
import { readCompletion, readFilled, readKey, readSettings } from '#ui/form.ts';
import type { FormFile } from '#ui/upload-form.ts';
import type { LabRoutes } from '#ui/screen.ts';

interface Deed {
  readonly verb: string;
  readonly does: Operation;
  readonly read: (form: Form) => Readonly<Record<string, unknown>>;
  /** What a second press confirms; undefined where it needs none. */
  readonly confirm?: (context: FormContext, id: string) => Promise<Confirmation | undefined>;
}

const readNothing = (): Readonly<Record<string, unknown>> => ({});
const readReasoned = (form: Form): Readonly<Record<string, unknown>> => ({
  reason: getField(form, 'reason'),
  ...readSettings(form),
});

const DEEDS: readonly Deed[] = [
  { verb: 'materials', does: receiveMaterials, read: readNothing },
  { verb: 'runs', does: startRun, read: (form) => readFilled(form, ['instrument', 'override_reason']) },
  { verb: 'complete', does: completeRawData, read: readCompletion },
  { verb: 'release', does: releaseResults, read: (form) => readFilled(form, ['reason']) },
  { verb: 'send-back', does: sendExperimentBack, read: readReasoned },
  { verb: 'reanalyze', does: reanalyzeExperiment, read: readReasoned },
  { verb: 'cancel', does: cancelExperimentByStaff, read: readCancellation, confirm: describeCancellation },
  { verb: 'allow-unpaid', does: allowUnpaidRun, read: (form) => ({ reason: getField(form, 'reason') }) },
  { verb: 'notes', does: addLabNote, read: (form) => ({ note: getField(form, 'note') }) },
];

export function addExperimentForms(routes: LabRoutes): void {
  for (const deed of DEEDS)
    routes.addForm(
      `/lab/experiments/:id/${deed.verb}`,
      deed.does,
      (context) => act(context, deed),
      loadExperimentPage,
    );
}

async function act(context: FormContext, { verb, does, read, confirm }: Deed): Promise<string | PageContent> {
  const { api, form, request } = context;
  const id = getPathParameter(request, 'id');
  const confirmation = isConfirmed(form) ? undefined : await confirm?.(context, id);
  if (confirmation !== undefined) return renderConfirmation(context, confirmation);
  await api.reply(does, {
    params: { experiment_id: id },
    body: read(form),
    idempotencyKey: readKey(form),
  });
  return `/lab/experiments/${encodeURIComponent(id)}?done=${verb}`;
}

function readCancellation(form: Form): Readonly<Record<string, unknown>> {
  const cents = readAmount(form, 'refund');
  const reason = getField(form, 'reason');
  return cents === undefined ? { reason } : { reason, refund_cents: cents };
}

/** Undefined where no money goes back, or where the operation refuses the refund and says why. */
async function describeCancellation(
  { api, form }: FormContext,
  id: string,
): Promise<Confirmation | undefined> {
  const typedCents = readAmount(form, 'refund');
  const { code, invoice: current } = await api.call(getLabExperiment, {
    params: { experiment_id: id },
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
    settled: { refund: formatCents(cents) },
  };
}

/** Stores the uploaded file under the name that it has on the disk of the person. */
export async function putFile({ api, request }: FormContext, file: FormFile): Promise<string> {
  const id = getPathParameter(request, 'id');
  const params = { experiment_id: id, name: file.name };
  await api.reply(putRawFile, { params, upload: file.staged });
  return `/lab/experiments/${encodeURIComponent(id)}?done=files`;
}
