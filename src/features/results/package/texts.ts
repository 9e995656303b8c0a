/**
 * The texts of a data package: sequences as FASTA, the readme that explains its files, and the manifest that lists
 * them.
 */
import type { PackagedExperiment, PackagedSequence } from './packaged.ts';
import type { SharedFiles } from './shared-files.ts';
import type { ColumnMeaning } from './tables.ts';

/** What a reader has to know about the measurements of a sandbox. */
export const SANDBOX_DATA =
  'Test data of a sandbox environment: measurements may be simulated and say nothing about real molecules.';

const RESIDUES_PER_LINE = 60;

/** Chains stay separated by ":", as submitted. */
export function writeFasta(sequences: readonly PackagedSequence[]): string {
  return sequences
    .map(({ name, aaString, isControl }) => {
      const lines = aaString.match(new RegExp(`.{1,${RESIDUES_PER_LINE}}`, 'g')) ?? [];
      return `>${name}${isControl ? ' control' : ''}\n${lines.join('\n')}\n`;
    })
    .join('');
}

/** Describes each file, for a reader who opens the archive for the first time. `shared` is null without shared files. */
export function writeReadme(
  { code, name, experimentType, releasedAt, isSandbox }: PackagedExperiment,
  shared: SharedFiles | null,
): string {
  return `# ${code}: ${name}

Assay: ${experimentType}. Released ${releasedAt.toISOString().slice(0, 10)}.
${isSandbox ? `\n${SANDBOX_DATA}\n` : ''}
| File | What it holds |
|---|---|
| \`report.pdf\` | the results to read and print: ranking, what has no value, curves with their fits, methods |
| \`results.csv\` | one row per sequence: outcome, quality, every aggregate quantity with relation and 95 % interval, and how it was obtained |
| \`replicates.csv\` | one row per replicate, without averages |
| \`evaluations.csv\` | the same numbers in long form: one row per quantity, the aggregate without a replicate |
| \`curves.parquet\`, \`curves.csv.gz\` | the points that were analyzed, the fitted model and the residuals; \`analyte_concentration_m\` of sensorgrams is the concentration around the sensor at each time, 0 in buffer |
| \`fits.json\` | every result with its quality flags, replicates and settings, as the API shows it |
| \`sequences.fasta\` | every sequence of the order, also one whose result is not released yet |
| \`targets.json\` | the exact construct of the target |
| \`methods.md\` | methods text for a supplement |
| \`plots/\` | the ranking, the plates, the rates and the overlaid melting curves as pictures, and one picture per sequence |
| \`notebook.ipynb\` | reads these files and explains the numbers |
${shared === null || shared.parts.length === 0 ? '' : RAW_ROWS}| \`manifest.json\` | size and SHA-256 of every file, and the meaning of each column of \`results.csv\` |

A quantity has a relation: \`=\` is measured, \`<\` and \`>\` are limits of what the assay resolves, \`~\` is an estimate.
Something that could not be measured is empty, never zero. The columns of \`results.csv\` name their units:
\`kd_m\` is in mol/L, \`kon_per_m_s\` in 1/(M s), \`koff_per_s\` in 1/s, \`tm_c\` in °C.
${shared === null ? '' : writeWithheld(shared)}`;
}

const RAW_ROWS = `| \`raw/\` | the measured curves and values behind the results, of this experiment and of the controls of its plates, in the text format of Assayer |
| \`raw/wells.csv\` | what the plan of the run put into each of these wells |
`;

const LATER = `
The measured curves and values of these wells (\`raw/\`) are in the package as soon as all results are released.
`;

/** The digests let the lab show later which files the results come from. */
function writeWithheld({ parts, withheld }: SharedFiles): string {
  const rows = withheld.map(
    ({ sha256, sizeBytes, format }) => `| \`${sha256}\` | ${sizeBytes} | ${format} |`,
  );
  return `
The instrument recorded these wells in files that also hold wells of other orders. The lab keeps those files and does not
hand them out; these are their digests:

| SHA-256 | Size in bytes | Format |
|---|---|---|
${rows.join('\n')}
${parts.length === 0 ? LATER : ''}`;
}

interface PackedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface ManifestInput {
  readonly experimentCode: string;
  readonly releasedAt: Date;
  readonly files: readonly PackedFile[];
  /** Columns of `results.csv`. */
  readonly columns: readonly ColumnMeaning[];
}

export function writeManifest({ experimentCode: code, releasedAt, files, columns }: ManifestInput): string {
  const manifest = {
    format: 'assayer-data-package',
    version: 1,
    experiment_code: code,
    released_at: releasedAt.toISOString(),
    files,
    columns: { 'results.csv': columns },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const FORBIDDEN = /[^A-Za-z0-9._-]+/g;
const NAME_MAX = 80;

/** Returns `plots/ranking.svg`, or `plots/ranking-1.svg` if one figure would not fit on a page. */
export function getOverviewPath(kind: string, page: number | null): string {
  return `plots/${kind}${page === null ? '' : `-${page}`}.svg`;
}

/** Makes a file name from a sequence name: safe on every file system, and unique by its ordinal. */
export function formatPlotPath(ordinal: number, sequenceName: string): string {
  const name = sequenceName
    .replaceAll(FORBIDDEN, '_')
    .replaceAll(/^[._]+/g, '')
    .slice(0, NAME_MAX);
  return `plots/${String(ordinal).padStart(4, '0')}_${name || 'sequence'}.svg`;
}
