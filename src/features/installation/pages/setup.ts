/** What the operator has set and what is missing, as rows of the pages Today and Health. */
import type { Output } from '#core/operation.ts';
import { getLabSetup } from '../contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { listLabAssayTypes } from '../../pricing/assay-types/contract.ts';
import { listPriceLists } from '../../pricing/list-contract.ts';
import { listLabTargets } from '../../targets/catalog-contract.ts';
import type { PortalContext } from '#ui/context.ts';

type SetupItem = Output<typeof getLabSetup>['items'][number];

const MATTERS: Readonly<Record<SetupItem['matter'], string>> = {
  mail: 'Mail',
  payment: 'Bank account or processor',
  seller: 'Name, address and tax id',
  backup: 'Backup',
};

const STATES: Readonly<Record<SetupItem['state'], readonly [tone: string, words: string]>> = {
  set: ['good', 'Set'],
  missing: ['attention', 'Missing'],
  check: ['yours', 'Check'],
};

/** The place of the rows on the page Health. */
const SETUP_ANCHOR = 'set-up';

function nameMatter({ matter }: SetupItem): string {
  return MATTERS[matter];
}

export function renderSetupCard(items: readonly SetupItem[]): Markup {
  const rows = items.map((item) => {
    const [tone, words] = STATES[item.state];
    const settings = item.settings.map((name) => markup` <code class="nowrap">${name}</code>`);
    return markup`<li><div><strong>${nameMatter(item)}</strong> <span class="chip ${tone}">${words}</span>${settings}<p class="hint">${item.sentence}</p></div></li>`;
  });
  return markup`<section class="card setup" aria-labelledby="${SETUP_ANCHOR}"><div class="card-head"><h2 id="${SETUP_ANCHOR}">Set-up</h2><a href="/docs/guide/operating">Operating the service</a></div><ul class="rows">${rows}</ul></section>`;
}

/** What a lab does first, as long as nobody can order anything, or something is missing that clients need. */
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
