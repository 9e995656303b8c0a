import { biotinylated, type SeedTarget } from './target-type.ts';

const pdl1: SeedTarget = {
  id: '019b76da-cf10-7000-a29f-76e5889c34cd',
  catalogNumber: 'DEMO-0010',
  vendorName: 'Demo catalogue',
  name: 'PD-L1',
  synonyms: ['Programmed cell death 1 ligand 1', 'B7-H1', 'CD274'],
  geneNames: ['CD274', 'B7H1', 'PDCD1L1', 'PDCD1LG1', 'PDL1'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q9NZQ7',
  family: 'B7 family',
  subcellularLocations: ['Cell membrane'],
  description:
    'Ligand of PD-1 that damps T-cell responses; the construct is the extracellular region with its V-like and C-like domains.',
  construct: { first: 19, last: 238 },
  tags: ['His'],
  sequence:
    'FTVTVPKDLYVVEYGSNMTIECKFPVEKQLDLAALIVYWEMEDKNIIQFVHGEEDLKVQHSSYRQRARLLKDQLSLGNAALQITDVKLQDAGVYRCMISY' +
    'GGADYKRITVKVNAPYNKINQRILVVDPVTSEHELTCQAEGYPKAEVIWTSSDHQVLSGKTTTTNSKREEKLFNVTSTLRINTTTNEIFYCTFRRLDPEE' +
    'NHTAELVIPELPLAHPPNERHHHHHH',
  sequenceLength: 226,
  molecularWeightKda: 26.016,
  expressionSystem: 'HEK293',
  structures: ['4ZQK', '3BIK'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 500 },
};

const pdl1Biotin = biotinylated(pdl1, {
  id: '019b76da-d2f8-730c-b14f-a3c03d4a6351',
  catalogNumber: 'DEMO-0011',
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 24900 },
      { num_sequences: 96, price_usdcent: 79900 },
    ],
  },
});

