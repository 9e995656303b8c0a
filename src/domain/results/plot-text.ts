/** The words of a sensorgram: escaping, units of concentration, the result in one line, the text summary. */
import type { ResultCurves } from './store.ts';
import type { Outcome } from './contract.ts';

interface LimitedNumber {
  readonly value: number | null;
  readonly relation: string;
  readonly ci95_low?: number | null;
  readonly ci95_high?: number | null;
}

/** What XML 1.0 forbids once white space is plain; lone surrogates are handled apart. */
const FORBIDDEN = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;
/** Text may not change the direction of what stands around it. */
const REORDERING = /\p{Bidi_Control}/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is safe in XML content and in quoted attributes, on one line. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(FORBIDDEN, '\ufffd')
    .replace(REORDERING, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const UNITS = [
  { factor: 1e-12, name: 'pM' },
  { factor: 1e-9, name: 'nM' },
  { factor: 1e-6, name: 'µM' },
  { factor: 1e-3, name: 'mM' },
  { factor: 1, name: 'M' },
] as const;
/** Tight binders are read in nM down to a tenth of one. */
const LEAST_NANOMOLAR = 0.1e-9;
/** Swallows the representation error of 1e-6 and its kind. */
const SLACK = 1 + 1e-9;

type Unit = (typeof UNITS)[number];

/** A concentration for people, as in `31.6 nM`. */
export function concentrationText(valueM: number): string {
  if (valueM === 0) return '0 nM';
  const rounded = Number(valueM.toPrecision(3));
  const unit = unitOf(rounded);
  return `${Number((rounded / unit.factor).toPrecision(3))} ${unit.name}`;
}

/** A measured constant with its relation, as in `KD = 9.3 nM (95% CI 8.1–10.7)`; undefined when there is none. */
export function kdText(kd: LimitedNumber | undefined): string | undefined {
  if (kd === undefined || kd.value === null || !(kd.value > 0) || !Number.isFinite(kd.value))
    return undefined;
  const relation = ({ '<': '<', '>': '>', '~': '≈' } as Record<string, string>)[kd.relation] ?? '=';
  const digits = significant(kd.value);
  const rounded = Number(kd.value.toPrecision(digits));
  const unit = unitOf(rounded);
  const mantissa = (rounded / unit.factor).toPrecision(significant(rounded));
  const shown = relation === '=' ? mantissa : String(Number(mantissa));
  const { ci95_low: low, ci95_high: high } = kd;
  const interval =
    isPositive(low) && isPositive(high) ? ` (95% CI ${intervalText(low, high, mantissa, unit)})` : '';
  return `KD ${relation} ${shown} ${unit.name}${interval}`;
}

/** In the unit and to the decimals of the value; each end for itself when the interval spans more than a decade. */
function intervalText(low: number, high: number, mantissa: string, unit: Unit): string {
  if (high / low > 10) return `${boundText(low)} – ${boundText(high)}`;
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  return `${(low / unit.factor).toFixed(decimals)}–${(high / unit.factor).toFixed(decimals)}`;
}

function boundText(valueM: number): string {
  const rounded = Number(valueM.toPrecision(significant(valueM)));
  const unit = unitOf(rounded);
  return `${Number((rounded / unit.factor).toPrecision(3))} ${unit.name}`;
}

/** Two digits, or three where two would hide the units place (125 nM). */
function significant(valueM: number): 2 | 3 {
  return valueM / unitOf(valueM).factor >= 99.5 ? 3 : 2;
}

function unitOf(valueM: number): Unit {
  const value = valueM * SLACK;
  if (value < LEAST_NANOMOLAR) return UNITS[0];
  return UNITS.findLast((unit) => value >= unit.factor && unit !== UNITS[0]) ?? UNITS[1];
}

function isPositive(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && value > 0 && Number.isFinite(value);
}

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  measured: 'measured, no KD determined',
  non_binder: 'no binding detected',
  not_expressed: 'not expressed',
  failed_qc: 'failed QC',
  not_tested: 'not tested',
};

/** The result in one line. */
export function resultText(result: ResultCurves): string {
  const kd = kdText(result.quantities['kd']);
  if (result.outcome === 'measured') return kd ?? OUTCOME_WORDS.measured;
  const limit = result.outcome === 'non_binder' && result.quantities['kd']?.relation === '>' ? kd : undefined;
  return limit === undefined ? OUTCOME_WORDS[result.outcome] : `${OUTCOME_WORDS[result.outcome]}, ${limit}`;
}

