/** Rules that decide the seller, the buyer, the tax and the paper size of a document. Pure. */
import { createInvalidFieldsFailure, type Problem } from '#core/failures.ts';
import type { Letterhead } from '#core/context.ts';
import type { PaperSize } from '#core/paper.ts';
import type { AppliedTax } from '../pricing/contract.ts';
import { UNTAXED } from '../pricing/totals.ts';
import { findCountryProblem } from '#core/countries.ts';
import { findTaxIdProblem } from './tax-ids.ts';

/** The lab as its settings describe it. */
export type Seller = Letterhead['seller'];

export interface BillingProfile {
  readonly legal_name: string | null;
  readonly address: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly tax_id: string | null;
  readonly page_size: PaperSize | null;
}

/** Rejects a change that would leave an implausible country or tax id; the two together decide the tax. */
export function refuseImplausible(
  { country, tax_id: taxId }: Pick<BillingProfile, 'country' | 'tax_id'>,
  changes: Partial<BillingProfile>,
): void {
  if (changes.country === undefined && changes.tax_id === undefined) return;
  const inCountry = country === null ? undefined : findCountryProblem(country);
  const inTaxId = taxId === null ? undefined : findTaxIdProblem(taxId, country);
  const problems: Problem[] = [
    ...(inCountry === undefined ? [] : [{ path: 'country', message: inCountry }]),
    ...(inTaxId === undefined ? [] : [{ path: 'tax_id', message: inTaxId }]),
  ];
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
}

export interface Buyer {
  readonly name: string;
  readonly address_lines: readonly string[];
  readonly country: string | null;
  readonly tax_id: string | null;
}

/** Seller and buyer as they were when a document was issued: later changes to either do not alter the document. */
export interface Parties {
  readonly seller: Seller | null;
  readonly buyer: Buyer;
  readonly paper: PaperSize;
}

export interface TaxRate {
  readonly name: string;
  /** `reverse_charge`: buyers with a tax id pay no tax, all others pay the rate. */
  readonly treatment: 'taxed' | 'reverse_charge' | 'none';
  readonly rate_basis_points: number;
  readonly note: string;
}

const REVERSE_CHARGE_NOTE = 'Reverse charge: the tax is accounted for by the recipient.';

export function applyTaxRate(rate: TaxRate | null, buyerTaxId: string | null): AppliedTax {
  if (rate === null) return UNTAXED;
  const { name, treatment, rate_basis_points: basisPoints, note } = rate;
  if (treatment === 'none') return { name, rate_basis_points: 0, note };
  if (treatment === 'reverse_charge' && buyerTaxId !== null)
    return { name, rate_basis_points: 0, note: note === '' ? REVERSE_CHARGE_NOTE : note };
  return { name, rate_basis_points: basisPoints, note: treatment === 'taxed' ? note : '' };
}

/** Countries that use Letter paper; all others use A4 (ISO 216). */
const LETTER_COUNTRIES: ReadonlySet<string> = new Set(
  'US CA MX GT SV HN NI CR PA CO VE CL PH PR DO BZ'.split(' '),
);

export function choosePaper(
  profile: Pick<BillingProfile, 'country' | 'page_size'>,
  usual: PaperSize,
): PaperSize {
  if (profile.page_size !== null) return profile.page_size;
  if (profile.country === null) return usual;
  return LETTER_COUNTRIES.has(profile.country) ? 'letter' : 'a4';
}

export function buildBuyer(organizationName: string, profile: BillingProfile): Buyer {
  return {
    name: profile.legal_name ?? organizationName,
    address_lines: (profile.address ?? '').split('\n').filter((line) => line.trim() !== ''),
    country: profile.country,
    tax_id: profile.tax_id,
  };
}
