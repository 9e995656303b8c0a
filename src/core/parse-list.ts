import type { ReadContext } from './context.ts';
import { parseListQuery, type ListFields, type ListQuery, type RawQuery } from './filter/index.ts';

/**
 * Parses the query of a list. A cursor is valid only for the list that it came from: `listName` tells that list from
 * others of the organization, such as by its experiment.
 */
export function parseList(
  context: ReadContext,
  fields: ListFields,
  query: RawQuery,
  reserved: readonly string[] = [],
  listName = '',
): ListQuery {
  return parseListQuery(fields, query, {
    reserved,
    cursors: context.cursors,
    cursorList: `${context.principal.organizationId} ${listName}`,
  });
}

/** The name of lists over all organizations: their cursors are not valid for the list of one organization. */
export const LAB_LIST = 'lab';
