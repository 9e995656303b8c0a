/**
 * Sequence quality: advice that an expression scientist would give before a protein is made.
 *
 * No finding blocks an order. Input is a valid sequence: the 20 amino acids, chains separated by ':'. A sequence gets
 * at most one warning of each code; positions are 1-based within their chain.
 */
import { formatCount } from '#core/words.ts';
import { createSliceCounter, type Steps } from '#core/slices.ts';
import { findLowEntropyStart, removeLinkers } from './complexity.ts';

/** Recognizes proteins that are made without a methionine of their own: antibody fragments and Fc fusions. */

/** The end of the third framework of a variable domain, such as DTAVYYC or DFATYYC (Kabat 86 to 92 of the heavy chain). */
const FRAMEWORK_3 = /D...Y[YFHSC]C/g;
/** The first cysteine of the domain and the tryptophan after its first loop (Kabat 22 and 36). */
const FRAMEWORK_1 = /C.{8,17}W/;
/** Residues in front of the end of the third framework in which the first cysteine lies. */
const DOMAIN_RESIDUES = 95;
/** The hinge of IgG1, IgG2 and IgG4, as in Fc fusions. */
const HINGE = /CP[PS]CP/;

function hasAntibodyDomain(residues: string): boolean {
  if (HINGE.test(residues)) return true;
  for (const { index } of residues.matchAll(FRAMEWORK_3))
    if (FRAMEWORK_1.test(residues.slice(Math.max(0, index - DOMAIN_RESIDUES), index))) return true;
  return false;
}

export type SequenceWarningCode =
  | 'chain_short'
  | 'chain_long'
  | 'total_long'
  | 'cysteine_odd'
  | 'cysteine_many'
  | 'glycosylation_motif'
  | 'hydrophobic'
  | 'highly_charged'
  | 'homopolymer'
  | 'start_missing'
  | 'signal_peptide'
  | 'internal_tag'
  | 'low_complexity'
  | 'absorbance_blind'
  | 'labile_motif'
  | 'duplicate_sequence';

export interface SequenceWarning {
  code: SequenceWarningCode;
  /** One or two sentences for people, without the name of the sequence. */
  message: string;
  /** Name of the sequence. */
  sequence: string;
  /** Chain of the (first) finding, from 1; null when the finding is about the sequence as a whole. */
  chain: number | null;
  /** First residue of the first finding, from 1 within its chain. */
  position?: number;
}

export interface SequenceWarningOptions {
  /** True for a sequence that was ordered as an antibody or a fragment of one. Default false. */
  antibody?: boolean;
}

const CHAIN_RESIDUES_MIN = 30;
const CELL_FREE_CHAIN_RESIDUES_MAX = 400;
const TOTAL_RESIDUES_MAX = 1000;
const CHAIN_CYSTEINES_MAX = 8;
const GRAVY_MAX = 0.5;
const CHARGE_MAX = 20;
/** Six or more of one residue. */
const HOMOPOLYMER = /(.)\1{5,}/g;
const HOMOPOLYMER_RESIDUES_MIN = 6;
/** A run of up to ten histidines is a purification tag and intended. */
const HIS_TAG_MAX = 10;
/** A tag this close to an end is a terminal tag; 30 residues leave room for both halves of a twin Strep-tag. */
const TERMINAL_TAG_RESIDUES = 30;
const POSITIONS_LISTED_MAX = 5;

/** Hydropathy, Kyte & Doolittle 1982, in the order of the letters; GRAVY is its mean over a chain. */
const LETTERS = 'ARNDCQEGHILKMFPSTWYV';
const HYDROPATHY = [
  1.8, -4.5, -3.5, -3.5, 2.5, -3.5, -3.5, -0.4, -3.2, 4.5, 3.8, -3.9, 1.9, 2.8, -1.6, -0.8, -0.7, -0.9, -1.3,
  4.2,
];
const HYDROPATHY_BY_CODE = new Float64Array(128);
HYDROPATHY.forEach((value, i) => {
  HYDROPATHY_BY_CODE[LETTERS.charCodeAt(i)] = value;
});

const TAGS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['His', /H{6,}/g],
  ['Strep', /WSHPQFEK/g],
  ['FLAG', /DYKDDDDK/g],
];

const LABILE_MOTIFS: readonly (readonly [motif: string, risk: string, pattern: RegExp])[] = [
  ['NG', 'deamidation', /NG/g],
  ['DG', 'isomerization', /DG/g],
  ['DP', 'acid cleavage', /DP/g],
];

