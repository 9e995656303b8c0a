/**
 * `/lab/materials`: what must be in the lab before runs can start.
 * This folder: materials over all orders, and of one. Not here: the stock of targets (`catalog`).
 */
import { getLabMaterials, listLabMaterials, recordMaterials } from '../contract.ts';
import { getLabExperiment } from '../../queue/contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findSentence, getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { createFormsView, readKey } from '#ui/form.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import { loadNeeded, PATH } from './needed-list.ts';
import { buildEntries, locateEntryProblems, selectMaterials } from './order-form.ts';
import { renderOrderMaterials } from './order-view.ts';

export const materialsScreen: LabScreen = {
  path: PATH,
  label: 'Materials',
  group: 'Work',
  letter: 'l',
  reads: listLabMaterials,
  add(routes) {
    routes.addPage(PATH, loadNeeded);
    routes.addPage('/lab/experiments/:id/materials', (context) => loadMaterials(context), getLabMaterials);
    routes.addForm('/lab/experiments/:id/materials/record', recordMaterials, record, loadMaterials);
  },
};

const DONE: Readonly<Record<string, string>> = {
  recorded: 'It was recorded.',
  queued: 'All materials are there; the order is in the queue.',
};

const getParams = ({ request }: PortalContext): { experiment_id: string } => ({
  experiment_id: getPathParameter(request, 'id'),
});

async function loadMaterials(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, parts } = context;
  const params = getParams(context);
  const [order, known] = await Promise.all([
    api.call(getLabExperiment, { params }),
    api.call(getLabMaterials, { params }),
  ]);
  return renderOrderMaterials(createFormsView(context, remark), {
    order,
    record: known,
    now: parts.work.clock.now(),
    notice: findSentence(DONE, queryParameter(request, 'done')),
  });
}

async function record(context: FormContext): Promise<string> {
  const { api, form } = context;
  const params = getParams(context);
  const { materials } = await api.call(getLabMaterials, { params });
  const selected = selectMaterials(form, materials);
  try {
    const after = await api.call(recordMaterials, {
      params,
      body: { materials: buildEntries(form, selected) },
      idempotencyKey: readKey(form),
    });
    const isQueued = after.status !== after.previous_status;
    return `/lab/experiments/${after.experiment_code}/materials?done=${isQueued ? 'queued' : 'recorded'}`;
  } catch (error) {
    throw locateEntryProblems(error, selected);
  }
}
