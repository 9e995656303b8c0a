/** `/lab/experiments/{code}/materials`: what one order needs, and what staff know of it. */
import { formatCount } from '#core/words.ts';
import { materialForms } from '../rules.ts';
import { MaterialEntry, recordMaterials, type MaterialsRecord } from '../contract.ts';
import type { LabExperiment } from '../../queue/contract.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import {
  renderFormFields,
  renderField,
  renderNotice,
  renderRefusal,
  type FormsView,
  type LabField,
} from '#ui/form.ts';
import { defineFields, readBody } from '#ui/action.ts';
import { renderStatusChip } from '#ui/pieces.ts';
import { canCall } from '#ui/session.ts';
import { renderDay, toSentenceCase } from '#ui/words.ts';
import { renderTable, type Column } from '#ui/list.ts';
import { renderFacts, renderLabHead, renderWait } from '#ui/lab-pieces.ts';
import type { Remark } from '#ui/screen.ts';
import { createInvalidFieldsFailure, Failure, type Problem } from '#core/failures.ts';
import { getField, type Form } from '#ui/http.ts';

interface OrderMaterials {
  readonly order: LabExperiment;
  readonly record: MaterialsRecord;
  readonly now: Date;
  readonly notice: string | undefined;
}

const FORM = 'materials-form';

export function renderOrderMaterials(forms: FormsView, view: OrderMaterials): PageContent {
  const { order, record, now } = view;
  const { materials, n_missing: missing, stock } = record;
  const isOpen = record.status === 'waiting_for_materials' || record.status === 'in_queue';
  const mayRecord = isOpen && canCall(forms.session, recordMaterials);
  const title =
    missing === 0
      ? 'All materials are there'
      : `${missing} of ${formatCount(materials.length, 'material')} missing`;
  const facts = renderFacts([
    ['Target', order.target_name !== null && markup`<bdi>${order.target_name}</bdi>`],
    ['Lot in the catalog', stock?.lot !== null && stock !== null && markup`<bdi>${stock.lot}</bdi>`],
    [
      'Stock in the catalog',
      stock !== null &&
        (stock.stock_ug === null ? 'not known' : `${stock.stock_ug.toLocaleString('en-US')} µg`),
    ],
  ]);
  const body = markup`${renderLabHead('Materials', {
    above: [`/lab/experiments/${order.code}`, order.code],
    over: markup`<bdi>${order.name}</bdi> · <bdi>${order.organization_name}</bdi>`,
    side: renderStatusChip(record.status),
  })}
${renderNotice(view.notice)}
<div class="columns materials"><section class="card flush" aria-labelledby="needed"><div class="card-head"><h2 id="needed">${title}</h2>${isOpen && markup`<div class="since">${renderWait(order, now)}</div>`}</div>${renderTable(buildColumns(mayRecord, forms.remark), materials)}</section>
<div class="stack">${mayRecord && renderRecording(forms, order.code)}<section class="card" aria-labelledby="antigen"><h2 id="antigen">Antigen</h2>${order.target_name === null ? markup`<p class="muted">This assay needs none.</p>` : facts}</section></div></div>`;
  return { title: `Materials of ${order.code}`, body };
}

function buildColumns(mayRecord: boolean, remark: Remark | undefined): readonly Column<Material>[] {
  const tick = (material: Material): Markup => {
    const isTicked = remark?.typed[nameTick(material)] !== undefined;
    return markup`<label class="check"><input type="checkbox" form="${FORM}" name="${nameTick(material)}" value="yes"${isTicked && markup` checked`}> <span><bdi>${material.name}</bdi></span></label>`;
  };
  return [
    {
      head: 'Material',
      render: (material) =>
        markup`${mayRecord ? tick(material) : markup`<bdi>${material.name}</bdi>`}<span class="sub">${material.kind === 'antigen' ? 'Antigen' : toSentenceCase(material.form)}</span>`,
    },
    { head: 'State', render: renderState },
    { head: 'Lot and amount', render: renderLot },
    { head: 'Last day', render: renderExpiry },
  ];
}

function renderLot({ lot, amount_ug: amount, concentration_mg_per_ml: concentration }: Material): Markup {
  const amounts = [formatQuantity(amount, 'µg'), formatQuantity(concentration, 'mg/mL')].filter(
    (text) => text !== '',
  );
  if (lot === null && amounts.length === 0) return markup`<span class="muted">–</span>`;
  return markup`<span><bdi>${lot ?? 'no lot'}</bdi>${amounts.length > 0 && markup`<span class="sub">${amounts.join(', ')}</span>`}</span>`;
}

const TONES: Readonly<Record<Material['status'], string>> = {
  missing: 'attention',
  ordered: 'moving',
  received: 'good',
  in_stock: 'good',
};

function renderState({ status, recorded_by: by, updated_at: at }: Material): Markup {
  return markup`<span><span class="chip ${TONES[status]}">${toSentenceCase(status)}</span>${at !== null && markup`<span class="sub">${renderDay(at)}, <bdi>${by}</bdi></span>`}</span>`;
}

