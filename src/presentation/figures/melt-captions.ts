/** What stands under melting curves: what the marks are, and how Tm came about. */
import type { MeltCurve } from '#domain/results/curves.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import { readSettings, writeMean, writeReplicates, writeSource } from './captions.ts';

const MELT_MODELS: Readonly<Record<string, string>> = {
  two_state: 'two-state unfolding',
  boltzmann: 'Boltzmann sigmoid',
};

export function writeMeltCaption(result: ResultCurves, curves: readonly MeltCurve[]): string {
  const { baseline, derivative_half_window_c: window } = readSettings(result);
  const { tm_method: method } = result.summary;
  const { tm } = result.quantities;
  const hasTm = typeof tm?.value === 'number';
  const model = typeof method === 'string' ? MELT_MODELS[method] : undefined;
  const hasFit = curves.some(({ fit }) => fit !== null);
  const baselines = typeof baseline === 'string' && model !== undefined ? `, ${baseline} baselines` : '';
  const half = typeof window === 'number' ? ` over ±${window} °C` : '';
  const marks = [
    'Dots: measured',
    ...(hasFit
      ? [
          `line: fit${model === undefined ? '' : ` (${model}${baselines})`}`,
          'below it the residual (measured − fit)',
        ]
      : []),
    `first derivative${half}`,
    ...(curves.some(({ scattering }) => (scattering ?? []).length > 0) ? ['light scattering'] : []),
    ...(hasTm ? ['dashed: Tm'] : []),
    ...(curves.some(({ tonset_c: onset }) => typeof onset === 'number')
      ? ['dotted: onset (1 % unfolded)']
      : []),
    ...(curves.some(({ tagg_c: tagg }) => typeof tagg === 'number') ? ['dash-dotted: aggregation'] : []),
  ];
  const by = method === 'derivative' ? 'by the maximum of the derivative, ' : '';
  const mean =
    tm === undefined || !hasTm
      ? writeReplicates(result)
      : `Tm: ${by}${writeMean('arithmetic', tm.n, typeof tm.ci95_low === 'number')}`;
  return `${marks.join('; ')}. ${mean} ${writeSource(result)}`;
}

/** Writes the caption of the small plots of a whole experiment, from one of its results. */
export function writeOverlaysCaption(
  result: ResultCurves,
  { control, labControl }: { readonly control: string | null; readonly labControl: string | null },
): string {
  const { baseline, derivative_half_window_c: window } = readSettings(result);
  const { tm_method: method } = result.summary;
  const model = typeof method === 'string' ? MELT_MODELS[method] : undefined;
  const baselines = model !== undefined && typeof baseline === 'string' ? `, ${baseline} baselines` : '';
  const by =
    model === undefined
      ? method === 'derivative'
        ? 'maximum of the derivative; '
        : ''
      : `${model}${baselines}; `;
  return [
    `Solid: every replicate of a sequence, ${result.signal_unit} from its lowest (0) to its highest value (1), and below it the first derivative d/dT${typeof window === 'number' ? ` over ±${window} °C` : ''} on that scale; what is steeper than every transition is drawn at the edge.`,
    `Dashed upright: Tm (${by}arithmetic mean of n replicates, in brackets the 95% CI: the wider of the intervals from the fits and from their spread).`,
    ...(control === null ? [] : [`Dashed curve: first replicate of the control ${control}.`]),
    ...(labControl === null ? [] : [`Dotted upright: Tm of ${labControl}, the control of the run.`]),
    writeSource(result),
  ].join(' ');
}
