/** Replicates, or single curves of them, that people leave out: the analysis treats them as if they had not been measured. */
import { isSameConcentration } from '#core/concentration.ts';
import { formatConcentration } from '#core/number-words.ts';
import { AnalysisError } from '../failures/errors.ts';
import { formatNames } from './settings.ts';

export interface ExcludedReplicate {
  sample: string;
  /** As the results name it. */
  plate: string;
  /** 1-based, within the sample. */
  replicate: number;
  /** Null for a measurement by several sensors, or where the plate has only one well of this replicate. */
  well: string | null;
  /** Leaves out only the curves of this concentration, in M; null for the whole replicate. */
  concentrationM: number | null;
}

type Measured = Pick<ExcludedReplicate, 'sample' | 'replicate'> & { readonly well?: string | null };

/** The exclusions of a run; it remembers which of them matched, so that a wrong one does not go unnoticed. */
export class Exclusions {
  private readonly matched = new Set<ExcludedReplicate>();
  private readonly exclusions: readonly ExcludedReplicate[];

  constructor(exclusions: readonly ExcludedReplicate[] = []) {
    this.exclusions = exclusions;
  }

  /** Returns what is left of the wells or replicates of a plate. A measurement without `well` matches any well. */
  leaveOut<Each extends Measured>(plate: string, measured: readonly Each[]): Each[] {
    if (this.exclusions.length === 0) return [...measured];
    return measured.filter((each) => {
      const matches = this.exclusions.filter((one) => isSame(one, plate, each));
      const whole = matches.filter(({ concentrationM }) => concentrationM === null);
      // Of a replicate that is left out nobody looks for single curves any more.
      for (const match of whole.length > 0 ? matches : []) this.matched.add(match);
      return whole.length === 0;
    });
  }

  /** Returns those of the curves of a replicate that are left out. */
  selectCurves<Curve extends { readonly concentrationM: number }>(
    plate: string,
    replicate: Measured,
    curves: readonly Curve[],
  ): Curve[] {
    const matches = this.exclusions.filter(
      (one) => one.concentrationM !== null && isSame(one, plate, replicate),
    );
    if (matches.length === 0) return [];
    return curves.filter((curve) => {
      const match = matches.find(({ concentrationM }) =>
        isSameConcentration(concentrationM ?? 0, curve.concentrationM),
      );
      if (match !== undefined) this.matched.add(match);
      return match !== undefined;
    });
  }

  /** The exclusions that matched so far, as plain data. */
  listMatched(): ExcludedReplicate[] {
    return [...this.matched];
  }
}

function isSame(one: ExcludedReplicate, plate: string, each: Measured): boolean {
  const isWell = one.well === null || each.well === undefined || each.well === null || one.well === each.well;
  return isWell && one.plate === plate && one.sample === each.sample && one.replicate === each.replicate;
}

/** Throws `settings_invalid` for replicates that no file has. */
export function assertExcluded(
  exclusions: readonly ExcludedReplicate[] | undefined,
  matched: readonly ExcludedReplicate[],
): void {
  const toKey = ({ sample, plate, replicate, well, concentrationM }: ExcludedReplicate): string =>
    JSON.stringify([sample, plate, replicate, well, concentrationM]);
  const known = new Set(matched.map(toKey));
  const unknown = (exclusions ?? []).filter((each) => !known.has(toKey(each)));
  if (unknown.length === 0) return;
  const names = unknown.map(({ sample, replicate, plate, concentrationM }) => {
    const dose = concentrationM === null ? '' : `, ${formatConcentration(concentrationM)}`;
    return `${sample} replicate ${replicate} on ${plate}${dose}`;
  });
  throw new AnalysisError(
    'settings_invalid',
    `Replicates were excluded that no file has: ${formatNames(names)}. Accept them again.`,
  );
}
