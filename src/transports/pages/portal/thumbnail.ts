/** One result as a small picture: every concentration of the first replicate, on the scale of its neighbours. */
import type { Output } from '#core/operation.ts';
import { getResultCurves } from '#domain/results/contract.ts';
import type { Sensorgram as Curve } from '#domain/results/curves.ts';
import { curvesOf } from '#presentation/figures/curves.ts';
import type { FastifyReply } from 'fastify';
import type { PortalContext } from '../context.ts';
import { pathParameter, queryParameter } from '../http.ts';
import { markup, type Markup, type Part } from '../markup.ts';
import { colourOf, seriesColour, styleSheet, type Colour } from '#presentation/colours.ts';

const WIDTH = 320;
const HEIGHT = 150;
const EDGE = 6;
const POINTS_MAX = 160;
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";
const PICTURE_AGE_SECONDS = 300;

/** Headers of a picture: it may be kept a while by this browser, and nothing in it runs or is loaded. */
export const PICTURE_HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': PICTURE_POLICY,
  'cache-control': `private, max-age=${PICTURE_AGE_SECONDS}`,
} as const;

export async function resultThumbnail({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const found = await api.call(getResultCurves, { params: { result_id: pathParameter(request, 'id') } });
  const top = Number(queryParameter(request, 'top'));
  return reply.headers(PICTURE_HEADERS).send(thumbnailSvg(found, top > 0 ? top : 0));
}

type Curves = Output<typeof getResultCurves>;

/** `top` is the signal at the upper edge; a higher curve raises it. */
function thumbnailSvg({ curves: all, sequence_name: name, signal_unit: unit }: Curves, top: number): string {
  const curves = curvesOf(all, 'sensorgram');
  const first = Math.min(...curves.map(({ replicate }) => replicate));
  const shown = curves.filter(({ replicate }) => replicate === first);
  const concentrations = [...new Set(shown.map((curve) => curve.concentration_m ?? 0))].toSorted(
    (a, b) => a - b,
  );
  const series = concentrations.map((_, index) => seriesColour(index, concentrations.length));
  const signals = shown.flatMap(({ signal }) => signal).filter(Number.isFinite);
  const high = signals.reduce((most, value) => Math.max(most, value), Math.max(top, 1e-9));
  const low = signals.reduce((least, value) => Math.min(least, value), 0);
  const frame = frameOf(shown, low, high);
  const lines: Part = shown.map((curve) => {
    const index = concentrations.indexOf(curve.concentration_m ?? 0);
    return drawn(curve, frame, series[index] ?? colourOf('muted'));
  });
  const empty =
    shown.length === 0 &&
    markup`<text x="${WIDTH / 2}" y="${HEIGHT / 2}" text-anchor="middle" font-size="12" class="f-muted" fill="#5b626b">no curves</text>`;
  const scale =
    shown.length > 0 &&
    markup`<text x="${WIDTH - EDGE}" y="16" text-anchor="end" font-size="11" class="f-muted" fill="#5b626b">${Number(high.toPrecision(2))} ${unit}</text>`;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" class="sensorgram" role="img" aria-label="Sensorgrams of ${name}" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="system-ui, sans-serif"><style>${styleSheet(series)}</style><rect width="100%" height="100%" class="f-paper" fill="#ffffff"/><path d="M${EDGE} ${frame.y(0)}H${WIDTH - EDGE}" class="s-phase" stroke="#a9b0b8" stroke-width="1"/>${lines}${scale}${empty}</svg>`
    .text;
}

interface Frame {
  readonly x: (timeS: number) => number;
  readonly y: (signal: number) => number;
}

function frameOf(curves: readonly Curve[], low: number, high: number): Frame {
  const times = curves.flatMap(({ time_s: times }) => [times[0] ?? 0, times.at(-1) ?? 0]);
  const [start, end] = [Math.min(...times, 0), Math.max(...times, 1)];
  const span = high - low || 1;
  return {
    x: (time) => round(EDGE + ((time - start) / (end - start)) * (WIDTH - 2 * EDGE)),
    y: (signal) => round(HEIGHT - EDGE - ((signal - low) / span) * (HEIGHT - 2 * EDGE)),
  };
}

/** The fit where there is one, else what was measured, thinned to what so few pixels can show. */
function drawn(curve: Curve, frame: Frame, colour: Colour): Markup {
  const values = curve.fit ?? curve.signal;
  const step = Math.max(1, Math.floor(values.length / POINTS_MAX));
  const points = curve.time_s.flatMap((time, index) => {
    const value = values[index];
    const isKept = index % step === 0 || index === values.length - 1;
    return isKept && value !== undefined && Number.isFinite(value)
      ? [`${frame.x(time)} ${frame.y(value)}`]
      : [];
  });
  if (points.length === 0) return markup``;
  const [className, width] = [`s-${colour.name}`, 1.75];
  return markup`<path d="M${points.join('L')}" class="${className}" fill="none" stroke="${colour.light}" stroke-width="${width}" stroke-linejoin="round"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
