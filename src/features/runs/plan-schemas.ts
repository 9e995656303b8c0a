/** Plans of runs on the wire: what is asked, the plan, its problems, edits and files. */
import { ONE_LINE } from '#core/one-line.ts';
import { describe, Nullable, OneOf, strict, Type, type Static } from '#core/schema.ts';
import { layoutNames } from './layouts.ts';
import { PLAN_VERSION, plannedRoles, SEED_MAX } from './plan.ts';

const PLATES_MAX = 500;
const WELLS_PER_PLATE_MAX = 384;
const NAME_LENGTH_MAX = 300;

const defineName = (description: string, minLength = 1) =>
  Type.String({ minLength, maxLength: NAME_LENGTH_MAX, pattern: ONE_LINE, description });
const WellName = Type.String({
  pattern: '^[A-P](?:[1-9]|1[0-9]|2[0-4])$',
  description: 'such as B7',
});
const PlateName = Type.String({ minLength: 1, maxLength: 50, pattern: ONE_LINE, description: 'such as P1' });
const PlateSize = Type.Union([Type.Literal(96), Type.Literal(384)], { description: 'wells of a plate' });
const Layout = OneOf(layoutNames, {
  description: 'how wells are arranged; an assay has one or two, and the first is usual',
});
const defineMolar = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const defineSeed = (description: string) => Type.Integer({ minimum: 0, maximum: SEED_MAX, description });

const Controls = Type.Object(
  {
    positive: Nullable(defineName('name of the protein'), {
      description: 'positive control of each plate; null for none',
    }),
    negatives: Type.Array(defineName('name of a negative control'), {
      maxItems: 50,
      description: 'negative controls of each plate',
    }),
    standard: Nullable(
      Type.Object(
        {
          sample: defineName('name of the standard'),
          concentrations_m: Type.Array(defineMolar('in M; 0 is buffer'), {
            maxItems: 50,
            description: 'levels of the standard curve in M',
          }),
        },
        strict,
      ),
      { description: 'standard curve of each plate; null where the layout has none' },
    ),
  },
  strict,
);

const requestFields = {
  experiment_ids: Type.Array(
    Type.String({ minLength: 1, maxLength: 100, description: 'experiment id or code' }),
    { minItems: 1, maxItems: 50, description: 'ids or codes of the experiments of the run, of one assay' },
  ),
  size: describe(PlateSize, 'wells of each plate; sensors are dipped in columns of 8 or of 16'),
  capillaries: Type.Optional(
    Type.Union([Type.Literal(24), Type.Literal(48)], {
      description: 'channels of a melting instrument with capillaries; 48 when absent',
    }),
  ),
  concentrations_m: Type.Optional(
    Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'in M' }), {
      maxItems: 30,
      description:
        'concentrations of the analyte in M, without buffer, for binding experiments whose order has none, such as a screening',
    }),
  ),
  controls: describe(Controls, 'what the lab adds to each plate'),
};

export const AskedRun = Type.Object(
  {
    ...requestFields,
    layout: Type.Optional(describe(Layout, 'the first layout of the assay and method when absent')),
    seed: Type.Optional(defineSeed('the same seed gives the same plan; drawn when absent')),
  },
  strict,
);

export const RunRequest = Type.Object(
  {
    ...requestFields,
    layout: Type.Optional(describe(Layout, 'absent: the first layout of the assay and method')),
    seed: defineSeed('seed of the plan'),
  },
  strict,
);
export type RunRequestInput = Static<typeof RunRequest>;

const contentFields = {
  role: OneOf(plannedRoles, { description: 'what the well is for; a reference is a sensor without protein' }),
  sample: defineName('name in files; empty for a reference', 0),
  replicate: Type.Integer({ minimum: 1, maximum: 100_000, description: 'number of the replicate, from 1' }),
  concentration_m: Nullable(defineMolar('in M; 0 is buffer'), {
    description: 'concentration of the analyte or the standard in M; null where the assay has none',
  }),
  experiment_id: Nullable(Type.String({ maxLength: 100 }), {
    description: 'experiment of the sequence; null for what the lab adds',
  }),
  sequence_id: Nullable(Type.String({ maxLength: 100 }), {
    description: 'id of the sequence; null for what the lab adds',
  }),
};
const Content = Type.Object(contentFields, strict);
export type WellContent = Static<typeof Content>;

export const Plan = Type.Object(
  {
    version: Type.Literal(PLAN_VERSION, { description: 'version of the planner; part of every seed' }),
    seed: defineSeed('with the same request it gives the same plan'),
    layout: Layout,
    size: PlateSize,
    plates: Type.Array(
      Type.Object(
        {
          name: PlateName,
          wells: Type.Array(
            Type.Object(
              {
                well: WellName,
                order: Nullable(Type.Integer({ minimum: 1, maximum: WELLS_PER_PLATE_MAX }), {
                  description:
                    'number of the cycle or capillary, from 1; null where all are measured together',
                }),
                ...contentFields,
              },
              strict,
            ),
            { maxItems: WELLS_PER_PLATE_MAX, description: 'the filled wells; others are empty' },
          ),
        },
        strict,
      ),
      { maxItems: PLATES_MAX, description: 'plates of the run' },
    ),
  },
  strict,
);
export type PlanRecord = Static<typeof Plan>;