/** What is there and cannot be used has expired. */
function renderExpiry({ expires_on: day, status, is_usable: isUsable }: Material): Markup {
  if (day === null) return markup`<span class="muted">–</span>`;
  const isExpired = !isUsable && (status === 'received' || status === 'in_stock');
  return markup`<span><span class="nowrap">${renderDay(day)}</span>${isExpired && markup` <span class="chip attention">Expired</span>`}</span>`;
}

function formatQuantity(value: number | null, unit: string): string {
  return value === null ? '' : `${value.toLocaleString('en-US', { maximumSignificantDigits: 6 })} ${unit}`;
}

const FORM_OPTIONS = materialForms.map((form) => [form, toSentenceCase(form)] as const);

/** What is said of each material that is meant. */
const ENTRY = defineFields(MaterialEntry, {
  status: { label: 'They are' },
  form: { label: 'A sequence comes as', options: [['', 'As known'], ...FORM_OPTIONS] },
  lot: { label: 'Lot' },
  amount_ug: { label: 'Amount in µg' },
  concentration_mg_per_ml: { label: 'Concentration in mg/mL' },
  expires_on: { label: 'Last day of use', kind: 'date' },
});

function renderRecording({ session, createKey, remark }: FormsView, code: string): Markup {
  const action = `/lab/experiments/${code}/materials/record`;
  const formRemark = remark?.action === action ? remark : undefined;
  const fields: readonly LabField[] = [
    { name: 'which', label: 'Which', options: CHOICES },
    ...[...ENTRY.values()].map((field) =>
      field.name === 'status' ? { ...field, value: 'received' } : field,
    ),
  ];
  return markup`<section class="card" aria-labelledby="record"><h2 id="record">Record</h2>
<form id="${FORM}" method="post" action="${action}" class="fields">${renderFormFields(session, createKey())}
${formRemark && renderRefusal(formRemark, fields)}
${fields.map((field) => renderField(action, field, formRemark))}
<p class="hint">An empty field keeps what is known. The order moves to the queue when the last missing material is there.</p>
<div><button class="primary">Record</button></div></form></section>`;
}

/** What staff say of the materials of one order, and the request that it makes. */
type Material = MaterialsRecord['materials'][number];

/** Which materials are meant, when they are not ticked one by one. */
const CHOICES = [
  ['ticked', 'The ticked ones'],
  ['missing', 'All that are missing'],
  ['ordered', 'All that are ordered'],
  ['sequences', 'All of the sequences'],
] as const;

/** The field that ticks a material; the antigen has no sequence. */
const nameTick = ({ sequence_id: id }: Material): string => `material:${id ?? 'antigen'}`;

/** Throws `invalid_request` when nothing is meant. */
export function selectMaterials(form: Form, materials: readonly Material[]): Material[] {
  const choice = getField(form, 'which');
  const selected = materials.filter((material) => {
    if (choice === 'missing') return material.status === 'missing';
    if (choice === 'ordered') return material.status === 'ordered';
    if (choice === 'sequences') return material.kind === 'sequence';
    return getField(form, nameTick(material)) !== '';
  });
  if (selected.length > 0) return selected;
  const message = 'none is meant: tick materials of the list, or choose others';
  throw createInvalidFieldsFailure([{ path: 'which', message }]);
}

/** Builds the entries; an empty field keeps what is known. */
export function buildEntries(form: Form, materials: readonly Material[]): Record<string, unknown>[] {
  const { form: comesAs, ...values } = Object.fromEntries(
    Object.entries(readBody({ fields: ENTRY }, form)).filter(([, value]) => value !== null),
  );
  return materials.map(({ sequence_id: id }) => ({
    sequence_id: id,
    ...values,
    ...(comesAs === undefined || id === null ? {} : { form: comesAs }),
  }));
}

/** The problems of entries as problems of the fields, which all entries share, each with the name of its material. */
export function locateEntryProblems(error: unknown, materials: readonly Material[]): unknown {
  if (!(error instanceof Failure) || error.code !== 'invalid_request' || error.problems.length === 0)
    return error;
  const seen = new Set<string>();
  const problems = error.problems.flatMap(({ path, message }): Problem[] => {
    const [, index, field] = /materials[./[](\d+)[\]./]*(\w*)/.exec(path) ?? [];
    if (field === undefined) return [{ path, message }];
    const isShared = field !== 'status' && field !== 'sequence_id';
    const name = materials[Number(index)]?.name ?? '';
    const sentence = isShared || message.includes(name) ? message : `${name}: ${message}`;
    if (seen.has(field + sentence)) return [];
    seen.add(field + sentence);
    return [{ path: field === 'sequence_id' ? 'which' : field, message: sentence }];
  });
  return createInvalidFieldsFailure(problems);
}