/** The lookahead finds overlapping motifs, as in NNSS. */
const GLYCOSYLATION = /N(?=[^P][ST])/g;

interface Chain {
  /** Number of the chain, from 1. */
  number: number;
  residues: string;
  gravy: number;
  /** Net charge at pH 7 from K, R (+) and D, E (−). */
  charge: number;
  cysteines: number;
  tryptophansAndTyrosines: number;
  /** Length of the longest run of one residue. */
  longestRun: number;
}

type Site = Required<Pick<SequenceWarning, 'position'>> & { chain: number };

type Finding = Omit<SequenceWarning, 'sequence'>;
type Rule = (chains: readonly Chain[], options: SequenceWarningOptions) => Finding | null;

const RULES: readonly Rule[] = [
  checkShortChain,
  checkLongChain,
  checkLongTotal,
  checkOddCysteines,
  checkManyCysteines,
  checkGlycosylation,
  checkHydrophobicity,
  checkCharge,
  checkHomopolymer,
  checkMissingStart,
  checkSignalPeptide,
  checkInternalTag,
  checkLowComplexity,
  checkAbsorbance,
  checkLabileMotifs,
];

/** Everything worth pointing out about one sequence, at most one warning per code. */
export function findSequenceWarnings(
  name: string,
  aaString: string,
  options: SequenceWarningOptions = {},
): SequenceWarning[] {
  const chains = aaString.toUpperCase().split(':').map(describeChain);
  return RULES.flatMap((rule) => {
    const finding = rule(chains, options);
    return finding === null ? [] : [{ ...finding, sequence: name }];
  });
}

/** Yields one warning for each entry whose sequence an earlier entry has. */
export function* duplicateWarnings(
  entries: Iterable<{ readonly name: string; readonly aaString: string }>,
): Steps<SequenceWarning[]> {
  const firstNames = new Map<string, string>();
  const warnings: SequenceWarning[] = [];
  const isSliceFull = createSliceCounter();
  for (const { name, aaString } of entries) {
    if (isSliceFull(aaString.length)) yield;
    const key = aaString.toUpperCase();
    const first = firstNames.get(key);
    if (first === undefined) {
      firstNames.set(key, name);
      continue;
    }
    const message = `Has the same sequence as “${first}”; both are made and measured, as replicates of each other.`;
    warnings.push({ code: 'duplicate_sequence', message, sequence: name, chain: null });
  }
  return warnings;
}

function describeChain(residues: string, index: number): Chain {
  const counts = new Uint16Array(128);
  let [previous, run, longestRun, hydropathy] = [-1, 0, 0, 0];
  for (let i = 0; i < residues.length; i += 1) {
    const code = residues.charCodeAt(i);
    counts[code] = (counts[code] ?? 0) + 1;
    hydropathy += HYDROPATHY_BY_CODE[code] ?? 0;
    run = code === previous ? run + 1 : 1;
    if (run > longestRun) longestRun = run;
    previous = code;
  }
  const count = (letter: string): number => counts[letter.charCodeAt(0)] ?? 0;
  return {
    number: index + 1,
    residues,
    gravy: residues.length === 0 ? 0 : hydropathy / residues.length,
    charge: count('K') + count('R') - count('D') - count('E'),
    cysteines: count('C'),
    tryptophansAndTyrosines: count('W') + count('Y'),
    longestRun,
  };
}

function checkShortChain(chains: readonly Chain[]): Finding | null {
  const chain = chains.find((each) => each.residues.length < CHAIN_RESIDUES_MIN);
  if (chain === undefined) return null;
  const message = `${describeSubject(chain, chains)} has ${formatCount(chain.residues.length, 'residue')}; chains under ${CHAIN_RESIDUES_MIN} express and load poorly.`;
  return { code: 'chain_short', message, chain: chain.number };
}

/** Gene fragments are expressed without cells, in a reaction that yields little of long chains. */
function checkLongChain(chains: readonly Chain[]): Finding | null {
  const chain = chains.find((each) => each.residues.length > CELL_FREE_CHAIN_RESIDUES_MAX);
  if (chain === undefined) return null;
  const message = `${describeSubject(chain, chains)} has ${chain.residues.length} residues; cell-free expression yields little above ${CELL_FREE_CHAIN_RESIDUES_MAX}.`;
  return { code: 'chain_long', message, chain: chain.number };
}

