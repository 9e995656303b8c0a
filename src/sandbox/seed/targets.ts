/**
 * The public catalog that a new installation starts with: `catalog/*.json`, checked against the schema when read.
 *
 * Protein facts (names, genes, family, location, residue ranges, residues) are those of the UniProt entry in `uniprot_id`
 * (https://www.uniprot.org); structures are PDB entries that contain the protein. Catalog number, vendor, expression
 * system, tags, bioactivity and prices describe the demonstration catalog and no real product. Ids are fixed so that
 * documentation and scripts can name them.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { OneOf, strict, Type, type Static } from '#core/schema.ts';
import { TargetPricing } from '#features/targets/contract.ts';
import { readCatalog, readAccessions } from './catalog.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { INSTALLATION_ID, FIRST_START } from '#features/audit/rules.ts';
import { EMPTY_ENTRY, type TargetEntry } from '#features/targets/entry.ts';
import { hasTargets, insertTarget, type NewTarget } from '#features/targets/store.ts';
import { recordChange } from '#features/audit/record-change.ts';

const Texts = Type.Array(Type.String({ minLength: 1 }));

/** The range of the UniProt entry that the construct covers, both ends included, counted from 1. */
const Construct = Type.Object(
  {
    first: Type.Integer({ minimum: 1 }),
    last: Type.Integer({ minimum: 1 }),
    /** Set if the numbering is that of an isoform and not of the canonical sequence of the entry. */
    isoform: Type.Optional(Type.String()),
  },
  strict,
);

/** One antigen. A conjugated antigen has its own entry beside the plain protein. */
const SeedTarget = Type.Object(
  {
    id: Type.String({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    catalog_number: Type.String({ minLength: 1 }),
    vendor_name: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    synonyms: Texts,
    gene_names: Texts,
    organism: Type.String({ minLength: 1 }),
    ncbi_taxon_id: Type.Integer({ minimum: 1 }),
    uniprot_id: Type.String({ minLength: 1 }),
    family: Type.String({ minLength: 1 }),
    subcellular_locations: Texts,
    description: Type.String({ minLength: 1 }),
    construct: Construct,
    /** `His` is a carboxy-terminal hexahistidine and part of `sequence`; `Biotin` adds no residue. */
    tags: Texts,
    /** Residues of the construct, tag included. */
    sequence: Type.String({ pattern: '^[ACDEFGHIKLMNPQRSTVWY]+$' }),
    sequence_length: Type.Integer({ minimum: 1 }),
    /** Average mass of one reduced, unmodified chain: no glycans, no biotin, no lost disulfide hydrogens. */
    molecular_weight_kda: Type.Number({ exclusiveMinimum: 0 }),
    expression_system: Type.String({ minLength: 1 }),
    /** PDB identifiers. */
    structures: Texts,
    /** A dimer or higher oligomer gives an apparent KD when it is the analyte. */
    oligomeric_state: OneOf(['monomer', 'homodimer', 'homotrimer', 'homotetramer']),
    is_fc_fusion: Type.Boolean(),
    /** True for entries that are listed only when conjugated targets are requested. */
    conjugated: Type.Boolean(),
    bioactivity: Type.Object({ bli: Type.Boolean(), elisa: Type.Boolean(), spr: Type.Boolean() }, strict),
    /** Null means not self-service: an order needs a quote by staff. */
    pricing: Type.Union([TargetPricing, Type.Null()]),
    /** Published KD in M of the positive control of the simulated lab, where it was measured against this protein. */
    control_kd_m: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })),
  },
  strict,
);
type SeedTarget = Static<typeof SeedTarget>;

const isCatalog = new Ajv2020({ validateSchema: false }).compile<SeedTarget[]>(Type.Array(SeedTarget));

export const seedTargets: readonly SeedTarget[] = readCatalog().flatMap(({ content, file }) =>
  checkTargets(content, file),
);

/** Checks the entries of one file; throws with the position of the first invalid one. */
export function checkTargets(content: unknown, file: string): SeedTarget[] {
  if (isCatalog(content)) return content;
  const [error] = isCatalog.errors ?? [];
  throw new Error(`${file}${error?.instancePath ?? ''} ${error?.message ?? 'is not a list of targets'}`);
}

/** Adds the seeded public catalog to a sandbox; entries that the lab has changed stay unchanged. */
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
  const {
    id,
    construct: { isoform, first, last },
    ncbi_taxon_id: taxonId,
    molecular_weight_kda: kda,
    sequence_length: _length,
    ...fields
  } = target;
  const entry: TargetEntry = {
    ...EMPTY_ENTRY,
    ...fields,
    // Every entry is one of Swiss-Prot, which the protein database of NCBI takes over under the same accession.
    ncbi_id: target.uniprot_id,
    taxon_id: String(taxonId),
    construct: `${isoform ?? target.uniprot_id} residues ${first}–${last}`,
    molecular_weight: `${kda} kDa`,
  };
  return { entry, id, created_at: createdAt, owner_organization_id: null };
}