export const judgmentFields = {
  problems: Type.Array(
    Type.Object({
      code: Type.String({ description: 'name of the rule, such as replicate_missing' }),
      severity: OneOf(['error', 'warning'], { description: 'a run cannot start with an error' }),
      message: Type.String({ description: 'what is wrong and what to do' }),
      plate: Nullable(Type.String(), { description: 'name of the plate; null for the whole run' }),
      well: Nullable(Type.String(), { description: 'name of the well; null for a whole plate or run' }),
    }),
    { description: 'what is wrong, errors first; the first 200' },
  ),
  n_problems: Type.Integer({ description: 'how many problems there are' }),
  is_startable: Type.Boolean({ description: 'whether a run can start by this plan: it has no error' }),
};

export const fileKinds = [
  'plate_list',
  'plate_blocks',
  'loading_list',
  'quantstudio_setup',
  'tecan_worklist',
  'echo_pick_list',
  'hamilton_worklist',
  'opentrons_csv',
] as const;

const Address = Type.Object({ plate: PlateName, well: WellName }, strict);

export const Edit = Type.Union(
  [
    Type.Object(
      {
        kind: Type.Literal('move', { description: 'moves the content of a well to an empty one' }),
        from: describe(Address, 'a filled well'),
        to: describe(Address, 'an empty well'),
      },
      strict,
    ),
    Type.Object(
      {
        kind: Type.Literal('swap', { description: 'lets two filled wells change places' }),
        one: describe(Address, 'a filled well'),
        other: describe(Address, 'another filled well'),
      },
      strict,
    ),
    Type.Object(
      {
        kind: Type.Literal('exchange', { description: 'puts other content into a well, filled or empty' }),
        at: describe(Address, 'the well'),
        content: describe(Content, 'its new content'),
      },
      strict,
    ),
    Type.Object(
      {
        kind: Type.Literal('empty', { description: 'marks a well empty' }),
        at: describe(Address, 'a filled well'),
      },
      strict,
    ),
  ],
  { description: 'one change of wells; only its kind says which members it has' },
);
export type EditInput = Static<typeof Edit>;

const Source = Type.Object(
  {
    sample: defineName('name of a sample, control or standard of the plan'),
    concentration_m: Nullable(defineMolar('in M'), {
      description: 'in M; null: any concentration is made from it',
    }),
    plate: describe(PlateName, 'name of the source plate'),
    size: describe(PlateSize, 'wells of the source plate'),
    well: describe(WellName, 'well of the source plate'),
  },
  strict,
);

/** What a file of a plan needs beside the plan. */
export const FileFields = Type.Object(
  {
    plate: describe(PlateName, 'the plate of the file, such as P1'),
    kind: OneOf(fileKinds, { description: 'kind of the file; `plan_run` lists those of a plan' }),
    reporter: Type.Optional(defineName('dye of a QuantStudio setup')),
    sources: Type.Optional(
      Type.Array(Source, { maxItems: 2_000, description: 'where each sample stands, for a worklist' }),
    ),
    volume_ul: Type.Optional(
      Type.Number({ description: 'volume of each transfer in µL, up to 10 000, for a worklist' }),
    ),
    liquid_class: Type.Optional(defineName('liquid class, for a Tecan worklist')),
    plate_types: Type.Optional(
      Type.Object(
        { source: defineName('type of source plates'), destination: defineName('type of the planned plate') },
        { ...strict, description: 'types of the plates, for an Echo pick list' },
      ),
    ),
    deck: Type.Optional(
      Type.Object(
        {
          source_labware: defineName('API name of the labware of the sources'),
          source_slot: Type.Integer({ description: 'slot of the sources, 1 to 11' }),
          aspiration_height_mm: Type.Number({
            minimum: 0,
            maximum: 100,
            description: 'height above the bottom of a source well in mm',
          }),
          destination_labware: defineName('API name of the labware of the planned plate'),
          destination_slot: Type.Integer({ description: 'slot of the planned plate, 1 to 11' }),
        },
        { ...strict, description: 'places on the deck, for an Opentrons CSV' },
      ),
    ),
  },
  strict,
);
export type FileInput = Static<typeof FileFields>;

export const WrittenFile = Type.Object({
  file_name: Type.String({ description: 'such as P1-plate_list.csv' }),
  media_type: Type.String({ description: 'media type of the file' }),
  content: Type.String({ description: 'text of the file' }),
});

const id = '01980000-0000-7000-8000-0000000000e1';
const sequenceId = '01980000-0000-7000-8000-0000000000c1';
export const exampleRequest = {
  experiment_ids: ['DEMO-001-001'],
  size: 96 as const,
  controls: { positive: 'lysozyme', negatives: [], standard: null },
  seed: 7,
};
export const exampleWell = {
  well: 'A1',
  order: 1,
  role: 'sample' as const,
  sample: 'design-1',
  replicate: 1,
  concentration_m: null,
  experiment_id: id,
  sequence_id: sequenceId,
};
export const examplePlan = {
  version: PLAN_VERSION,
  seed: 7,
  layout: 'capillaries' as const,
  size: 96 as const,
  plates: [{ name: 'P1', wells: [exampleWell] }],
};
