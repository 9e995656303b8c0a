import type { SeedTarget } from './target-type.ts';

const tnf: SeedTarget = {
  id: '019b76db-09a8-7fe5-a808-c44ea39ed97f',
  catalogNumber: 'DEMO-0025',
  vendorName: 'Demo catalogue',
  name: 'TNF',
  synonyms: ['Tumor necrosis factor', 'TNF-alpha', 'Cachectin'],
  geneNames: ['TNF', 'TNFA', 'TNFSF2'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P01375',
  family: 'TNF superfamily',
  subcellularLocations: ['Cell membrane', 'Secreted'],
  description:
    'Trimeric pro-inflammatory cytokine shed from the cell surface; the construct is the soluble form.',
  construct: { first: 77, last: 233 },
  tags: [],
  sequence:
    'VRSSSRTPSDKPVAHVVANPQAEGQLQWLNRRANALLANGVELRDNQLVVPSEGLYLIYSQVLFKGQGCPSTHVLLTHTISRIAVSYQTKVNLLSAIKSP' +
    'CQRETPEGAEAKPWYEPIYLGGVFQLEKGDRLSAEINRPDYLDFAESGQVYFGIIAL',
  sequenceLength: 157,
  molecularWeightKda: 17.353,
  expressionSystem: 'Escherichia coli',
  structures: ['1TNF'],
  oligomericState: 'homotrimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 400 },
};

const vegfa: SeedTarget = {
  id: '019b76db-0d90-79ec-953d-b86334772cad',
  catalogNumber: 'DEMO-0026',
  vendorName: 'Demo catalogue',
  name: 'VEGF-A165',
  synonyms: ['Vascular endothelial growth factor A, isoform VEGF165', 'Vascular permeability factor'],
  geneNames: ['VEGFA', 'VEGF'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P15692',
  family: 'PDGF/VEGF growth factor family',
  subcellularLocations: ['Secreted'],
  description:
    'Angiogenic growth factor, a disulfide-linked dimer; the construct is the mature 165-residue isoform.',
  construct: { first: 27, last: 191, isoform: 'P15692-4' },
  tags: [],
  sequence:
    'APMAEGGGQNHHEVVKFMDVYQRSYCHPIETLVDIFQEYPDEIEYIFKPSCVPLMRCGGCCNDEGLECVPTEESNITMQIMRIKPHQGQHIGEMSFLQHN' +
    'KCECRPKKDRARQENPCGPCSERRKHLFVQDPQTCKCSCKNTDSRCKARQLELNERTCRCDKPRR',
  sequenceLength: 165,
  molecularWeightKda: 19.166,
  expressionSystem: 'HEK293',
  structures: ['1VPF', '1BJ1'],
  oligomericState: 'homodimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 500 },
};

const ifng: SeedTarget = {
  id: '019b76db-1178-7360-80d1-76a270827603',
  catalogNumber: 'DEMO-0027',
  vendorName: 'Demo catalogue',
  name: 'IFN-gamma',
  synonyms: ['Interferon gamma', 'Immune interferon'],
  geneNames: ['IFNG'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P01579',
  family: 'Type II interferon family',
  subcellularLocations: ['Secreted'],
  description:
    'Macrophage-activating cytokine of T and NK cells, a non-covalent dimer; the construct runs from the mature amino terminus to the end of the precursor.',
  construct: { first: 24, last: 166 },
  tags: [],
  sequence:
    'QDPYVKEAENLKKYFNAGHSDVADNGTLFLGILKNWKEESDRKIMQSQIVSFYFKLFKNFKDDQSIQKSVETIKEDMNVKFFNSNKKKRDDFEKLTNYSV' +
    'TDLNVQRKAIHELIQVMAELSPAAKTGKRKRSQMLFRGRRASQ',
  sequenceLength: 143,
  molecularWeightKda: 16.776,
  expressionSystem: 'Escherichia coli',
  structures: ['1HIG', '1FG9'],
  oligomericState: 'homodimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 400 },
};

const gmcsf: SeedTarget = {
  id: '019b76db-1560-77e4-b5df-5996317bf3fe',
  catalogNumber: 'DEMO-0028',
  vendorName: 'Demo catalogue',
  name: 'GM-CSF',
  synonyms: ['Granulocyte-macrophage colony-stimulating factor', 'Colony-stimulating factor 2'],
  geneNames: ['CSF2', 'GMCSF'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P04141',
  family: 'GM-CSF family',
  subcellularLocations: ['Secreted'],
  description:
    'Four-helix growth factor of granulocytes and macrophages; the construct is the mature protein.',
  construct: { first: 18, last: 144 },
  tags: [],
  sequence:
    'APARSPSPSTQPWEHVNAIQEARRLLNLSRDTAAEMNETVEVISEMFDLQEPTCLQTRLELYKQGLRGSLTKLKGPLTMMASHYKQHCPPTPETSCATQI' +
    'ITFESFKENLKDFLLVIPFDCWEPVQE',
  sequenceLength: 127,
  molecularWeightKda: 14.478,
  expressionSystem: 'Escherichia coli',
  structures: ['2GMF'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 400 },
};

const tgfb1: SeedTarget = {
  id: '019b76db-1948-7904-a4a4-654475ea69f7',
  catalogNumber: 'DEMO-0029',
  vendorName: 'Demo catalogue',
  name: 'TGF-beta-1',
  synonyms: ['Transforming growth factor beta-1'],
  geneNames: ['TGFB1', 'TGFB'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P01137',
  family: 'TGF-beta family',
  subcellularLocations: ['Secreted', 'Extracellular matrix'],
  description:
    'Cystine-knot growth factor, a disulfide-linked dimer; the construct is the mature carboxy-terminal part.',
  construct: { first: 279, last: 390 },
  tags: [],
  sequence:
    'ALDTNYCFSSTEKNCCVRQLYIDFRKDLGWKWIHEPKGYHANFCLGPCPYIWSLDTQYSKVLALYNQHNPGASAAPCCVPQALEPLPIVYYVGRKPKVEQ' +
    'LSNMIVRSCKCS',
  sequenceLength: 112,
  molecularWeightKda: 12.795,
  expressionSystem: 'CHO',
  structures: ['3KFD'],
  oligomericState: 'homodimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: false },
  pricing: null,
};

const pcsk9: SeedTarget = {
  id: '019b76db-1d30-7e8d-b1a8-a91e43443914',
  catalogNumber: 'DEMO-0030',
  vendorName: 'Demo catalogue',
  name: 'PCSK9',
  synonyms: ['Proprotein convertase subtilisin/kexin type 9', 'NARC-1'],
  geneNames: ['PCSK9', 'NARC1'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q8NBP7',
  family: 'Peptidase S8 (subtilase) family',
  subcellularLocations: ['Secreted'],
  description:
    'Regulator of the LDL receptor; the construct is the secreted protein with its prodomain, which stays bound after self-cleavage.',
  construct: { first: 31, last: 692 },
  tags: ['His'],
  sequence:
    'QEDEDGDYEELVLALRSEEDGLAEAPEHGTTATFHRCAKDPWRLPGTYVVVLKEETHLSQSERTARRLQAQAARRGYLTKILHVFHGLLPGFLVKMSGDL' +
    'LELALKLPHVDYIEEDSSVFAQSIPWNLERITPPRYRADEYQPPDGGSLVEVYLLDTSIQSDHREIEGRVMVTDFENVPEEDGTRFHRQASKCDSHGTHL' +
    'AGVVSGRDAGVAKGASMRSLRVLNCQGKGTVSGTLIGLEFIRKSQLVQPVGPLVVLLPLAGGYSRVLNAACQRLARAGVVLVTAAGNFRDDACLYSPASA' +
    'PEVITVGATNAQDQPVTLGTLGTNFGRCVDLFAPGEDIIGASSDCSTCFVSQSGTSQAAAHVAGIAAMMLSAEPELTLAELRQRLIHFSAKDVINEAWFP' +
    'EDQRVLTPNLVAALPPSTHGAGWQLFCRTVWSAHSGPTRMATAVARCAPDEELLSCSSFSRSGKRRGERMEAQGGKLVCRAHNAFGGEGVYAIARCCLLP' +
    'QANCSVHTAPPAEASMGTRVHCHQQGHVLTGCSSHWEVEDLGTHKPPVLRPRGQPNQCVGHREASIHASCCHAPGLECKVKEHGIPAPQEQVTVACEEGW' +
    'TLTGCSALPGTSHVLGAYAVDNTCVVRSRDVSTTGSTSEGAVTAVAICCRSRHLAQASQELQHHHHHH',
  sequenceLength: 668,
  molecularWeightKda: 71.868,
  expressionSystem: 'HEK293',
  structures: ['2P4E'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 29900 },
      { num_sequences: 96, price_usdcent: 84900 },
    ],
  },
};

/** Growth factors, interferon, TNF and PCSK9. */
export const growthFactorTargets: readonly SeedTarget[] = [tnf, vegfa, ifng, gmcsf, tgfb1, pcsk9];
