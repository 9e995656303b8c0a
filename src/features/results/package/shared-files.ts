/** Files of a run that serves several experiments: what a package holds of them, and the digests of the rest. */
import { compareTexts } from '#core/texts.ts';
import { writeCsvField } from '#core/csv.ts';
import type { PlanRecord } from '../../runs/plan-schemas.ts';
import { listRecords } from '#documents/records.ts';
import type { PackagedResult } from './packaged.ts';

export interface SharedFiles {
  /** The part of the experiment, by path in the package; none as long as some of its results are withheld. */
  readonly parts: readonly { readonly path: string; readonly sha256: string }[];
  /** By their digests. */
  readonly withheld: readonly {
    readonly sha256: string;
    readonly sizeBytes: number;
    readonly format: string;
  }[];
}

/** Collects the shared files of all results: of a release in parts, they may come from several analyses. */
export class SharedFileCollector {
  private readonly parts = new Map<string, string>();
  private readonly withheld = new Map<string, SharedFiles['withheld'][number]>();

  take({ analysis }: PackagedResult): void {
    for (const { name, sha256 } of listRecords(analysis.cut_files))
      this.parts.set(String(sha256), String(name));
    for (const { sha256, size_bytes: sizeBytes, format } of listRecords(analysis.withheld_files)) {
      const digest = String(sha256);
      this.withheld.set(digest, { sha256: digest, sizeBytes: Number(sizeBytes), format: String(format) });
    }
  }

  /** Returns null where every file is of the experiment alone. */
  build(isPartial: boolean): SharedFiles | null {
    if (this.withheld.size === 0) return null;
    const sorted = isPartial ? [] : [...this.parts].toSorted(([a], [b]) => compareTexts(a, b));
    const counts = new Map<string, number>();
    const parts = sorted.map(([sha256, name]) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return { path: `raw/${count === 1 ? name : name.replace(/\.csv$/, ` (${count}).csv`)}`, sha256 };
    });
    return {
      parts: parts.toSorted((a, b) => compareTexts(a.path, b.path)),
      withheld: [...this.withheld.values()].toSorted((a, b) => compareTexts(a.sha256, b.sha256)),
    };
  }
}

/** The planned wells of an experiment and of the controls of its plates; `names` are those of its sequences by id. */
export function writeWells(
  plans: readonly PlanRecord[],
  experimentId: string,
  names: ReadonlyMap<string, string>,
): string {
  const lines = ['plate,well,role,sample,replicate,concentration_m'];
  for (const { plates } of plans)
    for (const { name: plate, wells } of plates) {
      if (wells.every(({ experiment_id: id }) => id !== experimentId)) continue;
      for (const well of wells) {
        if (well.experiment_id !== null && well.experiment_id !== experimentId) continue;
        const sample = names.get(well.sequence_id ?? '') ?? well.sample;
        const molar = well.concentration_m === null ? '' : String(well.concentration_m);
        lines.push(
          [writeCsvField(plate), well.well, well.role, writeCsvField(sample), well.replicate, molar].join(
            ',',
          ),
        );
      }
    }
  return `${lines.join('\n')}\n`;
}
