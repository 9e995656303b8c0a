/** A target of the catalog: every field that the lab keeps of it, flat, with one name in JSON, CSV and audit. Pure. */
import {
  defineField,
  defineRecord,
  Flag,
  OptionalNumber,
  OptionalText,
  RequiredText,
  TextList,
} from '#core/record.ts';
import { Nullable, strict, Type, type Static } from '#core/schema.ts';
import { isBlank } from '#core/texts.ts';
import { readChains } from './request-rules.ts';

/** UniProtKB accession numbers, as its manual defines them. */
export const UNIPROT_ID = /^(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})$/;
const RESIDUES = /^[ACDEFGHIKLMNPQRSTVWY]+(?::[ACDEFGHIKLMNPQRSTVWY]+)*$/;
const PDB_ID = /^[0-9][A-Za-z0-9]{3}$/;

const METHODS = ['bli', 'elisa', 'spr'] as const;
const Bioactivity = Type.Object(
  {
    bli: Type.Boolean({ description: 'by bio-layer interferometry' }),
    elisa: Type.Boolean({ description: 'by an enzyme-linked immunosorbent assay' }),
    spr: Type.Boolean({ description: 'by surface plasmon resonance' }),
  },
  strict,
);
export type Bioactivity = Static<typeof Bioactivity>;

const description = 'methods by which binding to a partner has been shown; null: not known';
const bioactivitySchema = Nullable(Bioactivity, { description });

const bioactivity = defineField<Bioactivity | null, typeof bioactivitySchema, typeof bioactivitySchema>(
  {
    empty: null,
    schema: bioactivitySchema,
    answer: Nullable(Type.Object(Bioactivity.properties), { description }),
    parse: (stored) => {
      if (typeof stored !== 'object' || stored === null) return null;
      const shown = new Map<string, unknown>(Object.entries(stored));
      return choose((method) => shown.get(method) === true);
    },
    write: (value) => {
      const shown = METHODS.filter((method) => value?.[method] === true);
      return value !== null && shown.length === 0 ? 'none' : shown.join('; ');
    },
    read: (cell) => {
      const word = cell.trim().toLowerCase();
      if (word === '') return null;
      const parts = word.split(/[;,\n]/).map((part) => part.trim());
      const named = word === 'none' ? [] : parts.filter((part) => part !== '');
      if (!named.every((name) => METHODS.some((method) => method === name))) return undefined;
      return choose((method) => named.includes(method));
    },
    expected: `${METHODS.join(', ')} separated by ";", or none`,
  },
  {
    place: 'details',
    group: 'Protein',
    label: 'Binding was shown by',
    hint: 'bli, elisa, spr, separated by “;”; or none. Empty: not known.',
  },
);

function choose(isShown: (method: (typeof METHODS)[number]) => boolean): Bioactivity {
  return { bli: isShown('bli'), elisa: isShown('elisa'), spr: isShown('spr') };
}

const names = { group: 'Names', isListed: true };
const protein = { group: 'Protein', place: 'details' } as const;
const construct = { group: 'Construct', place: 'details' } as const;
const listed = { isListed: true } as const;
const stock = { ...listed, group: 'Stock and control, seen by staff only' };
const SEPARATED = 'Separated by “;”.';

/** In every answer. */
export const leanFields = {
  name: RequiredText('usual short name, such as EGFR', {
    ...names,
    label: 'Name',
    hint: 'Usual short name, such as EGFR.',
  }),
  vendor_name: RequiredText('vendor of the antigen', { ...names, label: 'Vendor' }),
  catalog_number: RequiredText('catalog number of the vendor; no two targets for everyone have the same', {
    ...names,
    label: 'Catalog number',
  }),
};

/** In every answer to staff, and in none to clients. */
export const staffFields = {
  lot: OptionalText('lot in use; clients do not see it', { ...stock, label: 'Lot in use' }),
  stock_ug: OptionalNumber(
    'mass in the lab in µg; clients do not see it',
    { minimum: 0 },
    {
      ...stock,
      label: 'Stock in µg',
      rule: [(mass) => mass >= 0, 'must be 0 or more micrograms'],
    },
  ),
  control_kd_m: OptionalNumber(
    'known KD in M of the positive control beside the target; clients do not see it',
    { exclusiveMinimum: 0, exclusiveMaximum: 1 },
    {
      ...listed,
      rule: [(kdM) => kdM > 0 && kdM < 1, 'must be a KD in M, above 0 and below 1'],
    },
  ),
};

