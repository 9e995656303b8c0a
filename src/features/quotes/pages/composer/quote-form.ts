/** The fields of the quote composer, and the body that they make. */
import type { Output } from '#core/operation.ts';
import { Composition, createCustomQuote, type getAnyQuote } from '../../lab-contract.ts';
import { defineRows, readRows } from '#ui/rows.ts';
import { defineFields, readBody } from '#ui/action.ts';
import type { Form } from '#ui/http.ts';

export type LabQuote = Output<typeof getAnyQuote>;

const { line_items, discounts } = Composition.properties;

/** A form has at most 200 fields, three for each line. */
export const LINES = defineRows(line_items.items, {
  list: 'line_items',
  name: 'line',
  label: 'Line',
  countMax: 45,
  countBlank: 2,
  fields: {
    description: { label: 'Description' },
    quantity: { label: 'Quantity' },
    unit_price_cents: { label: 'USD each' },
  },
});
export const DISCOUNTS = defineRows(discounts.items, {
  list: 'discounts',
  name: 'discount',
  label: 'Discount',
  countMax: 10,
  countBlank: 1,
  fields: {
    description: { label: 'Description' },
    basis_points: { label: 'Percent' },
    amount_cents: { label: 'or USD' },
  },
});
export const WORDS = defineFields(createCustomQuote.body, {
  notes: { label: 'Notes, printed above the terms', kind: 'area' },
  terms_and_conditions: { label: 'Terms', kind: 'area', hint: 'Empty: the usual terms.' },
  valid_until: { label: 'Valid until', kind: 'date', hint: 'The whole day, UTC. Empty: 30 days from now.' },
});

/** What a new quote and an edited one share; a value that is not valid stands as it was typed. */
export interface QuoteDraft {
  readonly line_items: readonly object[];
  readonly discounts: readonly object[];
  readonly notes?: unknown;
  readonly terms_and_conditions?: unknown;
  readonly valid_until?: unknown;
}

/** The draft that edits a quote, or begins another one like it. */
export function describeQuote({ composition, line_items: items, ...quote }: LabQuote): QuoteDraft {
  return {
    ...quote,
    line_items: composition?.line_items ?? items.filter(({ unit_price_cents: cents }) => cents >= 0),
    discounts: composition?.discounts ?? [],
  };
}

/** Reads the rows that were filled in, in part or whole; a line is of one unless its quantity is typed. */
export function readDraft(form: Form): QuoteDraft {
  const { valid_until: day, ...words } = readBody({ fields: WORDS }, form);
  const lines = readRows(LINES, form);
  return {
    line_items: lines.map((line) => (line.quantity === '' ? { ...line, quantity: 1 } : line)),
    discounts: readRows(DISCOUNTS, form),
    notes: '',
    ...words,
    ...(typeof day === 'string' && { valid_until: toEndOfDay(day) }),
  };
}

/** The offer holds to the end of that day, UTC. */
function toEndOfDay(day: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.000Z` : day;
}
