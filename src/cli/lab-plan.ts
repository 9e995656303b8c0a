/** `assayer lab plan`: the plates of a run over one or several experiments. */
import { toMolar } from '#core/number-words.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type { planRun, writeRunFile } from '#features/runs/contract.ts';
import { createApi, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { requireConnection } from './connection.ts';
import { printTable } from './lab-list.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, createUsageError, parseOptions } from './options.ts';
import type { Column } from './table.ts';
import { print, toPlainText } from './terminal.ts';

type Planned = Static<(typeof planRun)['output']>;
type Plate = NonNullable<Planned['plan']>['plates'][number];

const HELP = `Usage: assayer lab plan CODE... [--size 96|384] [--layout NAME] [--positive NAME] [--negative NAME]...
                       [--concentrations-nm LIST] [--seed N] [--out DIR] [--json]

Plans the plates of a run over experiments of one assay, by the rules of the planner. Nothing is stored; the same seed
gives the same plan. Exits with 1 when a run cannot start by it.

  --size N                  wells of a plate: 96, the default, or 384
  --layout NAME             how wells are arranged; the first of the assay by default
  --positive NAME           positive control of each plate
  --negative NAME           a negative control of each plate; may be repeated
  --concentrations-nm LIST  analyte in nM with commas, for experiments whose order has none, such as 100,33,11
  --seed N                  seed of the plan; drawn by default
  --out DIR                 writes the plate map of each plate as CSV into this folder
  --json                    the plan of the API, to edit it and to write its other files

${CONNECTION_HELP}

Examples:
  assayer lab plan DEMO-001-004 DEMO-002-001 --positive lysozyme --negative buffer-protein --seed 7
  assayer lab plan DEMO-001-004 --size 384 --out plates`;

const guide = { name: 'lab plan', help: HELP, operands: ['CODE'], isOpenEnded: true };

interface Given {
  readonly size?: string | undefined;
  readonly layout?: string | undefined;
  readonly positive?: string | undefined;
  readonly negative?: readonly string[] | undefined;
  readonly 'concentrations-nm'?: string | undefined;
  readonly seed?: string | undefined;
}

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...CONNECTION_OPTIONS,
    size: { type: 'string' },
    layout: { type: 'string' },
    positive: { type: 'string' },
    negative: { type: 'string', multiple: true },
    'concentrations-nm': { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const body = buildRequest(positionals, values);
  const api = createApi(requireConnection(values));
  const planned = await api.post<Planned>('/lab/run-plans', body);
  if (values.json === true) print(JSON.stringify(planned, null, 2));
  else printPlan(planned);
  if (values.out !== undefined && planned.plan !== null) await writePlateMaps(api, planned.plan, values.out);
  if (!planned.is_startable) throw new CommandError('A run cannot start by this plan.');
}

function buildRequest(codes: readonly string[], values: Given): Record<string, unknown> {
  const { layout, positive, negative, 'concentrations-nm': concentrations, seed } = values;
  return {
    experiment_ids: codes,
    size: parseNumber(values.size ?? '96', '--size'),
    controls: { positive: positive ?? null, negatives: negative ?? [], standard: null },
    ...(layout === undefined ? {} : { layout }),
    ...(seed === undefined ? {} : { seed: parseNumber(seed, '--seed') }),
    ...(concentrations === undefined
      ? {}
      : {
          concentrations_m: concentrations
            .split(',')
            .map((each) => toMolar(parseNumber(each.trim(), '--concentrations-nm'))),
        }),
  };
}

function parseNumber(text: string, option: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value))
    throw createUsageError(guide, `${option} must be a number; it is "${text}"`);
  return value;
}

const countRole = ({ wells }: Plate, isWanted: (role: string) => boolean): string =>
  String(wells.filter(({ role }) => isWanted(role)).length);

const columns: readonly Column<Plate>[] = [
  { title: 'PLATE', getCell: ({ name }) => name },
  { title: 'FILLED WELLS', align: 'right', getCell: ({ wells }) => String(wells.length) },
  { title: 'SAMPLES', align: 'right', getCell: (plate) => countRole(plate, (role) => role === 'sample') },
  {
    title: 'CONTROLS AND BLANKS',
    align: 'right',
    getCell: (plate) => countRole(plate, (role) => role !== 'sample'),
  },
];

function printPlan({ request, plan, problems, n_problems: count }: Planned): void {
  if (plan !== null) {
    const plates = formatCount(plan.plates.length, 'plate');
    print(`${plates} of ${plan.size} wells, ${plan.layout}, seed ${request.seed}`);
    printTable(columns, plan.plates);
  }
  for (const { severity, message } of problems) print(`${severity}: ${toPlainText(message)}`);
  if (problems.length < count) print(formatCount(count - problems.length, 'more problem'));
}

async function writePlateMaps(api: Api, plan: NonNullable<Planned['plan']>, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { name } of plan.plates) {
    const body = { plan, plate: name, kind: 'plate_list' };
    const file = await api.post<Static<(typeof writeRunFile)['output']>>('/lab/run-plans/files', body);
    const path = join(folder, `${basename(name)}.csv`);
    writeFileSync(path, file.content);
    print(path);
  }
}
