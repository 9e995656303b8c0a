/** Settings of the expression assay; they are part of every result. */
import { AnalysisError } from '#analysis/failures/errors.ts';
import { mergeSettings } from '#analysis/assays/settings.ts';

export interface ExpressionSettings {
  /** Window of the capture whose slope is the initial rate, in s from its start. */
  rateFromS: number;
  rateToS: number;
  /** Relative standard deviation of a rate, in %; with the noise of the slopes it weights the standard curve. */
  rateCvPct: number;
  /** Subtract the signal of the reaction without DNA from every sample. */
  subtractNoDna: boolean;
  /**
   * A standard is usable when its back-calculated concentration lies within these limits, in % of the nominal one.
   */
  recoveryMinPct: number;
  recoveryMaxPct: number;
  recoveryCvMaxPct: number;
  /** Number of standard deviations of the zero calibrators by which the lowest standard must exceed them. */
  blankSd: number;
  standardCurveR2Min: number;
  /** Factor by which samples were diluted before the measurement. */
  dilutionFactor: number;
  /** Volume of one reaction in µL, for the yield in µg. */
  reactionVolumeUl: number;
  /** Below this a sequence counts as not expressed, in ng/µL. */
  expressedMinNgPerUl: number;
  /** Upper limits of the classes low and medium, in ng/µL. */
  classLowMaxNgPerUl: number;
  classMediumMaxNgPerUl: number;
  replicateCvMaxPct: number;
  /**
   * Expected yield of positive controls in ng/µL, by name, and the deviation in log10 beyond which the plate fails.
   */
  controlNgPerUl: Record<string, number>;
  controlLog10Max: number;
  /** Optical path of an A280 measurement in cm. */
  pathCm: number;
  /**
   * Disulfides in an A280 measurement, which a sequence does not show: `none` for a reduced protein, or all cysteines
   * paired.
   */
  cystines: 'none' | 'all_paired';
}

export type ExpressionSettingsInput = Partial<ExpressionSettings>;

const DEFAULTS: ExpressionSettings = {
  rateFromS: 0,
  rateToS: 30,
  rateCvPct: 3,
  subtractNoDna: true,
  recoveryMinPct: 80,
  recoveryMaxPct: 120,
  recoveryCvMaxPct: 20,
  blankSd: 3,
  standardCurveR2Min: 0.98,
  dilutionFactor: 1,
  reactionVolumeUl: 50,
  expressedMinNgPerUl: 2,
  classLowMaxNgPerUl: 20,
  classMediumMaxNgPerUl: 100,
  replicateCvMaxPct: 40,
  controlNgPerUl: {},
  controlLog10Max: 0.3,
  pathCm: 1,
  cystines: 'none',
};

const RANGES = {
  rateFromS: [0, 3_600],
  rateToS: [1, 3_600],
  rateCvPct: [0.1, 100],
  recoveryMinPct: [1, 100],
  recoveryMaxPct: [100, 1_000],
  dilutionFactor: [1, 1e6],
  reactionVolumeUl: [0.1, 1e6],
  standardCurveR2Min: [0, 1],
  pathCm: [0.001, 10],
} as const;

/** Throws `settings_invalid` naming the first wrong setting. */
export function resolveExpressionSettings(input: ExpressionSettingsInput = {}): ExpressionSettings {
  const settings = mergeSettings(DEFAULTS, input, {
    ranges: RANGES,
    choices: { cystines: ['none', 'all_paired'] },
  });
  if (settings.rateToS <= settings.rateFromS)
    throw new AnalysisError('settings_invalid', 'Setting rateToS has to be above rateFromS.');
  if (settings.classMediumMaxNgPerUl < settings.classLowMaxNgPerUl)
    throw new AnalysisError(
      'settings_invalid',
      'Setting classMediumMaxNgPerUl has to be at least classLowMaxNgPerUl.',
    );
  return settings;
}
