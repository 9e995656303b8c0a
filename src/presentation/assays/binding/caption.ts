/** What stands under sensorgrams: what the marks are, and which model was fitted to which points. */
import type { Sensorgram } from '#domain/results/curves.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import { writeSource } from '../../figures/captions.ts';
import { computeRange } from '../../figures/scale.ts';

const MODELS: Readonly<Record<string, string>> = {
  '1:1': '1:1 binding',
  mass_transport: 'binding with mass transport',
  heterogeneous_ligand: 'two kinds of site',
  bivalent_analyte: 'bivalent analyte',
  steady_state: 'steady state',
};

/** Describes the fit of sensorgrams for the caption; undefined when nothing was fitted. */
function describeFit(result: ResultCurves, curves: readonly Sensorgram[]): string | undefined {
  const fitted = curves.filter((curve) => curve.fit !== null);
  if (fitted.length === 0) return undefined;
  const { model: models } = result.summary;
  const names = Array.isArray(models)
    ? models.map((model: unknown) => MODELS[String(model)] ?? String(model).replaceAll('_', ' '))
    : [];
  const model = names.length === 0 ? '' : ` (${names.join('; ')})`;
  return `thin line: one fit to all concentrations of a replicate${model}${writeWindows(fitted)}`;
}

/** Describes the fitted time windows, if all curves share them. */
function writeWindows(fitted: readonly Sensorgram[]): string {
  const formatSeconds = (value: number) => String(Math.round(value));
  const windows = fitted.map((curve) => {
    const seen = curve.time_s.filter((_, index) => Number.isFinite(curve.fit?.[index] ?? Number.NaN));
    const range = computeRange([seen]);
    if (range === undefined) return '';
    const [start, end] = [curve.association_start_s, curve.dissociation_start_s];
    if (range.high <= end) return `, association ${formatSeconds(start)}–${formatSeconds(range.high)} s`;
    return `, association ${formatSeconds(start)}–${formatSeconds(end)} s and dissociation ${formatSeconds(end)}–${formatSeconds(range.high)} s`;
  });
  const [first = ''] = windows;
  return windows.every((each) => each === first) ? first : '';
}

/** `numbers`: sentences about the numbers of the assay. */
export function writeSensorgramCaption(
  result: ResultCurves,
  curves: readonly Sensorgram[],
  { isClipped, numbers }: { readonly isClipped: boolean; readonly numbers: string },
): string {
  const how = result.method === null ? '' : ` by ${result.method.toUpperCase()}`;
  const fit = describeFit(result, curves);
  const residual = `lower plot: residual (measured − fit${isClipped ? '; spikes cut at the edge' : ''})`;
  const marks = [
    `Thick lines: signal${how}, reference subtracted`,
    ...(fit === undefined ? [] : [fit, residual]),
  ];
  return [`${marks.join('; ')}.`, numbers, writeSource(result)]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
