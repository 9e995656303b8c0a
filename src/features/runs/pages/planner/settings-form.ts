/** What staff choose before a run is planned: fields of the form, and the request that they make. */
import type { Problem } from '#core/failures.ts';
import type { RunRequestInput } from '../../plan-schemas.ts';
import { layoutNames, type LayoutName } from '../../layouts.ts';
import { getField, type Form } from '#ui/http.ts';

const EXPERIMENT_FIELD = /^experiment:(.{1,100})$/;
const NM_PER_M = 1e9;

/** The values of the form, as they were typed. */
export interface Settings {
  /** Codes or ids that were chosen from the queue. */
  readonly chosen: readonly string[];
  /** Further codes, typed by hand. */
  readonly others: string;
  readonly size: string;
  readonly instrument: string;
  readonly concentrations: string;
  readonly positive: string;
  readonly negatives: string;
  readonly standard: string;
  readonly standardLevels: string;
  readonly seed: string;
}

export const EMPTY_SETTINGS: Settings = {
  chosen: [],
  others: '',
  size: '96',
  instrument: '',
  concentrations: '',
  positive: '',
  negatives: '',
  standard: '',
  standardLevels: '',
  seed: '',
};

export function parseSettings(form: Form): Settings {
  return {
    chosen: Object.keys(form).flatMap((name) => EXPERIMENT_FIELD.exec(name)?.[1] ?? []),
    others: getField(form, 'others'),
    size: getField(form, 'size'),
    instrument: getField(form, 'instrument'),
    concentrations: getField(form, 'concentrations'),
    positive: getField(form, 'positive'),
    negatives: getField(form, 'negatives'),
    standard: getField(form, 'standard'),
    standardLevels: getField(form, 'standard_levels'),
    seed: getField(form, 'seed'),
  };
}

/** Builds the body of the operation, and finds what is no number before there is one. */
export function buildRunRequest(settings: Settings): { body: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const readLevels = (field: string, text: string): number[] =>
    splitItems(text).flatMap((item) => {
      const valueNm = Number(item);
      if (Number.isFinite(valueNm)) return Number((valueNm / NM_PER_M).toPrecision(12));
      problems.push({ path: field, message: `“${item}” is no number: give concentrations in nM.` });
      return [];
    });
  const [layout = '', capillaries] = settings.instrument.split('-');
  const concentrations = readLevels('concentrations', settings.concentrations);
  const levels = readLevels('standard_levels', settings.standardLevels);
  const seed = settings.seed === '' ? undefined : Number(settings.seed);
  if (Number.isNaN(seed)) problems.push({ path: 'seed', message: 'is no number.' });
  const body = {
    experiment_ids: [...new Set([...settings.chosen, ...splitItems(settings.others)])],
    size: Number(settings.size),
    ...(layout === '' ? {} : { layout }),
    ...(capillaries === undefined ? {} : { capillaries: Number(capillaries) }),
    ...(concentrations.length === 0 ? {} : { concentrations_m: concentrations }),
    controls: {
      positive: settings.positive === '' ? null : settings.positive,
      negatives: splitNames(settings.negatives),
      standard: settings.standard === '' ? null : { sample: settings.standard, concentrations_m: levels },
    },
    ...(seed === undefined ? {} : { seed }),
  };
  return { body, problems };
}

function splitItems(text: string): string[] {
  return text.split(/[\s,;]+/).filter((item) => item !== '');
}

function splitNames(text: string): string[] {
  return text
    .split(/[;\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Returns the values of the form from which a request was made. */
export function describeSettings(request: RunRequestInput): Settings {
  const { layout, capillaries, controls } = request;
  return {
    chosen: request.experiment_ids,
    others: '',
    size: String(request.size),
    instrument: describeInstrument(layout, capillaries),
    concentrations: formatLevels(request.concentrations_m ?? []),
    positive: controls.positive ?? '',
    negatives: controls.negatives.join('; '),
    standard: controls.standard?.sample ?? '',
    standardLevels: formatLevels(controls.standard?.concentrations_m ?? []),
    seed: String(request.seed),
  };
}

function describeInstrument(layout: LayoutName | undefined, capillaries: 24 | 48 | undefined): string {
  const layoutName = layoutNames.find((name) => name === layout);
  if (layoutName === undefined) return '';
  return layoutName === 'capillaries' ? `capillaries-${capillaries ?? 48}` : layoutName;
}

function formatLevels(levelsM: readonly number[]): string {
  return levelsM.map((levelM) => String(Number((levelM * NM_PER_M).toPrecision(12)))).join(', ');
}

/** Fields beside which the problems of the planner are shown; all others stand above the form. */
export const FIELDS_OF_PROBLEMS: Readonly<Record<string, string>> = {
  no_experiments: 'others',
  layout_not_offered: 'instrument',
  assay_not_planned: 'instrument',
  concentrations_invalid: 'concentrations',
  series_too_long: 'concentrations',
  control_missing: 'positive',
  standard_missing: 'standard',
  seed_invalid: 'seed',
};
