/** A target as the lab edits it: its record with its price, and how both are stored. Pure. */
import type { Problem } from '#core/failures.ts';
import type { RecordOf } from '#core/record.ts';
import type { TargetPricing } from './contract.ts';
import { findPricingProblems } from './pricing-rules.ts';
import { targetRecord } from './record.ts';

export type TargetEntry = RecordOf<typeof targetRecord> & { readonly pricing: TargetPricing | null };

export const EMPTY_ENTRY: TargetEntry = { ...targetRecord.empty, pricing: null };

/** The row of a target, as far as it is edited. */
export interface EntryRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly owner_organization_id: string | null;
  readonly catalog_number: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly pricing: TargetPricing | null;
  readonly created_at: string;
}

export function readEntry({ details, pricing, ...row }: EntryRow): TargetEntry {
  const structures = Array.isArray(details.structures) ? details.structures.map(readId) : [];
  return { ...targetRecord.parse({ ...details, ...row, structures }), pricing };
}

function readId(structure: unknown): unknown {
  return typeof structure === 'object' && structure !== null && 'id' in structure ? structure.id : undefined;
}

/** A blank text means the same as none, and so does one in a list: a file of the catalog could not tell them apart. */
export function normalizeEntry({ pricing, ...fields }: TargetEntry): TargetEntry {
  return { ...targetRecord.parse(fields), pricing };
}

/** Finds every problem of an entry; the path of each is the field. */
export function findEntryProblems(entry: TargetEntry): Problem[] {
  return [...targetRecord.findProblems(entry), ...findPricingProblems(entry.pricing, 'pricing')];
}

/** Columns of the table, by name, without the owner and the times. */
export function buildColumns(entry: TargetEntry) {
  const { name, vendor_name: vendor, catalog_number: number, uniprot_id: uniprotId } = entry;
  const searched = [name, vendor, number, uniprotId, entry.organism, ...entry.gene_names, ...entry.synonyms];
  return {
    ...targetRecord.selectColumns(entry),
    name,
    vendor_name: vendor,
    catalog_number: number,
    details: JSON.stringify(buildDetails(entry)),
    pricing: entry.pricing === null ? null : JSON.stringify(entry.pricing),
    listed: !entry.retired,
    search_text: searched.filter((text) => text !== null).join(' '),
  };
}

function buildDetails(entry: TargetEntry): Readonly<Record<string, unknown>> {
  const details = {
    ...targetRecord.selectDetails(entry),
    sequence_length: entry.sequence === null ? null : entry.sequence.replaceAll(':', '').length,
    structures: entry.structures.map((id) => ({
      id,
      url: `https://files.rcsb.org/download/${id}.cif`,
      page_url: `https://www.rcsb.org/structure/${id}`,
    })),
  };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null));
}
