import { biotinylated, type SeedTarget } from './target-type.ts';

const sarsCov2Rbd: SeedTarget = {
  id: '019b76db-2118-7f6d-93a9-289d0ef5f0ab',
  catalogNumber: 'DEMO-0031',
  vendorName: 'Demo catalogue',
  name: 'SARS-CoV-2 spike RBD',
  synonyms: ['Spike glycoprotein receptor-binding domain', 'S protein RBD', 'Wuhan-Hu-1 RBD'],
  geneNames: ['S'],
  organism: 'Severe acute respiratory syndrome coronavirus 2',
  ncbiTaxonId: 2697049,
  uniprotId: 'P0DTC2',
  family: 'Betacoronavirus spike protein family',
  subcellularLocations: ['Virion membrane', 'Host cell membrane'],
  description:
    'Domain of the spike protein that binds ACE2, from the reference isolate; the construct is residues 319 to 541.',
  construct: { first: 319, last: 541 },
  tags: ['His'],
  sequence:
    'RVQPTESIVRFPNITNLCPFGEVFNATRFASVYAWNRKRISNCVADYSVLYNSASFSTFKCYGVSPTKLNDLCFTNVYADSFVIRGDEVRQIAPGQTGKI' +
    'ADYNYKLPDDFTGCVIAWNSNNLDSKVGGNYNYLYRLFRKSNLKPFERDISTEIYQAGSTPCNGVEGFNCYFPLQSYGFQPTNGVGYQPYRVVVLSFELL' +
    'HAPATVCGPKKSTNLVKNKCVNFHHHHHH',
  sequenceLength: 229,
  molecularWeightKda: 25.921,
  expressionSystem: 'HEK293',
  structures: ['6M0J'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 400 },
};

const sarsCov2RbdBiotin = biotinylated(sarsCov2Rbd, {
  id: '019b76db-2500-730b-bbbb-ac387629451c',
  catalogNumber: 'DEMO-0032',
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 19900 },
      { num_sequences: 96, price_usdcent: 64900 },
    ],
  },
});

const nivG: SeedTarget = {
  id: '019b76db-28e8-743c-bf63-b5af51197d73',
  catalogNumber: 'DEMO-0033',
  vendorName: 'Demo catalogue',
  name: 'Nipah virus G',
  synonyms: ['Glycoprotein G', 'Attachment glycoprotein', 'NiV-G'],
  geneNames: ['G'],
  organism: 'Nipah virus',
  ncbiTaxonId: 121791,
  uniprotId: 'Q9IH62',
  family: 'Paramyxoviruses hemagglutinin-neuraminidase family',
  subcellularLocations: ['Virion membrane', 'Host cell membrane'],
  description:
    'Attachment protein that binds ephrin-B2 and ephrin-B3; the construct is the ectodomain with stalk and head.',
  construct: { first: 71, last: 602 },
  tags: ['His'],
  sequence:
    'QNYTRSTDNQAVIKDALQGIQQQIKGLADKIGTEIGPKVSLIDTSSTITIPANIGLLGSKISQSTASINENVNEKCKFTLPPLKIHECNISCPNPLPFRE' +
    'YRPQTEGVSNLVGLPNNICLQKTSNQILKPKLISYTLPVVGQSGTCITDPLLAMDEGYFAYSHLERIGSCSRGVSKQRIIGVGEVLDRGDEVPSLFMTNV' +
    'WTPPNPNTVYHCSAVYNNEFYYVLCAVSTVGDPILNSTYWSGSLMMTRLAVKPKSNGGGYNQHQLALRSIEKGRYDKVMPYGPSGIKQGDTLYFPAVGFL' +
    'VRTEFKYNDSNCPITKCQYSKPENCRLSMGIRPNSHYILRSGLLKYNLSDGENPKVVFIEISDQRLSIGSPSKIYDSLGQPVFYQASFSWDTMIKFGDVL' +
    'TVNPLVVNWRNNTVISRPGQSQCPRFNTCPEICWEGVYNDAFLIDRINWISAGVFLDSNQTAENPVFTVFKDNEILYRAQLASEDTNAQKTITNCFLLKN' +
    'KIWCISLVEIYDTGDNVIRPKLFAVKIPEQCTHHHHHH',
  sequenceLength: 538,
  molecularWeightKda: 60.122,
  expressionSystem: 'HEK293',
  structures: ['2VSM'],
  oligomericState: 'homotetramer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: false, spr: true },
  pricing: null,
};

/** Viral attachment proteins. */
export const virusTargets: readonly SeedTarget[] = [sarsCov2Rbd, sarsCov2RbdBiotin, nivG];
