/** `/lab/assay-types`: what clients can order of each assay. */
import { parseNumber } from '#ui/amount.ts';
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { editAssayType, listAssayTypes, listLabAssayTypes } from '../assay-types/contract.ts';
import { bindingMethods, REPLICATES_MAX } from '../assay-types/rules.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findSentence, getField, getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { loadFirstSteps } from '../../installation/pages/setup.ts';
import { createFormsView, renderLabForm, renderNotice, type FormsView, type LabField } from '#ui/form.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';

const PATH = '/lab/assay-types';

export const assayTypesScreen: LabScreen = {
  path: PATH,
  label: 'Assay types',
  group: 'Catalog',
  letter: 'y',
  reads: listLabAssayTypes,
  add(routes) {
    routes.addPage(PATH, (context) => loadAssayTypes(context));
    routes.addForm(`${PATH}/:type`, editAssayType, save, loadAssayTypes);
  },
};

type AssayType = Output<typeof listLabAssayTypes>['items'][number];

const DONE: Readonly<Record<string, string>> = {
  saved: 'The assay type was saved. It holds for estimates and submissions from now on.',
};

async function loadAssayTypes(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session } = context;
  const [{ items }, orderable, steps] = await Promise.all([
    api.call(listLabAssayTypes, { query: { limit: 100 } }),
    api.call(listAssayTypes, { query: { limit: 100 } }),
    loadFirstSteps(context),
  ]);
  const forms = createFormsView(context, remark);
  const mayEdit = canCall(session, editAssayType);
  const sorted = items.toSorted(
    (a, b) => Number(b.offered) - Number(a.offered) || a.title.localeCompare(b.title),
  );
  const priced = new Set(orderable.items.map((type) => type.experiment_type));
  const count = `${items.filter(({ offered }) => offered).length} of ${items.length} offered`;
  const body = markup`${renderLabHead('Assay types', { count })}
${renderNotice(findSentence(DONE, queryParameter(request, 'done')))}${steps}
<div class="tiles">${sorted.map((type) => renderType(forms, { ...type, hasPrice: priced.has(type.experiment_type) }, mayEdit))}</div>`;
  return { title: 'Assay types', body };
}

function renderType(
  forms: FormsView,
  type: AssayType & { readonly hasPrice: boolean },
  mayEdit: boolean,
): Markup {
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
  return markup`<section class="card stack" aria-labelledby="type-${name}"><div class="card-head"><h2 id="type-${name}">${title}</h2>${chip}</div>${offered && !type.hasPrice && markup`<p class="note warn">Clients cannot order it yet: the list in effect has no price for it. <a href="/lab/price-lists">Prices</a></p>`}${facts}
${mayEdit && renderLabForm(forms, { action: `${PATH}/${name}`, button: 'Save', summary: markup`Edit<span class="visually-hidden"> ${title}</span>`, fields: listFields(type) })}</section>`;
}

function listFields(type: AssayType): LabField[] {
  const { requires_target: hasMethods, turnaround_workdays: days } = type;
  return [
    { name: 'offered', label: 'Clients can order it', kind: 'check', value: type.offered ? 'yes' : '' },
    ...(hasMethods
      ? bindingMethods.map((method): LabField => ({
          name: `method_${method}`,
          label: `By ${method.toUpperCase()}`,
          kind: 'check',
          value: type.methods.includes(method) ? 'yes' : '',
        }))
      : []),
    {
      name: 'n_replicates_min',
      label: 'Fewest replicates',
      kind: 'number',
      value: String(type.n_replicates_min),
      isRequired: true,
    },
    {
      name: 'n_replicates_max',
      label: 'Most replicates',
      kind: 'number',
      hint: `At most ${REPLICATES_MAX}.`,
      value: String(type.n_replicates_max),
      isRequired: true,
    },
    {
      name: 'turnaround_workdays',
      label: 'Results within workdays',
      kind: 'number',
      hint: 'From the start of the run. Empty: not promised.',
      value: days === null ? '' : String(days),
    },
  ];
}

async function save({ api, form, request }: FormContext): Promise<string> {
  const type = getPathParameter(request, 'type');
  const days = getField(form, 'turnaround_workdays');
  const { items } = await api.call(listLabAssayTypes, { query: { limit: 100 } });
  const hasMethods = items.some((item) => item.experiment_type === type && item.requires_target);
  const chosen = bindingMethods.filter((method) => getField(form, `method_${method}`) !== '');
  await api.call(editAssayType, {
    params: { experiment_type: type },
    body: {
      offered: getField(form, 'offered') !== '',
      ...(hasMethods ? { methods: chosen } : {}),
      n_replicates_min: parseNumber(getField(form, 'n_replicates_min')),
      n_replicates_max: parseNumber(getField(form, 'n_replicates_max')),
      turnaround_workdays: days === '' ? null : parseNumber(days),
    },
  });
  return `${PATH}?done=saved`;
}
