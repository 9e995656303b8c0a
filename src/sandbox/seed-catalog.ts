/** Adds the seeded public catalog to a sandbox; entries that the lab has changed stay unchanged. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { buildTarget, EMPTY_ENTRY, type TargetEntry } from '#features/targets/entry.ts';
import { hasTargets, insertTarget, type NewTarget } from '#features/targets/store.ts';
import { recordChange } from '#features/audit/record-change.ts';
import { FIRST_START } from '#features/audit/rules.ts';
import { readAccessions } from './seed/catalog.ts';
import type { SeedTarget } from './seed/targets.ts';
import { seedTargets } from './seed/targets.ts';

export async function seedCatalog(work: Work, database: Database): Promise<void> {
  // Later starts find every entry, and neither check nor write any.
  if (await hasTargets(database.read, [...readAccessions().keys()])) return;
  await database.runTransaction(async (tx) => {
    let added = 0;
    for (const target of seedTargets)
      if (await insertTarget(tx, createCatalogEntry(target, work.clock.now()))) added++;
    if (added === 0) return;
    await recordChange(work, tx, createOrganizationScope(INSTALLATION_ID), {
      ...FIRST_START,
      operation: 'seed_catalog',
      subject: null,
      details: { targets: added },
    });
  });
}

function createCatalogEntry(target: SeedTarget, createdAt: Date): NewTarget {
  const { construct } = target;
  const range = `${construct.isoform ?? target.uniprotId} residues ${construct.first}–${construct.last}`;
  const entry: TargetEntry = {
    ...EMPTY_ENTRY,
    catalog_number: target.catalogNumber,
    name: target.name,
    vendor_name: target.vendorName,
    uniprot_id: target.uniprotId,
    gene_names: target.geneNames,
    organism: target.organism,
    family: target.family,
    conjugated: target.conjugated,
    description: target.description,
    synonyms: target.synonyms,
    // Every entry is one of Swiss-Prot, which the protein database of NCBI takes over under the same accession.
    ncbi_id: target.uniprotId,
    taxon_id: String(target.ncbiTaxonId),
    subcellular_locations: target.subcellularLocations,
    construct: range,
    oligomeric_state: target.oligomericState,
    tags: target.tags,
    is_fc_fusion: target.isFcFusion,
    expression_system: target.expressionSystem,
    molecular_weight: `${target.molecularWeightKda} kDa`,
    sequence: target.sequence,
    structures: target.structures,
    bioactivity: target.bioactivity,
    control_kd_m: target.controlKdM ?? null,
    pricing: target.pricing,
  };
  return buildTarget(entry, { id: target.id, createdAt, ownerOrganizationId: null });
}
