/**
 * Files that a planned run writes for people, robots and instruments.
 * This folder: files of a plan. Not here: the plan itself (`features/runs`), readers of instrument files
 * (`analysis/formats`).
 */
import type { PlannedContent, PlannedPlate, RunPlan } from '../plan.ts';

export type { PlannedContent, PlannedPlate, RunPlan };

/** A written file, or every reason why it cannot be written and what to do. */
export type WrittenFile =
  | { readonly fileName: string; readonly mediaType: string; readonly text: string }
  | { readonly problems: readonly string[] };

const LINE_END = '\r\n';

/** Joins lines as RFC 4180 ends them, the last one too. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => line + LINE_END).join('');
}

/** Returns a file name without characters that file systems refuse. */
export function formatFileName(parts: readonly string[], ending: string): string {
  return `${parts.map((part) => part.replaceAll(/[^A-Za-z0-9._-]+/g, '_')).join('-')}.${ending}`;
}
