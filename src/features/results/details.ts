/** Details behind the numbers of a result: how they were chosen and compared. */
import { defineText } from '#core/fields.ts';
import { Type, type Static } from '#core/schema.ts';
import {
  AssociationS,
  Concentrations,
  DissociationS,
  defineNumber,
  Plate,
  R2Worst,
  ReplicateNumber,
  RmaxRule,
  screening,
} from './row-fields.ts';

const open = { additionalProperties: true } as const;

const Candidate = Type.Object(
  {
    model: Type.String({
      description: '1:1, 1:1_drift, 1:1_bulk_shift, mass_transport, heterogeneous_ligand or bivalent_analyte',
    }),
    delta_bic: defineNumber('BIC minus the BIC of the 1:1 model; null where the model could not be fitted'),
    parameters: Type.Optional(Type.Integer({ description: 'number of fitted parameters' })),
    kd_m: defineNumber('KD by this model, in M; null without one'),
    r2: defineNumber('coefficient of determination; null where it could not be fitted'),
    accepted: Type.Boolean({ description: 'whether this model was chosen' }),
    reason: defineText('why this model was not chosen; null for the chosen one'),
  },
  open,
);

/** One replicate of an affinity measurement. */
const ReplicateModel = Type.Object(
  {
    replicate: ReplicateNumber,
    plate: Plate,
    model: Type.String({ description: 'model that was fitted' }),
    fit_kind: defineText('kinetic, or steady_state where the value comes from plateaus'),
    candidates: Type.Array(Candidate, { description: 'every model that was tried, with its evidence' }),
    sites: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'kon, koff, kd_m and fraction of each site of a heterogeneous ligand, the larger first',
      }),
    ),
    single_cycle: Type.Optional(
      Type.Boolean({ description: 'whether all concentrations were injected over one surface' }),
    ),
    reference_rule: Type.Optional(
      Type.String({ description: 'what was subtracted: none, blank, reference, double' }),
    ),
    rmax_rule: RmaxRule,
    drift: Type.Optional(Type.Boolean({ description: 'a drift per curve was fitted' })),
    drift_per_s: Type.Optional(
      defineNumber('fitted drift of the largest size, in the signal unit per s; null where none was fitted'),
    ),
    drift_source: Type.Optional(
      Type.String({
        description:
          'where the drift is known from: reference, blank, reference_and_blank, baseline, fit (not held) or none',
      }),
    ),
    bulk_shift: Type.Optional(Type.Boolean({ description: 'a refractive-index step was fitted' })),
    association_s: AssociationS,
    dissociation_s: DissociationS,
    time_zero: Type.Optional(
      Type.Object(
        {
          start_s: Type.Number({ description: 'offset at the start of the injection' }),
          end_s: Type.Number({ description: 'offset at the end of the injection' }),
        },
        { description: 'offset of the time in the file, in s; 0 unless it was fitted' },
      ),
    ),
    identifiability: Type.Optional(
      Type.Object(
        {
          correlation: defineNumber(
            'correlation of kon and koff; near ±1 only a combination of them is known',
          ),
          condition_number: defineNumber(
            'condition number of the scaled normal matrix; above 10,000 the rates cannot be told apart',
          ),
          profile: defineText('closed, or open to the side on which a tenfold other KD fits as well'),
        },
        { description: 'identifiability of the two rates; its members are null without a kinetic fit' },
      ),
    ),
    se_inflation: defineNumber(
      'factor by which correlated noise widens the error of ln KD; null without a kinetic fit',
    ),
  },
  open,
);

const Comparison = Type.Object(
  {
    control: Type.String({ description: 'its name' }),
    verdict: Type.String({ description: 'better, comparable, worse or not_comparable' }),
  },
  open,
);

export const ResultDetails = Type.Object(
  {
    kd_arithmetic_mean_m: defineNumber(
      'arithmetic mean of KD in M, beside the geometric mean under `quantities.kd`; null where KD is a limit',
    ),
    kd_geometric_cv: defineNumber('geometric coefficient of variation of KD over replicates; null below two'),
    fit_kind: defineText('kinetic or steady_state'),
    models: Type.Optional(
      Type.Array(ReplicateModel, { description: 'how the fit of each replicate was chosen and made' }),
    ),
    r2: R2Worst,
    chi2: defineNumber(
      'residual sum of squares per degree of freedom, in the square of the signal unit; worst of the fits',
    ),
    concentrations_m: Type.Optional(Concentrations),
    comparisons: Type.Optional(
      Type.Array(Comparison, { description: 'one entry for each positive control' }),
    ),
    ...screening,
  },
  open,
);
export type ResultDetails = Static<typeof ResultDetails>;
