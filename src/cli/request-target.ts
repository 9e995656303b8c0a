/** `assayer request-target`: asks the lab for a target that the catalog lacks. */
import type {
  CreateCustomTargetRequest,
  CustomTargetRequestItem,
} from '#features/targets/request-contract.ts';
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import { readChains } from '#features/targets/request-rules.ts';
import { createApi, type Api } from './api.ts';
import { requireConnection } from './connection.ts';
import { formatTime } from './words.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, createUsageError, parseOptions } from './options.ts';
import { readTextFile } from './files.ts';
import { layTable, type Column } from './table.ts';
import { getTableWidth, print, printNote } from './terminal.ts';

const guide = {
  name: 'request-target',
  operands: [],
  isOpenEnded: true,
  help: `Usage: assayer request-target NAME --product-id ID [options] [--json]
       assayer request-target --list [--json]

Asks the lab for a target that "assayer targets" does not list. The lab answers with a price and a lead time, or why not.
It needs a sequence or a structure.

  --product-id ID       product number of the vendor, or your own; each can be requested once
  --vendor NAME         vendor of the protein
  --product-url URL     page of the product
  --sequence TEXT       amino acids in single letters, chains separated by ":"
  --sequence-file FILE  the same from a file, or - for standard input; FASTA headers are left out
  --pdb-id ID           entry of the Protein Data Bank, such as 1IVO
  --pdb-file FILE       a structure file, PDB or mmCIF
  --weight-kda N        molecular weight in kDa
  --note TEXT           what the lab should know
  --list                your requests: state, time, and the answer of the lab
  --json                print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer request-target "EGFR extracellular domain" --product-id TARGET-0001 --pdb-id 1IVO
  assayer request-target --list`,
};

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  'product-id': { type: 'string' },
  vendor: { type: 'string' },
  'product-url': { type: 'string' },
  sequence: { type: 'string' },
  'sequence-file': { type: 'string' },
  'pdb-id': { type: 'string' },
  'pdb-file': { type: 'string' },
  'weight-kda': { type: 'string' },
  note: { type: 'string' },
  list: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Item = Static<typeof CustomTargetRequestItem>;

const columns: readonly Column<Item>[] = [
  { title: 'NAME', getCell: ({ name }) => name },
  { title: 'STATUS', getCell: ({ status }) => status.replaceAll('_', ' ') },
  { title: 'REQUESTED', rank: 1, getCell: ({ created_at: at }) => formatTime(at) },
  { title: 'ANSWERED', rank: 2, getCell: ({ answered_at: at }) => (at === null ? '' : formatTime(at)) },
  { title: 'ANSWER', rank: 3, getCell: formatAnswer },
  { title: 'PRODUCT', rank: 4, getCell: ({ product_id: product }) => product },
  { title: 'ID', rank: 5, getCell: ({ id }) => id },
];

/** What the lab wrote, after the days until the target is there: the reason of a rejection, the note of an approval. */
function formatAnswer({ lead_time_days: days, answer }: Item): string {
  const there =
    days === null ? [] : [days === 0 ? 'in the lab' : `in the lab after ${formatCount(days, 'day')}`];
  return [...there, ...(answer === null ? [] : [answer])].join('; ');
}

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, OPTIONS);
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const asJson = values.json === true;
  if (values.list === true) return listRequests(createApi(requireConnection(values)), asJson);
  const [name, surplus] = positionals;
  if (name === undefined) throw createUsageError(guide, 'NAME is missing');
  if (surplus !== undefined) throw createUsageError(guide, `"${surplus}" is one argument too many`);
  const body = await buildRequest(name, values);
  const created = await createApi(requireConnection(values)).post<{ id: string }>(
    '/targets/request-custom',
    body,
  );
  if (asJson) print(JSON.stringify(created, null, 2));
  else print(`Requested ${name}. The lab's answer will be in: assayer request-target --list`);
}

type Values = {
  readonly [Name in Exclude<keyof typeof OPTIONS, 'list' | 'json' | 'help'>]?: string | undefined;
};

async function buildRequest(name: string, values: Values): Promise<CreateCustomTargetRequest> {
  const {
    'product-id': productId,
    'weight-kda': weight,
    'sequence-file': file,
    'pdb-file': pdbFile,
  } = values;
  if (productId === undefined) throw createUsageError(guide, '--product-id is missing');
  if (values.sequence !== undefined && file !== undefined)
    throw createUsageError(guide, '--sequence and --sequence-file exclude each other');
  if (weight !== undefined && !(Number(weight) > 0))
    throw createUsageError(guide, '--weight-kda must be a positive number');
  const sequence = file === undefined ? values.sequence : readChains(await readTextFile(file));
  const pdb = pdbFile === undefined ? undefined : await readTextFile(pdbFile);
  return {
    name,
    product_id: productId,
    ...(values.vendor === undefined ? {} : { vendor: values.vendor }),
    ...(values['product-url'] === undefined ? {} : { product_url: values['product-url'] }),
    ...(sequence === undefined ? {} : { sequence }),
    ...(values['pdb-id'] === undefined ? {} : { pdb_id: values['pdb-id'] }),
    ...(pdb === undefined ? {} : { pdb_file: pdb }),
    ...(weight === undefined ? {} : { molecular_weight: Number(weight) }),
    ...(values.note === undefined ? {} : { note: values.note }),
  };
}

async function listRequests(api: Api, asJson: boolean): Promise<void> {
  const listed = await api.list<Item>('/targets/request-custom');
  if (asJson) return print(JSON.stringify(listed, null, 2));
  if (listed.items.length === 0) return printNote('You have requested no target.');
  print(layTable(columns, listed.items, { width: getTableWidth() }).lines.join('\n'));
}
