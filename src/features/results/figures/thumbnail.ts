/**
 * One result as a small picture: every concentration of the first replicate, on the scale of the other thumbnails.
 */
import type { Sensorgram as Curve } from '../curves.ts';
import type { ResultCurves } from '../store.ts';
import { getColor, getSeriesColor } from '#documents/colors.ts';
import {
  drawPath,
  createStroke,
  drawText,
  toTenth,
  type Mark,
  type Paint,
  type Scene,
} from '#documents/scene.ts';
import { selectCurves } from './picture.ts';

const WIDTH = 320;
const HEIGHT = 150;
const EDGE = 6;
const POINTS_MAX = 160;
const LINE_WIDTH = 1.75;

type Curves = Pick<ResultCurves, 'curves' | 'sequence_name' | 'signal_unit'>;

/** `top` is the signal at the upper edge; a higher curve raises it. */
export function drawThumbnail(result: Curves, top: number): Scene {
  const { curves: all, sequence_name: name, signal_unit: unit } = result;
  const curves = selectCurves(all, 'sensorgram');
  const first = Math.min(...curves.map(({ replicate }) => replicate));
  const shown = curves.filter(({ replicate }) => replicate === first);
  const concentrations = [...new Set(shown.map((curve) => curve.concentration_m ?? 0))].toSorted(
    (a, b) => a - b,
  );
  const series = concentrations.map((_, index) => getSeriesColor(index, concentrations.length));
  const signals = shown.flatMap(({ signal }) => signal).filter(Number.isFinite);
  const high = signals.reduce((most, value) => Math.max(most, value), Math.max(top, 1e-9));
  const low = signals.reduce((least, value) => Math.min(least, value), 0);
  const frame = createFrame(shown, low, high);
  const lines = shown.flatMap((curve) => {
    const index = concentrations.indexOf(curve.concentration_m ?? 0);
    return drawCurve(
      curve,
      frame,
      createStroke(series[index] ?? getColor('muted'), LINE_WIDTH, { join: 'round' }),
    );
  });
  const muted = { color: getColor('muted') };
  const scale = `${Number(high.toPrecision(2))} ${unit}`;
  const words =
    shown.length === 0
      ? drawText(WIDTH / 2, HEIGHT / 2, 'no curves', { ...muted, anchor: 'middle', size: 12 })
      : drawText(WIDTH - EDGE, 16, scale, { ...muted, anchor: 'end' });
  const title = `Sensorgrams of ${name}`;
  const zero = drawPath(`M${EDGE} ${frame.y(0)}H${WIDTH - EDGE}`, createStroke(getColor('phase'), 1));
  return { width: WIDTH, height: HEIGHT, title, description: '', series, marks: [zero, ...lines, words] };
}

interface Frame {
  readonly x: (timeS: number) => number;
  readonly y: (signal: number) => number;
}

function createFrame(curves: readonly Curve[], low: number, high: number): Frame {
  const times = curves.flatMap(({ time_s: times }) => [times[0] ?? 0, times.at(-1) ?? 0]);
  const [start, end] = [Math.min(...times, 0), Math.max(...times, 1)];
  const span = high - low || 1;
  return {
    x: (time) => toTenth(EDGE + ((time - start) / (end - start)) * (WIDTH - 2 * EDGE)),
    y: (signal) => toTenth(HEIGHT - EDGE - ((signal - low) / span) * (HEIGHT - 2 * EDGE)),
  };
}

/** Draws the fit if there is one, else the measured points, thinned to the resolution of so few pixels. */
function drawCurve(curve: Curve, frame: Frame, paint: Paint): Mark[] {
  const values = curve.fit ?? curve.signal;
  const step = Math.max(1, Math.floor(values.length / POINTS_MAX));
  const points = curve.time_s.flatMap((time, index) => {
    const value = values[index];
    const isKept = index % step === 0 || index === values.length - 1;
    return isKept && value !== undefined && Number.isFinite(value)
      ? [`${frame.x(time)} ${frame.y(value)}`]
      : [];
  });
  return points.length === 0 ? [] : [drawPath(`M${points.join('L')}`, paint)];
}
