/** Operations that show what raw files hold, and keep nothing. */
import { ExperimentParams, ExperimentCode, ExperimentId } from '#core/fields.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { mappedRoles } from '#core/raw-mapping.ts';
import { Nullable, OneOf, strict, Type } from '#core/schema.ts';
import { ENTRIES_MAX, GivenEntry } from './mapping-contract.ts';
import { FileName } from './run-contract.ts';
import { UPLOAD_BYTES_MAX } from '#core/size.ts';

const Part = Type.Object({
  name: Type.String({ description: 'name of the step, such as association, or of the channel' }),
  from: Nullable(Type.Number(), {
    description: 'first point on the axis of the set; null for single values',
  }),
  to: Nullable(Type.Number(), { description: 'last point on the axis of the set; null for single values' }),
  n_points: Type.Integer({ description: 'points of the curve; 0 for a reading that overflowed' }),
  interval: Nullable(Type.Number(), { description: 'median distance of its points; null below two points' }),
  gap: Nullable(Type.Number(), {
    description: 'largest distance of its points where it is a gap: above five intervals; null otherwise',
  }),
  concentration_m: Nullable(Type.Number(), {
    description: 'analyte of the step in M, where it has its own; null otherwise',
  }),
});

const Well = Type.Object({
  id: Type.String({ description: 'name of the trace or well, by which a mapping names it' }),
  well: Nullable(Type.String(), { description: 'well in the file; null where the file states none' }),
  role: OneOf([...mappedRoles, 'empty'], { description: 'what it is, after the mapping by hand' }),
  sample: Type.String({ description: 'name of the sample, after the mapping by hand' }),
  replicate: Type.Integer({ description: 'number of the replicate, from 1' }),
  concentration_m: Nullable(Type.Number(), { description: 'in M; null where the file states none' }),
  concentration_ng_per_ul: Nullable(Type.Number(), {
    description: 'mass concentration of a standard or sample, in ng/µL; null where the file states none',
  }),
  matched_sequence: Nullable(Type.String(), {
    description: 'the ordered sequence of that name; null where nobody ordered it',
  }),
  is_mapped: Type.Boolean({ description: 'whether the mapping by hand names it' }),
  parts: Type.Array(Part, { description: 'steps of a trace, or channels of a well' }),
});

export const PreviewedSet = Type.Object({
  format: Type.String({ description: 'id of the format that was recognized' }),
  kind: OneOf(['traces', 'melts', 'values', 'map'], {
    description: 'sensors, melting curves, values of a plate reader, or a plate map without data',
  }),
  technique: Nullable(Type.String(), { description: 'bli or spr as the file states it; null otherwise' }),
  instrument: Nullable(Type.String(), { description: 'as the file names it; null where it does not' }),
  plate: Nullable(Type.String(), { description: 'as the file names it; null where it does not' }),
  signal_unit: Nullable(Type.String(), { description: 'as the file states it; null where it does not' }),
  axis_unit: Nullable(OneOf(['s', '°C']), {
    description: 'unit of `from`, `to`, `interval` and `gap`; null for single values',
  }),
  notices: Type.Array(Type.String(), { description: 'how the file was read, in sentences' }),
  n_wells: Type.Integer({ description: 'traces or wells of the set' }),
  wells: Type.Array(Well, { description: 'the first of them; all sets together show at most 2,000' }),
});

export const PreviewProblem = Type.Object({
  code: Type.String({ description: 'name of the rule, such as sample_not_ordered' }),
  severity: OneOf(['error', 'warning', 'info'], {
    description:
      'the analysis would stop, a person has to look, or the order decides where the files are silent',
  }),
  message: Type.String({ description: 'what is wrong and what to do' }),
  setting: Type.Optional(
    Type.String({
      description: 'setting of the analysis that the files leave to people, such as association_s',
    }),
  ),
});

const Measured = Type.Object(
  {
    n_replicates_ordered: Type.Integer({ description: 'ordered replicates of all sequences' }),
    n_replicates: Type.Integer({ description: 'of them in the files' }),
    n_curves_planned: Nullable(Type.Integer(), {
      description: 'curves with analyte that were planned, or ordered; null where neither says',
    }),
    n_curves: Nullable(Type.Integer(), { description: 'of them in the files; null without an analyte' }),
  },
  { description: 'how much of the order the files hold' },
);

export const PreviewedFile = Type.Object({
  name: Type.String({ description: 'without folders' }),
  sha256: Type.String({ description: 'digest of its bytes, 64 hexadecimal digits' }),
  size_bytes: Type.Integer({ description: 'length of the file' }),
  formats: Type.Array(Type.String(), { description: 'titles of its formats; none when it cannot be read' }),
  version: Type.Integer({
    description: 'version that it is in the run, or that it would become: 1 for a new name',
  }),
  problem: Nullable(Type.String(), { description: 'why it cannot be read; null when it can' }),
});

