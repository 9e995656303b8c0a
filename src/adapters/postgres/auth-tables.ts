/**
 * The tables of the sign-in library through our own pool. Effects of a statement, such as the audit entry of a
 * sign-in, commit with it; inside a unit of work they commit with the whole unit.
 *
 * The library reads the machine's clock. Rows hold the time of the injected clock, so instants are shifted by the
 * difference when they are written and read; in production the difference is zero.
 */
import { toRecord } from '#core/records.ts';
import {
  createAdapterFactory,
  type CleanedWhere,
  type CustomAdapter,
  type DBAdapter,
  type Where,
} from 'better-auth/adapters';
import type { BetterAuthOptions } from 'better-auth/minimal';
import type { Clock } from '#core/clock.ts';
import { getExactlyOne, getFirst, type Database, type Sql, type Transaction } from '#core/sql.ts';
import {
  findOpenTransaction,
  runWithTransaction,
  type Change,
  type Effect,
  type Row,
} from './auth-transaction.ts';
import { isUuid } from '#core/ids.ts';
import { createHash } from 'node:crypto';

/** Converts the sign-in library's conditions to SQL. */
const IDENTIFIER = /^[a-z][a-z0-9_]*$/;

function checkName(identifier: string): string {
  if (!IDENTIFIER.test(identifier)) throw new Error(`${identifier} is not a name of our tables`);
  return identifier;
}

const OPERATORS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
};

/** Conditions joined by AND all hold; of those joined by OR at least one. */
function buildCondition(where: readonly CleanedWhere[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const writeJoinedBy = (connector: string): string[] =>
    where.filter((part) => part.connector === connector).map((part) => writeComparison(part, values));
  const required = writeJoinedBy('AND');
  const options = writeJoinedBy('OR');
  if (options.length > 0) required.push(`(${options.join(' or ')})`);
  return { text: required.length === 0 ? 'true' : required.join(' and '), values };
}

function writeComparison({ field, value, operator }: CleanedWhere, values: unknown[]): string {
  const column = checkName(field);
  if (value === null) return `${column} is ${operator === 'ne' ? 'not ' : ''}null`;
  if (operator === 'in' || operator === 'not_in') {
    const list = [value].flat().filter((item) => canEqual(field, item));
    return `${operator === 'in' ? '' : 'not '}${column} = any($${values.push(list)})`;
  }
  const sign = OPERATORS[operator];
  if (sign === undefined) throw new Error(`the comparison ${operator} is not supported`);
  if (!canEqual(field, value)) return operator === 'ne' ? 'true' : 'false';
  return `${column} ${sign} $${values.push(value)}`;
}

const UUID_COLUMNS = new Set(['id', 'user_id', 'session_id', 'active_organization_id']);

/** A text that is no UUID equals none; without this check the database would raise an error. */
function canEqual(field: string, value: unknown): boolean {
  return !UUID_COLUMNS.has(field) || (typeof value === 'string' && isUuid(value));
}

interface AuthTablesParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Effects by table. */
  readonly effects: Readonly<Record<string, Effect>>;
}

/** Creates the library's `database` setting. */
export function createAuthTables(parts: AuthTablesParts) {
  const { database, clock } = parts;
  const getOffsetMs = (): number => Date.now() - clock.now().getTime();
  const statements = new Statements(parts);
  return (options: BetterAuthOptions) => {
    const adapter = createAdapterFactory({
      config: {
        adapterId: 'assayer',
        supportsJSON: true,
        supportsUUIDs: true,
        supportsArrays: true,
        customTransformInput: ({ data }: { data: unknown }) =>
          data instanceof Date ? new Date(data.getTime() - getOffsetMs()) : data,
        customTransformOutput: ({ data, fieldAttributes }) =>
          fieldAttributes.type === 'date' && typeof data === 'string'
            ? new Date(Date.parse(data) + getOffsetMs())
            : data,
        transaction: (work) => runInTransaction(database, () => work(hiding)),
      },
      adapter: ({ getFieldName }) => createAdapter(statements, getFieldName),
    })(options);
    const hiding = hideTokens(adapter);
    return hiding;
  };
}