/** In every answer too, and most of them among the details, where older clients read them. */
export const proteinFields = {
  uniprot_id: OptionalText('UniProt accession, such as P00533', {
    ...listed,
    group: 'Protein',
    label: 'UniProt accession',
    hint: 'Such as P00533.',
    rule: [(id) => UNIPROT_ID.test(id), 'must be a UniProt accession such as P00533'],
  }),
  gene_names: TextList('symbols of its genes, such as EGFR', {
    ...protein,
    place: 'both',
    label: 'Genes',
    hint: SEPARATED,
  }),
  organism: OptionalText('scientific name of the species, such as Homo sapiens', {
    ...protein,
    ...listed,
    place: 'both',
    label: 'Organism',
    hint: 'Such as Homo sapiens.',
  }),
  family: OptionalText('protein family, such as Receptor tyrosine kinase', {
    ...protein,
    ...listed,
    place: 'both',
    label: 'Family',
  }),
};

/** Among the details alone. */
export const detailFields = {
  taxon_id: OptionalText('NCBI taxonomy id of the species, such as 9606', {
    ...protein,
    label: 'NCBI taxonomy id',
  }),
  ncbi_id: OptionalText('accession in the protein database of NCBI', {
    ...protein,
    label: 'NCBI protein accession',
  }),
  synonyms: TextList('other names, which `search` finds too', {
    ...protein,
    label: 'Synonyms',
    hint: SEPARATED,
  }),
  subcellular_locations: TextList('where in the cell it is found, as UniProt names it', {
    ...protein,
    label: 'Location in the cell',
    hint: SEPARATED,
  }),
  structures: TextList('entries of the Protein Data Bank, such as 1IVO', {
    ...protein,
    label: 'Structures',
    hint: 'Entries of the PDB, separated by “;”.',
    rule: [
      (ids) => ids.every((id) => PDB_ID.test(id)),
      'must be entries of the Protein Data Bank such as 1IVO',
    ],
  }),
  description: OptionalText('what the protein is and does, in words', {
    ...protein,
    isLong: true,
    label: 'Description',
  }),
  bioactivity,
  construct: OptionalText('residues of the UniProt entry that the construct consists of', {
    ...construct,
    label: 'Construct',
    hint: 'Residues of the UniProt entry.',
  }),
  oligomeric_state: OptionalText('such as monomer or homodimer; all but a monomer bind with several sites', {
    ...construct,
    label: 'Oligomeric state',
    hint: 'Such as monomer.',
  }),
  tags: TextList('purification and detection tags of the construct, such as His', {
    ...construct,
    label: 'Tags',
    hint: 'Such as His; Avi.',
  }),
  expression_system: OptionalText('expression system, such as HEK293', {
    ...construct,
    label: 'Expression system',
    hint: 'Such as HEK293.',
  }),
  purity: OptionalNumber(
    'percent, as the vendor states it',
    { minimum: 0, maximum: 100 },
    {
      ...construct,
      label: 'Purity in percent',
      rule: [(percent) => percent >= 0 && percent <= 100, 'must be a percentage from 0 to 100'],
    },
  ),
  molecular_weight: OptionalText('mass with its unit, such as 69.4 kDa', {
    ...construct,
    label: 'Molecular weight',
    hint: 'With its unit: 69.4 kDa.',
  }),
  conjugated: Flag('it carries a label such as biotin', {
    ...construct,
    ...listed,
    place: 'both',
    label: 'It carries a label such as biotin',
  }),
  is_fc_fusion: Flag('it is fused to an antibody Fc, and so binds with two sites', {
    ...construct,
    label: 'It is fused to an antibody Fc',
  }),
  sequence: {
    ...OptionalText('amino acids of the construct, in single letters', {
      ...construct,
      isLong: true,
      label: 'Sequence',
      hint: 'Single letters, or FASTA.',
      rule: [
        (sequence) => RESIDUES.test(sequence),
        'must be amino acids in single capital letters, chains separated by ":"',
      ],
    }),
    /** As people paste it; a header of FASTA alone is no sequence. */
    read: (cell: string) => readChains(cell) || (isBlank(cell) ? null : undefined),
    expected: 'amino acids in single letters, or FASTA',
  },
};

export const targetRecord = defineRecord({
  ...leanFields,
  ...staffFields,
  ...proteinFields,
  ...detailFields,
  retired: Flag('nobody can order it any more, and experiments that have it keep it', { place: 'elsewhere' }),
});
