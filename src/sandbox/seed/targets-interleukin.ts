import type { SeedTarget } from './target-type.ts';

const il6: SeedTarget = {
  id: '019b76da-ea68-7208-a988-280b3c6f8741',
  catalogNumber: 'DEMO-0017',
  vendorName: 'Demo catalogue',
  name: 'IL-6',
  synonyms: ['Interleukin-6', 'B-cell stimulatory factor 2', 'Interferon beta-2'],
  geneNames: ['IL6', 'IFNB2'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P05231',
  family: 'IL-6 superfamily',
  subcellularLocations: ['Secreted'],
  description:
    'Four-helix cytokine that signals through IL-6R and gp130; the construct is the mature protein.',
  construct: { first: 30, last: 212 },
  tags: [],
  sequence:
    'VPPGEDSKDVAAPHRQPLTSSERIDKQIRYILDGISALRKETCNKSNMCESSKEALAENNLNLPKMAEKDGCFQSGFNEETCLVKIITGLLEFEVYLEYL' +
    'QNRFESSEEQARAVQMSTKVLIQFLQKKAKNLDAITTPDPTTNASLLTKLQAQNQWLQDMTTHLILRSFKEFLQSSLRALRQM',
  sequenceLength: 183,
  molecularWeightKda: 20.813,
  expressionSystem: 'Escherichia coli',
  structures: ['1ALU', '1P9M'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 400 },
};

const il2: SeedTarget = {
  id: '019b76da-ee50-7bad-b004-b455ef63d370',
  catalogNumber: 'DEMO-0018',
  vendorName: 'Demo catalogue',
  name: 'IL-2',
  synonyms: ['Interleukin-2', 'T-cell growth factor'],
  geneNames: ['IL2'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P60568',
  family: 'IL-2 family',
  subcellularLocations: ['Secreted'],
  description:
    'Growth factor of T cells that binds the alpha, beta and gamma chains of its receptor; the construct is the mature protein.',
  construct: { first: 21, last: 153 },
  tags: [],
  sequence:
    'APTSSSTKKTQLQLEHLLLDLQMILNGINNYKNPKLTRMLTFKFYMPKKATELKHLQCLEEELKPLEEVLNLAQSKNFHLRPRDLISNINVIVLELKGSE' +
    'TTFMCEYADETATIVEFLNRWITFCQSIISTLT',
  sequenceLength: 133,
  molecularWeightKda: 15.418,
  expressionSystem: 'Escherichia coli',
  structures: ['1M47', '2B5I'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 400 },
};

const il2ra: SeedTarget = {
  id: '019b76da-f238-7dbd-89ff-af7eb4360dba',
  catalogNumber: 'DEMO-0019',
  vendorName: 'Demo catalogue',
  name: 'IL-2RA',
  synonyms: ['Interleukin-2 receptor subunit alpha', 'CD25', 'TAC antigen'],
  geneNames: ['IL2RA'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P01589',
  family: 'Type I membrane receptors with Sushi domains',
  subcellularLocations: ['Cell membrane'],
  description: 'Alpha chain of the high-affinity IL-2 receptor; the construct is the extracellular region.',
  construct: { first: 22, last: 240 },
  tags: ['His'],
  sequence:
    'ELCDDDPPEIPHATFKAMAYKEGTMLNCECKRGFRRIKSGSLYMLCTGNSSHSSWDNQCQCTSSATRNTTKQVTPQPEEQKERKTTEMQSPMQPVDQASL' +
    'PGHCREPPPWENEATERIYHFVVGQMVYYQCVQGYRALHRGPAESVCKMTHGKTRWTQPQLICTGEMETSQFPGEEKPQASPEGRPESETSCLVTTTDFQ' +
    'IQTEMAATMETSIFTTEYQHHHHHH',
  sequenceLength: 225,
  molecularWeightKda: 25.647,
  expressionSystem: 'HEK293',
  structures: ['1Z92', '2B5I'],
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

const il4: SeedTarget = {
  id: '019b76da-f620-7872-89bd-352a556c07e4',
  catalogNumber: 'DEMO-0020',
  vendorName: 'Demo catalogue',
  name: 'IL-4',
  synonyms: ['Interleukin-4', 'B-cell stimulatory factor 1'],
  geneNames: ['IL4'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P05112',
  family: 'IL-4/IL-13 family',
  subcellularLocations: ['Secreted'],
  description: 'Four-helix cytokine of type 2 immunity; the construct is the mature protein.',
  construct: { first: 25, last: 153 },
  tags: [],
  sequence:
    'HKCDITLQEIIKTLNSLTEQKTLCTELTVTDIFAASKNTTEKETFCRAATVLRQFYSHHEKDTRCLGATAQQFHRHKQLIRFLKRLDRNLWGLAGLNSCP' +
    'VKEANQSTLENFLERLKTIMREKYSKCSS',
  sequenceLength: 129,
  molecularWeightKda: 14.963,
  expressionSystem: 'Escherichia coli',
  structures: ['1IAR', '2INT'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 400 },
};

const il5: SeedTarget = {
  id: '019b76da-fa08-7ee7-b081-9055cc3f9030',
  catalogNumber: 'DEMO-0021',
  vendorName: 'Demo catalogue',
  name: 'IL-5',
  synonyms: ['Interleukin-5', 'Eosinophil differentiation factor'],
  geneNames: ['IL5'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P05113',
  family: 'IL-5 family',
  subcellularLocations: ['Secreted'],
  description:
    'Growth and differentiation factor of eosinophils, a disulfide-linked dimer; the construct is the mature protein.',
  construct: { first: 20, last: 134 },
  tags: [],
  sequence:
    'IPTEIPTSALVKETLALLSTHRTLLIANETLRIPVPVHKNHQLCTEEIFQGIGTLESQTVQGGTVERLFKNLSLIKKYIDGQKKKCGEERRRVNQFLDYL' +
    'QEFLGVMNTEWIIES',
  sequenceLength: 115,
  molecularWeightKda: 13.149,
  expressionSystem: 'HEK293',
  structures: ['1HUL'],
  oligomericState: 'homodimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: false },
  pricing: null,
};

const il17a: SeedTarget = {
  id: '019b76da-fdf0-74b9-a588-642b5bb8fb26',
  catalogNumber: 'DEMO-0022',
  vendorName: 'Demo catalogue',
  name: 'IL-17A',
  synonyms: ['Interleukin-17A', 'Cytotoxic T-lymphocyte-associated antigen 8'],
  geneNames: ['IL17A', 'CTLA8', 'IL17'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q16552',
  family: 'IL-17 family',
  subcellularLocations: ['Secreted'],
  description:
    'Pro-inflammatory cytokine of Th17 cells with a cystine-knot fold, a disulfide-linked dimer; the construct is the mature protein.',
  construct: { first: 24, last: 155 },
  tags: [],
  sequence:
    'GITIPRNPGCPNSEDKNFPRTVMVNLNIHNRNTNTNPKRSSDYYNRSTSPWNLHRNEDPERYPSVIWEAKCRHLGCINADGNVDYHMNSVPIQQEILVLR' +
    'REPPHCPNSFRLEKILVSVGCTCVTPIVHHVA',
  sequenceLength: 132,
  molecularWeightKda: 15.124,
  expressionSystem: 'HEK293',
  structures: ['4HR9'],
  oligomericState: 'homodimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 19900 },
      { num_sequences: 96, price_usdcent: 59900 },
    ],
  },
};

const il1b: SeedTarget = {
  id: '019b76db-01d8-7f58-b700-2bb01748bc53',
  catalogNumber: 'DEMO-0023',
  vendorName: 'Demo catalogue',
  name: 'IL-1B',
  synonyms: ['Interleukin-1 beta', 'Catabolin'],
  geneNames: ['IL1B', 'IL1F2'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P01584',
  family: 'IL-1 family',
  subcellularLocations: ['Cytosol', 'Secreted'],
  description:
    'Beta-trefoil cytokine that caspase-1 frees from its precursor; the construct is the mature form.',
  construct: { first: 117, last: 269 },
  tags: [],
  sequence:
    'APVRSLNCTLRDSQQKSLVMSGPYELKALHLQGQDMEQQVVFSMSFVQGEESNDKIPVALGLKEKNLYLSCVLKDDKPTLQLESVDPKNYPKKKMEKRFV' +
    'FNKIEINNKLEFESAQFPNWYISTSQAENMPVFLGGTKGGQDITDFTMQFVSS',
  sequenceLength: 153,
  molecularWeightKda: 17.377,
  expressionSystem: 'Escherichia coli',
  structures: ['1ITB', '4G6J'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 400 },
};

const tslp: SeedTarget = {
  id: '019b76db-05c0-73b5-8a72-8fc26911abb5',
  catalogNumber: 'DEMO-0024',
  vendorName: 'Demo catalogue',
  name: 'TSLP',
  synonyms: ['Thymic stromal lymphopoietin'],
  geneNames: ['TSLP'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q969D9',
  family: 'Short-chain four-helix cytokines',
  subcellularLocations: ['Secreted'],
  description:
    'Epithelial cytokine that signals through TSLPR and IL-7RA; the construct is the mature protein.',
  construct: { first: 29, last: 159 },
  tags: [],
  sequence:
    'YDFTNCDFEKIKAAYLSTISKDLITYMSGTKSTEFNNTVSCSNRPHCLTEIQSLTFNPTAGCASLAKEMFAMKTKAALAIWCPGYSETQINATQAMKKRR' +
    'KRKVTTNKCLEQVSQLQGLWRRFNRPLLKQQ',
  sequenceLength: 131,
  molecularWeightKda: 14.93,
  expressionSystem: 'CHO',
  structures: ['5J13'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: false },
  pricing: null,
};

/** Interleukins and related cytokines, and one of their receptors. */
export const interleukinTargets: readonly SeedTarget[] = [il6, il2, il2ra, il4, il5, il17a, il1b, tslp];