const Output = Type.Object({
  experiment_id: ExperimentId,
  experiment_code: ExperimentCode,
  is_kept: Type.Boolean({ description: 'true for the files of the current run, false for files given here' }),
  files: Type.Array(PreviewedFile, { description: 'the files in the order given' }),
  sets: Type.Array(PreviewedSet, { description: 'plates or measurements in the files' }),
  samples_not_ordered: Type.Array(Type.String(), { description: 'names of samples that nobody ordered' }),
  sequences_missing: Type.Array(Type.String(), {
    description: 'ordered sequences without data in the files',
  }),
  measured: Measured,
  problems: Type.Array(PreviewProblem, {
    description: 'what a person should see, in the order of the rules',
  }),
  is_analyzable: Type.Boolean({ description: 'whether no problem is an error' }),
});

export const AskedPreview = Type.Object(
  {
    files: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: FileName,
            content_base64: Type.String({ description: 'the bytes of the file, RFC 4648 with padding' }),
          },
          strict,
        ),
        {
          minItems: 1,
          maxItems: 200,
          description: 'files that belong to one run; those of the run when absent',
        },
      ),
    ),
    entries: Type.Optional(
      Type.Array(GivenEntry, {
        maxItems: ENTRIES_MAX,
        description: 'a mapping to try, in place of that of the run; as in `map_raw_files`',
      }),
    ),
  },
  strict,
);

const id = '01980000-0000-7000-8000-0000000000e1';
const file = { name: 'plate-1.csv', size_bytes: 48_211, version: 1, problem: null };
const output = {
  experiment_id: id,
  experiment_code: 'DEMO-001-001',
  is_kept: false,
  files: [
    {
      ...file,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      formats: ['Our own traces'],
    },
  ],
  sets: [
    {
      format: 'assayer-traces',
      kind: 'traces' as const,
      technique: 'bli',
      instrument: 'Octet R8',
      plate: 'P1',
      signal_unit: 'nm',
      axis_unit: 's' as const,
      notices: [],
      n_wells: 1,
      wells: [
        {
          id: 'A1',
          well: 'A1',
          role: 'sample' as const,
          sample: 'design-1',
          replicate: 1,
          concentration_m: 1e-7,
          concentration_ng_per_ul: null,
          matched_sequence: 'design-1',
          is_mapped: false,
          parts: [
            {
              name: 'association',
              from: 60,
              to: 360,
              n_points: 301,
              interval: 1,
              gap: null,
              concentration_m: null,
            },
          ],
        },
      ],
    },
  ],
  samples_not_ordered: [],
  measured: { n_replicates_ordered: 9, n_replicates: 6, n_curves_planned: 36, n_curves: 24 },
  sequences_missing: ['design-2'],
  problems: [
    {
      code: 'sequence_missing',
      severity: 'warning' as const,
      message:
        'The files have no data for design-2, which the order has: bring their files, or map wells to them.',
    },
  ],
  is_analyzable: true,
};

export const WHAT_A_PREVIEW_SHOWS =
  'Formats, wells, samples, steps, concentrations and gaps by the parsers of the analysis, the match with the order, and a sentence for every problem. Nothing is kept. A file that cannot be read is a problem of the answer, not a failure of the request.';

export const previewRawFile = defineOperation({
  id: 'preview_raw_file',
  method: 'PUT',
  path: '/lab/experiments/{experiment_id}/preview/{name}',
  tag: 'lab-files',
  summary: 'See what one raw file, or a zip archive of several, holds before it is added',
  description: `${WHAT_A_PREVIEW_SHOWS} The mapping of the current run is applied.`,
  effect: 'read',
  permission: 'lab:run',
  isTool: false,
  params: Type.Object({ ...ExperimentParams.properties, name: FileName }),
  upload: { bytesMax: UPLOAD_BYTES_MAX, description: 'the file, whatever its media type' },
  output: Output,
  failures: ['experiment_not_found'],
  example: { params: { experiment_id: 'DEMO-001-001', name: file.name }, output },
});

export const previewRawFiles = defineOperation({
  id: 'preview_raw_files',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/preview',
  tag: 'lab-files',
  summary: 'See what raw files hold, those given here or those of the current run',
  description: `${WHAT_A_PREVIEW_SHOWS} Without \`files\` it shows the files of the current run; with \`entries\` it shows what a mapping would change.`,
  effect: 'read',
  permission: 'lab:run',
  params: ExperimentParams,
  bodyMode: 'optional',
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['entries'],
  body: AskedPreview,
  output: Output,
  failures: ['experiment_not_found', 'run_without_files'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { files: [{ name: file.name, content_base64: 'IyBhc3NheWVyLXRyYWNlczogMQo=' }] },
    output,
  },
});
