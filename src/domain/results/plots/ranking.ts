/** All results of an experiment in the order of their rank: value, 95 % interval, and the replicates behind it. */
import { text } from '../plot-panel.ts';
import { px, type Scale } from '../plot-scale.ts';
import { colourOf, fill, FONT, seriesColour, stroke, styleSheet } from '../plot-style.ts';
import { concentrationText, escapeXml, fitText } from '../plot-text.ts';
import type { ShownQuantity } from '../store.ts';
import { decadeAxis, frameOf, valueAxis, type AxisSpec } from './axes.ts';
import { MARGIN } from './picture.ts';
import { quantityText } from './words.ts';

export interface RankedResult {
  readonly sequence_name: string;
  readonly is_control: boolean;
  readonly outcome: string;
  readonly place: number | null;
  readonly quantities: Readonly<Record<string, ShownQuantity>>;
  /** The first summary row. */
  readonly summary: Readonly<Record<string, unknown>>;
}

export interface RankedExperiment {
  readonly code: string;
  readonly experiment_type: string;
  /** Best first. */
  readonly results: readonly RankedResult[];
  readonly total: number;
}

interface Measure {
  readonly quantity: string;
  /** The replicate member that is the same measure. */
  readonly replicate: string;
  readonly name: string;
  readonly title: string;
  readonly isDecades: boolean;
  readonly decimals?: number;
}

const MEASURES: Readonly<Record<string, Measure>> = {
  affinity: { quantity: 'kd', replicate: 'kd', name: 'KD (M)', title: 'Affinity', isDecades: true },
  screening: {
    quantity: 'z_score',
    replicate: 'z_score',
    name: 'z score of the response',
    title: 'Screening',
    isDecades: false,
    decimals: 1,
  },
  thermostability: {
    quantity: 'tm',
    replicate: 'tm',
    name: 'Tm (°C)',
    title: 'Thermostability',
    isDecades: false,
    decimals: 1,
  },
  expression: {
    quantity: 'yield_ng_per_ul',
    replicate: 'yield_ng_per_ul',
    name: 'Yield (ng/µL)',
    title: 'Expression',
    isDecades: true,
  },
  fluorescence: {
    quantity: 'normalized_to_control',
    replicate: 'normalized_to_control',
    name: 'Intensity relative to the reference',
    title: 'Fluorescence',
    isDecades: false,
  },
};

const NAME_WIDTH = 170;
const PLOT_WIDTH = 440;
const VALUE_WIDTH = 190;
const PITCH = 20;
const HEAD = 74;
const FOOT = 78;
const SAMPLE = seriesColour(0, 3);
const CONTROL = seriesColour(2, 3);

