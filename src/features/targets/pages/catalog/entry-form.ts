/** The fields of a target: what is typed, and the body that it makes. */
import type { Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import type { getLabTarget } from '../../catalog-contract.ts';
import type { TargetPricing } from '../../contract.ts';
import { formatCents, parseNumber, parseCents } from '#ui/amount.ts';
import { getField, type Form } from '#ui/http.ts';
import type { LabField } from '#ui/form.ts';

export type LabTarget = Output<typeof getLabTarget>;

const NM_PER_M = 1e9;
const METHODS = ['bli', 'elisa', 'spr'] as const;

/** How a field of the body is read from its text. */
type Kind = 'text' | 'texts' | 'number' | 'flag';

interface EntryField extends LabField {
  readonly reads: Kind;
}

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly LabField[];
}

const names: readonly EntryField[] = [
  { name: 'name', label: 'Name', reads: 'text', isRequired: true, hint: 'Usual short name, such as EGFR.' },
  { name: 'vendor_name', label: 'Vendor', reads: 'text', isRequired: true },
  { name: 'catalog_number', label: 'Catalog number', reads: 'text', isRequired: true },
];
const protein: readonly EntryField[] = [
  { name: 'uniprot_id', label: 'UniProt accession', reads: 'text', hint: 'Such as P00533.' },
  { name: 'gene_names', label: 'Genes', reads: 'texts', hint: 'Separated by “;”.' },
  { name: 'organism', label: 'Organism', reads: 'text', hint: 'Such as Homo sapiens.' },
  { name: 'taxon_id', label: 'NCBI taxonomy id', reads: 'text' },
  { name: 'ncbi_id', label: 'NCBI protein accession', reads: 'text' },
  { name: 'family', label: 'Family', reads: 'text' },
  { name: 'synonyms', label: 'Synonyms', reads: 'texts', hint: 'Separated by “;”.' },
  { name: 'subcellular_locations', label: 'Location in the cell', reads: 'texts', hint: 'Separated by “;”.' },
  { name: 'structures', label: 'Structures', reads: 'texts', hint: 'Entries of the PDB, separated by “;”.' },
  { name: 'description', label: 'Description', reads: 'text', kind: 'area' },
];
const construct: readonly EntryField[] = [
  { name: 'construct', label: 'Construct', reads: 'text', hint: 'Residues of the UniProt entry.' },
  { name: 'oligomeric_state', label: 'Oligomeric state', reads: 'text', hint: 'Such as monomer.' },
  { name: 'tags', label: 'Tags', reads: 'texts', hint: 'Such as His; Avi.' },
  { name: 'expression_system', label: 'Expression system', reads: 'text', hint: 'Such as HEK293.' },
  { name: 'purity', label: 'Purity in percent', reads: 'number' },
  { name: 'molecular_weight', label: 'Molecular weight', reads: 'text', hint: 'With its unit: 69.4 kDa.' },
  { name: 'conjugated', label: 'It carries a label such as biotin', reads: 'flag', kind: 'check' },
  { name: 'is_fc_fusion', label: 'It is fused to an antibody Fc', reads: 'flag', kind: 'check' },
  { name: 'sequence', label: 'Sequence', reads: 'text', kind: 'area', hint: 'Single letters.' },
];
const stock: readonly EntryField[] = [
  { name: 'lot', label: 'Lot in use', reads: 'text' },
  { name: 'stock_ug', label: 'Stock in µg', reads: 'number' },
];
const entryFields = [...names, ...protein, ...construct, ...stock];

const BIOACTIVITY: LabField = {
  name: 'bioactivity',
  label: 'Binding was shown by',
  hint: 'bli, elisa, spr, separated by “;”; or none. Empty: not known.',
};
const CONTROL: LabField = {
  name: 'control_kd_nm',
  label: 'KD of its positive control in nM',
};

export const PRICE_FIELDS: readonly LabField[] = [
  {
    name: 'pricing_type',
    label: 'Price of the material',
    options: [
      ['', 'On request: the lab quotes it'],
      ['per_sequence', 'For each sequence'],
      ['per_broken_lot', 'By whole lots'],
    ],
  },
  { name: 'price', label: 'USD for each sequence', hint: 'Such as 5.00.' },
  {
    name: 'lots',
    label: 'Lots',
    kind: 'area',
    hint: 'One a line: sequences it is enough for, “:”, USD. Such as 24: 500.00',
  },
];

/** Lists the fields with the values of a target, in groups. */
export function listFieldGroups(target: LabTarget | null): FieldGroup[] {
  const values = target === null ? {} : listValues(target);
  const fill = (fields: readonly LabField[]): LabField[] =>
    fields.map((field) => ({ ...field, value: values[field.name] ?? '' }));
  return [
    { title: 'Names', fields: fill(names) },
    { title: 'Price', fields: fill(PRICE_FIELDS) },
    { title: 'Stock and control, seen by staff only', fields: fill([...stock, CONTROL]) },
    { title: 'Protein', fields: fill([...protein, BIOACTIVITY]) },
    { title: 'Construct', fields: fill(construct) },
  ];
}

function listValues(target: LabTarget): Record<string, string> {
  const { details, pricing } = target;
  const flat: Readonly<Record<string, unknown>> = {
    ...details,
    ...target,
    structures: details?.structures?.map(({ id }) => id),
  };
  const plain = entryFields.map(({ name }) => [name, formatValue(flat[name])] as const);
  return {
    ...Object.fromEntries(plain),
    ...listPriceValues(pricing ?? null),
    bioactivity: formatBioactivity(details?.bioactivity ?? null),
    control_kd_nm:
      target.control_kd_m === null ? '' : String(Number((target.control_kd_m * NM_PER_M).toPrecision(12))),
  };
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join('; ');
  if (value === true) return 'yes';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function formatBioactivity(shown: Readonly<Record<(typeof METHODS)[number], boolean>> | null): string {
  if (shown === null) return '';
  const by = METHODS.filter((method) => shown[method]);
  return by.length === 0 ? 'none' : by.join('; ');
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
  const fields = entryFields.map(({ name, reads }) => [name, readValue(getField(form, name), reads)]);
  return {
    ...Object.fromEntries(fields),
    bioactivity: readBioactivity(getField(form, 'bioactivity')),
    control_kd_m: readMolar(form),
    pricing: readPricing(form),
  };
}

function readValue(text: string, reads: Kind): unknown {
  if (reads === 'flag') return text !== '';
  if (reads === 'texts') return splitTexts(text);
  if (text === '') return null;
  return reads === 'number' ? parseNumber(text) : text;
}

function splitTexts(text: string): string[] {
  return text
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A method that is not known stays text, which the operation refuses. */
function readBioactivity(text: string): unknown {
  if (text === '') return null;
  const named = text.toLowerCase() === 'none' ? [] : splitTexts(text.toLowerCase().replaceAll(',', ';'));
  if (!named.every((name) => METHODS.some((method) => method === name))) return text;
  return Object.fromEntries(METHODS.map((method) => [method, named.includes(method)]));
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
    if (!path.startsWith('pricing')) return { ...problem, path };
    return getField(form, 'pricing_type') === 'per_sequence'
      ? { path: 'price', message: 'is an amount such as 5.00' }
      : { path: 'lots', message: 'has lines such as 24: 500.00, each with another number of sequences' };
  });
}
