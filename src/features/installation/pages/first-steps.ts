/** What a lab does first, as long as nobody can order anything, or something is missing that clients need. */
import { listLabAssayTypes } from '../../pricing/assay-types/contract.ts';
import { listPriceLists } from '../../pricing/list-contract.ts';
import { getLabSetup } from '../setup-contract.ts';
import { listLabTargets } from '../../targets/catalog-contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { nameMatter, SETUP_ANCHOR } from './setup-rows.ts';

interface Step {
  readonly path: string;
  readonly words: string;
  readonly isDone: boolean;
}

/** Returns null once a list is in effect, an assay is offered and no setting is missing. */
export async function loadFirstSteps({ api }: PortalContext): Promise<Markup | null> {
  const limit = 1;
  const [lists, offered, targets, { items: setup }] = await Promise.all([
    api.call(listPriceLists, { query: { filter: 'eq(status,published)', limit } }),
    api.call(listLabAssayTypes, { query: { filter: 'eq(offered,true)', limit } }),
    api.call(listLabTargets, { query: { filter: 'eq(retired,false)', limit } }),
    api.call(getLabSetup, {}),
  ]);
  const canOrder = lists.total > 0 && offered.total > 0;
  if (canOrder && setup.every(({ state }) => state !== 'missing')) return null;
  const steps: readonly Step[] = [
    { path: '/lab/price-lists', words: 'Publish a price list', isDone: lists.total > 0 },
    { path: '/lab/assay-types', words: 'Offer an assay', isDone: offered.total > 0 },
    { path: '/lab/targets', words: 'Add targets, for assays that need one', isDone: targets.total > 0 },
    ...setup.map((item) => ({
      path: `/lab/health#${SETUP_ANCHOR}`,
      words: `${item.state === 'check' ? 'Check' : 'Set'} ${nameMatter(item).toLowerCase()}`,
      isDone: item.state === 'set',
    })),
  ];
  const rows = steps.map(
    ({ path, words, isDone }) =>
      markup`<li>${isDone ? markup`<span class="chip good">Done</span> ${words}` : markup`<span class="chip yours">To do</span> <a href="${path}">${words}</a>`}</li>`,
  );
  return markup`<section class="card stack first-steps" aria-labelledby="first-steps"><h2 id="first-steps">${canOrder ? 'The set-up is not complete' : 'Clients cannot order anything yet'}</h2><ol>${rows}</ol></section>`;
}
