/** The forms on the page of an order; each calls the operation of its name. */
import { fail } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import { cancelExperimentByStaff } from '#domain/experiments/lab-contract.ts';
import { reanalyzeExperiment } from '#domain/lab/contract.ts';
import {
  completeRawData,
  putRawFile,
  receiveMaterials,
  releaseResults,
  sendExperimentBack,
  startRun,
} from '#domain/lab/run-contract.ts';
import { allowUnpaidRun } from '#domain/lab/unpaid-contract.ts';
import { addLabNote } from '#domain/queue/contract.ts';
import { parseCents } from '../amount.ts';
import type { FormContext } from '../context.ts';
import { getField, getPathParameter, type Form } from '../http.ts';
import { loadExperimentPage } from './experiment.ts';
import { readFilled, readKey, readSettings } from './form.ts';
import type { FormFile } from '../form-upload.ts';
import type { LabRoutes } from './screen.ts';

interface Deed {
  readonly verb: string;
  readonly does: Operation;
  readonly read: (form: Form) => Readonly<Record<string, unknown>>;
}

const readNothing = (): Readonly<Record<string, unknown>> => ({});
const readReasoned = (form: Form): Readonly<Record<string, unknown>> => ({
  reason: getField(form, 'reason'),
  ...readSettings(form),
});

const DEEDS: readonly Deed[] = [
  { verb: 'materials', does: receiveMaterials, read: readNothing },
  { verb: 'runs', does: startRun, read: (form) => readFilled(form, ['instrument', 'override_reason']) },
  { verb: 'complete', does: completeRawData, read: readSettings },
  { verb: 'release', does: releaseResults, read: readNothing },
  { verb: 'send-back', does: sendExperimentBack, read: readReasoned },
  { verb: 'reanalyze', does: reanalyzeExperiment, read: readReasoned },
  { verb: 'cancel', does: cancelExperimentByStaff, read: readCancellation },
  { verb: 'allow-unpaid', does: allowUnpaidRun, read: (form) => ({ reason: getField(form, 'reason') }) },
  { verb: 'notes', does: addLabNote, read: (form) => ({ note: getField(form, 'note') }) },
];

export function addExperimentForms(routes: LabRoutes): void {
  for (const { verb, does, read } of DEEDS)
    routes.addForm(
      `/lab/experiments/:id/${verb}`,
      does,
      (context) => act(context, { verb, does, read }),
      loadExperimentPage,
    );
}

async function act({ api, form, request }: FormContext, { verb, does, read }: Deed): Promise<string> {
  const id = getPathParameter(request, 'id');
  await api.reply(does, {
    params: { experiment_id: id },
    body: read(form),
    idempotencyKey: readKey(form),
  });
  return `/lab/experiments/${encodeURIComponent(id)}?done=${verb}`;
}

function readCancellation(form: Form): Readonly<Record<string, unknown>> {
  const refund = getField(form, 'refund');
  const reason = getField(form, 'reason');
  if (refund === '') return { reason };
  const cents = parseCents(refund);
  if (typeof cents === 'number') return { reason, refund_cents: cents };
  const message = 'write an amount such as 12.50';
  throw fail('invalid_request', { reason: message }, { problems: [{ path: 'refund', message }] });
}

/** Stores the uploaded file under the name that it has on the disk of the person. */
export async function putFile({ api, request }: FormContext, file: FormFile): Promise<string> {
  const id = getPathParameter(request, 'id');
  const params = { experiment_id: id, name: file.name };
  await api.reply(putRawFile, { params, upload: file.staged });
  return `/lab/experiments/${encodeURIComponent(id)}?done=files`;
}
