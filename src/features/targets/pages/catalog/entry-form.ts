/** The fields of a target: what is typed, and the body that it makes. */
import type { Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { Type } from '#core/schema.ts';
import type { getLabTarget } from '../../catalog-contract.ts';
import type { TargetPricing } from '../../contract.ts';
import { formatCents, parseNumber, parseCents } from '#ui/amount.ts';
import { getField, type Form } from '#ui/http.ts';
import type { LabField } from '#ui/form.ts';
import { listFieldGroups, readFields, type FieldGroup } from '#ui/record-form.ts';
import { EMPTY_ENTRY } from '../../entry.ts';
import { targetRecord } from '../../record.ts';

export type LabTarget = Output<typeof getLabTarget>;

const NM_PER_M = 1e9;
/** What is typed in other words than the body has them. */
export const TypedTarget = Type.Object({
  pricing_type: Type.Optional(Type.String()),
  price: Type.Optional(Type.String()),
  lots: Type.Optional(Type.String()),
  control_kd_nm: Type.Optional(Type.String()),
});
export const PRICE_FIELDS = {
  pricing_type: {
    label: 'Price of the material',
    options: [
      ['', 'On request: the lab quotes it'],
      ['per_sequence', 'For each sequence'],
      ['per_broken_lot', 'By whole lots'],
    ],
  },
  price: { label: 'USD for each sequence', hint: 'Such as 5.00.' },
  lots: {
    label: 'Lots',
    kind: 'area',
    hint: 'One a line: sequences it is enough for, “:”, USD. Such as 24: 500.00',
  },
} as const;
export const CONTROL_FIELD = { label: 'KD of its positive control in nM' };

/** Lists the fields with the values of a target, in groups. */
export function listEntryGroups(target: LabTarget | null): FieldGroup[] {
  const [names, stock, ...others] = listFieldGroups(
    targetRecord,
    target === null ? EMPTY_ENTRY : readTarget(target),
  );
  const values = listPriceValues(target?.pricing ?? null);
  const prices = Object.entries(PRICE_FIELDS).map(([name, field]): LabField => ({
    ...field,
    name,
    value: values[name] ?? '',
  }));
  const control = {
    ...CONTROL_FIELD,
    name: 'control_kd_nm',
    value: writeNanomolar(target?.control_kd_m ?? null),
  };
  return [
    ...(names === undefined ? [] : [names]),
    { title: 'Price', fields: prices },
    ...(stock === undefined ? [] : [{ ...stock, fields: [...stock.fields, control] }]),
    ...others,
  ];
}

function readTarget({ details, ...target }: LabTarget): object {
  const structures = details?.structures?.map(({ id }) => id);
  return targetRecord.parse({ ...details, ...target, structures });
}

function writeNanomolar(kdM: number | null): string {
  return kdM === null ? '' : String(Number((kdM * NM_PER_M).toPrecision(12)));
}

function listPriceValues(pricing: TargetPricing | null): Record<string, string> {
  if (pricing === null) return { pricing_type: '' };
  if (pricing.type === 'per_sequence')
    return { pricing_type: pricing.type, price: formatCents(pricing.price_per_sequence_cents) };
  const lots = pricing.lot_prices.map((lot) => `${lot.num_sequences}: ${formatCents(lot.price_usdcent)}`);
  return { pricing_type: pricing.type, lots: lots.join('\n') };
}

/** Builds the body of a new or edited target; an empty field clears what the target had. */
export function buildEntry(form: Form): Record<string, unknown> {
  return { ...readFields(targetRecord, form), control_kd_m: readMolar(form), pricing: readPricing(form) };
}

export function readMolar(form: Form): number | string | null {
  const text = getField(form, 'control_kd_nm');
  if (text === '') return null;
  const value = parseNumber(text);
  return typeof value === 'number' ? Number((value / NM_PER_M).toPrecision(12)) : value;
}

export function readPricing(form: Form): unknown {
  const type = getField(form, 'pricing_type');
  if (type === '') return null;
  if (type === 'per_sequence') return { type, price_per_sequence_cents: parseCents(getField(form, 'price')) };
  const lines = getField(form, 'lots')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    type,
    lot_prices: lines.map((line) => {
      const [sequences = '', price = ''] = line.split(':').map((part) => part.trim());
      return { num_sequences: parseNumber(sequences), price_usdcent: parseCents(price) };
    }),
  };
}

/** Moves the problems of the body to the fields that made it. */
export function locateProblems(problems: readonly Problem[], form: Form): Problem[] {
  return problems.map((problem) => {
    const path = problem.path.replace(/^body[./]/, '');
    if (path.startsWith('control_kd_m')) return { ...problem, path: 'control_kd_nm' };
    if (path.startsWith('bioactivity'))
      return { path: 'bioactivity', message: 'names bli, elisa or spr, or is none' };
    const field = targetRecord.findField(path);
    if (field !== undefined && field.read(getField(form, path)) === undefined)
      return { path, message: `must be ${field.expected}` };
    if (!path.startsWith('pricing')) return { ...problem, path };
    return getField(form, 'pricing_type') === 'per_sequence'
      ? { path: 'price', message: 'is an amount such as 5.00' }
      : { path: 'lots', message: 'has lines such as 24: 500.00, each with another number of sequences' };
  });
}