function checkLongTotal(chains: readonly Chain[]): Finding | null {
  const total = chains.reduce((sum, chain) => sum + chain.residues.length, 0);
  if (total <= TOTAL_RESIDUES_MAX) return null;
  const message = `The sequence has ${total} residues in all; above ${TOTAL_RESIDUES_MAX} the lab may have to quote it separately.`;
  return { code: 'total_long', message, chain: null };
}

/** Counts over all chains: a single chain normally has an odd number where chains are bridged, as in a Fab. */
function checkOddCysteines(chains: readonly Chain[]): Finding | null {
  const total = chains.reduce((sum, chain) => sum + chain.cysteines, 0);
  if (total % 2 === 0) return null;
  const message = `The number of cysteines is odd (${total}), so at least one stays unpaired and may form dimers.`;
  return { code: 'cysteine_odd', message, chain: null };
}

function checkManyCysteines(chains: readonly Chain[]): Finding | null {
  const chain = chains.find((each) => each.cysteines > CHAIN_CYSTEINES_MAX);
  if (chain === undefined) return null;
  const message = `${describeSubject(chain, chains)} has ${chain.cysteines} cysteines; more than ${CHAIN_CYSTEINES_MAX} often pair wrongly.`;
  return { code: 'cysteine_many', message, chain: chain.number };
}

function checkGlycosylation(chains: readonly Chain[]): Finding | null {
  const sites = chains.flatMap((chain) => findSites(chain, GLYCOSYLATION));
  const [first] = sites;
  if (first === undefined) return null;
  const message = `N-glycosylation motif (N-X-S/T) at ${formatSites(sites, chains)}; glycans there depend on the expression system.`;
  return { code: 'glycosylation_motif', message, ...first };
}

function checkHydrophobicity(chains: readonly Chain[]): Finding | null {
  const chain = chains.find((each) => each.gravy > GRAVY_MAX);
  if (chain === undefined) return null;
  const message = `${describeSubject(chain, chains)} is very hydrophobic (GRAVY ${chain.gravy.toFixed(2)}, above ${GRAVY_MAX}) and may aggregate.`;
  return { code: 'hydrophobic', message, chain: chain.number };
}

function checkCharge(chains: readonly Chain[]): Finding | null {
  const chain = chains.find((each) => Math.abs(each.charge) > CHARGE_MAX);
  if (chain === undefined) return null;
  const charge = `${chain.charge > 0 ? '+' : '−'}${Math.abs(chain.charge)}`;
  const message = `${describeSubject(chain, chains)} has a net charge of about ${charge} at pH 7; such proteins often bind the sensor itself.`;
  return { code: 'highly_charged', message, chain: chain.number };
}

function checkHomopolymer(chains: readonly Chain[]): Finding | null {
  for (const chain of chains) {
    if (chain.longestRun < HOMOPOLYMER_RESIDUES_MIN) continue;
    for (const { 0: run, 1: letter, index } of chain.residues.matchAll(HOMOPOLYMER)) {
      if (letter === 'H' && run.length <= HIS_TAG_MAX) continue;
      const site = { chain: chain.number, position: index + 1 };
      const message = `A run of ${run.length} ${letter} starts at ${describePlace(site, chains)}; long runs are hard to synthesize and to express.`;
      return { code: 'homopolymer', message, ...site };
    }
  }
  return null;
}

/** Antibody fragments and secreted proteins begin where their leader is cut off, so they lack none. */
function checkMissingStart(chains: readonly Chain[], options: SequenceWarningOptions): Finding | null {
  const missing = chains.filter((chain) => !chain.residues.startsWith('M'));
  const [first] = missing;
  if (first === undefined || options.antibody === true) return null;
  if (chains.some(({ residues }) => hasAntibodyDomain(residues) || startsWithSignalPeptide(residues)))
    return null;
  const numbers = missing.map((chain) => chain.number).join(', ');
  const message =
    chains.length === 1
      ? 'The sequence does not start with methionine; one is added for expression.'
      : `No methionine at the start of chain ${numbers}; one is added for expression.`;
  return { code: 'start_missing', message, chain: first.number };
}

function checkSignalPeptide(chains: readonly Chain[]): Finding | null {
  const chain = chains.find((each) => startsWithSignalPeptide(each.residues));
  if (chain === undefined) return null;
  const message = `${describeSubject(chain, chains)} seems to begin with a signal peptide; leave it out unless the protein is to keep it.`;
  return { code: 'signal_peptide', message, chain: chain.number, position: 1 };
}

