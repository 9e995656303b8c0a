/** Captions explain the markers, and the model, points and number of replicates behind each number. */
import type { MeltCurve, Sensorgram } from '#domain/results/curves.ts';
import { rangeOf } from './scale.ts';
import type { ResultCurves } from '#domain/results/store.ts';

type Settings = Readonly<Record<string, unknown>>;

function settingsOf({ analysis }: ResultCurves): Settings {
  const { settings } = analysis;
  return typeof settings === 'object' && settings !== null
    ? Object.fromEntries(Object.entries(settings))
    : {};
}

/** `DEMO-001-001, assayer-analysis 1.0.0.` */
function sourceText({ experiment_code: code, analysis }: ResultCurves): string {
  const { engine } = analysis;
  const said: Readonly<Record<string, unknown>> =
    typeof engine === 'object' && engine !== null ? Object.fromEntries(Object.entries(engine)) : {};
  const name = typeof said.name === 'string' ? `; ${said.name} ${textOf(said.version)}`.trimEnd() : '';
  return `Experiment ${code}${name}.`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const MODELS: Readonly<Record<string, string>> = {
  '1:1': '1:1 binding',
  mass_transport: 'binding with mass transport',
  heterogeneous_ligand: 'two kinds of site',
  bivalent_analyte: 'bivalent analyte',
  steady_state: 'steady state',
};

/** Describes the fit of sensorgrams for the caption; undefined when nothing was fitted. */
function fitText(result: ResultCurves, curves: readonly Sensorgram[]): string | undefined {
  const fitted = curves.filter((curve) => curve.fit !== null);
  if (fitted.length === 0) return undefined;
  const { binding_model: models } = result.summary;
  const names = Array.isArray(models)
    ? models.map((model: unknown) => MODELS[String(model)] ?? String(model).replaceAll('_', ' '))
    : [];
  const model = names.length === 0 ? '' : ` (${names.join('; ')})`;
  return `thin line: one fit to all concentrations of a replicate${model}${windowsText(fitted)}`;
}

/** Describes the fitted time windows, if all curves share them. */
function windowsText(fitted: readonly Sensorgram[]): string {
  const seconds = (value: number) => String(Math.round(value));
  const windows = fitted.map((curve) => {
    const seen = curve.time_s.filter((_, index) => Number.isFinite(curve.fit?.[index] ?? Number.NaN));
    const range = rangeOf([seen]);
    if (range === undefined) return '';
    const [start, end] = [curve.association_start_s, curve.dissociation_start_s];
    if (range.high <= end) return `, association ${seconds(start)}–${seconds(range.high)} s`;
    return `, association ${seconds(start)}–${seconds(end)} s and dissociation ${seconds(end)}–${seconds(range.high)} s`;
  });
  const [first = ''] = windows;
  return windows.every((each) => each === first) ? first : '';
}

export function sensorgramCaption(
  result: ResultCurves,
  curves: readonly Sensorgram[],
  { isCall, isClipped }: { readonly isCall: boolean; readonly isClipped: boolean },
): string {
  const how = result.method === null ? '' : ` by ${result.method.toUpperCase()}`;
  const fit = fitText(result, curves);
  const residual = `lower plot: residual (measured − fit${isClipped ? '; spikes cut at the edge' : ''})`;
  const marks = [
    `Thick lines: signal${how}, reference subtracted`,
    ...(fit === undefined ? [] : [fit, residual]),
  ];
  return [`${marks.join('; ')}.`, isCall ? callText(result) : kdCaption(result), sourceText(result)]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function kdCaption(result: ResultCurves): string {
  const { kd } = result.quantities;
  if (kd === undefined || kd.value === null) return replicatesText(result);
  const own = result.replicates.some(
    ({ kd_app: interval }) => typeof interval === 'object' && interval !== null,
  );
  return `KD: ${meanText('geometric', kd.n, typeof kd.ci95_low === 'number')}${own && kd.n !== 1 ? ' Above each plot: KD of the replicate (95% CI of its fit).' : ''}`;
}

function callText(result: ResultCurves): string {
  const { response_s: seconds } = settingsOf(result);
  const over = typeof seconds === 'number' ? ` over the last ${seconds} s of association` : '';
  return `Response: mean${over}; dashed: threshold of the plate (median + 3 robust standard deviations of its negative controls, and at least 3 × noise). ${replicatesText(result)} One concentration gives no interval.`;
}

function replicatesText({ replicates }: ResultCurves): string {
  return replicates.length === 0 ? '' : `n = ${replicates.length} replicates.`;
}

/** Describes a mean and its interval. */
function meanText(kind: 'geometric' | 'arithmetic', n: number | undefined, hasInterval: boolean): string {
  const mean =
    n === undefined
      ? `${kind} mean over replicates`
      : n === 1
        ? 'n = 1 replicate'
        : `${kind} mean of n = ${n} replicates`;
  if (!hasInterval) return `${mean}.`;
  const interval =
    n === 1
      ? 'of the fit of this replicate'
      : 'the wider of the intervals from the fits and from the spread of the replicates';
  return `${mean}; 95% CI: ${interval}.`;
}

const MELT_MODELS: Readonly<Record<string, string>> = {
  two_state: 'two-state unfolding',
  boltzmann: 'Boltzmann sigmoid',
};

export function meltCaption(result: ResultCurves, curves: readonly MeltCurve[]): string {
  const { baseline, derivative_half_window_c: window } = settingsOf(result);
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
      ? replicatesText(result)
      : `Tm: ${by}${meanText('arithmetic', tm.n, typeof tm.ci95_low === 'number')}`;
  return `${marks.join('; ')}. ${mean} ${sourceText(result)}`;
}

/** The caption of the small plots of a whole experiment, from one of its results. */
export function meltsCaption(
  result: ResultCurves,
  { control, labControl }: { readonly control: string | null; readonly labControl: string | null },
): string {
  const { baseline, derivative_half_window_c: window } = settingsOf(result);
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
    sourceText(result),
  ].join(' ');
}

export function expressionCaption(result: ResultCurves, { plates }: { readonly plates: number }): string {
  const { rate_from_s: from, rate_to_s: to, subtract_no_dna: isSubtracted } = settingsOf(result);
  const { yield_ng_per_ul: amount } = result.quantities;
  const window = typeof from === 'number' && typeof to === 'number' ? ` of ${from}–${to} s` : '';
  const more = plates > 1 ? ` (first of ${plates} plates)` : '';
  return [
    ...(plates === 0
      ? []
      : [
          `Circles: standards${more}, with the four-parameter logistic through them; crosses: replicates of this sequence${isSubtracted === true ? ', minus the control without DNA' : ''}; dashed: limits of quantification.`,
        ]),
    `Captures with the line of their initial rate${window}.`,
    `Bar: ${meanText('geometric', amount?.n, false)}`,
    ...(typeof amount?.ci95_low === 'number'
      ? ['Whiskers: 95% CI, which includes the error of the standard curve.']
      : []),
    `${plates === 0 ? 'Circles' : 'Circles beside'}: replicates; open triangles and a dashed bar: limits.`,
    sourceText(result),
  ].join(' ');
}

const WELL_MARKS = 'R: reference; D: dark control; B: blank; S: standard; >: saturated; dashed: no value';

function wellsText(isNormalized: boolean): string {
  return `Wells by ${isNormalized ? '(F − blank)/(reference − blank)' : 'signal'}`;
}

/** The caption of the plates of a whole experiment. */
export function fluorescencePlatesCaption(isNormalized: boolean): string {
  return `${wellsText(isNormalized)}; each sample well is one replicate. ${WELL_MARKS}; point: no well.`;
}

export function fluorescenceCaption(result: ResultCurves, isNormalized: boolean): string {
  const { ex_nm: ex, em_nm: em, z_prime_plate: z } = result.summary;
  const quantity = result.quantities[isNormalized ? 'normalized_to_control' : 'intensity'];
  const optics = typeof ex === 'number' && typeof em === 'number' ? `, ${ex}/${em} nm` : '';
  return [
    `${wellsText(isNormalized)}${optics}. Ringed: this sequence; ${WELL_MARKS}.`,
    typeof z === 'number' ? `Z′ of the plate ${z.toFixed(2)}.` : '',
    `Bar: ${meanText('arithmetic', quantity?.n, false)}`,
    typeof quantity?.ci95_low === 'number' ? 'Whiskers: 95% CI of that mean.' : '',
    `Circles: replicates; open triangles and a dashed bar: limits${isNormalized ? '; dashed line: the reference' : ''}.`,
    sourceText(result),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
