import { biotinylated, type SeedTarget } from './target-type.ts';

const egfr: SeedTarget = {
  id: '019b76da-abe8-7c82-8a3d-3d6854634e68',
  catalogNumber: 'DEMO-0001',
  vendorName: 'Demo catalogue',
  name: 'EGFR',
  synonyms: ['Epidermal growth factor receptor', 'ErbB1', 'HER1'],
  geneNames: ['EGFR', 'ERBB', 'ERBB1', 'HER1'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P00533',
  family: 'ErbB receptor tyrosine kinases',
  subcellularLocations: ['Cell membrane'],
  description:
    'Receptor tyrosine kinase that binds EGF and related ligands; the construct is the whole extracellular region.',
  construct: { first: 25, last: 645 },
  tags: ['His'],
  sequence:
    'LEEKKVCQGTSNKLTQLGTFEDHFLSLQRMFNNCEVVLGNLEITYVQRNYDLSFLKTIQEVAGYVLIALNTVERIPLENLQIIRGNMYYENSYALAVLSN' +
    'YDANKTGLKELPMRNLQEILHGAVRFSNNPALCNVESIQWRDIVSSDFLSNMSMDFQNHLGSCQKCDPSCPNGSCWGAGEENCQKLTKIICAQQCSGRCR' +
    'GKSPSDCCHNQCAAGCTGPRESDCLVCRKFRDEATCKDTCPPLMLYNPTTYQMDVNPEGKYSFGATCVKKCPRNYVVTDHGSCVRACGADSYEMEEDGVR' +
    'KCKKCEGPCRKVCNGIGIGEFKDSLSINATNIKHFKNCTSISGDLHILPVAFRGDSFTHTPPLDPQELDILKTVKEITGFLLIQAWPENRTDLHAFENLE' +
    'IIRGRTKQHGQFSLAVVSLNITSLGLRSLKEISDGDVIISGNKNLCYANTINWKKLFGTSGQKTKIISNRGENSCKATGQVCHALCSPEGCWGPEPRDCV' +
    'SCRNVSRGRECVDKCNLLEGEPREFVENSECIQCHPECLPQAMNITCTGRGPDNCIQCAHYIDGPHCVKTCPAGVMGENNTLVWKYADAGHVCHLCHPNC' +
    'TYGCTGPGLEGCPTNGPKIPSHHHHHH',
  sequenceLength: 627,
  molecularWeightKda: 69.409,
  expressionSystem: 'HEK293',
  structures: ['1IVO', '1NQL', '1YY9'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 500 },
};

const egfrBiotin = biotinylated(egfr, {
  id: '019b76da-afd0-7fe5-95fb-e1529f6958a2',
  catalogNumber: 'DEMO-0002',
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 29900 },
      { num_sequences: 96, price_usdcent: 89900 },
    ],
  },
});

const her2: SeedTarget = {
  id: '019b76da-b3b8-7a74-9607-f75b658a3dde',
  catalogNumber: 'DEMO-0003',
  vendorName: 'Demo catalogue',
  name: 'HER2',
  synonyms: ['Receptor tyrosine-protein kinase erbB-2', 'ErbB2', 'Neu', 'CD340'],
  geneNames: ['ERBB2', 'HER2', 'MLN19', 'NEU', 'NGL'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P04626',
  family: 'ErbB receptor tyrosine kinases',
  subcellularLocations: ['Cell membrane'],
  description:
    'Ligand-less member of the ErbB family that is amplified in a part of breast and gastric cancers; the construct is the extracellular region.',
  construct: { first: 23, last: 652 },
  tags: ['His'],
  sequence:
    'TQVCTGTDMKLRLPASPETHLDMLRHLYQGCQVVQGNLELTYLPTNASLSFLQDIQEVQGYVLIAHNQVRQVPLQRLRIVRGTQLFEDNYALAVLDNGDP' +
    'LNNTTPVTGASPGGLRELQLRSLTEILKGGVLIQRNPQLCYQDTILWKDIFHKNNQLALTLIDTNRSRACHPCSPMCKGSRCWGESSEDCQSLTRTVCAG' +
    'GCARCKGPLPTDCCHEQCAAGCTGPKHSDCLACLHFNHSGICELHCPALVTYNTDTFESMPNPEGRYTFGASCVTACPYNYLSTDVGSCTLVCPLHNQEV' +
    'TAEDGTQRCEKCSKPCARVCYGLGMEHLREVRAVTSANIQEFAGCKKIFGSLAFLPESFDGDPASNTAPLQPEQLQVFETLEEITGYLYISAWPDSLPDL' +
    'SVFQNLQVIRGRILHNGAYSLTLQGLGISWLGLRSLRELGSGLALIHHNTHLCFVHTVPWDQLFRNPHQALLHTANRPEDECVGEGLACHQLCARGHCWG' +
    'PGPTQCVNCSQFLRGQECVEECRVLQGLPREYVNARHCLPCHPECQPQNGSVTCFGPEADQCVACAHYKDPPFCVARCPSGVKPDLSYMPIWKFPDEEGA' +
    'CQPCPINCTHSCVDLDDKGCPAEQRASPLTHHHHHH',
  sequenceLength: 636,
  molecularWeightKda: 70.172,
  expressionSystem: 'HEK293',
  structures: ['1N8Z', '1S78'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 500 },
};

const her2Biotin = biotinylated(her2, {
  id: '019b76da-b7a0-7b09-8d8a-463d94caf9de',
  catalogNumber: 'DEMO-0004',
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 29900 },
      { num_sequences: 96, price_usdcent: 89900 },
    ],
  },
});