function runInTransaction<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const tx = findOpenTransaction();
  return tx === undefined
    ? database.runTransaction((made) => runWithTransaction(made, () => work(made)))
    : work(tx);
}

interface Columns {
  readonly set: Row;
  readonly increment?: Readonly<Record<string, number>>;
}

type Reach = 'one' | 'all';

class Statements {
  readonly #parts: AuthTablesParts;

  constructor(parts: AuthTablesParts) {
    this.#parts = parts;
  }

  get #sql(): Sql {
    return findOpenTransaction() ?? this.#parts.database.read;
  }

  insert(table: string, data: Row): Promise<Row[]> {
    const columns = Object.keys(data);
    const places = columns.map((_, index) => `$${index + 1}`).join(', ');
    const text = `insert into ${checkName(table)} (${columns.map(checkName).join(', ')}) values (${places}) returning *`;
    return this.#change(table, 'created', text, Object.values(data), columns);
  }

  select(
    table: string,
    where: readonly CleanedWhere[],
    page: { readonly limit: number; readonly offset?: number; readonly order?: string },
  ): Promise<Row[]> {
    const { text, values } = buildCondition(where);
    const order = page.order === undefined ? '' : ` order by ${page.order}`;
    values.push(page.limit, page.offset ?? 0);
    const range = ` limit $${values.length - 1} offset $${values.length}`;
    return this.#sql.query<Row>(`select * from ${checkName(table)} where ${text}${order}${range}`, values);
  }

  async count(table: string, where: readonly CleanedWhere[]): Promise<number> {
    const { text, values } = buildCondition(where);
    const rows = await this.#sql.query<{ n: number }>(
      `select count(*) as n from ${checkName(table)} where ${text}`,
      values,
    );
    return getExactlyOne(rows).n;
  }

  async update(
    table: string,
    where: readonly CleanedWhere[],
    { set, increment = {} }: Columns,
    reach: Reach,
  ): Promise<Row[]> {
    const { text, values } = buildCondition(where);
    const columns = Object.keys(set);
    const assignments = columns.map((column) => `${checkName(column)} = $${values.push(set[column])}`);
    for (const [column, by] of Object.entries(increment))
      assignments.push(`${checkName(column)} = ${checkName(column)} + $${values.push(by)}`);
    if (assignments.length === 0) return this.select(table, where, { limit: 1 });
    const statement = `update ${checkName(table)} set ${assignments.join(', ')} where ${limitReach(table, text, reach)} returning *`;
    return this.#change(table, 'updated', statement, values, columns);
  }

  remove(table: string, where: readonly CleanedWhere[], reach: Reach): Promise<Row[]> {
    const { text, values } = buildCondition(where);
    const statement = `delete from ${checkName(table)} where ${limitReach(table, text, reach)} returning *`;
    return this.#change(table, 'removed', statement, values, []);
  }

  async #change(
    table: string,
    kind: Change,
    text: string,
    values: readonly unknown[],
    columns: readonly string[],
  ): Promise<Row[]> {
    const effect = this.#parts.effects[table];
    if (effect === undefined) return this.#sql.query<Row>(text, values);
    return runInTransaction(this.#parts.database, async (tx) => {
      const rows = await tx.query<Row>(text, values);
      for (const row of rows) await effect(tx, kind, row, columns);
      return rows;
    });
  }
}

/**
 * Writes the condition of a statement that reaches one row, or all. The condition is repeated on the row itself, so that
 * only one of two concurrent statements changes it. The row is named by its id, because a concurrent change gives it
 * another `ctid`, by which this statement would not find it.
 */
function limitReach(table: string, text: string, reach: Reach): string {
  if (reach === 'all') return text;
  return `${text} and id = (select id from ${checkName(table)} where ${text} limit 1 for update)`;
}

/** The library converts the names in conditions, but not the name that it sorts by. */
type ColumnOf = (of: { readonly model: string; readonly field: string }) => string;

