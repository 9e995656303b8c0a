/** `/lab/assay-types`: what clients can order of each assay. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { editAssayType, listAssayTypes, listLabAssayTypes } from '../assay-types/contract.ts';
import { bindingMethods, REPLICATES_MAX } from '../assay-types/rules.ts';
import { defineAction, renderAction, renderDone } from '#ui/action.ts';
import type { PortalContext } from '#ui/context.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { loadFirstSteps } from '../../installation/pages/setup.ts';
import { createFormsView, type FormsView } from '#ui/form.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';

const PATH = '/lab/assay-types';

const edit = defineAction(editAssayType, {
  path: `${PATH}/:experiment_type`,
  page: PATH,
  button: 'Save',
  fields: {
    offered: { label: 'Clients can order it' },
    methods: {
      label: 'Methods',
      options: bindingMethods.map((method) => [method, `By ${method.toUpperCase()}`] as const),
    },
    n_replicates_min: { label: 'Fewest replicates', isRequired: true, isPaired: true },
    n_replicates_max: {
      label: 'Most replicates',
      hint: `At most ${REPLICATES_MAX}.`,
      isRequired: true,
      isPaired: true,
    },
    turnaround_workdays: {
      label: 'Results within workdays',
      hint: 'From the start of the run. Empty: not promised.',
    },
  },
  done: 'The assay type was saved. It holds for estimates and submissions from now on.',
});

export const assayTypesScreen: LabScreen = {
  path: PATH,
  label: 'Assay types',
  group: 'Catalog',
  letter: 'y',
  reads: listLabAssayTypes,
  add(routes) {
    routes.addPage(PATH, (context) => loadAssayTypes(context));
    routes.addActions([edit], loadAssayTypes);
  },
};

type AssayType = Output<typeof listLabAssayTypes>['items'][number];

async function loadAssayTypes(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api } = context;
  const [{ items }, orderable, steps] = await Promise.all([
    api.call(listLabAssayTypes, { query: { limit: 100 } }),
    api.call(listAssayTypes, { query: { limit: 100 } }),
    loadFirstSteps(context),
  ]);
  const forms = createFormsView(context, remark);
  const sorted = items.toSorted(
    (a, b) => Number(b.offered) - Number(a.offered) || a.title.localeCompare(b.title),
  );
  const priced = new Set(orderable.items.map((type) => type.experiment_type));
  const count = `${items.filter(({ offered }) => offered).length} of ${items.length} offered`;
  const body = markup`${renderLabHead('Assay types', { count })}
${renderDone(context, [edit])}${steps}
<div class="tiles">${sorted.map((type) => renderType(forms, type, priced.has(type.experiment_type)))}</div>`;
  return { title: 'Assay types', body };
}

function renderType(forms: FormsView, type: AssayType, hasPrice: boolean): Markup {
  const { experiment_type: name, title, offered, turnaround_workdays: days } = type;
  const [least, most] = [type.n_replicates_min, type.n_replicates_max];
  const chip = offered
    ? markup`<span class="chip good">Offered</span>`
    : markup`<span class="chip idle">Not offered</span>`;
  const facts = renderFacts([
    ['Methods', type.methods.map((method) => method.toUpperCase()).join(', ')],
    ['Replicates', least === most ? String(least) : `${least} to ${most}`],
    ['Results within', days === null ? 'not promised' : formatCount(days, 'workday')],
  ]);
  return markup`<section class="card stack" aria-labelledby="type-${name}"><div class="card-head"><h2 id="type-${name}">${title}</h2>${chip}</div>${offered && !hasPrice && markup`<p class="note warn">Clients cannot order it yet: the list in effect has no price for it. <a href="/lab/price-lists">Prices</a></p>`}${facts}
${renderAction(forms, edit, {
  params: { experiment_type: name },
  values: type,
  summary: markup`Edit<span class="visually-hidden"> ${title}</span>`,
  fields: type.requires_target ? {} : { methods: false },
})}</section>`;
}
