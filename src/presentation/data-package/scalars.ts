/**
 * What a result says besides its quantities (`details` and the summary row), as flat columns of `results.csv`. Each assay has the
 * same columns whether or not there is something in them; units stand in their names.
 */
import { isRecord, type PackagedResult } from './packaged.ts';
import { columnOf } from './units.ts';

export interface ScalarColumn {
  readonly name: string;
  /** Empty for words and pure numbers. */
  readonly unit: string;
  readonly meaning: string;
  /** Words, a number, a truth value, or null. */
  of(result: PackagedResult): unknown;
}

interface Scalar {
  readonly member: string;
  /** Of the column, where it is not that of the member; the unit is put behind it. */
  readonly name?: string;
  readonly unit?: string | ((result: PackagedResult) => string | undefined);
  readonly meaning: string;
}

const signalUnit = ({ quantities }: PackagedResult) => quantities.rmax?.unit;
const squaredSignalUnit = (result: PackagedResult) => {
  const unit = signalUnit(result);
  return unit === undefined ? undefined : `${unit}²`;
};
const responseUnit = (result: PackagedResult) => wordOf(memberOf(result, 'response_unit'));
const loadingUnit = (result: PackagedResult) => {
  const how = memberOf(result, 'quantification');
  return how === 'a280' ? 'AU' : how === 'bli_capture' ? 'nm/s' : undefined;
};

const BINDING: readonly Scalar[] = [
  { member: 'binding', meaning: 'true, false, inconclusive or unknown' },
  { member: 'binding_strength', meaning: 'strong, medium, weak, none or unknown, by KD' },
  { member: 'concentrations_m', meaning: 'concentrations of the analyte in mol/L, with blanks between' },
];

const SCALARS: Readonly<Record<string, readonly Scalar[]>> = {
  affinity: [
    ...BINDING,
    { member: 'fit_kind', meaning: 'kinetic or steady_state' },
    { member: 'binding_model', meaning: 'models that were fitted, with blanks between' },
    { member: 'kd_arithmetic_mean_m', meaning: 'beside the geometric mean kd_m' },
    { member: 'kd_geometric_cv', meaning: 'of the replicates; 0.1 is 10 %' },
    { member: 'r2', meaning: 'lowest R² over the replicates' },
    { member: 'chi2', unit: squaredSignalUnit, meaning: 'largest residual variance over the replicates' },
    {
      member: 'rmse_max_signal_pct',
      name: 'residual_rms_of_rmax',
      unit: '%',
      meaning: 'residual RMS as a part of Rmax',
    },
  ],
  screening: [
    ...BINDING,
    { member: 'response', unit: responseUnit, meaning: 'mean over replicates, reference subtracted' },
    { member: 'response_sd', unit: responseUnit, meaning: 'standard deviation over replicates' },
    { member: 'threshold', unit: responseUnit, meaning: 'of the plates, above which a response is binding' },
    { member: 'z_score', meaning: 'response in robust deviations from the negative controls' },
    { member: 'loading_level', unit: responseUnit, meaning: 'of the ligand on the sensor' },
    {
      member: 'pct_theoretical_rmax',
      name: 'theoretical_rmax',
      unit: '%',
      meaning: 'response as a part of what masses and loading allow',
    },
  ],
  thermostability: [
    { member: 'tm_method', meaning: 'two_state, boltzmann or derivative; one for the experiment' },
    { member: 'tm_sd', unit: '°C', meaning: 'standard deviation of the Tm of the replicates' },
    { member: 'tm_all', unit: '°C', meaning: 'every transition, ascending, with blanks between' },
    { member: 'delta_tm_control', meaning: 'name of the control of delta_tm_vs_control_c' },
    { member: 'r2', meaning: 'lowest R² over the replicates with a Tm' },
    { member: 'initial_330nm', unit: 'counts', meaning: 'mean over the first °C at 330 nm' },
    { member: 'no_transition_reason', meaning: 'why there is no Tm' },
  ],
  expression: [
    { member: 'expressed', meaning: 'true, false, or empty where the assay cannot tell' },
    { member: 'expression_class', meaning: 'none, low, medium or high' },
    { member: 'quantification', meaning: 'bli_capture or a280' },
    { member: 'lloq', unit: 'ng/µL', meaning: 'lower limit of quantification' },
    { member: 'uloq', unit: 'ng/µL', meaning: 'upper limit of quantification' },
    { member: 'loading_signal', unit: loadingUnit, meaning: 'initial rate of the capture, or absorbance' },
    { member: 'nc_adjusted', meaning: 'whether the control without DNA was taken off' },
  ],
  fluorescence: [
    { member: 'cv_pct', name: 'cv', unit: '%', meaning: 'of the replicates' },
    { member: 'ex_nm', meaning: 'excitation wavelength' },
    { member: 'em_nm', meaning: 'emission wavelength' },
    { member: 'gain', meaning: 'of the detector, as the reader counts it' },
    { member: 'z_prime_plate', meaning: 'Z′ of reference and dark control' },
    { member: 'saturated', meaning: 'whether a replicate is beyond the detector' },
  ],
};

/** Units that the member's own name ends on. */
const NAMED_UNITS = [/_(m)$/, /_(nm)$/];
const UNIT_OF_SUFFIX: Readonly<Record<string, string>> = { m: 'M', nm: 'nm' };

/** The columns of an assay; `examples` are its results, which know the unit of what has one of its own. */
export class ScalarCollector {
  readonly #scalars: readonly Scalar[];
  readonly #units = new Map<string, string>();

  constructor(experimentType: string) {
    this.#scalars = SCALARS[experimentType] ?? [];
  }

  take(result: PackagedResult): void {
    for (const { member, unit } of this.#scalars) {
      if (typeof unit !== 'function' || this.#units.has(member)) continue;
      const found = unit(result);
      if (found !== undefined) this.#units.set(member, found);
    }
  }

  get columns(): readonly ScalarColumn[] {
    const own = this.#scalars.map(({ member, name = member, unit, meaning }): ScalarColumn => {
      const said = typeof unit === 'function' ? this.#units.get(member) : unit;
      const suffix = NAMED_UNITS.flatMap((pattern) => pattern.exec(name)?.[1] ?? [])[0] ?? '';
      return {
        name: said === undefined ? name : columnOf(name, said),
        unit: said ?? UNIT_OF_SUFFIX[suffix] ?? '',
        meaning,
        of: (result) => cellOf(memberOf(result, member)),
      };
    });
    return [...own, AGAINST_CONTROLS];
  }
}

const AGAINST_CONTROLS: ScalarColumn = {
  name: 'performance',
  unit: '',
  meaning: 'against each positive control: better, comparable, worse or not_comparable',
  of: ({ summary: [row = {}] }) => {
    const verdicts = isRecord(row.performance) ? Object.entries(row.performance) : [];
    return verdicts.map(([control, verdict]) => `${control}: ${wordOf(verdict) ?? ''}`).join('; ') || null;
  },
};

/** Of the details, or else of the summary row. */
function memberOf({ details, summary: [row = {}] }: PackagedResult, member: string): unknown {
  return details?.[member] ?? row[member];
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function cellOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(String).join(' ');
  return typeof value === 'object' || value === undefined ? null : value;
}
