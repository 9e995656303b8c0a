import type { ReadContext } from '#core/context.ts';
import { parseListQuery, type ListFields, type ListQuery, type RawQuery } from '#core/filter/index.ts';

/**
 * A cursor is valid only for the list it came from: the same organization and, where there is one, the same
 * experiment.
 */
export function parseList(
  context: ReadContext,
  fields: ListFields,
  query: RawQuery,
  reserved: readonly string[] = [],
  experiment = '',
): ListQuery {
  return parseListQuery(fields, query, {
    reserved,
    cursors: context.cursors,
    cursorBinding: `${context.principal.organizationId} ${experiment}`,
  });
}

/** A cursor of a list of the lab is not valid for the list of an organization. */
export const LAB_CURSORS = 'lab';
