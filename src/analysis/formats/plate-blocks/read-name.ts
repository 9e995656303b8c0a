/**
 * What the name of a block says about its values: the read, or that they are calculated from reads. Wavelengths alone do
 * not make a fluorescence: `260/280` is a ratio of absorbances, and `450-570` a difference of two.
 */
import type { PlateReading } from '../../curves/trace.ts';

export type ReadName = Pick<PlateReading, 'channel' | 'exNm' | 'emNm' | 'gain'>;

const WAVELENGTH = String.raw`(\d{3})\s*(?:nm)?`;
const PAIR = new RegExp(String.raw`(?<!\d)${WAVELENGTH}\s*([/,;-]|em\w*:?)\s*(\d{3})(?!\d)`, 'i');
const ABSORBANCE = /(?:^|\b)(?:a|abs\w*|od)\s*_?\(?(\d{3})/i;
/** Two absorbances in one name: `A260/A280`, `OD 450-570`. */
const TWO_ABSORBANCES = new RegExp(
  String.raw`(?:^|[^a-z])(?:a|abs\w*|od)\s*_?\(?${WAVELENGTH}\)?\s*[/:-]\s*(?:a|abs\w*|od)?\s*_?\(?\d{3}`,
  'i',
);
const GAIN = /gain\s*[:=]?\s*(\d+(?:\.\d+)?)/i;
const FLUORESCENCE = /fluor|rfu|(?:^|[^a-z])(?:fl|fi|ex\w*|em\w*|[a-z]*fp)(?:$|[^a-z])/i;
/** Emission of a protein or a dye begins above this wavelength; below it, only absorbance is read. */
const EMISSION_MIN_NM = 300;

/** How readers and their software name what they calculate from reads. */
const CALCULATED =
  /^(?:mean|average|max|min|std|s\.?d\.|cv|r-?squared|r²|lag\s?time|onset|t at|time (?:to|at)|slope|area|integral|auc|blank|delta|δ|diff|ratio|corrected|normali[sz]ed|fold|z['′]|%)(?![a-z])/i;
/** A rate, or the sign of a difference or of a ratio, anywhere in a name. */
const CALCULATED_WITHIN =
  /(?:\/|per)\s*(?:s|sec|min|h|hour)(?![a-z])|(?:^|[^a-z])(?:ratio|delta|difference|minus)(?![a-z])|[Δ∆÷]/i;

/** Whether values of this name are calculated from reads, so that they are no intensity or absorbance. */
export function isCalculated(name: string): boolean {
  const text = name.trim();
  if (CALCULATED.test(text) || CALCULATED_WITHIN.test(text) || TWO_ABSORBANCES.test(text)) return true;
  if ((text.match(/\[/g)?.length ?? 0) > 1) return true;
  const pair = PAIR.exec(text);
  if (pair === null) return false;
  const [, first, between, second] = pair;
  if (Number(second) <= Math.max(Number(first), EMISSION_MIN_NM)) return true;
  return between === '-' && !FLUORESCENCE.test(text);
}

/** Returns the read that a name means. A label of a single wavelength right of a plate is an absorbance. */
export function parseReadName(name: string, label: string | null): ReadName {
  const gainText = GAIN.exec(name)?.[1];
  const gain = gainText === undefined ? null : Number(gainText);
  const pair = PAIR.exec(name);
  if (pair !== null) return { channel: 'fluorescence', exNm: Number(pair[1]), emNm: Number(pair[3]), gain };
  const absorbance = ABSORBANCE.exec(name)?.[1] ?? /^(?:[^:]*:)?\s*(\d{3})$/.exec(label ?? '')?.[1];
  if (absorbance !== undefined) return { channel: `A${absorbance}`, exNm: null, emNm: null, gain };
  return { channel: name === '' ? 'value' : name, exNm: null, emNm: null, gain };
}
