/** Reads the example order of the address and asks what it costs. */
import { Failure } from '#core/failures.ts';
import { USUAL_ASSAY } from '#assays/registry.ts';
import { compareOrderCost } from '../../draft-contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { queryParameter } from '#ui/http.ts';
import type { PriceList } from './draft-form.ts';
import type { Example, ExampleView } from './example-view.ts';
import { PATH } from './list-view.ts';
import { findTargetIds } from './material-lines.ts';

const USUAL_SEQUENCES = '24';
const USUAL_REPLICATES = '3';

export async function loadExample(context: PortalContext, list: PriceList): Promise<ExampleView> {
  const example = readExample(context, list);
  const view = { path: `${PATH}/${list.id}`, example, isDraft: list.status === 'draft' };
  const { api } = context;
  const targetId =
    example.target === '' ? undefined : (await findTargetIds(api, [example.target]))(example.target);
  if (example.target !== '' && targetId === undefined)
    return { ...view, problem: `The catalog has no target “${example.target}”.` };
  try {
    const costs = await api.call(compareOrderCost, {
      params: { price_list_id: list.id },
      query: {
        experiment_type: example.assay,
        sequence_count: example.sequences,
        n_replicates: example.replicates,
        ...(example.method === '' ? {} : { method: example.method }),
        ...(targetId === undefined ? {} : { target_id: targetId }),
      },
    });
    return { ...view, costs };
  } catch (error) {
    if (!(error instanceof Failure) || ![400, 404].includes(error.status)) throw error;
    return { ...view, problem: error.message };
  }
}

/** What the address omits is as in a usual order of the first assay that the list prices. */
function readExample({ request }: PortalContext, list: PriceList): Example {
  const [first] = list.prices;
  const assay = queryParameter(request, 'assay').slice(0, 100);
  const read = (text: string, usual: string): string => (text === '' ? usual : text.slice(0, 200));
  return {
    assay: assay === '' ? (first?.experiment_type ?? USUAL_ASSAY) : assay,
    method: assay === '' ? (first?.method ?? '') : queryParameter(request, 'method').slice(0, 10),
    sequences: read(queryParameter(request, 'sequences'), USUAL_SEQUENCES),
    replicates: read(queryParameter(request, 'replicates'), USUAL_REPLICATES),
    target: queryParameter(request, 'target').trim().slice(0, 200),
  };
}
