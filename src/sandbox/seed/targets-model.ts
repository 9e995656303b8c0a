import type { SeedTarget } from './target-type.ts';

const hsa: SeedTarget = {
  id: '019b76db-2cd0-7a0b-b062-7cb6a95cc174',
  catalogNumber: 'DEMO-0034',
  vendorName: 'Demo catalogue',
  name: 'Human serum albumin',
  synonyms: ['Albumin', 'HSA'],
  geneNames: ['ALB'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P02768',
  family: 'ALB/AFP/VDB family',
  subcellularLocations: ['Secreted'],
  description:
    'Main protein of blood plasma and a usual half-life carrier; the construct is the mature protein.',
  construct: { first: 25, last: 609 },
  tags: [],
  sequence:
    'DAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPFEDHVKLVNEVTEFAKTCVADESAENCDKSLHTLFGDKLCTVATLRETYGEMADCCAKQEPERNE' +
    'CFLQHKDDNPNLPRLVRPEVDVMCTAFHDNEETFLKKYLYEIARRHPYFYAPELLFFAKRYKAAFTECCQAADKAACLLPKLDELRDEGKASSAKQRLKC' +
    'ASLQKFGERAFKAWAVARLSQRFPKAEFAEVSKLVTDLTKVHTECCHGDLLECADDRADLAKYICENQDSISSKLKECCEKPLLEKSHCIAEVENDEMPA' +
    'DLPSLAADFVESKDVCKNYAEAKDVFLGMFLYEYARRHPDYSVVLLLRLAKTYETTLEKCCAAADPHECYAKVFDEFKPLVEEPQNLIKQNCELFEQLGE' +
    'YKFQNALLVRYTKKVPQVSTPTLVEVSRNLGKVGSKCCKHPEAKRMPCAEDYLSVVLNQLCVLHEKTPVSDRVTKCCTESLVNRRPCFSALEVDETYVPK' +
    'EFNAETFTFHADICTLSEKERQIKKQTALVELVKHKPKATKEQLKAVMDDFAAFVEKCCKADDKETCFAEEGKKLVAASQAALGL',
  sequenceLength: 585,
  molecularWeightKda: 66.472,
  expressionSystem: 'Pichia pastoris',
  structures: ['1AO6'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 300 },
};

const b2m: SeedTarget = {
  id: '019b76db-30b8-706f-98b0-bb8c8b5d328c',
  catalogNumber: 'DEMO-0035',
  vendorName: 'Demo catalogue',
  name: 'Beta-2-microglobulin',
  synonyms: ['B2M'],
  geneNames: ['B2M'],
  organism: 'Homo sapiens',
  ncbiTaxonId: 9606,
  uniprotId: 'P61769',
  family: 'Beta-2-microglobulin family',
  subcellularLocations: ['Secreted', 'Cell surface'],
  description: 'Light chain of MHC class I molecules; the construct is the mature protein.',
  construct: { first: 21, last: 119 },
  tags: [],
  sequence:
    'IQRTPKIQVYSRHPAENGKSNFLNCYVSGFHPSDIEVDLLKNGERIEKVEHSDLSFSKDWSFYLLYYTEFTPTEKDEYACRVNHVTLSQPKIVKWDRDM',
  sequenceLength: 99,
  molecularWeightKda: 11.731,
  expressionSystem: 'Escherichia coli',
  structures: ['1LDS'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 300 },
};

const hewl: SeedTarget = {
  id: '019b76db-34a0-7bc5-92ea-cf85c33b4fa9',
  catalogNumber: 'DEMO-0036',
  vendorName: 'Demo catalogue',
  name: 'Hen egg-white lysozyme',
  synonyms: ['Lysozyme C', '1,4-beta-N-acetylmuramidase C', 'HEWL'],
  geneNames: ['LYZ'],
  organism: 'Gallus gallus',
  ncbiTaxonId: 9031,
  uniprotId: 'P00698',
  family: 'Glycosyl hydrolase 22 family',
  subcellularLocations: ['Secreted'],
  description:
    'Model enzyme of structural biology and a control for melting assays; the construct is the mature protein.',
  construct: { first: 19, last: 147 },
  tags: [],
  sequence:
    'KVFGRCELAAAMKRHGLDNYRGYSLGNWVCAAKFESNFNTQATNRNTDGSTDYGILQINSRWWCNDGRTPGSRNLCNIPCSALLSSDITASVNCAKKIVS' +
    'DGNGMNAWVAWRNRCKGTDVQAWIRGCRL',
  sequenceLength: 129,
  molecularWeightKda: 14.313,
  expressionSystem: 'Native source (hen egg white)',
  structures: ['1LYZ', '1MEL'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 300 },
};

const gfp: SeedTarget = {
  id: '019b76db-3888-7316-998d-15f755dac072',
  catalogNumber: 'DEMO-0037',
  vendorName: 'Demo catalogue',
  name: 'GFP',
  synonyms: ['Green fluorescent protein', 'avGFP'],
  geneNames: ['GFP'],
  organism: 'Aequorea victoria',
  ncbiTaxonId: 6100,
  uniprotId: 'P42212',
  family: 'GFP family',
  subcellularLocations: [],
  description:
    'Wild-type jellyfish fluorescent protein whose chromophore forms from Ser65, Tyr66 and Gly67; the construct is the full-length protein.',
  construct: { first: 1, last: 238 },
  tags: [],
  sequence:
    'MSKGEELFTGVVPILVELDGDVNGHKFSVSGEGEGDATYGKLTLKFICTTGKLPVPWPTLVTTFSYGVQCFSRYPDHMKQHDFFKSAMPEGYVQERTIFF' +
    'KDDGNYKTRAEVKFEGDTLVNRIELKGIDFKEDGNILGHKLEYNYNSHNVYIMADKQKNGIKVNFKIRHNIEDGSVQLADHYQQNTPIGDGPVLLPDNHY' +
    'LSTQSALSKDPNEKRDHMVLLEFVTAAGITHGMDELYK',
  sequenceLength: 238,
  molecularWeightKda: 26.886,
  expressionSystem: 'Escherichia coli',
  structures: ['1GFL'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 300 },
};

const mbp: SeedTarget = {
  id: '019b76db-3c70-74e2-948a-c95d801371ef',
  catalogNumber: 'DEMO-0038',
  vendorName: 'Demo catalogue',
  name: 'Maltose-binding protein',
  synonyms: ['Maltose/maltodextrin-binding periplasmic protein', 'MBP', 'MMBP'],
  geneNames: ['malE'],
  organism: 'Escherichia coli (strain K12)',
  ncbiTaxonId: 83333,
  uniprotId: 'P0AEX9',
  family: 'Bacterial solute-binding protein 1 family',
  subcellularLocations: ['Periplasm'],
  description:
    'Periplasmic sugar receptor that is in wide use as a fusion partner; the construct is the mature protein.',
  construct: { first: 27, last: 396 },
  tags: [],
  sequence:
    'KIEEGKLVIWINGDKGYNGLAEVGKKFEKDTGIKVTVEHPDKLEEKFPQVAATGDGPDIIFWAHDRFGGYAQSGLLAEITPDKAFQDKLYPFTWDAVRYN' +
    'GKLIAYPIAVEALSLIYNKDLLPNPPKTWEEIPALDKELKAKGKSALMFNLQEPYFTWPLIAADGGYAFKYENGKYDIKDVGVDNAGAKAGLTFLVDLIK' +
    'NKHMNADTDYSIAEAAFNKGETAMTINGPWAWSNIDTSKVNYGVTVLPTFKGQPSKPFVGVLSAGINAASPNKELAKEFLENYLLTDEGLEAVNKDKPLG' +
    'AVALKSYEEELAKDPRIAATMENAQKGEIMPNIPQMSAFWYAVRTAVINAASGRQTVDEALKDAQTRITK',
  sequenceLength: 370,
  molecularWeightKda: 40.707,
  expressionSystem: 'Escherichia coli',
  structures: ['1OMP', '1ANF'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: null,
};

const streptavidin: SeedTarget = {
  id: '019b76db-4058-7902-b71e-a694edde4165',
  catalogNumber: 'DEMO-0039',
  vendorName: 'Demo catalogue',
  name: 'Streptavidin',
  synonyms: ['SAV'],
  geneNames: [],
  organism: 'Streptomyces avidinii',
  ncbiTaxonId: 1895,
  uniprotId: 'P22629',
  family: 'Avidin/streptavidin family',
  subcellularLocations: ['Secreted'],
  description:
    'Biotin-binding tetramer; the construct is the mature protein before it is trimmed to the core.',
  construct: { first: 25, last: 183 },
  tags: [],
  sequence:
    'DPSKDSKAQVSAAEAGITGTWYNQLGSTFIVTAGADGALTGTYESAVGNAESRYVLTGRYDSAPATDGSGTALGWTVAWKNNYRNAHSATTWSGQYVGGA' +
    'EARINTQWLLTSGTTEANAWKSTLVGHDTFTKVKPSAASIDAAKKAGVNNGNPLDAVQQ',
  sequenceLength: 159,
  molecularWeightKda: 16.491,
  expressionSystem: 'Escherichia coli',
  structures: ['1STP'],
  oligomericState: 'homotetramer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: true, spr: true },
  pricing: { type: 'per_sequence', price_per_sequence_cents: 300 },
};

const barnase: SeedTarget = {
  id: '019b76db-4440-7d71-a42e-7d27ac38c3c1',
  catalogNumber: 'DEMO-0040',
  vendorName: 'Demo catalogue',
  name: 'Barnase',
  synonyms: ['Ribonuclease', 'RNase Ba'],
  geneNames: [],
  organism: 'Bacillus amyloliquefaciens',
  ncbiTaxonId: 1390,
  uniprotId: 'P00648',
  family: 'Ribonuclease N1/T1 family',
  subcellularLocations: ['Secreted'],
  description:
    'Extracellular ribonuclease whose complex with barstar is a standard of protein-protein binding; the construct is the mature enzyme.',
  construct: { first: 48, last: 157 },
  tags: [],
  sequence:
    'AQVINTFDGVADYLQTYHKLPDNYITKSEAQALGWVASKGNLADVAPGKSIGGDIFSNREGKLPGKSGRTWREADINYTSGFRNSDRILYSSDWLIYKTT' +
    'DHYQTFTKIR',
  sequenceLength: 110,
  molecularWeightKda: 12.383,
  expressionSystem: 'Escherichia coli',
  structures: ['1BNI', '1BRS'],
  oligomericState: 'monomer',
  isFcFusion: false,
  conjugated: false,
  bioactivity: { bli: true, elisa: false, spr: true },
  pricing: null,
};

/** Plasma proteins and model proteins. */
export const modelTargets: readonly SeedTarget[] = [hsa, b2m, hewl, gfp, mbp, streptavidin, barnase];
