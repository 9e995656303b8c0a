/** What a result says of files that the lab does not hand out, because they hold wells of several experiments. */
import type { AnalyzedFile, WithheldFile } from './raw-file-store.ts';
import type { WireResult } from '#assays/result-record.ts';

interface SharedFiles {
  /** What the experiment got of them; part of its data package. */
  readonly cut_files: readonly { readonly name: string; readonly sha256: string }[];
  readonly withheld_files: readonly WithheldFile[];
}

/** Returns null where every file is of the experiment alone. */
export function describeSharedFiles(files: readonly AnalyzedFile[]): SharedFiles | null {
  const cut = files.filter(({ cut_from: cutFrom }) => cutFrom !== null);
  if (cut.length === 0) return null;
  const withheld = new Map(
    cut.flatMap(({ cut_from: cutFrom }) => (cutFrom?.sources ?? []).map((file) => [file.sha256, file])),
  );
  return {
    cut_files: cut.map(({ name, sha256 }) => ({ name, sha256 })),
    withheld_files: [...withheld.values()].toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)),
  };
}

export function withSharedFiles(shared: SharedFiles | null, result: WireResult): WireResult {
  const { analysis } = result.record;
  if (shared === null || typeof analysis !== 'object' || analysis === null) return result;
  return { ...result, record: { ...result.record, analysis: { ...analysis, ...shared } } };
}

/** A result says that people overruled the files; it counts the curves of its own files alone. */
export function describeSharedMapping(files: readonly AnalyzedFile[]): string[] {
  const counts = new Map(
    files.flatMap(({ run_id: id, cut_from: cutFrom }) =>
      cutFrom === null ? [] : [[id, cutFrom.n_mapped] as const],
    ),
  );
  const mapped = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (mapped === 0) return [];
  const curves = mapped === 1 ? '1 curve or reading' : `${mapped} curves or readings`;
  return [`The lab stated by hand what ${curves} of the raw files are.`];
}
