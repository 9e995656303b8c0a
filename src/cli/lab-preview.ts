/** `assayer lab preview`: what raw files hold and how that fits the order, before anything is kept. */
import { UPLOAD_BYTES_MAX } from '#core/size.ts';
import { basename } from 'node:path';
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type { previewRawFiles } from '#features/runs/raw-files/preview-contract.ts';
import { connect, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { openFile } from './files.ts';
import { CONNECTION, type Parsed } from './options.ts';
import { formatThreeDigits } from './numbers.ts';
import { layTable, type Column } from './table.ts';
import { print, printNote, toPlainText } from './terminal.ts';

/** What the previews of an experiment and of a run have in common. */
type Preview = Pick<
  Static<(typeof previewRawFiles)['output']>,
  'files' | 'sets' | 'problems' | 'is_analyzable'
>;
type Well = Preview['sets'][number]['wells'][number];

export const guide = {
  name: 'lab preview',
  usage: ['CODE [FILE...] [--json]', '--run RUN [FILE...] [--json]'],
  about: `What raw files hold and how that fits the order: formats, wells, samples, steps, concentrations, gaps, and a sentence
for every problem. Nothing is kept. Without FILE it shows the files of the current run. Exits with 1 when the analysis
would stop.`,
  options: {
    'run RUN': 'a planned run, such as RUN-000012: the files are held against its plan',
    json: 'print the answer of the API as JSON',
    ...CONNECTION,
  },
  examples: ['lab preview DEMO-001-004 plate-1.csv', 'lab preview DEMO-001-004 --json | jq .problems'],
};

/** Several files travel as JSON, in base64. */
const TOGETHER_BYTES_MAX = 11 * 1024 * 1024;

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const { run: ofRun } = values;
  const [code = '', ...files] = ofRun === undefined ? positionals : ['', ...positionals];
  const opened: Opened[] = [];
  for (const file of files)
    opened.push({ name: basename(file), content: await openFile(file, UPLOAD_BYTES_MAX) });
  const preview = await ask(connect(values), getPath(code, ofRun), opened);
  if (values.json === true) print(JSON.stringify(preview, null, 2));
  else printPreview(preview);
  if (!preview.is_analyzable) throw new CommandError('The analysis would stop at these files.');
}

function getPath(code: string, ofRun: string | undefined): string {
  const of =
    ofRun === undefined ? `experiments/${encodeURIComponent(code)}` : `runs/${encodeURIComponent(ofRun)}`;
  return `/lab/${of}/preview`;
}

interface Opened {
  readonly name: string;
  readonly content: Blob;
}

async function ask(api: Api, path: string, files: readonly Opened[]): Promise<Preview> {
  const [first] = files;
  if (first === undefined) return api.post<Preview>(path);
  if (files.length === 1)
    return api.send<Preview>('PUT', `${path}/${encodeURIComponent(first.name)}`, first.content);
  if (files.reduce((sum, { content }) => sum + content.size, 0) > TOGETHER_BYTES_MAX)
    throw new CommandError('Together the files are larger than 11 MB: zip them, and preview the archive.', 2);
  const encode = async ({ name, content }: Opened) => {
    return { name, content_base64: Buffer.from(await content.arrayBuffer()).toString('base64') };
  };
  return api.post<Preview>(path, { files: await Promise.all(files.map(encode)) });
}

const columns: readonly Column<Well>[] = [
  { title: 'WELL', getCell: ({ id }) => id },
  { title: 'ROLE', getCell: ({ role }) => role.replaceAll('_', ' ') },
  { title: 'SAMPLE', getCell: ({ sample }) => sample },
  { title: 'REPLICATE', align: 'right', rank: 3, getCell: ({ replicate }) => String(replicate) },
  {
    title: 'CONCENTRATION',
    unit: '(nM)',
    align: 'right',
    rank: 2,
    getCell: ({ concentration_m: molar }) => (molar === null ? '' : formatThreeDigits(molar * 1e9)),
  },
  { title: 'SEQUENCE', getCell: ({ matched_sequence: name }) => name ?? '' },
  { title: 'BY HAND', rank: 5, getCell: ({ is_mapped: isMapped }) => (isMapped ? 'yes' : '') },
  { title: 'STEPS', rank: 4, getCell: ({ parts }) => parts.map(({ name }) => name).join(', ') },
];

function printPreview({ files, sets, problems }: Preview): void {
  for (const { name, formats, version, problem } of files)
    print(
      `${toPlainText(name)}, version ${version}: ${problem === null ? formats.join(', ') : 'cannot be read'}`,
    );
  for (const { plate, instrument, technique, wells, n_wells: count, notices } of sets) {
    const head = [plate, instrument, technique?.toUpperCase(), formatCount(count, 'well')];
    print(`\n${toPlainText(head.filter((part) => part !== null && part !== undefined).join(', '))}`);
    if (wells.length > 0) print(layTable(columns, wells).lines.join('\n'));
    if (wells.length < count) printNote(`Not shown: ${formatCount(count - wells.length, 'more well')}.`);
    for (const notice of notices) print(`note: ${toPlainText(notice)}`);
  }
  if (problems.length === 0) return print('\nNo problems.');
  print('');
  for (const { severity, message } of problems) print(`${severity}: ${toPlainText(message)}`);
}
