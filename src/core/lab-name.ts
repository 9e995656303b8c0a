/** The one name of the lab, on pages and documents alike. */
import type { Letterhead } from './context.ts';

/** Until the operator sets a name. */
const UNNAMED = 'The lab';

export function getLabName({ name }: Pick<Letterhead['seller'], 'name'>): string {
  return name ?? UNNAMED;
}