const trop2: SeedTarget = {
  id: '019b76da-bb88-7f3b-8616-7cd07fa4b3f0',
  catalogNumber: 'DEMO-0005',
  vendorName: 'Demo catalogue',
  name: 'TROP2',
  synonyms: ['Tumor-associated calcium signal transducer 2', 'Epithelial glycoprotein-1', 'GA733-1'],
  geneNames: ['TACSTD2', 'GA733-1', 'M1S1', 'TROP2'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P09758',
  family: 'EPCAM family',
  subcellularLocations: ['Cell membrane'],
  description:
    'Epithelial surface glycoprotein related to EpCAM that many carcinomas overexpress; the construct is the extracellular region.',
  construct: { first: 27, last: 274 },
  tags: ['His'],
  sequence:
    'HTAAQDNCTCPTNKMTVCSPDGPGGRCQCRALGSGMAVDCSTLTSKCLLLKARMSAPKNARTLVRPSEHALVDNDGLYDPDCDPEGRFKARQCNQTSVCW' +
    'CVNSVGVRRTDKGDLSLRCDELVRTHHILIDLRHRPTAGAFNHSDLDAELRRLFRERYRLHPKFVAAVHYEQPTIQIELRQNTSQKAAGDVDIGDAAYYF' +
    'ERDIKGESLFQGRGGLDLRVRGEPLQVERTLIYYLDEIPPKFSMKRLTHHHHHH',
  sequenceLength: 254,
  molecularWeightKda: 28.702,
  expressionSystem: 'HEK293',
  structures: [],
  oligomericState: 'homodimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 34900 },
      { num_sequences: 96, price_usdcent: 99900 },
    ],
  },
};

