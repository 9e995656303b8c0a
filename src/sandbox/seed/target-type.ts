/** Prices in the shape of the contract's `TargetPricing`, so that they can be stored and sent as they are. */
export type SeedTargetPricing =
  | { readonly type: 'per_sequence'; readonly price_per_sequence_cents: number }
  | {
      readonly type: 'per_broken_lot';
      readonly lot_prices: readonly { readonly num_sequences: number; readonly price_usdcent: number }[];
    };

/** The stretch of the UniProt entry that the construct covers, both ends included, counted from 1. */
export interface SeedConstruct {
  readonly first: number;
  readonly last: number;
  /** Set where the numbering is that of an isoform and not of the entry's canonical sequence. */
  readonly isoform?: string;
}

/**
 * One antigen of the seeded public catalogue.
 *
 * Protein facts (names, genes, family, location, residue ranges, residues) are those of the UniProt entry
 * named in `uniprotId`; structures are PDB entries that contain the protein. Catalogue number, vendor,
 * expression system, tags, bioactivity and prices describe the demonstration catalogue and no real product.
 */
export interface SeedTarget {
  readonly id: string;
  readonly catalogNumber: string;
  readonly vendorName: string;
  readonly name: string;
  readonly synonyms: readonly string[];
  readonly geneNames: readonly string[];
  readonly organism: string;
  readonly ncbiTaxonId: number;
  readonly uniprotId: string;
  readonly family: string;
  readonly subcellularLocations: readonly string[];
  readonly description: string;
  readonly construct: SeedConstruct;
  /** `His` is a carboxy-terminal hexahistidine and part of `sequence`; `Biotin` adds no residue. */
  readonly tags: readonly string[];
  /** Residues of the construct, tag included. */
  readonly sequence: string;
  readonly sequenceLength: number;
  /** Average mass of one reduced, unmodified chain: no glycans, no biotin, no lost disulfide hydrogens. */
  readonly molecularWeightKda: number;
  readonly expressionSystem: string;
  /** PDB identifiers. */
  readonly structures: readonly string[];
  /** A dimer or higher oligomer gives an apparent KD when it is the analyte. */
  readonly oligomericState: 'monomer' | 'homodimer' | 'homotrimer' | 'homotetramer';
  readonly isFcFusion: boolean;
  /** True for entries that are listed only when conjugated targets are asked for. */
  readonly conjugated: boolean;
  readonly bioactivity: { readonly bli: boolean; readonly elisa: boolean; readonly spr: boolean };
  /** Null: not self-service, so an order needs a quote by staff. */
  readonly pricing: SeedTargetPricing | null;
}

/** The same protein with biotin on its lysine side chains, sold under its own number. */
export function biotinylated(
  base: SeedTarget,
  own: Pick<SeedTarget, 'id' | 'catalogNumber' | 'pricing'>,
): SeedTarget {
  return {
    ...base,
    ...own,
    name: `${base.name}, biotinylated`,
    description: `${base.description} Biotin is coupled to lysine side chains; the molecular weight is that of the protein alone.`,
    tags: [...base.tags, 'Biotin'],
    conjugated: true,
  };
}
