/** The curves of sequences that are not measured binders, small and many to a page, all on one scale. */
import { formatCount } from '#core/words.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { keepExtremes, type Point } from '#analysis/numerics/thinning.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { Sensorgram } from '#features/results/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { getColor, getSeriesColor, type Color } from '#documents/colors.ts';
import { computeAxisWidth, createFrame, type AxisSpec, type Frame } from '#documents/figures/axes.ts';
import { writeSource } from '#features/results/figures/captions.ts';
import { selectCurves, composeFigure } from '#features/results/figures/picture.ts';
import { drawPanelTitle, MARGIN, WIDTH_MAX } from '#documents/figures/panel.ts';
import {
  computeNoiseSpan,
  computeRange,
  createSignalAxis,
  createTimeAxis,
  formatPx,
  listPoints,
  writeLinePath,
  type Range,
} from '#documents/figures/scale.ts';
import { fitText } from '#documents/figures/width.ts';
import {
  createStroke,
  drawPath,
  drawPathIfAny,
  drawText,
  group,
  type Mark,
  type Scene,
} from '#documents/scene.ts';
import { OUTCOME_WORDS } from '#features/results/words/outcomes.ts';
import {
  describeSubtraction,
  describeTechnique,
  listReplicateFacts,
  readPlateFacts,
} from './replicate-facts.ts';
import type { FigureCollector } from '../shown-assay.ts';

const COLUMNS = 4;
/** Rows that a page holds below the chapter heading and with a caption of several lines. */
const ROWS_OF_PAGE = 6;
const PANELS_OF_PAGE = COLUMNS * ROWS_OF_PAGE;
/**
 * Sequences that are drawn: thousands would hold up the service while their paths are written, and take more memory and
 * time than a document may.
 */
export const PANELS_MAX = 5 * PANELS_OF_PAGE;
const COLUMN_GAP = 26;
const HEAD = 40;
const PLOT = 88;
const TICKS = 22;
const FOOT = 22;
const ROW = HEAD + PLOT + TICKS;
const POINTS_MAX = 90;
/** A panel that exceeds the usual one by more than this factor does not set the scale. */
const SCALE_RATIO = 4;

interface Line {
  readonly points: readonly Point[];
  readonly concentrationM: number | null;
  readonly isLeftOut: boolean;
}

interface Panel {
  readonly name: string;
  readonly words: string;
  readonly threshold: number | null;
  readonly lines: readonly Line[];
  /** Start of association and of dissociation, in s. */
  readonly moments: readonly number[];
  readonly signal: Range;
}

interface Axes {
  readonly time: AxisSpec;
  readonly signal: AxisSpec;
  readonly concentrationsM: readonly number[];
}

/** Takes results one by one, so that their points need not be in memory together. */
export class SmallSensorgrams implements FigureCollector {
  readonly #panels: Panel[] = [];
  readonly #spans: number[] = [];
  readonly #units = new Set<string>();
  readonly #treatments = new Set<string>();
  #source: ResultCurves | null = null;
  #count = 0;

