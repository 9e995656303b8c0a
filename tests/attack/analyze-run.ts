/**
 * The one entry of the attack: raw files in, results as a client reads them out, with the settings that the service
 * chooses by itself.
 * This folder: simulated runs of real instruments with their faults, and the rate at which the results mislead. Not
 * here: code of `src/analysis` or `src/sandbox/models`; the physics is written anew so that a shared error shows.
 */
import { ENGINES } from '#assays/engines.ts';
import { analyzeHere, type Assay, type AssayRun } from '#analysis/assays/assay.ts';
import type { AssayName } from '#assays/registry.ts';
import { requireShownAssay } from '#assays/shown.ts';
import type { ResultAssay, WireResult } from '#assays/result-record.ts';

export interface AttackRun {
  readonly experimentType: AssayName;
  /** The ordered method; null where the order names none. */
  readonly method: 'bli' | 'spr' | null;
  /** Raw files as an instrument or its software writes them. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Amino-acid sequences by name, as ordered. */
  readonly sequences: Readonly<Record<string, string>>;
  /** Ordered analyte concentrations in nM; null where the order names none. */
  readonly orderedNm: readonly number[] | null;
  /** What a lab would state beside the files: assignments, known KD of a control. Nothing else. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly target?: { readonly is_multivalent: boolean };
}

export interface AttackResult {
  readonly results: ReadonlyMap<string, WireResult>;
  readonly notices: readonly string[];
}

/** Analyzes a run as the worker of the service does. Throws the error that the service would report. */
export function analyzeRun(run: AttackRun): AttackResult {
  const assay: ResultAssay = requireShownAssay(run.experimentType).result;
  const analyzed: Assay = ENGINES[run.experimentType];
  const assayRun: AssayRun = {
    files: run.files.map(({ name, text }) => ({ name, bytes: new TextEncoder().encode(text) })),
    sequences: run.sequences,
    ordered: {
      concentrationsM: run.orderedNm?.map((nanomolar) => nanomolar * 1e-9) ?? null,
      method: run.method,
    },
    settings: {
      ...assay.describeTarget(run.target),
      ...assay.chooseSettings({ method: run.method }),
      ...run.settings,
    },
  };
  const found = analyzeHere(analyzed, assayRun);
  const results = new Map<string, WireResult>();
  for (const [name, aaString] of Object.entries(run.sequences)) {
    results.set(
      name,
      assay.present(found, {
        sequence_id: name,
        sequence_name: name,
        aa_string: aaString,
        is_control: false,
        target: null,
        method: run.method,
      }),
    );
  }
  return { results, notices: assay.listNotices(found) };
}
