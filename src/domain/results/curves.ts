/** The points behind a result: `kind` says what they are. */
import { Nullable, Type, type Static } from '#core/schema.ts';

const numbers = Type.Array(Type.Number());
const gaps = Type.Array(Nullable(Type.Number()));
const optionalText = Type.Optional(Nullable(Type.String()));
const optionalNumber = Type.Optional(Nullable(Type.Number()));

/** One fitted sensorgram: the points the fit saw, the model through them, and what is left. */
export const Sensorgram = Type.Object({
  kind: Type.Literal('sensorgram'),
  replicate: Type.Integer(),
  concentration_m: Nullable(Type.Number()),
  time_s: numbers,
  signal: numbers,
  fit: Nullable(numbers),
  residual: Nullable(numbers),
  association_start_s: Type.Number(),
  dissociation_start_s: Type.Number(),
});
export type Sensorgram = Static<typeof Sensorgram>;

/** Signal over temperature with its fit and first derivative. */
export const MeltCurve = Type.Object({
  kind: Type.Literal('melt'),
  replicate: Type.Integer(),
  plate: optionalText,
  well: optionalText,
  channel: Type.String(),
  temperature_c: numbers,
  signal: numbers,
  fit: Nullable(gaps),
  residual: Nullable(gaps),
  derivative_per_c: numbers,
  scattering_temperature_c: Type.Optional(Nullable(numbers)),
  scattering: Type.Optional(Nullable(numbers)),
  tm_c: numbers,
  tonset_c: optionalNumber,
  tagg_c: optionalNumber,
});
export type MeltCurve = Static<typeof MeltCurve>;

/** Loading of a tag sensor; `fit` is the line of the initial rate within its window. */
export const CaptureCurve = Type.Object({
  kind: Type.Literal('capture'),
  replicate: Type.Integer(),
  well: optionalText,
  time_s: numbers,
  signal: numbers,
  fit: gaps,
});
export type CaptureCurve = Static<typeof CaptureCurve>;

/** The standards of a plate, in signal per s over ng/µL, with the four-parameter curve through them. */
export const StandardCurve = Type.Object({
  kind: Type.Literal('standard_curve'),
  replicate: Type.Null(),
  plate: Type.String(),
  concentration_ng_per_ul: numbers,
  response: numbers,
  recovery_pct: gaps,
  fit_concentration_ng_per_ul: numbers,
  fit_response: numbers,
  lloq_ng_per_ul: Nullable(Type.Number()),
  uloq_ng_per_ul: Nullable(Type.Number()),
});
export type StandardCurve = Static<typeof StandardCurve>;

/** All wells of a plate in one order. */
export const PlateMap = Type.Object({
  kind: Type.Literal('plate'),
  replicate: Type.Null(),
  plate: Type.String(),
  well: Type.Array(Type.String()),
  role: Type.Array(Type.String()),
  sample: Type.Array(Type.String()),
  sample_replicate: Type.Array(Type.Integer()),
  signal: gaps,
  normalized: gaps,
  saturated: Type.Array(Type.Boolean()),
});
export type PlateMap = Static<typeof PlateMap>;

export const Curve = Type.Union([Sensorgram, MeltCurve, CaptureCurve, StandardCurve, PlateMap]);
export type Curve = Static<typeof Curve>;
