/** Runs one list: page, total and cursor in a single statement, with the items as JSON text from the database. */
import { compileList, type CompiledList, type ListQuery } from './filter/index.ts';
import { RawJson } from './reply.ts';
import type { Sql } from './sql.ts';

/** A table that gives each item one row, or at most one by a left join, so it never changes the number of items. */
export interface Join {
  readonly alias: string;
  readonly sql: string;
}

export interface ListStatement {
  /** The item of the response, as a select list over `from` and `joins`. */
  readonly item: string;
  /** The list's own table and its alias, such as `quotes q`. */
  readonly from: string;
  readonly alias: string;
  readonly joins?: readonly Join[];
  /** The scope and every other condition that always holds; its values are `$1…`. */
  readonly where: string;
  readonly values: readonly unknown[];
  /** An expression for the stored total of the list without conditions; null where it is unknown. */
  readonly keptTotal?: string;
}

/** Returns SQL for an instant as the API writes it: RFC 3339, UTC, milliseconds. */
export function writeWireTime(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

interface ListRow {
  readonly item: string;
  readonly list_key: string;
  readonly total: number;
}

/** `end` is the cursor of a page that no other follows; without it such a page has none. */
export async function listPage(
  sql: Sql,
  statement: ListStatement,
  query: ListQuery,
  end?: string,
): Promise<RawJson> {
  const list = compileList(query, { firstParameter: statement.values.length + 1 });
  const text = list.readsEveryRow
    ? writePageAndCountAtOnce(statement, list, query)
    : writePageAndCount(statement, list);
  const rows = await sql.query<ListRow>(text, [...statement.values, ...list.values]);
  const { items, next = end } = list.buildPage(rows);
  const total = rows[0]?.total ?? (await countRows(sql, statement, query));
  const tail = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  const body = items.map((row) => row.item).join(',');
  return new RawJson(
    `{"items":[${body}],"count":${items.length},"offset":${list.offset},"total":${total}${tail}}`,
  );
}

/** An index usually finds the page after few rows, so page and total evaluate the conditions separately. */
function writePageAndCount(statement: ListStatement, list: CompiledList): string {
  const { from, joins = [], where } = statement;
  const condition = `where ${where} and ${list.pageWhere}`;
  const read = selectJoins(joins, `${condition} ${list.orderBy}`);
  const source = cut(statement, list, [from, ...read.map((join) => join.sql)].join(' '), condition);
  // A page that is the whole list is already counted; only other pages evaluate the conditions a second time.
  const counted = '(select count(*) from page)';
  return `with page as materialized (${writeItems(statement, list, source)})
    select item, list_key,
      case when ${list.writeWholeListCondition(counted)} then ${counted} else (${countText(statement, list.where)}) end as total
    from page`;
}

/**
 * A search, or a condition inside JSON, reads every row of the scope anyway. Page and total share one scan, which
 * keeps only the key and the sort columns of each match.
 */
function writePageAndCountAtOnce(statement: ListStatement, list: CompiledList, query: ListQuery): string {
  const { from, alias, joins = [], where } = statement;
  const key = query.fields.key.sql;
  const columns = list.orderColumns.map(({ sql }, index) => `${sql} as k${index}`).join(', ');
  const order = list.orderColumns.map(({ direction }, index) => `k${index} ${direction}`).join(', ');
  const read = selectJoins(joins, `${where} ${list.where} ${list.begin} ${list.orderBy}`);
  const tables = [from, ...read.map((join) => join.sql)].join(' ');
  const condition = `where ${key} in (select key from found)`;
  const rows = `(select ${alias}.* from ${from} ${condition}) ${alias}`;
  const source = [rows, ...joins.map((join) => join.sql)].join(' ');
  return `with matched as materialized (
      select ${key} as key, ${list.begin} as begins, ${columns} from ${tables} where ${where} and ${list.where}),
    found as materialized (select key from matched where begins order by ${order} ${list.limitOffset}),
    page as materialized (${writeItems(statement, list, source)})
    select item, list_key, (select count(*) from matched) as total from page`;
}

function writeItems({ item }: ListStatement, list: CompiledList, source: string): string {
  return `select (select row_to_json(item)::text from (select ${item}) item) as item, ${list.keyColumn} as list_key
    from ${source} order by ${list.orderBy}`;
}

/** Selects the rows of the page first and joins the tables that no condition or order reads only to those. */
function cut(
  { alias, joins = [] }: ListStatement,
  list: CompiledList,
  tables: string,
  condition: string,
): string {
  const rows = `(select ${alias}.* from ${tables} ${condition} order by ${list.orderBy} ${list.limitOffset}) ${alias}`;
  return [rows, ...joins.map((join) => join.sql)].join(' ');
}

/** Counts without the tables that no condition reads, so that an index alone often suffices. */
function countText(statement: ListStatement, conditions: string): string {
  const { from, joins = [], where, keptTotal } = statement;
  const read = selectJoins(joins, `${where} ${conditions}`);
  const tables = [from, ...read.map((join) => join.sql)].join(' ');
  const count = `select count(*) from ${tables} where ${where} and ${conditions}`;
  return keptTotal !== undefined && conditions === NO_CONDITION
    ? `select coalesce((${keptTotal}), (${count}))`
    : count;
}

/** The compiled condition of a list without filter and search. */
const NO_CONDITION = '(true)';

function selectJoins(joins: readonly Join[], text: string): Join[] {
  return joins.filter(({ alias }) => new RegExp(`\\b${alias}\\.`).test(text));
}

/**
 * Counts the total for an empty page, which carries none. The total is not zero only when the page lies past the end.
 */
async function countRows(sql: Sql, statement: ListStatement, query: ListQuery): Promise<number> {
  if (query.offset === 0 && query.after === null) return 0;
  const list = compileList(query, { firstParameter: statement.values.length + 1 });
  const rows = await sql.query<{ total: number }>(`select (${countText(statement, list.where)}) as total`, [
    ...statement.values,
    ...list.whereValues,
  ]);
  return rows[0]?.total ?? 0;
}
