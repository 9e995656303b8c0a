/** Rules that decide the seller, the buyer, the tax and the paper size of a document. Pure. */
import { createInvalidFieldsFailure, type Problem } from '#core/failures.ts';
import type { Letterhead, PaperSize } from '#core/context.ts';
import type { AppliedTax } from '../pricing/contract.ts';
import { UNTAXED } from '../pricing/totals.ts';
import { findCountryProblem, getCountryName } from '#core/countries.ts';

/** By country: the pattern of the number with its letters, and an example. */
const EU: Readonly<Record<string, readonly [form: RegExp, shown: string]>> = {
  AT: [/^ATU\d{8}$/, 'ATU12345678'],
  BE: [/^BE[01]\d{9}$/, 'BE0123456789'],
  BG: [/^BG\d{9,10}$/, 'BG123456789'],
  CY: [/^CY\d{8}[A-Z]$/, 'CY12345678X'],
  CZ: [/^CZ\d{8,10}$/, 'CZ12345678'],
  DE: [/^DE\d{9}$/, 'DE123456789'],
  DK: [/^DK\d{8}$/, 'DK12345678'],
  EE: [/^EE\d{9}$/, 'EE123456789'],
  ES: [/^ES[A-Z0-9]\d{7}[A-Z0-9]$/, 'ESX1234567X'],
  FI: [/^FI\d{8}$/, 'FI12345678'],
  FR: [/^FR[A-Z0-9]{2}\d{9}$/, 'FR12345678901'],
  GR: [/^EL\d{9}$/, 'EL123456789'],
  HR: [/^HR\d{11}$/, 'HR12345678901'],
  HU: [/^HU\d{8}$/, 'HU12345678'],
  IE: [/^IE\d[A-Z0-9+*]\d{5}[A-Z]{1,2}$/, 'IE1234567X'],
  IT: [/^IT\d{11}$/, 'IT12345678901'],
  LT: [/^LT(?:\d{9}|\d{12})$/, 'LT123456789'],
  LU: [/^LU\d{8}$/, 'LU12345678'],
  LV: [/^LV\d{11}$/, 'LV12345678901'],
  MT: [/^MT\d{8}$/, 'MT12345678'],
  NL: [/^NL[A-Z0-9+*]{10}\d{2}$/, 'NL123456789B01'],
  PL: [/^PL\d{10}$/, 'PL1234567890'],
  PT: [/^PT\d{9}$/, 'PT123456789'],
  RO: [/^RO\d{2,10}$/, 'RO1234567890'],
  SE: [/^SE\d{12}$/, 'SE123456789012'],
  SI: [/^SI\d{8}$/, 'SI12345678'],
  SK: [/^SK\d{10}$/, 'SK1234567890'],
};

const ALPHABET = /^[A-Za-z0-9 .\-/&+*]*$/;
const LENGTH_MIN = 4;
const LENGTH_MAX = 25;

/** Says why the text cannot be a tax id of the country, as a clause about the field; undefined when it can. */
export function findTaxIdProblem(taxId: string, country: string | null): string | undefined {
  if (!ALPHABET.test(taxId)) return 'may hold letters, digits, spaces and . - / & + *';
  const number = taxId.replaceAll(/[ .\-/]/g, '').toUpperCase();
  const eu = country === null ? undefined : EU[country];
  if (eu !== undefined && country !== null)
    return eu[0].test(number)
      ? undefined
      : `must be a VAT number of ${getCountryName(country)}, such as ${eu[1]}`;
  if (number.length < LENGTH_MIN || number.length > LENGTH_MAX)
    return `must have ${LENGTH_MIN} to ${LENGTH_MAX} letters and digits`;
  return /\d.*\d/.test(number) ? undefined : 'must hold at least two digits';
}

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
