/** The forms on the page of an order; each calls the operation of its name. */
import { formatUsd } from '#core/money.ts';
import { putRawFile } from '../../runs/raw-files/run-contract.ts';
import { getAnyInvoice } from '../../invoices/lab-contract.ts';
import { getLabExperiment } from '../../queue/contract.ts';
import { act } from '#ui/action.ts';
import { computeLeftToRefund, formatCents, readAmount } from '#ui/amount.ts';
import type { FormContext } from '#ui/context.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import { isConfirmed, renderConfirmation, type Confirmation } from '#ui/confirm.ts';
import { cancellation, complete, completion, plainActions, upload } from './lab-actions.ts';
import { loadExperimentPage } from './lab-experiment.ts';
import type { FormFile } from '#ui/upload-form.ts';
import type { LabRoutes } from '#ui/screen.ts';

export function addExperimentForms(routes: LabRoutes): void {
  routes.addActions(plainActions, loadExperimentPage);
  routes.addForm(
    completion.path,
    completion.operation,
    (context) => complete(context, completion),
    loadExperimentPage,
  );
  routes.addForm(cancellation.path, cancellation.operation, cancel, loadExperimentPage);
  routes.addUpload(upload.path, putRawFile, putFile, loadExperimentPage);
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

/** Stores the uploaded file under the name that it has on the disk of the person. */
async function putFile({ api, request }: FormContext, file: FormFile): Promise<string> {
  const id = getPathParameter(request, 'experiment_id');
  const params = { experiment_id: id, name: file.name };
  await api.reply(putRawFile, { params, upload: file.staged });
  return `/lab/experiments/${encodeURIComponent(id)}?done=files`;
}
