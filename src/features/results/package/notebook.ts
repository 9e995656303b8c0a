/** The teaching notebook of a data package (nbformat 4.5): it reads the files beside it and explains them. */
import { findShownAssay } from '#assays/shown.ts';
import { writeCurvesLesson, writeDoubtLesson } from './sentences.ts';
import type { PackagedExperiment } from './packaged.ts';
import type { Columns } from './tables.ts';
import { formatColumn } from './scalars.ts';

interface Cell {
  readonly id: string;
  readonly cell_type: 'markdown' | 'code';
  readonly metadata: Readonly<Record<string, never>>;
  readonly source: readonly string[];
}

/** Needs Python 3.9 or newer with pandas and matplotlib, and no network. */
export function writeNotebook(experiment: PackagedExperiment, columns: Columns): string {
  const quantity = chooseMainQuantity(experiment.experimentType, columns);
  const lesson = findShownAssay(experiment.experimentType)?.lesson;
  const cells = [
    createMarkdownCell('title', writeIntroduction(experiment)),
    createCodeCell('load', LOAD),
    createMarkdownCell('ranking-text', RANKING_TEXT),
    createCodeCell('ranking', quantity === undefined ? OUTCOMES : writeRankingCode(quantity)),
    ...(findShownAssay(experiment.experimentType)?.isCall === true ? buildScreeningCells(columns) : []),
    createMarkdownCell('behind-text', BEHIND_TEXT),
    createCodeCell('behind', writeAnswersCode(columns)),
    ...(quantity === undefined
      ? []
      : [
          createMarkdownCell('spread-text', SPREAD_TEXT),
          createCodeCell('spread', writeSpreadCode(quantity)),
        ]),
    createMarkdownCell('curves-text', lesson === undefined ? CURVES_TEXT : writeCurvesLesson(lesson)),
    createCodeCell('curves', CURVES),
    createMarkdownCell('doubt-text', lesson === undefined ? DOUBT_TEXT : writeDoubtLesson(lesson)),
    createCodeCell('doubt', DOUBT),
    createMarkdownCell('check-text', CHECK_TEXT),
    createCodeCell('check', CHECK),
  ];
  const notebook = {
    cells,
    metadata: {
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

interface MainQuantity {
  readonly name: string;
  readonly column: string;
  readonly unit: string;
  readonly isLog: boolean;
}

const LOG_UNITS = new Set(['M', '1/s', '1/(M·s)']);

/** Returns the main quantity of the assay, or else the first one. */
function chooseMainQuantity(experimentType: string, { quantities }: Columns): MainQuantity | undefined {
  const preferred = findShownAssay(experimentType)?.notebookQuantities.find((name) => quantities.has(name));
  const name = preferred ?? [...quantities.keys()][0];
  const unit = name === undefined ? undefined : quantities.get(name);
  if (name === undefined || unit === undefined) return undefined;
  return { name, column: formatColumn(name, unit), unit, isLog: LOG_UNITS.has(unit) };
}

function createMarkdownCell(id: string, text: string): Cell {
  return { id, cell_type: 'markdown', metadata: {}, source: splitLines(text) };
}

function createCodeCell(id: string, text: string): Cell & { execution_count: null; outputs: [] } {
  return {
    id,
    cell_type: 'code',
    metadata: {},
    source: splitLines(text),
    execution_count: null,
    outputs: [],
  };
}

function splitLines(text: string): string[] {
  const lines = text.split('\n');
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line}\n`));
}

function writeIntroduction({ code: experimentCode, experimentType }: PackagedExperiment): string {
  return `# Reading the results of ${experimentCode}

This notebook reads the files beside it (assay: ${experimentType}). Run it from the unpacked folder with pandas and matplotlib installed. Every number it shows comes from \`results.csv\` or \`replicates.csv\`.`;
}

const LOAD = `import gzip, hashlib, json
from pathlib import Path
import matplotlib.pyplot as plt
import pandas as pd

folder = Path('.')
results = pd.read_csv(folder / 'results.csv')
replicates = pd.read_csv(folder / 'replicates.csv')
with gzip.open(folder / 'curves.csv.gz', 'rt', encoding='utf-8') as file:
    curves = pd.read_csv(file)
results.head()`;

const RANKING_TEXT = `## The ranking and its uncertainty

A point is an aggregate over replicates, its bar the 95 % interval. An open mark is a limit (\`<\` or \`>\`), not a value: the true value lies beyond it, and it must not enter a mean or a correlation as if it were measured. Sequences without the quantity are missing here on purpose: check \`outcome\` before you judge them.`;

const OUTCOMES = `results.groupby('outcome').size()`;

function writeRankingCode({ name, column, unit, isLog }: MainQuantity): string {
  return `shown = results[results['${column}'].notna()].sort_values('${column}').tail(60).reset_index(drop=True)
measured = shown['${name}_relation'] == '='
fig, ax = plt.subplots(figsize=(7, 0.22 * len(shown) + 1.2))
low = (shown['${column}'] - shown['${name}_ci95_low']).clip(lower=0).fillna(0)
high = (shown['${name}_ci95_high'] - shown['${column}']).clip(lower=0).fillna(0)
ax.errorbar(shown['${column}'], shown.index, xerr=[low, high], fmt='none', ecolor='0.6', zorder=1)
ax.scatter(shown['${column}'][measured], shown.index[measured], color='tab:blue', zorder=2, label='measured')
ax.scatter(shown['${column}'][~measured], shown.index[~measured], facecolors='none', edgecolors='tab:blue', zorder=2, label='limit or estimate')
ax.set_yticks(shown.index, shown['sequence_name'], fontsize=7)
ax.set_xlabel('${name} (${unit})')${isLog ? "\nax.set_xscale('log')" : ''}
ax.legend()
plt.show()`;
}

const BEHIND_TEXT = `## How the numbers were obtained

The last columns of \`results.csv\` say how each number was obtained: the model or method, how well it fits, limits, plate statistics. Their names contain the units; \`manifest.json\` explains each column.`;

function writeAnswersCode({ scalars }: Columns): string {
  const names = scalars.map(({ name }) => `'${name}'`).join(', ');
  return `behind = results[['sequence_name', 'outcome', ${names}]].dropna(axis='columns', how='all')
behind.head(30)`;
}

const RESPONSE_TEXT = `## Response and threshold

A screen asks whether the response exceeds that of the negative controls of the plate. A ratio of one is the threshold; the scale is logarithmic, so a response of zero or less is not drawn.`;

/** A screen has no measured KD to rank by, so it ranks by response over threshold. */
function buildScreeningCells({ scalars }: Columns): Cell[] {
  const findName = (key: string) => scalars.find(({ member }) => member === key)?.name ?? key;
  const [response, threshold] = [findName('response'), findName('threshold')];
  const source = `tested = results[results['${response}'] > 0].copy()
tested['ratio'] = tested['${response}'] / tested['${threshold}']
tested = tested.sort_values('ratio').tail(60).reset_index(drop=True)
fig, ax = plt.subplots(figsize=(7, 0.22 * len(tested) + 1.2))
for call, group in tested.groupby(tested['call'].astype(str)):
    ax.scatter(group['ratio'], group.index, s=16, label=call.replace('_', ' '))
ax.axvline(1, color='0.4', linestyle='--')
ax.set_yticks(tested.index, tested['sequence_name'], fontsize=7)
ax.set_xscale('log')
ax.set_xlabel('response / threshold of the plate')
ax.legend()
plt.show()`;
  return [createMarkdownCell('response-text', RESPONSE_TEXT), createCodeCell('response', source)];
}

const SPREAD_TEXT = `## How well do replicates agree?

Each replicate is its own measurement on its own well or sensor. If the spread between replicates is much larger than the interval of one of them, the interval of one tells you little: trust the spread. \`replicates.csv\` lists every replicate, with the reason if it was left out.`;

function writeSpreadCode({ name, column, unit, isLog }: MainQuantity): string {
  return `column = '${name}' if '${name}' in replicates else None
if column is None:
    print('the replicates of this assay have no ${name} of their own')
else:
    joined = replicates.merge(results[['result_id', '${column}']], on='result_id')
    joined = joined[joined[column].notna() & joined['${column}'].notna()]
    fig, ax = plt.subplots(figsize=(4.5, 4.5))
    ax.scatter(joined['${column}'], joined[column], s=12)${isLog ? "\n    ax.set_xscale('log'); ax.set_yscale('log')" : ''}
    ends = [joined['${column}'].min(), joined['${column}'].max()]
    ax.plot(ends, ends, color='0.7', zorder=0)
    ax.set_xlabel('aggregate ${name} (${unit})')
    ax.set_ylabel('replicate ${name} (${unit})')
    plt.show()`;
}

const CURVES_TEXT = `## The curves behind a number

Check the curve behind each number. Dots are the measurement, the line is the model, and the lower panel shows the residuals, which should look like noise without a pattern.`;

const CURVES = `best = results.sort_values('place', na_position='last').iloc[0]['sequence_name']
one = curves[curves['sequence_name'] == best]
x = [name for name in ('time_s', 'temperature_c', 'x') if name in one.columns and one[name].notna().any()][0]
fig, (top, bottom) = plt.subplots(2, 1, sharex=True, height_ratios=[3, 1], figsize=(7, 5))
keys = [name for name in ('replicate', 'channel', 'concentration_m') if name in one.columns]
for _, curve in one.groupby(keys, dropna=False):
    top.plot(curve[x], curve['signal'], '.', markersize=1.5)
    if curve['fit'].notna().any():
        top.plot(curve[x], curve['fit'], color='black', linewidth=0.8)
        bottom.plot(curve[x], curve['residual'], '.', markersize=1.5)
top.set_title(best)
bottom.set_xlabel(x)
plt.show()`;

const DOUBT_TEXT = `## When not to trust a number

Read the flags. A flagged value is not necessarily wrong, but the flag says what could be wrong with it; the guide of the service explains each flag.`;

const DOUBT = `flagged = results[results['qc_flags'].fillna('') != '']
flagged[['sequence_name', 'outcome', 'n_replicates_passed', 'n_replicates', 'n_replicates_ordered', 'qc_flags']]`;

const CHECK_TEXT = `## Is this copy complete?

The manifest states the SHA-256 of every file. A copy that fails this check was changed after it left the lab.`;

const CHECK = `manifest = json.loads((folder / 'manifest.json').read_text())
for file in manifest['files']:
    path = folder / file['path']
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest == file['sha256'], f"{file['path']} differs from the manifest"
print(len(manifest['files']), 'files are unchanged since they left the lab')`;
