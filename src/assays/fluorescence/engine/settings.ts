/** Settings of the fluorescence assay; they are part of every result. */
import { mergeSettings } from '#analysis/assays/settings.ts';

export interface FluorescenceSettings {
  /** Read that is analyzed; null takes the only one, or `fluorescence`. */
  channel: string | null;
  /**
   * Selects one of several reads of the channel, by wavelengths in nm and gain. Null accepts any, if there is only
   * one.
   */
  exNm: number | null;
  emNm: number | null;
  gain: number | null;
  /** The basis of normalized intensities: the mean or the median of the reference wells. */
  reference: 'mean' | 'median';
  /** `flag` reports row and column effects, `correct` divides them out, `off` ignores them. */
  plateEffects: 'flag' | 'correct' | 'off';
  /** Row, column and edge effects above this are reported, in %. */
  effectMaxPct: number;
  /** Number of standard deviations of the blanks by which an intensity must exceed them. */
  blankSd: number;
  blanksMin: number;
  zPrimeMin: number;
  replicateCvMaxPct: number;
  /** Signal at which the detector saturates, in its unit; unknown when null. */
  saturationSignal: number | null;
}

export type FluorescenceSettingsInput = Partial<FluorescenceSettings>;

const DEFAULTS: FluorescenceSettings = {
  channel: null,
  exNm: null,
  emNm: null,
  gain: null,
  reference: 'median',
  plateEffects: 'flag',
  effectMaxPct: 10,
  blankSd: 3,
  blanksMin: 4,
  zPrimeMin: 0.5,
  replicateCvMaxPct: 20,
  saturationSignal: null,
};

/** Throws `settings_invalid` naming the first wrong setting. */
export function resolveFluorescenceSettings(input: FluorescenceSettingsInput = {}): FluorescenceSettings {
  return mergeSettings(DEFAULTS, input, {
    texts: ['channel'],
    choices: { reference: ['mean', 'median'], plateEffects: ['flag', 'correct', 'off'] },
    ranges: { zPrimeMin: [-10, 1], blanksMin: [1, 384], effectMaxPct: [0.1, 100] },
  });
}
