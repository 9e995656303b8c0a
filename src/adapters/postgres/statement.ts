/** One statement with values on its way through a connection. Its rows are read by a shape that is kept for its name. */
import pg from 'pg';

/** Shapes kept at once; all are dropped when there are more, and made again when they are met. */
const SHAPES_MAX = 1_000;

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** A column as the server sends it: text, or null. */
type Column = string | null;
type Row = Record<string, unknown>;

/** How the columns of a result become the fields of a row. */
class RowShape {
  readonly #fields: readonly Field[];
  readonly #parsers: readonly ((text: string) => unknown)[];
  /** With every field, so that all rows have one hidden class. */
  readonly #empty: Row;

  constructor(fields: readonly Field[], types: pg.CustomTypesConfig) {
    this.#fields = fields;
    this.#parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'));
    this.#empty = Object.fromEntries(fields.map(({ name }) => [name, null]));
  }

  /** Whether the server describes the same columns; a migration may have changed them. */
  fits(fields: readonly Field[]): boolean {
    const own = this.#fields;
    if (own.length !== fields.length) return false;
    return own.every(
      ({ name, dataTypeID }, index) =>
        fields[index]?.name === name && fields[index].dataTypeID === dataTypeID,
    );
  }

  read(columns: readonly Column[]): Row {
    const row = { ...this.#empty };
    for (const [index, { name }] of this.#fields.entries()) {
      const column = columns[index] ?? null;
      if (column !== null) row[name] = this.#parsers[index]?.(column);
    }
    return row;
  }
}

/** The shapes of the named statements of one pool. */
export class RowShapes {
  readonly #types: pg.CustomTypesConfig;
  readonly #byName = new Map<string, RowShape>();

  constructor(types: pg.CustomTypesConfig) {
    this.#types = types;
  }

  getShape(name: string | undefined, fields: readonly Field[]): RowShape {
    const known = name === undefined ? undefined : this.#byName.get(name);
    if (known?.fits(fields) === true) return known;
    const shape = new RowShape(fields, this.#types);
    if (name === undefined) return shape;
    if (this.#byName.size >= SHAPES_MAX) this.#byName.clear();
    this.#byName.set(name, shape);
    return shape;
  }
}

export interface StatementParts {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Prepared under this name; undefined to run unprepared. */
  readonly name: string | undefined;
}

/** Runs a statement in a connection, and returns its rows. */
export function runStatement<Result>(
  client: pg.PoolClient,
  shapes: RowShapes,
  parts: StatementParts,
): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    const statement: StatementQuery = new StatementQuery(shapes, parts, (error) => {
      const failure = error ?? statement.failure;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller states what its statement selects
      if (failure === undefined) resolve(statement.found as Result[]);
      else reject(failure);
    });
    client.query(statement);
  });
}

/** The driver calls these handlers as the answer comes in. Its own would describe the columns anew each time. */
class StatementQuery extends pg.Query {
  /** Read by the driver, which prepares what has a name. */
  readonly name: string | undefined;
  readonly found: Row[] = [];
  readonly #shapes: RowShapes;
  #shape: RowShape | undefined;
  #failure: Error | undefined;

  constructor(
    shapes: RowShapes,
    { text, values, name }: StatementParts,
    end: (error: Error | undefined) => void,
  ) {
    // A configuration in place of a text would be copied property by property.
    super(text, [...values], (error: Error | null | undefined) => end(error ?? undefined));
    this.name = name;
    this.#shapes = shapes;
  }

  /** That a value could not be read; the connection stays usable, because its answer is still read to the end. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#shape = this.#shapes.getShape(this.name, fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly Column[] }): void {
    if (this.#shape === undefined || this.#failure !== undefined) return;
    try {
      this.found.push(this.#shape.read(fields));
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }
}
