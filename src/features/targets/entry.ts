/** A target as the lab edits it: every field flat, with the same names in JSON, in CSV and in the audit trail. Pure. */
import { findLineProblem } from '#core/one-line.ts';
import type { Problem } from '#core/failures.ts';
import type { TargetPricing } from './contract.ts';
import { findPricingProblems } from './pricing-rules.ts';
import type { NewTarget } from './store.ts';

export interface Bioactivity {
  readonly bli: boolean;
  readonly elisa: boolean;
  readonly spr: boolean;
}

export interface TargetEntry {
  readonly catalog_number: string;
  readonly name: string;
  readonly vendor_name: string;
  readonly uniprot_id: string | null;
  readonly gene_names: readonly string[];
  readonly organism: string | null;
  readonly family: string | null;
  readonly conjugated: boolean;
  readonly description: string | null;
  readonly synonyms: readonly string[];
  readonly ncbi_id: string | null;
  readonly taxon_id: string | null;
  readonly subcellular_locations: readonly string[];
  readonly construct: string | null;
  readonly oligomeric_state: string | null;
  readonly tags: readonly string[];
  readonly is_fc_fusion: boolean;
  readonly expression_system: string | null;
  /** Percent. */
  readonly purity: number | null;
  readonly molecular_weight: string | null;
  readonly sequence: string | null;
  /** Entries of the Protein Data Bank. */
  readonly structures: readonly string[];
  readonly bioactivity: Bioactivity | null;
  readonly lot: string | null;
  readonly stock_ug: number | null;
  readonly control_kd_m: number | null;
  readonly pricing: TargetPricing | null;
  readonly retired: boolean;
}

export const EMPTY_ENTRY: TargetEntry = {
  catalog_number: '',
  name: '',
  vendor_name: '',
  uniprot_id: null,
  gene_names: [],
  organism: null,
  family: null,
  conjugated: false,
  description: null,
  synonyms: [],
  ncbi_id: null,
  taxon_id: null,
  subcellular_locations: [],
  construct: null,
  oligomeric_state: null,
  tags: [],
  is_fc_fusion: false,
  expression_system: null,
  purity: null,
  molecular_weight: null,
  sequence: null,
  structures: [],
  bioactivity: null,
  lot: null,
  stock_ug: null,
  control_kd_m: null,
  pricing: null,
  retired: false,
};

/** The row of a target, as far as it is edited. */
export interface EntryRow {
  readonly id: string;
  readonly owner_organization_id: string | null;
  readonly catalog_number: string;
  readonly name: string;
  readonly vendor_name: string;
  readonly uniprot_id: string | null;
  readonly gene_names: readonly string[];
  readonly organism: string | null;
  readonly family: string | null;
  readonly conjugated: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly pricing: TargetPricing | null;
  readonly control_kd_m: number | null;
  readonly lot: string | null;
  readonly stock_ug: number | null;
  readonly retired: boolean;
}

export function readEntry({
  id: _id,
  owner_organization_id: _owner,
  details,
  ...row
}: EntryRow): TargetEntry {
  const readText = (name: string): string | null => {
    const value = details[name];
    return typeof value === 'string' ? value : null;
  };
  const readTexts = (name: string): string[] => {
    const value = details[name];
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  };
  return normalizeEntry({
    // Its order of fields is that of every list of changes.
    ...EMPTY_ENTRY,
    ...row,
    description: readText('description'),
    synonyms: readTexts('synonyms'),
    ncbi_id: readText('ncbi_id'),
    taxon_id: readText('taxon_id'),
    subcellular_locations: readTexts('subcellular_locations'),
    construct: readText('construct'),
    oligomeric_state: readText('oligomeric_state'),
    tags: readTexts('tags'),
    is_fc_fusion: details.is_fc_fusion === true,
    expression_system: readText('expression_system'),
    purity: typeof details.purity === 'number' ? details.purity : null,
    molecular_weight: readText('molecular_weight'),
    sequence: readText('sequence'),
    structures: readStructures(details.structures),
    bioactivity: readBioactivity(details.bioactivity),
  });
}

/** A blank text means the same as none, and so does one in a list: a file of the catalog could not tell them apart. */
export function normalizeEntry(entry: TargetEntry): TargetEntry {
  const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';
  const cleaned = Object.entries(entry).map(([field, value]: [string, unknown]) => {
    if (Array.isArray(value)) return [field, value.filter((text) => !isBlank(text))];
    if (!isBlank(value)) return [field, value];
    return [field, REQUIRED.some((name) => name === field) ? '' : null];
  });
  return { ...EMPTY_ENTRY, ...Object.fromEntries(cleaned) };
}