function createAdapter(statements: Statements, columnOf: ColumnOf): CustomAdapter {
  return {
    create: async ({ model, data }) => castTo(getExactlyOne(await statements.insert(model, data))),
    findOne: async ({ model, where }) =>
      castTo(getFirst(await statements.select(model, where, { limit: 1 })) ?? null),
    findMany: async ({ model, where = [], limit, sortBy, offset = 0 }) => {
      const direction = sortBy?.direction === 'desc' ? 'desc' : 'asc';
      const order =
        sortBy === undefined
          ? {}
          : { order: `${checkName(columnOf({ model, field: sortBy.field }))} ${direction}` };
      return castTo(await statements.select(model, where, { limit, offset, ...order }));
    },
    count: ({ model, where = [] }) => statements.count(model, where),
    update: async ({ model, where, update }) =>
      castTo(getFirst(await statements.update(model, where, { set: toRow(update) }, 'one')) ?? null),
    updateMany: async ({ model, where, update }) =>
      (await statements.update(model, where, { set: update }, 'all')).length,
    incrementOne: async ({ model, where, increment, set = {} }) =>
      castTo(getFirst(await statements.update(model, where, { set, increment }, 'one')) ?? null),
    delete: async ({ model, where }) => void (await statements.remove(model, where, 'one')),
    deleteMany: async ({ model, where }) => (await statements.remove(model, where, 'all')).length,
    consumeOne: async ({ model, where }) =>
      castTo(getFirst(await statements.remove(model, where, 'one')) ?? null),
  };
}

function toRow(value: unknown): Row {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller's type is the library's
function castTo<T>(found: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library names the type of what it asked for
  return found as T;
}

/** The database stores the digest of a session's token; the library sees the token that it asked with. */
function computeSessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function hideTokens(adapter: DBAdapter): DBAdapter {
  return {
    ...adapter,
    async create<T extends Readonly<Record<string, unknown>>, R = T>(ask: Creation<T>) {
      const { token } = toRecord(ask.data);
      if (ask.model !== 'session' || typeof token !== 'string') return adapter.create<T, R>(ask);
      const created = await adapter.create<T, R>({
        ...ask,
        data: { ...ask.data, token: computeSessionDigest(token) },
      });
      return { ...created, token };
    },
    async findOne<T>(ask: Parameters<DBAdapter['findOne']>[0]) {
      const record = await adapter.findOne<T>(hideToken(ask));
      return record === null ? null : restoreToken(ask, record);
    },
    findMany: (ask) => adapter.findMany(hideToken(ask)),
    count: (ask) => adapter.count(hideToken(ask)),
    async update<T>(ask: Parameters<DBAdapter['update']>[0]) {
      const record = await adapter.update<T>(hideToken(ask));
      return record === null ? null : restoreToken(ask, record);
    },
    updateMany: (ask) => adapter.updateMany(hideToken(ask)),
    delete: (ask) => adapter.delete(hideToken(ask)),
    deleteMany: (ask) => adapter.deleteMany(hideToken(ask)),
    consumeOne: (ask) => adapter.consumeOne(hideToken(ask)),
  };
}

interface Creation<T> {
  readonly model: string;
  readonly data: Omit<T, 'id'>;
}

interface Ask {
  readonly model: string;
  readonly where?: Where[] | undefined;
}

function hideToken<A extends Ask>(ask: A): A {
  if (ask.model !== 'session' || ask.where === undefined) return ask;
  return { ...ask, where: ask.where.map(hideTokenCondition) };
}

function hideTokenCondition(where: Where): Where {
  if (where.field !== 'token') return where;
  const { value } = where;
  if (typeof value === 'string') return { ...where, value: computeSessionDigest(value) };
  return Array.isArray(value)
    ? { ...where, value: value.map((token) => computeSessionDigest(String(token))) }
    : where;
}

function restoreToken<T>(ask: Ask, found: T): T {
  const token = ask.where?.find(({ field }) => field === 'token')?.value;
  return ask.model === 'session' && typeof token === 'string' ? { ...found, token } : found;
}
