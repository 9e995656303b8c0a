/**
 * Filtering, sorting, searching and paging of every list.
 *
 *     const experimentFields = listFields({ name: 'experiments', key: 'id', defaultSort: '-created_at', fields: {…} });
 *     const query = parseListQuery(experimentFields, request.query, { cursors });   // throws FilterError
 *     const list = compileList(query, { firstParameter: 2 });
 *     const rows = await sql.query(
 *       `select e.id, e.name, ${list.keyColumn} as list_key,
 *               (select count(*) from experiments e where e.organization_id = $1 and ${list.where}) as total
 *        from experiments e where e.organization_id = $1 and ${list.pageWhere}
 *        order by ${list.orderBy} ${list.limitOffset}`,
 *       [organizationId, ...list.values],
 *     );
 *     const { items, next } = list.page(rows);
 *
 * The grammar is in docs/guide/filtering.md.
 * This folder: the language in which lists are filtered, sorted, searched and paged. Not here: fields of one list
 * (`features/<noun>/list-fields.ts`).
 */
export { FilterError, type FilterErrorCode } from './errors.ts';
export { escapeSubstring } from './sql.ts';
export {
  describeList,
  writeExampleFilter,
  listFields,
  type FieldDeclaration,
  type FieldKind,
  type ListDeclaration,
  type ListFields,
} from './fields.ts';
export { createCursorSigner, type CursorSigner } from './cursor.ts';
export { parseListQuery, type ListQuery } from './list.ts';
export { compileList, type CompiledList } from './compile.ts';
export type { RawQuery } from './parameters.ts';
