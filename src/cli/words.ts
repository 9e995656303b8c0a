/** Words that several commands share. */
import { basename, extname } from 'node:path';
import { experimentStatuses } from '#core/lifecycle.ts';
import { toPlainText } from './terminal.ts';

/** Formats the default name of an experiment: file and target. */
export function formatFileTitle(
  file: string,
  type: string,
  target: { readonly name: string } | null | undefined,
): string {
  const stem = file === '-' ? 'designs' : basename(file, extname(file));
  return target === null || target === undefined ? `${stem}, ${type}` : `${stem} against ${target.name}`;
}

/** Turns `in_production` into `in production`. */
export function formatStatus(status: string): string {
  const known = experimentStatuses.some((each) => each === status);
  return known ? status.replaceAll('_', ' ') : toPlainText(status);
}