const FLAG_WORDS: Readonly<Record<string, string>> = {
  c: 'concentration',
  dna: 'DNA',
  kd: 'KD',
  lloq: 'LLOQ',
  nsb: 'non-specific binding',
  rmax: 'Rmax',
  tm: 'Tm',
  uloq: 'ULOQ',
};

/** `WINDOW_DEPENDENT` reads as `window dependent`. */
export function flagsText(flags: readonly string[]): string {
  const words = (flag: string) => flag.toLowerCase().split('_');
  return flags
    .map((flag) =>
      words(flag)
        .map((word) => FLAG_WORDS[word] ?? word)
        .join(' '),
    )
    .join(', ');
}

const EMPTY_WORDS: Readonly<Record<Outcome, string>> = {
  measured: 'No sensorgrams are stored for this result.',
  non_binder: 'No sensorgrams are stored for this result.',
  not_expressed: 'The protein was not expressed, so there are no sensorgrams.',
  failed_qc: 'This result failed quality control and has no sensorgrams to show.',
  not_tested: 'This sequence was not tested, so there are no sensorgrams.',
};

export function emptyText(outcome: Outcome): string {
  return EMPTY_WORDS[outcome];
}

const COUNT_WORDS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

function counted(count: number, noun: string): string {
  return `${COUNT_WORDS[count] ?? count} ${noun}${count === 1 ? '' : 's'}`;
}

export interface Contents {
  readonly replicates: number;
  /** Distinct and known, ascending. */
  readonly concentrationsM: readonly number[];
  readonly hasFit: boolean;
}

/** What someone who cannot see the picture needs from it. */
export function summaryText(result: ResultCurves, contents: Contents): string {
  const against = result.target_name === null ? '' : ` against ${result.target_name}`;
  const facts = [resultText(result)];
  if (result.flags.length > 0) {
    facts.push(`${result.flags.length === 1 ? 'flag' : 'flags'}: ${flagsText(result.flags)}`);
  }
  const subject = `${result.sequence_name}${against}, experiment ${result.experiment_code}`;
  if (contents.replicates === 0) return `${subject}: ${facts.join(', ')}. ${emptyText(result.outcome)}`;
  const shown = [counted(contents.replicates, 'replicate'), ...rangeText(contents.concentrationsM)];
  const fit = contents.hasFit ? 'with fits and residuals' : 'without a fit';
  return `Sensorgrams of ${subject}: ${shown.join(', ')}, ${fit}; ${facts.join(', ')}.`;
}

function rangeText(concentrationsM: readonly number[]): string[] {
  const [lowest] = concentrationsM;
  const highest = concentrationsM.at(-1);
  if (lowest === undefined || highest === undefined) return [];
  const count = counted(concentrationsM.length, 'concentration');
  if (lowest === highest) return [`${count} (${concentrationText(lowest)})`];
  return [`${count} (${concentrationText(lowest)} to ${concentrationText(highest)})`];
}

/** A generous estimate: fonts differ, and text must stay inside the picture in all of them. */
export function textWidth(text: string, size: number): number {
  let em = 0;
  for (const character of text) em += (character.codePointAt(0) ?? 0) >= 0x1100 ? 1.05 : widthEm(character);
  return em * size;
}

function widthEm(character: string): number {
  if (/[\s.,:;|'!()ilj–-]/.test(character)) return 0.34;
  return /[A-Zmw@%µ<>=]/.test(character) ? 0.74 : 0.58;
}

/** Lines of at most `width`; words longer than a line are cut, and what does not fit ends in an ellipsis. */
export function wrapText(text: string, options: { size: number; width: number; lines: number }): string[] {
  const { size, width, lines } = options;
  const out: string[] = [''];
  for (const word of text.split(/\s+/).flatMap((each) => pieces(each, size, width))) {
    const last = out.at(-1) ?? '';
    const joined = last === '' ? word : `${last} ${word}`;
    if (textWidth(joined, size) <= width) out[out.length - 1] = joined;
    else out.push(word);
  }
  if (out.length <= lines) return out;
  const kept = out.slice(0, lines);
  kept[lines - 1] = fitText(`${kept[lines - 1] ?? ''}…`, size, width);
  return kept;
}

/** Cut to `width` with an ellipsis. */
export function fitText(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const [first = ''] = pieces(text, size, width - size);
  return `${first}…`;
}

function pieces(word: string, size: number, width: number): string[] {
  const out: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of word) {
    const next = textWidth(character, size);
    if (used + next > width && piece !== '') {
      out.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += next;
  }
  return [...out, piece];
}
