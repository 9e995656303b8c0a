/**
 * Checks whether a text can be a tax id. In the European Union it must have the form of the country's VAT number, as
 * the Commission's VIES publishes it; elsewhere only its length and characters are checked. No register is asked.
 */
import { getCountryName } from '#core/countries.ts';

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
