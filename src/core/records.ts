/** Values of unknown type: parsed JSON read as records, and what was thrown. */

export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether the value is an object with members by name, so neither null nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const EMPTY: UnknownRecord = Object.freeze({});

/** Returns the value itself, however large, or an empty record where it is none. */
export function toRecord(value: unknown): UnknownRecord {
  return isRecord(value) ? value : EMPTY;
}

/**
 * Checks the members that a reader needs, without the schema, which takes longer to load than a small command. They are
 * texts unless another type follows the colon, as in `total:number items[].code items[].end?`; one with a question mark
 * may be null or absent.
 */
export function hasMembers(record: unknown, members: string): boolean {
  return members.split(' ').every((member) => {
    const [path = '', type = 'string'] = member.split(':');
    let values: unknown[] = [record];
    for (const step of path.split('.')) {
      if (!values.every(isRecord)) return false;
      values = values.map((value) => value[step.replace(/\W+$/, '')]);
      if (step.endsWith('?')) values = values.filter((value) => value !== null && value !== undefined);
      if (step.includes('[]') && !values.every(Array.isArray)) return false;
      if (step.includes('[]')) values = values.flat();
    }
    return values.every((value) => typeof value === type && value !== null);
  });
}

/** Finds the code of an error: of the system (ENOENT), of Node, or the SQLSTATE of a database. */
export function findErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the message of an error, and any other thrown value as text. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The name of a member of the engine on the wire: `kdM` → `kd_m`. */
type WireName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${WireName<Rest>}`
  : Name;

/** Gives the members of a flat record of the engine their names of the wire. */
export function toWireNames<Members extends object>(
  members: Members,
): { [Name in keyof Members & string as WireName<Name>]: Members[Name] };
export function toWireNames(members: object): object {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [toSnakeCase(key), value]));
}

/** `controlLog10Max` → `control_log10_max`. */
export function toSnakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `control_log10_max` → `controlLog10Max`. */
export function toCamelCase(key: string): string {
  return key.replaceAll(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
}
