/** What stands behind the numbers of a result: how they were chosen and compared, for readers who look closer. */
import { Nullable, Type, type Static } from '#core/schema.ts';

const number = Type.Optional(Nullable(Type.Number()));
const text = Type.Optional(Nullable(Type.String()));
const open = { additionalProperties: true } as const;

const Candidate = Type.Object(
  {
    model: Type.String(),
    delta_bic: Type.Optional(
      Nullable(
        Type.Number({ description: 'BIC less that of 1:1; null where the model could not be fitted' }),
      ),
    ),
    parameters: Type.Optional(Type.Integer()),
    kd_m: number,
    r2: number,
    accepted: Type.Boolean(),
    reason: Type.Optional(Nullable(Type.String({ description: 'why it was not taken' }))),
  },
  open,
);

/** One replicate of an affinity measurement. */
const ReplicateModel = Type.Object(
  {
    replicate: Type.Integer(),
    plate: text,
    model: Type.String({ description: 'what was fitted' }),
    fit_kind: text,
    candidates: Type.Array(Candidate, { description: 'every model that was tried, with its evidence' }),
    sites: Type.Optional(Type.Array(Type.Unknown(), { description: 'of a heterogeneous ligand' })),
    single_cycle: Type.Optional(Type.Boolean()),
    reference_rule: Type.Optional(
      Type.String({ description: 'what was subtracted: none, blank, reference, double' }),
    ),
    rmax_rule: text,
    drift: Type.Optional(Type.Boolean({ description: 'a drift per curve was fitted' })),
    bulk_shift: Type.Optional(Type.Boolean({ description: 'a refractive-index step was fitted' })),
    association_s: number,
    dissociation_s: number,
    time_zero: Type.Optional(Type.Object({ start_s: Type.Number(), end_s: Type.Number() })),
    identifiability: Type.Optional(
      Type.Object({ correlation: number, condition_number: number, profile: text }),
    ),
    se_inflation: number,
  },
  open,
);

const Comparison = Type.Object(
  { control: Type.String({ description: 'its name' }), verdict: Type.String() },
  open,
);

export const ResultDetails = Type.Object(
  {
    kd_arithmetic_mean_m: Type.Optional(
      Nullable(Type.Number({ description: 'beside the geometric mean under `quantities.kd`' })),
    ),
    kd_geometric_cv: number,
    fit_kind: Type.Optional(Nullable(Type.String({ description: 'kinetic or steady_state' }))),
    models: Type.Optional(Type.Array(ReplicateModel)),
    r2: number,
    chi2: number,
    concentrations_m: Type.Optional(Type.Array(Type.Number())),
    comparisons: Type.Optional(Type.Array(Comparison, { description: 'with each positive control' })),
    response: number,
    response_sd: number,
    response_unit: text,
    threshold: number,
    z_score: number,
    loading_level: number,
    pct_theoretical_rmax: number,
  },
  open,
);
export type ResultDetails = Static<typeof ResultDetails>;
