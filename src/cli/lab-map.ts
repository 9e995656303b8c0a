/** `assayer lab map`: says by hand which sequence or role wells of raw files have. */
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type { mapRawFiles } from '#features/runs/raw-files/mapping-contract.ts';
import type { mapRunRawFiles } from '#features/runs/file-contract.ts';
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  createUsageError,
  hasRunOption,
  parseOptions,
} from './options.ts';
import { readJsonFile } from './files.ts';
import { print } from './terminal.ts';

type Mapped = Partial<Static<(typeof mapRawFiles)['output']>> &
  Partial<Static<(typeof mapRunRawFiles)['output']>> &
  Pick<Static<(typeof mapRawFiles)['output']>, 'mapping'>;

const EXAMPLE = '[{"well": "A1", "role": "sample", "sequence": "design-1"}]';

const HELP = `Usage: assayer lab map CODE --entries FILE [--reason TEXT] [--json]
       assayer lab map --run RUN --entries FILE [--reason TEXT] [--json]

Says by hand which sequence or role wells and samples of the raw files have. It takes precedence over the files and
replaces the mapping before as a new version; an empty list takes it back. Preview the files afterwards.

  --entries FILE   JSON, such as ${EXAMPLE}; - reads standard input.
                   Each line names a "well" or a "sample", perhaps with its "plate", and a "role": sample, blank,
                   reference, positive_control, negative_control, standard or left_out
  --run RUN        a planned run, such as RUN-000012: a "sequence" is then a sample of its plan
  --reason TEXT    why the files are not right as they are; it is kept with the version
  --json           print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  echo '[{"well": "H12", "role": "left_out"}]' | assayer lab map DEMO-001-004 --entries -
  assayer lab preview DEMO-001-004`;

const guide = { name: 'lab map', help: HELP };

export async function run(args: readonly string[]): Promise<void> {
  const operands = hasRunOption(args) ? [] : ['CODE'];
  const parsed = parseOptions({ ...guide, operands }, args, {
    ...CONNECTION_OPTIONS,
    run: { type: 'string' },
    entries: { type: 'string' },
    reason: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [code = ''] = positionals;
  if (values.entries === undefined) throw createUsageError({ ...guide, operands }, '--entries is missing');
  const entries = await readJsonFile(values.entries, EXAMPLE);
  const body = { entries, ...(values.reason === undefined ? {} : { reason: values.reason }) };
  const of =
    values.run === undefined
      ? `experiments/${encodeURIComponent(code)}`
      : `runs/${encodeURIComponent(values.run)}`;
  const path = `/lab/${of}/mapping`;
  const mapped = await createApi(requireConnection(values)).post<Mapped>(path, body);
  if (values.json === true) return print(JSON.stringify(mapped, null, 2));
  const { version, entries: kept } = mapped.mapping;
  print(
    `${mapped.experiment_code ?? mapped.run_code}: mapping version ${version}, ${formatCount(kept.length, 'line')}`,
  );
}
