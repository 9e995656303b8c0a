/**
 * BLI capture on a tag sensor: the loading rate in the first seconds measures the concentration of tagged protein.
 */
import type { AssayCurve } from '#analysis/curves/packed-curves.ts';
import { fitLine } from '#analysis/numerics/line.ts';
import { computeMean } from '#analysis/numerics/moments.ts';
import type { Trace } from '#analysis/curves/trace.ts';
import { evaluateLinearity } from './linearity.ts';
import type { CaptureWindow, Linearity } from './linearity.ts';
import type { ExpressionSettings } from './settings.ts';

export interface CaptureRate extends Linearity {
  /** Signal per s. */
  rate: number;
  se: number;
}

/**
 * Returns the slope of the loading within the window of the settings; null when the trace has no loading or fewer
 * than four samples there.
 */
export function measureCaptureRate(trace: Trace, settings: ExpressionSettings): CaptureRate | null {
  const loading = trace.steps.find(({ step }) => step === 'loading');
  if (loading === undefined) return null;
  const inside: CaptureWindow = { timeS: [], signal: [] };
  for (const [index, time] of loading.timeS.entries()) {
    const since = time - loading.startS;
    if (since < settings.rateFromS || since > settings.rateToS) continue;
    inside.timeS.push(since);
    inside.signal.push(loading.signal[index]);
  }
  const line = fitLine(inside.timeS, inside.signal);
  return line === null ? null : { rate: line.slope, se: line.slopeSe, ...evaluateLinearity(inside) };
}

/** Converts the molar concentration of a standard to ng/µL; M · g/mol = mg/mL = 1,000 ng/µL. */
export function computeStandardNgPerUl(concentrationM: number, standardMassDa: number): number {
  return concentrationM * standardMassDa * 1e3;
}

/** Returns the loading with the line of its initial rate, for the figure. */
export function buildCaptureCurves(
  trace: Trace,
  replicate: number,
  rate: CaptureRate | null,
  settings: ExpressionSettings,
): AssayCurve[] {
  const loading = trace.steps.find(({ step }) => step === 'loading');
  if (loading === undefined) return [];
  const origin = loading.signal[0];
  const timeS = [...loading.timeS].map((time) => time - loading.startS);
  const signal = [...loading.signal].map((value) => value - origin);
  const isInWindow = (time: number): boolean => time >= settings.rateFromS && time <= settings.rateToS;
  const chosen = timeS.flatMap((time, index) => (isInWindow(time) ? index : []));
  const middleTime = computeMean(chosen.map((index) => timeS[index]));
  const middleSignal = computeMean(chosen.map((index) => signal[index]));
  const fit = timeS.map((time) =>
    rate === null || !isInWindow(time) ? null : roundToMicro(middleSignal + rate.rate * (time - middleTime)),
  );
  return [
    {
      kind: 'capture',
      replicate,
      well: trace.well,
      time_s: timeS.map(roundToMicro),
      signal: signal.map(roundToMicro),
      fit,
    },
  ];
}

function roundToMicro(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
