/** Settings of the fluorescence assay; they are part of every result. */
import { settingsOver } from '../assay-settings.ts';

export interface FluorescenceSettings {
  /** Read that is analyzed; null takes the only one, or `fluorescence`. */
  channel: string | null;
  /** Which of several reads of the channel: wavelengths in nm and gain. Null takes any, as long as there is one only. */
  exNm: number | null;
  emNm: number | null;
  gain: number | null;
  /** What normalised intensities are relative to: the mean or the median of the reference wells. */
  reference: 'mean' | 'median';
  /** `flag` reports row and column effects, `correct` divides them out, `off` does not look. */
  plateEffects: 'flag' | 'correct' | 'off';
  /** Row, column and edge effects above this are reported, in %. */
  effectMaxPct: number;
  /** Standard deviations of the blanks that an intensity has to stand above them. */
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
  return settingsOver(DEFAULTS, input, {
    texts: ['channel'],
    choices: { reference: ['mean', 'median'], plateEffects: ['flag', 'correct', 'off'] },
    ranges: { zPrimeMin: [-10, 1], blanksMin: [1, 384], effectMaxPct: [0.1, 100] },
  });
}
