/** The operator's details on quotes and invoices. */
import type { Letterhead } from '#core/context.ts';
import { type ReadText, SettingsError, type Setting } from './setting.ts';

export const letterheadSettingList: readonly Setting[] = [
  { name: 'LAB_NAME', fallback: '', meaning: 'the seller on quotes and invoices' },
  { name: 'LAB_ADDRESS', fallback: '', meaning: 'its address; lines separated by semicolons' },
  { name: 'LAB_TAX_ID', fallback: '', meaning: 'its tax id, such as a VAT number' },
  { name: 'LAB_EMAIL', fallback: '', meaning: 'e-mail address for questions about quotes and invoices' },
  {
    name: 'BANK_DETAILS',
    fallback: '',
    meaning: 'the account that clients pay to, on invoices; lines separated by semicolons',
  },
  {
    name: 'PAPER_SIZE',
    fallback: 'a4',
    meaning: 'a4 or letter, for organizations without a country',
  },
];

const LETTERHEAD_LINES_MAX = 10;

export function readLetterhead(readText: ReadText): Letterhead {
  const readOneLine = (name: string): string | null => {
    const value = readText(name).trim();
    if (value.length > 200) throw new SettingsError(`${name} must have at most 200 characters.`);
    return value === '' ? null : value;
  };
  const readLines = (name: string): string[] => {
    const list = readText(name)
      .split(/[;\n]/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
    if (list.length > LETTERHEAD_LINES_MAX)
      throw new SettingsError(`${name} must have at most ${LETTERHEAD_LINES_MAX} lines.`);
    return list;
  };
  return {
    seller: {
      name: readOneLine('LAB_NAME'),
      address_lines: readLines('LAB_ADDRESS'),
      tax_id: readOneLine('LAB_TAX_ID'),
      email: readOneLine('LAB_EMAIL'),
      bank_lines: readLines('BANK_DETAILS'),
    },
    paper: parsePaper(readText('PAPER_SIZE')),
  };
}

function parsePaper(value: string): Letterhead['paper'] {
  if (value === 'a4' || value === 'letter') return value;
  throw new SettingsError(`PAPER_SIZE must be a4 or letter; it is "${value}".`);
}