  take(result: ResultCurves): void {
    const curves = selectCurves(result.curves, 'sensorgram');
    const signal = computeRange(curves.filter(isCounted).map((curve) => curve.signal));
    if (signal === undefined) return;
    this.#count += 1;
    if (this.#panels.length >= PANELS_MAX) return;
    this.#source ??= { ...result, curves: [] };
    this.#units.add(result.signal_unit);
    this.#treatments.add(describeTreatment(result));
    this.#spans.push(computeNoiseSpan(curves.map((curve) => curve.signal)));
    const { threshold } = result.summary;
    this.#panels.push({
      name: result.sequence_name,
      words: describePanel(result),
      threshold: typeof threshold === 'number' ? threshold : null,
      lines: curves.map(buildLine),
      moments: listMoments(curves),
      signal,
    });
  }

  /** Returns pages of `perPage` sequences each, of the first `PANELS_MAX`, all on one scale; none without a curve. */
  buildPages(code: string, perPage: number = PANELS_OF_PAGE): Scene[] {
    const [panels, source] = [this.#panels, this.#source];
    if (source === null) return [];
    const { axes, isClipped } = computeAxes(panels, computeMedian(this.#spans), [...this.#units].join(', '));
    const count = Math.ceil(panels.length / perPage);
    const title = `Other sequences of ${code}`;
    const isWhole = panels.length === this.#count;
    const sequences = `${isWhole ? '' : `the first ${panels.length} of `}${formatCount(this.#count, 'sequence')}`;
    const caption = this.#writeCaption(source, axes, {
      isClipped,
      hasThreshold: panels.some(({ threshold }) => threshold !== null),
    });
    return Array.from({ length: count }, (_, index) => {
      const shown = panels.slice(index * perPage, (index + 1) * perPage);
      const part = count === 1 ? '' : `, ${index * perPage + 1}–${index * perPage + shown.length}`;
      const left = MARGIN + computeAxisWidth([axes.signal]);
      const width = Math.floor((WIDTH_MAX - MARGIN - left - (COLUMNS - 1) * COLUMN_GAP) / COLUMNS);
      return composeFigure(
        {
          title,
          line: `${sequences}${part}`,
          description: `${title}: the curves of each of ${sequences}${part}, on one scale.`,
        },
        {
          width: WIDTH_MAX,
          height: Math.ceil(shown.length / COLUMNS) * ROW + FOOT,
          series: axes.concentrationsM.map((_each, at) => getSeriesColor(at, axes.concentrationsM.length)),
          caption,
          drawParts: (top) =>
            shown.map((panel, at) =>
              drawPanel(panel, axes, {
                left: left + (at % COLUMNS) * (width + COLUMN_GAP),
                top: top + Math.floor(at / COLUMNS) * ROW,
                width,
                isFirst: at % COLUMNS === 0,
                isLowest: at + COLUMNS >= shown.length,
              }),
            ),
        },
      );
    });
  }

  #writeCaption(
    source: ResultCurves,
    { concentrationsM }: Axes,
    { isClipped, hasThreshold }: { readonly isClipped: boolean; readonly hasThreshold: boolean },
  ): string {
    const [treatment = ''] = this.#treatments;
    const how =
      this.#treatments.size === 1
        ? treatment
        : '; technique and subtraction differ, and the figure of each sequence states them';
    const [lowest, highest] = [concentrationsM[0], concentrationsM.at(-1)];
    const doses =
      lowest === undefined || highest === undefined
        ? ''
        : lowest === highest
          ? ` Concentration: ${formatConcentration(highest)}.`
          : ` Color, from dark to light: concentration, from ${formatConcentration(lowest)} to ${formatConcentration(highest)}.`;
    const clipped = isClipped ? '; what exceeds the scale is drawn at its edge' : '';
    const threshold = hasThreshold ? '; dashed: threshold of the plate' : '';
    return `Each plot: the measured curves of every replicate of one sequence, signal in ${[...this.#units].join(', ')}${how}, all on one scale${clipped}.${doses} Upright lines: start of association and of dissociation${threshold}. ${writeSource(source)}`;
  }
}

/** `no binding detected, n = 3` */
function describePanel({ outcome, replicates, is_control: isControl }: ResultCurves): string {
  return `${isControl ? 'control, ' : ''}${OUTCOME_WORDS[outcome]}, n = ${replicates.length}`;
}

const isCounted = ({ excluded }: Sensorgram): boolean => excluded !== true;

/** ` by BLI, reference subtracted` */
function describeTreatment(result: ResultCurves): string {
  const { techniques } = readPlateFacts(result.analysis, result.replicates);
  const subtraction = describeSubtraction(listReplicateFacts(result));
  return `${describeTechnique(techniques, result.method)}${subtraction === '' ? '' : `, ${subtraction}`}`;
}

function buildLine(curve: Sensorgram): Line {
  return {
    points: keepExtremes(listPoints(curve.time_s, curve.signal), POINTS_MAX),
    concentrationM: curve.concentration_m,
    isLeftOut: !isCounted(curve),
  };
}