export function rankingSvg(experiment: RankedExperiment): string {
  const measure = MEASURES[experiment.experiment_type] ?? MEASURES.affinity;
  const rows = experiment.results.map((result) => rowOf(result, measure));
  const height = HEAD + Math.max(1, rows.length) * PITCH + FOOT;
  const width = 2 * MARGIN + NAME_WIDTH + PLOT_WIDTH + VALUE_WIDTH;
  const title = `${measure?.title ?? 'Results'} of ${experiment.code}`;
  const left = MARGIN + NAME_WIDTH;
  const shown =
    rows.length < experiment.total
      ? `the best ${rows.length} of ${experiment.total} sequences`
      : `${rows.length} sequences`;
  const frame = frameOf(
    { left, top: HEAD, width: PLOT_WIDTH, height: Math.max(1, rows.length) * PITCH },
    axisOf(rows, measure),
    { axis: { low: 0, high: 1, ticks: [], decimals: 0 }, name: '', isBare: true },
  );
  const drawn = rows.flatMap((row, index) => {
    const y = HEAD + (index + 0.5) * PITCH;
    return rowParts(row, { y, left, x: frame.x, limits: [left, left + PLOT_WIDTH] });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="sensorgram" role="img" aria-label="${escapeXml(title)}" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" font-family="${FONT}">`,
    `<title>${escapeXml(title)}</title>`,
    `<desc>${escapeXml(`${title}: ${shown}, best first, with 95 % intervals and replicates.`)}</desc>`,
    `<style>${styleSheet([SAMPLE, CONTROL])}</style>`,
    `<rect width="100%" height="100%" ${fill(colourOf('paper'))}/>`,
    text(MARGIN, 38, title, { size: 18, weight: 650 }),
    text(MARGIN, 58, `${shown}, best first`, { size: 12, colour: colourOf('muted') }),
    ...frame.parts,
    ...drawn,
    text(
      MARGIN,
      height - 18,
      'dot: value with 95 % interval; open dots: replicates; triangle: a limit; orange: controls',
      { size: 11, colour: colourOf('muted') },
    ),
    `</svg>`,
    '',
  ].join('\n');
}

interface Row {
  readonly result: RankedResult;
  readonly value: number | null;
  readonly relation: string;
  readonly low: number | null;
  readonly high: number | null;
  readonly replicates: readonly number[];
  readonly words: string;
}

function rowOf(result: RankedResult, measure: Measure | undefined): Row {
  const quantity = measure === undefined ? undefined : result.quantities[measure.quantity];
  const plain = measure === undefined ? undefined : result.summary[measure.quantity];
  const found = quantity ?? (typeof plain === 'number' ? { value: plain, relation: '=' } : undefined);
  const value = found?.value ?? null;
  const isDecades = measure?.isDecades === true;
  const isDrawn = (each: unknown): each is number =>
    typeof each === 'number' && Number.isFinite(each) && (!isDecades || each > 0);
  const list = result.summary.replicates;
  const replicates = (Array.isArray(list) ? list : []).flatMap((each: unknown) => {
    const member = Object.entries(each ?? {}).find(([key]) => key === measure?.replicate)?.[1] as unknown;
    return isDrawn(member) ? member : [];
  });
  const said =
    measure?.quantity === 'kd' && value !== null
      ? `${SIGNS[found?.relation ?? ''] ?? ''}${concentrationText(value)}`
      : quantityText(found, measure?.decimals)?.replace(/ \(95% CI .*$/, '');
  return {
    result,
    value: isDrawn(value) ? value : null,
    relation: found?.relation ?? '=',
    low: isDrawn(found?.ci95_low) ? found.ci95_low : null,
    high: isDrawn(found?.ci95_high) ? found.ci95_high : null,
    replicates,
    words: said ?? result.outcome.replaceAll('_', ' '),
  };
}

const SIGNS: Readonly<Record<string, string>> = { '<': '< ', '>': '> ', '~': '≈ ' };

function axisOf(rows: readonly Row[], measure: Measure | undefined): AxisSpec {
  const values = rows.flatMap(({ value, low, high, replicates }) =>
    [value, low, high, ...replicates].flatMap((each) => each ?? []),
  );
  const name = measure?.name ?? '';
  if (measure?.isDecades === true) {
    const [low, high] =
      values.length === 0 ? [1e-9, 1e-6] : [Math.min(...values) / 1.5, Math.max(...values) * 1.5];
    // An open interval may reach over any number of decades; beyond six they are cut.
    const centre = Math.sqrt(low * high);
    const range = { low: Math.max(low, centre / 1e3), high: Math.min(high, centre * 1e3) };
    return { axis: decadeAxis(range), name, isDecades: true };
  }
  const range =
    values.length === 0 ? { low: 0, high: 1 } : { low: Math.min(...values), high: Math.max(...values) };
  return { axis: valueAxis(range, 6), name };
}

interface Place {
  readonly y: number;
  readonly left: number;
  readonly x: Scale;
  readonly limits: readonly [number, number];
}

function rowParts(row: Row, { y, left, x, limits }: Place): string[] {
  const { result, value, relation, low, high } = row;
  const colour = result.is_control ? CONTROL : SAMPLE;
  const inside = (each: number) => Math.max(limits[0], Math.min(limits[1], x(each)));
  const place = result.place === null ? '' : `${result.place}. `;
  const parts = [
    text(left - 14, y + 4, fitText(`${place}${result.sequence_name}`, 11.5, NAME_WIDTH - 16), {
      size: 11.5,
      anchor: 'end',
    }),
    text(limits[1] + 12, y + 4, fitText(row.words, 11.5, VALUE_WIDTH - 12), {
      size: 11.5,
      ...(value === null ? { colour: colourOf('muted') } : {}),
    }),
  ];
  if (low !== null && high !== null)
    parts.push(
      `<path d="M${px(inside(low))} ${px(y - 4)}v8m0 -4H${px(inside(high))}m0 -4v8" ${stroke(colour, 1.4)}/>`,
    );
  for (const each of row.replicates)
    parts.push(`<circle cx="${px(inside(each))}" cy="${px(y)}" r="2.6" ${stroke(colour, 1)}/>`);
  if (value === null) return parts;
  const at = inside(value);
  if (relation === '<' || relation === '>') {
    const tip = relation === '<' ? -1 : 1;
    parts.push(`<path d="M${px(at)} ${px(y - 5)}v10l${px(tip * 8)} -5z" ${fill(colour)}/>`);
  } else parts.push(`<circle cx="${px(at)}" cy="${px(y)}" r="4" ${fill(colour)}/>`);
  return parts;
}
