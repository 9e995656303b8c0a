/** The data points behind a result; `kind` names their type. */
import { Nullable, Type, type Static } from '#core/schema.ts';
import { Plate, ReplicateNumber, Well } from './row-fields.ts';

const defineNumbers = (description: string) => Type.Array(Type.Number(), { description });
const defineNumbersWithGaps = (description: string) => Type.Array(Nullable(Type.Number()), { description });
const defineNumbersOrNull = (description: string) => Nullable(Type.Array(Type.Number()), { description });
const defineOptionalNumber = (description: string) => Type.Optional(Nullable(Type.Number(), { description }));
const defineNumber = (description: string) => Nullable(Type.Number(), { description });

const NoReplicate = Type.Null({
  description: 'number of the replicate; null: the curve belongs to the whole plate',
});
const PlateName = Type.String({ description: 'name of the plate, as the file has it' });

/** One fitted sensorgram: the fitted points, the model and the residuals. */
export const Sensorgram = Type.Object({
  kind: Type.Literal('sensorgram', { description: 'response over time at one concentration' }),
  replicate: ReplicateNumber,
  concentration_m: defineNumber(
    'concentration of the antigen, in M; the highest of several injections; null where the file does not name it',
  ),
  time_s: defineNumbers('seconds since the nominal start of association'),
  signal: defineNumbers(
    'one for each time, in `signal_unit`, after the subtraction that `reference_rule` of its replicate names',
  ),
  fit: defineNumbersOrNull('the model at each time, in `signal_unit`; null without a kinetic fit'),
  residual: defineNumbersOrNull('signal minus fit; null without one'),
  association_start_s: Type.Number({ description: 'on the axis of `time_s`' }),
  dissociation_start_s: Type.Number({ description: 'on the axis of `time_s`; the end of association' }),
  rmax: defineOptionalNumber(
    'Rmax of this curve, in `signal_unit`: its own, or that of the surface where one was fitted for all; null without a kinetic fit',
  ),
  excluded: Type.Optional(
    Type.Boolean({ description: 'whether it was left out of the analysis of its replicate' }),
  ),
  injections: Type.Optional(
    Type.Array(
      Type.Object({
        start_s: Type.Number({ description: 'start of the injection, on the axis of `time_s`' }),
        end_s: Type.Number({ description: 'end of the injection, on the axis of `time_s`' }),
        concentration_m: Type.Number({ description: 'concentration of the antigen in it, in M' }),
      }),
      { description: 'injections of single-cycle kinetics in order of time; absent for one injection' },
    ),
  ),
});
export type Sensorgram = Static<typeof Sensorgram>;

/** Signal over temperature with its fit and first derivative. */
export const MeltCurve = Type.Object({
  kind: Type.Literal('melt', { description: 'signal over temperature of one well' }),
  replicate: ReplicateNumber,
  plate: Plate,
  well: Well,
  channel: Type.String({
    description:
      'channel, such as ratio (F350/F330) or a dye; unnamed: the file names none, and the values look like a ratio',
  }),
  temperature_c: defineNumbers('°C, ascending'),
  signal: defineNumbers('one for each temperature, in `signal_unit`'),
  fit: Nullable(Type.Array(Nullable(Type.Number())), {
    description: 'the model at each temperature; null outside the fitted range and without a fit',
  }),
  residual: Nullable(Type.Array(Nullable(Type.Number())), {
    description: 'signal minus fit; null where there is none',
  }),
  derivative_per_c: defineNumbers('first derivative of the signal, per °C'),
  scattering_temperature_c: Type.Optional(
    defineNumbersOrNull('°C at which scattering was read; null without it'),
  ),
  scattering: Type.Optional(defineNumbersOrNull('light scattering of the same well; null without it')),
  tm_c: defineNumbers('°C of every transition, ascending; empty without one'),
  tonset_c: defineOptionalNumber('°C at which 1 % is unfolded; null without one'),
  tagg_c: defineOptionalNumber(
    '°C at which aggregation begins, or the highest temperature that was read; null without scattering',
  ),
});
export type MeltCurve = Static<typeof MeltCurve>;

/** Loading of a tag sensor; `fit` is the initial-rate line within its window. */
export const CaptureCurve = Type.Object({
  kind: Type.Literal('capture', { description: 'loading of a tag sensor over time' }),
  replicate: ReplicateNumber,
  well: Well,
  time_s: defineNumbers('seconds since the start of the loading'),
  signal: defineNumbers('one for each time, in `signal_unit`, from 0 at the start'),
  fit: defineNumbersWithGaps('line of the initial rate; null outside its window'),
});
export type CaptureCurve = Static<typeof CaptureCurve>;

/** The standards of a plate, signal per s against ng/µL, with the four-parameter curve through them. */
export const StandardCurve = Type.Object({
  kind: Type.Literal('standard_curve', {
    description: 'standards of a plate, and the curve through them',
  }),
  replicate: NoReplicate,
  plate: PlateName,
  concentration_ng_per_ul: defineNumbers('concentration of each standard, in ng/µL'),
  response: defineNumbers('initial rate of each standard, in signal per s'),
  excluded: Type.Optional(
    Type.Array(Type.Boolean(), { description: 'whether each standard was left out of the curve' }),
  ),
  recovery_pct: defineNumbersWithGaps(
    'back-calculated concentration in percent of the known one; null where the curve gives none and for standards that were left out',
  ),
  fit_concentration_ng_per_ul: defineNumbers('points of the four-parameter curve, in ng/µL'),
  fit_response: defineNumbers('the curve at these points, in signal per s'),
  lloq_ng_per_ul: defineNumber(
    'lowest standard within the range of quantification, in ng/µL; null without one',
  ),
  uloq_ng_per_ul: defineNumber(
    'highest standard within the range of quantification, in ng/µL; null without one',
  ),
});
export type StandardCurve = Static<typeof StandardCurve>;

/** All wells of a plate; every list has the same order. */
export const PlateMap = Type.Object({
  kind: Type.Literal('plate', { description: 'all wells of a plate; every list has one entry for each' }),
  replicate: NoReplicate,
  plate: PlateName,
  well: Type.Array(Type.String(), { description: 'position of the well, such as A1' }),
  role: Type.Array(Type.String(), { description: 'sample, or the kind of control or blank' }),
  sample: Type.Array(Type.String(), { description: 'name of the sample in it' }),
  sample_replicate: Type.Array(Type.Integer(), { description: 'counted from 1 within the sample' }),
  signal: defineNumbersWithGaps('as read, in `signal_unit`; null where the detector overflowed'),
  normalized: defineNumbersWithGaps('1 is as bright as the reference; null without blank or reference'),
  saturated: Type.Array(Type.Boolean(), { description: 'whether the detector was saturated' }),
});
export type PlateMap = Static<typeof PlateMap>;

export const Curve = Type.Union([Sensorgram, MeltCurve, CaptureCurve, StandardCurve, PlateMap]);
export type Curve = Static<typeof Curve>;