function readStructures(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

function readBioactivity(value: unknown): Bioactivity | null {
  if (typeof value !== 'object' || value === null) return null;
  const shown = new Map<string, unknown>(Object.entries(value));
  return {
    bli: shown.get('bli') === true,
    elisa: shown.get('elisa') === true,
    spr: shown.get('spr') === true,
  };
}

export interface EntryOrigin {
  readonly id: string;
  /** Null for a target for everyone. */
  readonly ownerOrganizationId: string | null;
  readonly createdAt: Date;
}

export function buildTarget(entry: TargetEntry, origin: EntryOrigin): NewTarget {
  const { name, vendor_name: vendorName, catalog_number: catalogNumber, uniprot_id: uniprotId } = entry;
  const searched = [name, vendorName, catalogNumber, uniprotId, ...entry.gene_names, ...entry.synonyms];
  return {
    ...origin,
    name,
    vendorName,
    catalogNumber,
    uniprotId,
    geneNames: entry.gene_names,
    organism: entry.organism,
    family: entry.family,
    conjugated: entry.conjugated,
    details: buildDetails(entry),
    pricing: entry.pricing,
    controlKdM: entry.control_kd_m,
    lot: entry.lot,
    stockUg: entry.stock_ug,
    isRetired: entry.retired,
    searchText: searched.filter((text) => text !== null).join(' '),
  };
}

function buildDetails(entry: TargetEntry): Readonly<Record<string, unknown>> {
  const details = {
    description: entry.description,
    synonyms: entry.synonyms,
    gene_names: entry.gene_names,
    organism: entry.organism,
    ncbi_id: entry.ncbi_id,
    taxon_id: entry.taxon_id,
    family: entry.family,
    subcellular_locations: entry.subcellular_locations,
    construct: entry.construct,
    tags: entry.tags,
    sequence: entry.sequence,
    sequence_length: entry.sequence === null ? null : entry.sequence.replaceAll(':', '').length,
    molecular_weight: entry.molecular_weight,
    expression_system: entry.expression_system,
    oligomeric_state: entry.oligomeric_state,
    is_fc_fusion: entry.is_fc_fusion,
    conjugated: entry.conjugated,
    purity: entry.purity,
    bioactivity: entry.bioactivity,
    structures: entry.structures.map((id) => ({
      id,
      url: `https://files.rcsb.org/download/${id}.cif`,
      page_url: `https://www.rcsb.org/structure/${id}`,
    })),
  };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null));
}

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function listChanges(before: TargetEntry, after: TargetEntry): FieldChange[] {
  const former = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).flatMap(([field, value]: [string, unknown]) =>
    JSON.stringify(former.get(field)) === JSON.stringify(value)
      ? []
      : [{ field, before: former.get(field), after: value }],
  );
}

const TEXT_LENGTH_MAX = 200;
const LONG_TEXT_LENGTH_MAX = 20_000;
const LIST_LENGTH_MAX = 100;
const LONG = new Set(['description', 'sequence']);
/** UniProtKB accession numbers, as its manual defines them. */
export const UNIPROT_ID = /^(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})$/;
const RESIDUES = /^[ACDEFGHIKLMNPQRSTVWY]+(?::[ACDEFGHIKLMNPQRSTVWY]+)*$/;
const PDB_ID = /^[0-9][A-Za-z0-9]{3}$/;
const REQUIRED = ['catalog_number', 'name', 'vendor_name'] as const;

/** Finds every problem of an entry; the path of each is the field. */
export function findEntryProblems(entry: TargetEntry): Problem[] {
  const problems = Object.entries(entry).flatMap(([path, value]: [string, unknown]): Problem[] => {
    const texts = listTexts(value);
    return texts.length > LIST_LENGTH_MAX
      ? [{ path, message: `has ${texts.length} entries; at most ${LIST_LENGTH_MAX} are allowed` }]
      : texts.flatMap((text) => findTextProblems(path, text));
  });
  const refuse = (path: string, message: string) => problems.push({ path, message });
  for (const path of REQUIRED) if (entry[path] === '') refuse(path, 'must be given');
  if (entry.uniprot_id !== null && !UNIPROT_ID.test(entry.uniprot_id))
    refuse('uniprot_id', 'must be a UniProt accession such as P00533');
  if (entry.sequence !== null && !RESIDUES.test(entry.sequence))
    refuse('sequence', 'must be amino acids in single capital letters, chains separated by ":"');
  if (!entry.structures.every((id) => PDB_ID.test(id)))
    refuse('structures', 'must be entries of the Protein Data Bank such as 1IVO');
  if (entry.purity !== null && !(entry.purity >= 0 && entry.purity <= 100))
    refuse('purity', 'must be a percentage from 0 to 100');
  if (entry.stock_ug !== null && !(entry.stock_ug >= 0)) refuse('stock_ug', 'must be 0 or more micrograms');
  if (entry.control_kd_m !== null && !(entry.control_kd_m > 0 && entry.control_kd_m < 1))
    refuse('control_kd_m', 'must be a KD in M, above 0 and below 1');
  return [...problems, ...findPricingProblems(entry.pricing, 'pricing')];
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function findTextProblems(path: string, text: string): Problem[] {
  const limit = LONG.has(path) ? LONG_TEXT_LENGTH_MAX : TEXT_LENGTH_MAX;
  if (text.length > limit) return [{ path, message: `must not be longer than ${limit} characters` }];
  const message = findLineProblem(text);
  return message === undefined ? [] : [{ path, message }];
}