/** The phases of the first curve; those of the others of a sequence start at the same times. */
function listMoments([first]: readonly Sensorgram[]): number[] {
  return first === undefined ? [] : [first.association_start_s, first.dissociation_start_s];
}

/** One sequence far above the others, such as one that failed, would flatten them all. */
function computeAxes(
  panels: readonly Panel[],
  noiseSpan: number,
  unit: string,
): { readonly axes: Axes; readonly isClipped: boolean } {
  const tops = panels.map(({ signal, threshold }) => Math.max(signal.high, threshold ?? 0));
  const bottoms = panels.map(({ signal }) => signal.low);
  const high = Math.min(Math.max(...tops), SCALE_RATIO * Math.max(0, computeMedian(tops)) + noiseSpan);
  const low = Math.max(Math.min(...bottoms), SCALE_RATIO * Math.min(0, computeMedian(bottoms)) - noiseSpan);
  const signal = createSignalAxis({ low, high: Math.max(high, low + noiseSpan) }, 3);
  const times = computeRange(
    panels.flatMap(({ lines }) => lines.map(({ points }) => points.map(({ x }) => x))),
  );
  const doses = panels.flatMap(({ lines }) => lines.flatMap(({ concentrationM }) => concentrationM ?? []));
  return {
    axes: {
      time: { axis: createTimeAxis(times ?? { low: 0, high: 1 }, 3), name: '' },
      signal: { axis: signal, name: `Signal (${fitText(unit, 11, 60)})` },
      concentrationsM: [...new Set(doses)].toSorted((a, b) => a - b),
    },
    isClipped: panels.some((panel) => panel.signal.high > signal.high || panel.signal.low < signal.low),
  };
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly isFirst: boolean;
  /** Whether nothing is drawn below it. */
  readonly isLowest: boolean;
}

function drawPanel(panel: Panel, axes: Axes, { left, top, width, isFirst, isLowest }: Place): Mark {
  const box = { left, top: top + HEAD, width, height: PLOT };
  const frame = createFrame(
    box,
    { ...axes.time, name: isLowest ? 'Time (s)' : '' },
    { ...axes.signal, isBare: !isFirst },
  );
  const moments = panel.moments
    .map((second) => `M${formatPx(frame.x(second))} ${formatPx(frame.top)}v${formatPx(frame.height)}`)
    .join('');
  return group([
    drawPanelTitle(left, top + 16, panel.name, width),
    drawText(left, top + 31, fitText(panel.words, 11, width), { color: getColor('muted') }),
    ...frame.parts,
    ...drawPathIfAny(moments, createStroke(getColor('phase'), 1)),
    ...panel.lines.flatMap((line) => drawLine(line, frame, axes)),
    ...drawThreshold(panel.threshold, frame, axes),
  ]);
}

function drawLine({ points, concentrationM, isLeftOut }: Line, frame: Frame, axes: Axes): Mark[] {
  const color = isLeftOut ? getColor('phase') : chooseColor(concentrationM, axes);
  const { top, height } = frame;
  const placed = points.map(({ x, y }) => ({
    x: frame.x(x),
    y: Math.max(top, Math.min(top + height, frame.y(y))),
  }));
  return drawPathIfAny(
    writeLinePath(placed),
    createStroke(color, 1.1, { strokeOpacity: 0.8, join: 'round' }),
  );
}

function chooseColor(concentrationM: number | null, { concentrationsM }: Axes): Color {
  const at = concentrationM === null ? -1 : concentrationsM.indexOf(concentrationM);
  return getSeriesColor(at, concentrationsM.length);
}

function drawThreshold(threshold: number | null, { left, width, y }: Frame, { signal }: Axes): Mark[] {
  if (threshold === null || threshold > signal.axis.high) return [];
  const line = `M${formatPx(left)} ${formatPx(y(threshold))}h${formatPx(width)}`;
  return [drawPath(line, createStroke(getColor('ink'), 1, { dash: [5, 3] }))];
}
