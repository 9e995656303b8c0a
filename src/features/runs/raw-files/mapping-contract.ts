/** Operations with which staff say by hand what wells and samples of raw files are. */
import { KNOWN_LINE } from '#core/one-line.ts';
import { ExperimentParams, ExperimentCode, ExperimentId } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { mappedRoles } from '#core/raw-mapping.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, type Static } from '#core/schema.ts';

const NAME_MAX = 300;
export const ENTRIES_MAX = 5_000;

const defineName = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: NAME_MAX, pattern: KNOWN_LINE, description }));

const Role = OneOf(mappedRoles, {
  description: 'what it is; `left_out` is not analyzed, and only a sensor can be a `reference`',
});

/** One line of a mapping as staff give it. */
export const GivenEntry = Type.Object(
  {
    plate: defineName('name of the plate in the files; every plate when absent'),
    well: defineName('well or trace in the files, as the preview names it; takes precedence over `sample`'),
    sample: defineName('name of the sample in the files; either it or `well`'),
    role: Role,
    sequence: defineName('name of the ordered sequence; the name of the file stays when absent'),
    replicate: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'number of the replicate; that of the file when absent',
      }),
    ),
  },
  strict,
);
export type GivenEntry = Static<typeof GivenEntry>;

const Entry = Type.Object({
  plate: Nullable(Type.String(), { description: 'name of the plate in the files; null for every plate' }),
  well: Nullable(Type.String(), { description: 'well or trace in the files; null where a sample is named' }),
  sample: Nullable(Type.String(), {
    description: 'name of the sample in the files; null where a well is named',
  }),
  role: Role,
  sequence: Nullable(Type.String(), {
    description: 'name of the ordered sequence; null keeps the name of the file',
  }),
  replicate: Nullable(Type.Integer(), {
    description: 'number of the replicate; null keeps that of the file',
  }),
});

export const MappingVersion = Type.Object({
  version: Type.Integer({ description: '1 for the first mapping of the run' }),
  entries: Type.Array(Entry, { description: 'lines of the mapping; empty: the names in the files decide' }),
  reason: Nullable(Type.String(), {
    description: 'why the files are not right as they are; null without one',
  }),
  created_at: describe(Timestamp, 'UTC time when it was given'),
  created_by: Type.String({ description: 'e-mail address of the person' }),
});

export const GivenMapping = Type.Object(
  {
    entries: Type.Array(GivenEntry, { maxItems: ENTRIES_MAX, description: 'every line of the mapping' }),
    reason: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'why the files are not right as they are' }),
    ),
  },
  strict,
);

const identity = { experiment_id: ExperimentId, experiment_code: ExperimentCode };
const id = '01980000-0000-7000-8000-0000000000e1';
export const exampleVersion = {
  version: 1,
  entries: [
    { plate: null, well: 'A1', sample: null, role: 'sample' as const, sequence: 'design-1', replicate: null },
  ],
  reason: 'The labels of row A were swapped.',
  created_at: '2026-01-22T15:10:00.000Z',
  created_by: 'operator@example.org',
};
const example = { params: { experiment_id: 'DEMO-001-001' } };

export const mapRawFiles = defineOperation({
  id: 'map_raw_files',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/mapping',
  tag: 'lab-files',
  summary: 'Say by hand which sequence or role wells and samples of the raw files have',
  description:
    'The mapping takes precedence over the names and roles of the files, for the current run. It replaces the one before as a new version, and no entries take it back; earlier versions stay listed. The next analysis uses it: preview the files first.',
  effect: 'reversible',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyMode: 'required',
  bodyBytesMax: 2 * 1024 * 1024,
  bulk: ['entries'],
  body: GivenMapping,
  success: 201,
  output: Type.Object({ ...identity, mapping: describe(MappingVersion, 'the new version') }),
  failures: ['experiment_not_found', 'move_not_allowed', 'run_not_by_hand'],
  example: {
    ...example,
    body: { entries: [{ well: 'A1', role: 'sample', sequence: 'design-1' }], reason: exampleVersion.reason },
    output: { experiment_id: id, experiment_code: 'DEMO-001-001', mapping: exampleVersion },
  },
});

export const getRawFileMapping = defineOperation({
  id: 'get_raw_file_mapping',
  method: 'GET',
  path: '/lab/experiments/{experiment_id}/mapping',
  tag: 'lab-files',
  summary: 'Read what staff said by hand of the raw files of the current run, in every version',
  effect: 'read',
  permission: 'lab:read',
  params: ExperimentParams,
  output: Type.Object({
    ...identity,
    versions: Type.Array(MappingVersion, { description: 'newest first; the first counts' }),
  }),
  failures: ['experiment_not_found'],
  example: {
    ...example,
    output: { experiment_id: id, experiment_code: 'DEMO-001-001', versions: [exampleVersion] },
  },
});