/**
 * A simple heuristic after von Heijne (1986), not a trained predictor: the chain starts with M; eight residues without
 * charge and with a mean hydropathy of at least 2.2 begin at residue 3 to 14; a cut with a small residue at −1
 * and a small or aliphatic one at −3 follows within 11 residues.
 */
function startsWithSignalPeptide(residues: string): boolean {
  if (!residues.startsWith('M') || residues.length < 2 * CHAIN_RESIDUES_MIN) return false;
  for (let start = 2; start <= 13; start += 1) {
    const core = residues.slice(start, start + 8);
    if (/[DEKRHNQP]/.test(core) || computeHydropathy(core) < 2.2 * core.length) continue;
    for (let last = Math.max(start + 10, 14); last <= start + 18; last += 1) {
      const cut = residues.slice(last - 2, last + 2);
      if (/^[AGSCTVIL].[AGSC][^P]$/.test(cut)) return true;
    }
  }
  return false;
}

function computeHydropathy(residues: string): number {
  let sum = 0;
  for (let i = 0; i < residues.length; i += 1) sum += HYDROPATHY_BY_CODE[residues.charCodeAt(i)] ?? 0;
  return sum;
}

function checkInternalTag(chains: readonly Chain[]): Finding | null {
  for (const chain of chains) {
    for (const [name, pattern] of TAGS) {
      for (const match of chain.residues.matchAll(pattern)) {
        const after = chain.residues.length - match.index - match[0].length;
        if (match.index < TERMINAL_TAG_RESIDUES || after < TERMINAL_TAG_RESIDUES) continue;
        const site = { chain: chain.number, position: match.index + 1 };
        const message = `A ${name} tag lies inside the sequence, at ${describePlace(site, chains)}; it may be hidden there, or capture the protein by the wrong end.`;
        return { code: 'internal_tag', message, ...site };
      }
    }
  }
  return null;
}

function checkLowComplexity(chains: readonly Chain[]): Finding | null {
  for (const chain of chains) {
    for (const segment of removeLinkers(chain.residues)) {
      const start = findLowEntropyStart(segment.residues);
      if (start === null) continue;
      const site = { chain: chain.number, position: segment.start + start + 1 };
      const message = `The sequence is of low complexity from ${describePlace(site, chains)} on; repeats are hard to synthesize and seldom fold.`;
      return { code: 'low_complexity', message, ...site };
    }
  }
  return null;
}

function checkAbsorbance(chains: readonly Chain[]): Finding | null {
  if (chains.some((chain) => chain.tryptophansAndTyrosines > 0)) return null;
  const message =
    'The sequence has no tryptophan and no tyrosine, so its amount cannot be measured at 280 nm.';
  return { code: 'absorbance_blind', message, chain: null };
}

function checkLabileMotifs(chains: readonly Chain[]): Finding | null {
  const parts: string[] = [];
  let first: Site | undefined;
  for (const [motif, risk, pattern] of LABILE_MOTIFS) {
    const sites = chains.flatMap((chain) => findSites(chain, pattern));
    const [site] = sites;
    if (site === undefined) continue;
    first ??= site;
    parts.push(`${motif} (${risk}) at ${formatSites(sites, chains)}`);
  }
  if (first === undefined) return null;
  const message = `Chemically labile motifs: ${parts.join('; ')}.`;
  return { code: 'labile_motif', message, ...first };
}

function findSites(chain: Chain, pattern: RegExp): Site[] {
  const sites: Site[] = [];
  for (const match of chain.residues.matchAll(pattern)) {
    sites.push({ chain: chain.number, position: match.index + 1 });
  }
  return sites;
}

function describeSubject(chain: Chain, chains: readonly Chain[]): string {
  return chains.length === 1 ? 'The sequence' : `Chain ${chain.number}`;
}

function describePlace(site: Site, chains: readonly Chain[]): string {
  return chains.length === 1 ? `residue ${site.position}` : `residue ${site.position} of chain ${site.chain}`;
}

/** Writes positions as `12, 40, 77 and 3 more`; with several chains as `12 (chain 1), 40 (chain 2)`. */
function formatSites(sites: readonly Site[], chains: readonly Chain[]): string {
  const shown = sites
    .slice(0, POSITIONS_LISTED_MAX)
    .map((site) => (chains.length === 1 ? String(site.position) : `${site.position} (chain ${site.chain})`));
  const more = sites.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