const bcma: SeedTarget = {
  id: '019b76da-bf70-794e-b3fe-8df1d9648923',
  catalogNumber: 'DEMO-0006',
  vendorName: 'Demo catalogue',
  name: 'BCMA',
  synonyms: ['Tumor necrosis factor receptor superfamily member 17', 'B-cell maturation antigen', 'CD269'],
  geneNames: ['TNFRSF17', 'BCM', 'BCMA'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'Q02223',
  family: 'TNF receptor superfamily',
  subcellularLocations: ['Cell membrane'],
  description:
    'Receptor for BAFF and APRIL on plasma cells; the construct is its single-domain extracellular region.',
  construct: { first: 1, last: 54 },
  tags: ['His'],
  sequence: 'MLQMAGQCSQNEYFDSLLHACIPCQLRCSSNTPPLTCQRYCNASVTNSVKGTNAHHHHHH',
  sequenceLength: 60,
  molecularWeightKda: 6.723,
  expressionSystem: 'HEK293',
  structures: ['4ZFO'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 600 },
};

const cd19: SeedTarget = {
  id: '019b76da-c358-7afc-abe5-42be141127a9',
  catalogNumber: 'DEMO-0007',
  vendorName: 'Demo catalogue',
  name: 'CD19',
  synonyms: ['B-lymphocyte antigen CD19', 'B-lymphocyte surface antigen B4'],
  geneNames: ['CD19'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P15391',
  family: 'Immunoglobulin superfamily',
  subcellularLocations: ['Cell membrane'],
  description: 'Coreceptor of the B-cell antigen receptor; the construct is the extracellular region.',
  construct: { first: 20, last: 291 },
  tags: ['His'],
  sequence:
    'PEEPLVVKVEEGDNAVLQCLKGTSDGPTQQLTWSRESPLKPFLKLSLGLPGLGIHMRPLAIWLFIFNVSQQMGGFYLCQPGPPSEKAWQPGWTVNVEGSG' +
    'ELFRWNVSDLGGLGCGLKNRSSEGPSSPSGKLMSPKLYVWAKDRPEIWEGEPPCLPPRDSLNQSLSQDLTMAPGSTLWLSCGVPPDSVSRGPLSWTHVHP' +
    'KGPKSLLSLELKDDRPARDMWVMETGLLLPRATAQDAGKYYCHRGNLTMSFHLEITARPVLWHWLLRTGGWKHHHHHH',
  sequenceLength: 278,
  molecularWeightKda: 30.936,
  expressionSystem: 'HEK293',
  structures: ['6AL5'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: false },
  pricing: null,
};

const cd20: SeedTarget = {
  id: '019b76da-c740-7079-9716-a60a94e8bf73',
  catalogNumber: 'DEMO-0008',
  vendorName: 'Demo catalogue',
  name: 'CD20',
  synonyms: ['B-lymphocyte antigen CD20', 'Membrane-spanning 4-domains subfamily A member 1'],
  geneNames: ['MS4A1', 'CD20'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P11836',
  family: 'MS4A family',
  subcellularLocations: ['Cell membrane'],
  description:
    'B-cell protein with four membrane-spanning helices; the full-length protein is supplied in detergent and is scheduled by agreement.',
  construct: { first: 1, last: 297 },
  tags: ['His'],
  sequence:
    'MTTPRNSVNGTFPAEPMKGPIAMQSGPKPLFRRMSSLVGPTQSFFMRESKTLGAVQIMNGLFHIALGGLLMIPAGIYAPICVTVWYPLWGGIMYIISGSL' +
    'LAATEKNSRKCLVKGKMIMNSLSLFAAISGMILSIMDILNIKISHFLKMESLNFIRAHTPYINIYNCEPANPSEKNSPSTQYCYSIQSLFLGILSVMLIF' +
    'AFFQELVIAGIVENEWKRTCSRPKSNIVLLSAEEKKEQTIEIKEEVVGLTETSSQPKNEEDIEIIPIQEEEEEETETNFPEPPQDQESSPIENDSSPHHH' +
    'HHH',
  sequenceLength: 303,
  molecularWeightKda: 33.9,
  expressionSystem: 'HEK293',
  structures: ['6VJA'],
  oligomericState: 'homodimer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: false, elisa: false, spr: true },
  pricing: null,
};

const cd38: SeedTarget = {
  id: '019b76da-cb28-7e94-b0bb-826aa8c3321c',
  catalogNumber: 'DEMO-0009',
  vendorName: 'Demo catalogue',
  name: 'CD38',
  synonyms: ['ADP-ribosyl cyclase/cyclic ADP-ribose hydrolase 1', 'T10'],
  geneNames: ['CD38'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P28907',
  family: 'ADP-ribosyl cyclases',
  subcellularLocations: ['Cell membrane'],
  description:
    'Ectoenzyme that makes and hydrolyses cyclic ADP-ribose; the construct is the extracellular region.',
  construct: { first: 43, last: 300 },
  tags: ['His'],
  sequence:
    'VPRWRQQWSGPGTTKRFPETVLARCVKYTEIHPEMRHVDCQSVWDAFKGAFISKHPCNITEEDYQPLMKLGTQTVPCNKILLWSRIKDLAHQFTQVQRDM' +
    'FTLEDTLLGYLADDLTWCGEFNTSKINYQSCPDWRKDCSNNPVSVFWKTVSRRFAEAACDVVHVMLNGSRSKIFDKNSTFGSVEVHNLQPEKVQTLEAWV' +
    'IHGGREDSRDLCQDPTIKELESIISKRNIQFSCKNIYRPDKFLQCVKNPEDSSCTSEIHHHHHH',
  sequenceLength: 264,
  molecularWeightKda: 30.696,
  expressionSystem: 'HEK293',
  structures: ['1YH3'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: {
    type: 'per_broken_lot',
    lot_prices: [
      { num_sequences: 24, price_usdcent: 24900 },
      { num_sequences: 96, price_usdcent: 74900 },
    ],
  },
};

/** Tumour-associated cell-surface antigens. */
export const tumourTargets: readonly SeedTarget[] = [
  egfr,
  egfrBiotin,
  her2,
  her2Biotin,
  trop2,
  bcma,
  cd19,
  cd20,
  cd38,
];
