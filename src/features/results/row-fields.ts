/** Fields that the summary rows of several assays share, and the parts of every row. */
import { defineText } from '#core/fields.ts';
import { Nullable, OneOf, Type, type TSchema, type Static } from '#core/schema.ts';
import { GRADES } from './assessment.ts';
import { outcomes } from './outcomes.ts';
import { RELATIONS } from '#core/relations.ts';

export const OutcomeField = OneOf(outcomes, {
  description: 'read it first: whether there is a value, and if not, why',
});
export const Assessment = Type.Object(
  {
    grade: OneOf(GRADES, {
      description: 'how far to rely on it: solid, with_reservations or indicative',
    }),
    reasons: Type.Array(Type.String(), {
      description: 'sentences on what speaks against it; empty for solid',
    }),
  },
  { description: 'the grade of the result, decided by one table; see the guide on results' },
);
export const ResultStatus = OneOf(['preliminary', 'final', 'amended', 'withdrawn'], {
  description: 'final as first released, amended by another analysis of the same files',
});

function defineOptional<T extends TSchema>(schema: T, description: string) {
  return Type.Optional(Nullable(schema, { description }));
}

export const defineNumber = (description: string) => defineOptional(Type.Number(), description);
export const defineFlag = (description: string) => defineOptional(Type.Boolean(), description);
export const defineInterval = (description: string) => defineOptional(KineticInterval, description);
export const defineQuantity = (description: string) => defineOptional(Quantity, description);

/** The relation of the number in the field `name`. */
export const defineRelation = (name: string) =>
  defineText(`=, < or > (a limit) or ~ (an estimate) of \`${name}\`; null without it`);

export const Place = defineOptional(
  Type.Integer(),
  'rank among the samples, 1 is best; null for what is not ranked',
);
export const verdicts = ['better', 'comparable', 'worse', 'not_comparable'] as const;
export const Performance = Type.Record(Type.String(), Nullable(OneOf(['better', 'worse'])), {
  description: 'by name of each positive control of the run: better, worse, or null for neither',
});
export const Comparison = Type.Optional(
  Type.Record(Type.String(), OneOf(verdicts), {
    description: '`performance` in detail: better, comparable, worse or not_comparable',
  }),
);
export const PositiveControl = Type.Boolean({
  description: 'whether it is a control: a known protein that the others are compared with',
});
export const Flags = Type.Array(Type.String(), {
  description: 'codes of its flags; the page `/docs/flags` explains each, at `#CODE`',
});
export const ReplicateNumber = Type.Integer({ description: 'counted from 1 within the sequence' });
export const Plate = defineText('plate of the measurement, as the file names it');
export const Well = defineText('its well, such as A1; of several sensors the first');
/** Numbers of measurements, in the record and in its rows. */
export const replicateCounts = {
  n_replicates_ordered: Type.Optional(
    Type.Integer({ description: 'number of replicates that were ordered of the sequence' }),
  ),
  n_replicates: Type.Optional(Type.Integer({ description: 'number of measurements of the sequence' })),
  n_replicates_passed: Type.Optional(
    Type.Integer({ description: 'number of replicates that support the outcome' }),
  ),
};
/** A measurement, or one curve of it, that people left out of a result. */
export const ExcludedReplicate = Type.Object({
  replicate: ReplicateNumber,
  plate: Type.String({ description: 'plate of the measurement, as the files name it' }),
  well: Nullable(Type.String(), { description: 'its well, such as A1; null where the file names none' }),
  concentration_m: Type.Optional(
    Nullable(Type.Number(), {
      description: 'in M, where only the curve of this concentration was left out; null for all of it',
    }),
  ),
  reason: Type.String({ description: 'why the lab left it out' }),
});
export const ReplicateOutcome = defineText(
  'measured, non_binder, inconclusive, not_expressed, failed_qc or not_tested',
);
export const R2 = defineNumber('coefficient of determination of the fit; null without one');
export const NoTransitionReason = defineText(
  'code of why there is no Tm, as in the guide on results; null with one',
);
export const ReferenceRule = defineText(
  'what was subtracted: none, blank, reference or double; null without curves',
);
export const RmaxRule = defineText(
  'local: an Rmax for each sensor; pooled: so, held to a common one; global: one for the surface; null without a fit',
);
export const AssociationS = defineNumber('length of the fitted association phase, in s');
export const DissociationS = defineNumber('length of the fitted dissociation phase, in s');
export const Concentrations = Type.Array(Type.Number(), {
  description: 'concentrations of the antigen, in M, ascending',
});
export const R2Worst = defineNumber('lowest coefficient of determination among the fits; null without one');

/** Fields of a screening, in the row and in the details of its result. */
export const screening = {
  response: defineNumber(
    'response of a screening at the highest concentration, in `response_unit`; mean of the replicates',
  ),
  response_sd: defineNumber('standard deviation over replicates, in `response_unit`; null below two'),
  response_unit: defineText('nm, RU or the like; `per loading` where it was divided by the loading'),
  threshold: defineNumber(
    'threshold above which a response is binding, in `response_unit`; mean of the replicates',
  ),
  z_score: defineNumber('robust standard deviations above the median of the negative controls'),
  loading_level: defineNumber('loading of the protein on the sensors, in the unit of the signal'),
  pct_theoretical_rmax: defineNumber(
    'response in percent of the theoretical maximum of the surface; null where the masses are unknown',
  ),
};

export const KineticInterval = Type.Object({
  value: Type.Number({ description: 'in the unit of the field that holds it' }),
  ci_low: Type.Optional(
    Nullable(Type.Number(), {
      description: 'lower end of the 95 % interval; null where it is open or unknown',
    }),
  ),
  ci_high: Type.Optional(
    Nullable(Type.Number(), {
      description: 'upper end of the 95 % interval; null where it is open or unknown',
    }),
  ),
});

/**
 * A measured number with its interval and replicates; `relation` is `=`, or `<`, `>` for a limit, `~` for an
 * estimate.
 */
export const Quantity = Type.Object({
  value: Nullable(Type.Number(), { description: 'in `unit`; null where there is none, never 0 for that' }),
  unit: Type.String({ description: 'unit of value and interval, such as M, 1/s or °C; empty for a ratio' }),
  relation: OneOf(RELATIONS, {
    description: '= measured, < or > a limit of the assay, ~ an estimate not to be compared',
  }),
  ci95_low: Nullable(Type.Number(), {
    description: 'lower end of the 95 % interval; null for a limit and where it is open or unknown',
  }),
  ci95_high: Nullable(Type.Number(), {
    description: 'upper end of the 95 % interval; null for a limit and where it is open or unknown',
  }),
  log10_sd: Nullable(Type.Number(), {
    description: 'standard deviation (n − 1) of log10 over replicates; null below two',
  }),
  n: Type.Integer({ description: 'replicates behind the value' }),
});
export type Quantity = Static<typeof Quantity>;