const pd1: SeedTarget = {
  id: '019b76da-d6e0-742e-9004-83c334381bcd',
  catalogNumber: 'DEMO-0012',
  vendorName: 'Demo catalogue',
  name: 'PD-1',
  synonyms: ['Programmed cell death protein 1', 'CD279'],
  geneNames: ['PDCD1', 'PD1'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q15116',
  family: 'CD28 family',
  subcellularLocations: ['Cell membrane'],
  description:
    'Inhibitory receptor of activated T cells; the construct is the extracellular region without the signal peptide.',
  construct: { first: 25, last: 167 },
  tags: ['His'],
  sequence:
    'LDSPDRPWNPPTFSPALLVVTEGDNATFTCSFSNTSESFVLNWYRMSPSNQTDKLAAFPEDRSQPGQDCRFRVTQLPNGRDFHMSVVRARRNDSGTYLCG' +
    'AISLAPKAQIKESLRAELRVTERRAEVPTAHPSPSPRPAGQFQHHHHHH',
  sequenceLength: 149,
  molecularWeightKda: 16.775,
  expressionSystem: 'HEK293',
  structures: ['4ZQK', '3RRQ'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 500 },
};

const ctla4: SeedTarget = {
  id: '019b76da-dac8-727d-9900-ed72973fc1c4',
  catalogNumber: 'DEMO-0013',
  vendorName: 'Demo catalogue',
  name: 'CTLA-4',
  synonyms: ['Cytotoxic T-lymphocyte protein 4', 'CD152'],
  geneNames: ['CTLA4', 'CD152'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P16410',
  family: 'CD28 family',
  subcellularLocations: ['Cell membrane'],
  description:
    'Inhibitory T-cell receptor that competes with CD28 for CD80 and CD86; the construct is the extracellular region.',
  construct: { first: 36, last: 161 },
  tags: ['His'],
  sequence:
    'KAMHVAQPAVVLASSRGIASFVCEYASPGKATEVRVTVLRQADSQVTEVCAATYMMGNELTFLDDSICTGTSSGNQVNLTIQGLRAMDTGLYICKVELMY' +
    'PPPYYLGIGNGTQIYVIDPEPCPDSDHHHHHH',
  sequenceLength: 132,
  molecularWeightKda: 14.325,
  expressionSystem: 'HEK293',
  structures: ['1I8L'],
  oligomericState: 'homodimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 600 },
};

const tigit: SeedTarget = {
  id: '019b76da-deb0-78bb-afbd-8ca7dbb7e84e',
  catalogNumber: 'DEMO-0014',
  vendorName: 'Demo catalogue',
  name: 'TIGIT',
  synonyms: [
    'T-cell immunoreceptor with Ig and ITIM domains',
    'V-set and immunoglobulin domain-containing protein 9',
  ],
  geneNames: ['TIGIT', 'VSIG9', 'VSTM3'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q495A1',
  family: 'PVR-like proteins',
  subcellularLocations: ['Cell membrane'],
  description:
    'Inhibitory receptor on T and NK cells that binds PVR; the construct is the extracellular V-like domain.',
  construct: { first: 22, last: 141 },
  tags: ['His'],
  sequence:
    'MMTGTIETTGNISAEKGGSIILQCHLSSTTAQVTQVNWEQQDQLLAICNADLGWHISPSFKDRVAPGPGLGLTLQSLTVNDTGEYFCIYHTYPDGTYTGR' +
    'IFLEVLESSVAEHGARFQIPHHHHHH',
  sequenceLength: 126,
  molecularWeightKda: 13.884,
  expressionSystem: 'HEK293',
  structures: ['3UCR', '3UDW'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 600 },
};

const cd47: SeedTarget = {
  id: '019b76da-e298-7642-b388-153dda7090dc',
  catalogNumber: 'DEMO-0015',
  vendorName: 'Demo catalogue',
  name: 'CD47',
  synonyms: ['Leukocyte surface antigen CD47', 'Integrin-associated protein', 'MER6'],
  geneNames: ['CD47', 'MER6'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q08722',
  family: 'Immunoglobulin superfamily',
  subcellularLocations: ['Cell membrane'],
  description:
    'Ligand of SIRP-alpha that inhibits phagocytosis; the construct is the extracellular V-like domain.',
  construct: { first: 19, last: 141 },
  tags: ['His'],
  sequence:
    'QLLFNKTKSVEFTFCNDTVVIPCFVTNMEAQNTTEVYVKWKFKGRDIYTFDGALNKSTVPTDFSSAKIEVSQLLKGDASLKMDKSDAVSHTGNYTCEVTE' +
    'LTREGETIIELKYRVVSWFSPNEHHHHHH',
  sequenceLength: 129,
  molecularWeightKda: 14.79,
  expressionSystem: 'HEK293',
  structures: ['2JJS'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 500 },
};

const cd137: SeedTarget = {
  id: '019b76da-e680-7dbf-952e-43b0d75592d5',
  catalogNumber: 'DEMO-0016',
  vendorName: 'Demo catalogue',
  name: '4-1BB',
  synonyms: ['Tumor necrosis factor receptor superfamily member 9', 'CD137', 'T-cell antigen 4-1BB homolog'],
  geneNames: ['TNFRSF9', 'CD137', 'ILA'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q07011',
  family: 'TNF receptor superfamily',
  subcellularLocations: ['Cell membrane'],
  description:
    'Costimulatory receptor of activated T cells that binds 4-1BB ligand; the construct is the extracellular region.',
  construct: { first: 24, last: 186 },
  tags: ['His'],
  sequence:
    'LQDPCSNCPAGTFCDNNRNQICSPCPPNSFSSAGGQRTCDICRQCKGVFRTRKECSSTSNAECDCTPGFHCLGAGCSMCEQDCKQGQELTKKGCKDCCFG' +
    'TFNDQKRGICRPWTNCSLDGKSVLVNGTKERDVVCGPSPADLSPGASSVTPPAPAREPGHSPQHHHHHH',
  sequenceLength: 169,
  molecularWeightKda: 18.102,
  expressionSystem: 'HEK293',
  structures: [],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 22900 },
      { num_sequences: 96, price_usdcent: 69900 },
    ],
  },
};

/** Immune checkpoint receptors and ligands. */
export const checkpointTargets: readonly SeedTarget[] = [pdl1, pdl1Biotin, pd1, ctla4, tigit, cd47, cd137];
