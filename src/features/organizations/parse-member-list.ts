import type { ReadContext } from '#core/context.ts';
import { parseListQuery, type ListFields } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { listMembers } from './contract.ts';

export function parseMemberList(
  context: ReadContext,
  fields: ListFields,
  query: Input<typeof listMembers>['query'],
) {
  const cursorList = context.principal.organizationId;
  return parseListQuery(fields, query, { reserved: [], cursors: context.cursors, cursorList });
}
