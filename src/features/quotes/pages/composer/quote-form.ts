/** The fields of the quote composer, and the body that they make. */
import type { Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import type { getAnyQuote } from '../../lab-contract.ts';
import { formatCents, formatPercent, parseCents, parseNumber, parsePercent } from '#ui/amount.ts';
import { getField, type Form } from '#ui/http.ts';

export type LabQuote = Output<typeof getAnyQuote>;

/** A form has at most 200 fields, three for each line. */
const LINES_MAX = 45;
const DISCOUNTS_MAX = 10;
const BLANK_LINES = 2;

export interface LineDraft {
  readonly description: string;
  readonly quantity: string;
  readonly price: string;
}

export interface DiscountDraft {
  readonly description: string;
  readonly percent: string;
  readonly amount: string;
}

/** The values of the composer, as they were typed. */
export interface QuoteDraft {
  readonly lines: readonly LineDraft[];
  readonly discounts: readonly DiscountDraft[];
  readonly notes: string;
  readonly terms: string;
  /** A day, such as 2026-05-01; empty: as the operation decides. */
  readonly validUntil: string;
}

const BLANK_LINE: LineDraft = { description: '', quantity: '', price: '' };
const BLANK_DISCOUNT: DiscountDraft = { description: '', percent: '', amount: '' };
export const EMPTY_DRAFT: QuoteDraft = {
  lines: [],
  discounts: [],
  notes: '',
  terms: '',
  validUntil: '',
};

/** Adds empty rows to fill in. */
export function padDraft(draft: QuoteDraft): QuoteDraft {
  const lines = [...draft.lines, ...Array.from({ length: BLANK_LINES }, () => BLANK_LINE)];
  return {
    ...draft,
    lines: lines.slice(0, Math.max(LINES_MAX, draft.lines.length)),
    discounts: [...draft.discounts, BLANK_DISCOUNT].slice(0, DISCOUNTS_MAX),
  };
}

/** The draft that edits a quote, or begins another one like it. */
export function describeQuote(quote: LabQuote): QuoteDraft {
  const { composition, line_items: items } = quote;
  const lines = composition?.line_items ?? items.filter(({ unit_price_cents: cents }) => cents >= 0);
  return {
    lines: lines.map(({ description, quantity, unit_price_cents: cents }) => ({
      description,
      quantity: String(quantity),
      price: formatCents(cents),
    })),
    discounts: (composition?.discounts ?? []).map(({ description, basis_points: points, amount_cents }) => ({
      description,
      percent: points === undefined ? '' : formatPercent(points),
      amount: amount_cents === undefined ? '' : formatCents(amount_cents),
    })),
    notes: quote.notes,
    terms: quote.terms_and_conditions,
    validUntil: quote.valid_until.slice(0, 10),
  };
}

/** Reads the rows that were filled in, in part or whole. */
export function parseDraft(form: Form): QuoteDraft {
  const readRow = (row: string, names: readonly string[]): string[] =>
    names.map((name) => getField(form, `${row}_${name}`));
  const listRows = (kind: string, count: number, names: readonly string[]): string[][] =>
    Array.from({ length: count }, (_, index) => readRow(`${kind}_${index}`, names)).filter((row) =>
      row.some((value) => value !== ''),
    );
  return {
    lines: listRows('line', LINES_MAX, ['description', 'quantity', 'price']).map(
      ([description = '', quantity = '', price = '']) => ({ description, quantity, price }),
    ),
    discounts: listRows('discount', DISCOUNTS_MAX, ['description', 'percent', 'amount']).map(
      ([description = '', percent = '', amount = '']) => ({ description, percent, amount }),
    ),
    notes: getField(form, 'notes'),
    terms: getField(form, 'terms'),
    validUntil: getField(form, 'valid_until'),
  };
}

/** Builds the members that a new quote and an edited one share. */
export function buildComposition(draft: QuoteDraft): Record<string, unknown> {
  return {
    line_items: draft.lines.map(({ description, quantity, price }) => ({
      description,
      quantity: parseNumber(quantity === '' ? '1' : quantity),
      unit_price_cents: parseCents(price),
    })),
    discounts: draft.discounts.map(({ description, percent, amount }) => ({
      description,
      ...(percent === '' ? {} : { basis_points: parsePercent(percent) }),
      ...(amount === '' ? {} : { amount_cents: parseCents(amount) }),
    })),
    notes: draft.notes,
    ...(draft.terms === '' ? {} : { terms_and_conditions: draft.terms }),
    ...(draft.validUntil === '' ? {} : { valid_until: toEndOfDay(draft.validUntil) }),
  };
}

/** The offer holds to the end of that day, UTC. */
function toEndOfDay(day: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.000Z` : day;
}

const MESSAGES: Readonly<Record<string, string>> = {
  quantity: 'The quantity is a whole number from 1.',
  unit_price_cents: 'The price is an amount such as 297.00.',
  basis_points: 'A percentage is above 0 and at most 100, with two decimals.',
  amount_cents: 'The amount is one such as 50.00.',
};

/** Problems by row: `line_3`, `discount_0`, or the name of a field. */
export function locateQuoteProblems(problems: readonly Problem[]): ReadonlyMap<string, readonly string[]> {
  const located = problems.map(({ path, message }) => {
    const [, list, row, member = ''] = /(line_items|discounts)[.[/](\d+)[\]./]*(\w*)/.exec(path) ?? [];
    const place = path.replace(/^body[./]/, '').split(/[.[]/)[0] ?? '';
    if (list !== undefined && row !== undefined)
      return [
        `${list === 'discounts' ? 'discount' : 'line'}_${row}`,
        MESSAGES[member] ?? `${member === '' ? 'It' : `The ${member}`} ${message}.`,
      ] as const;
    if (place === 'terms_and_conditions') return ['terms', message] as const;
    return [place, place === 'line_items' ? `The lines ${message}.` : message] as const;
  });
  const byPlace = Map.groupBy(located, ([place]) => place);
  return new Map([...byPlace].map(([place, all]) => [place, [...new Set(all.map(([, said]) => said))]]));
}
