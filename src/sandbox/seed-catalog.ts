/** Adds the seeded public catalog to a sandbox; entries that the lab has changed stay unchanged. */
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { INSTALLATION_ID } from '#domain/audit/rules.ts';
import { insertTarget, type NewTarget } from '#domain/targets/store.ts';
import { recordChange } from '#workflows/audit/record-change.ts';
import { FIRST_START } from '#domain/audit/rules.ts';
import { seedTargets, type SeedTarget } from './seed/targets.ts';

export async function seedCatalog(work: Work, database: Database): Promise<void> {
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
  return {
    id: target.id,
    ownerOrganizationId: null,
    name: target.name,
    vendorName: target.vendorName,
    catalogNumber: target.catalogNumber,
    uniprotId: target.uniprotId,
    geneNames: target.geneNames,
    organism: target.organism,
    family: target.family,
    conjugated: target.conjugated,
    details: {
      description: target.description,
      synonyms: target.synonyms,
      gene_names: target.geneNames,
      organism: target.organism,
      // Every entry is one of Swiss-Prot, which the protein database of NCBI takes over under the same accession.
      ncbi_id: target.uniprotId,
      taxon_id: String(target.ncbiTaxonId),
      family: target.family,
      subcellular_locations: target.subcellularLocations,
      construct: range,
      tags: target.tags,
      sequence: target.sequence,
      sequence_length: target.sequenceLength,
      molecular_weight: `${target.molecularWeightKda} kDa`,
      expression_system: target.expressionSystem,
      oligomeric_state: target.oligomericState,
      is_fc_fusion: target.isFcFusion,
      conjugated: target.conjugated,
      bioactivity: target.bioactivity,
      structures: target.structures.map((id) => ({
        id,
        url: `https://files.rcsb.org/download/${id}.cif`,
        page_url: `https://www.rcsb.org/structure/${id}`,
      })),
    },
    pricing: target.pricing,
    controlKdM: target.controlKdM ?? null,
    searchText: [
      target.name,
      target.vendorName,
      target.catalogNumber,
      target.uniprotId,
      ...target.geneNames,
      ...target.synonyms,
    ].join(' '),
    createdAt,
  };
}
