import { FilterError, formatSuggestion, type FilterErrorCode } from './errors.ts';
import type { Field, FieldKind, ListFields } from './fields.ts';
import { printOperand } from './print.ts';
import type { Cast, Operand } from './tree.ts';

/** An operand whose field exists, whose casts are valid and whose type is known. */
export type Expression =
  | {
      readonly kind: 'column';
      readonly field: Field;
      readonly type: FieldKind;
      readonly nullable: boolean;
    }
  | {
      readonly kind: 'path';
      readonly field: Field;
      readonly path: readonly string[];
      readonly type: 'json';
      readonly nullable: true;
    }
  | {
      readonly kind: 'cast';
      readonly field: Field;
      readonly of: Expression;
      readonly type: Cast;
      readonly nullable: boolean;
    };

/** The place of an operand: it decides which fields are allowed and how errors name it. */
export interface Place {
  readonly list: ListFields;
  readonly use: 'filter' | 'sort';
  /** The query parameter. */
  readonly path: string;
}

const castable: Readonly<Record<Cast, readonly FieldKind[]>> = {
  text: ['text', 'uuid', 'int', 'float', 'bool', 'timestamp', 'date', 'enum', 'json'],
  float: ['int', 'float', 'text', 'json'],
  int: ['int', 'float', 'text', 'json'],
  timestamp: ['timestamp', 'date', 'text', 'json'],
  date: ['timestamp', 'date', 'text', 'json'],
};

function fail(place: Place, code: FilterErrorCode, position: number, message: string): never {
  throw new FilterError({ code, path: place.path, position, message });
}

function resolveColumn(place: Place, name: string, position: number): Expression {
  const allowed = place.use === 'filter' ? place.list.filterable : place.list.sortable;
  const field = place.list.fields.get(name);
  if (field === undefined || !field[place.use]) {
    const code = place.use === 'filter' ? 'filter_unknown_field' : 'sort_unknown_field';
    const verb = place.use === 'filter' ? 'filtered on' : 'sorted by';
    const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
    const allowedList = allowed.length === 0 ? 'none' : allowed.join(', ');
    const hint = formatSuggestion(name, allowed);
    const message = `${place.list.name} cannot be ${verb} "${shown}".${hint} Allowed are ${allowedList}.`;
    fail(place, code, position, message);
  }
  return { kind: 'column', field, type: field.kind, nullable: field.nullable };
}

function isSafeCast(cast: Cast, from: FieldKind): boolean {
  if (cast === 'text' || cast === from) return true;
  if (cast === 'float') return from === 'int';
  return (cast === 'date' && from === 'timestamp') || (cast === 'timestamp' && from === 'date');
}

export function castTo(cast: Cast, of: Expression): Expression {
  const nullable = of.nullable || !isSafeCast(cast, of.type);
  return { kind: 'cast', field: of.field, of, type: cast, nullable };
}

export function resolveOperand(place: Place, operand: Operand): Expression {
  if (operand.kind === 'field') return resolveColumn(place, operand.name, operand.position);
  const of = resolveOperand(place, operand.of);
  if (operand.kind === 'at') {
    if (of.kind === 'path') return { ...of, path: [...of.path, operand.key.text] };
    if (of.kind === 'column' && of.type === 'json') {
      return { kind: 'path', field: of.field, path: [operand.key.text], type: 'json', nullable: true };
    }
    const json = [...place.list.fields.values()].filter((field) => field.kind === 'json' && field[place.use]);
    const jsonNames = json.length === 0 ? 'this list has none' : json.map((field) => field.name).join(', ');
    const message = `at(…) reads a key of a JSON field (${jsonNames}); ${printOperand(operand.of)} is ${of.type}.`;
    return fail(place, 'filter_type', operand.position, message);
  }
  const label = printOperand(operand.of);
  if (of.kind === 'column' && of.type === 'json') {
    const message = `${label} is JSON; name a key of it, as in ${operand.cast}(at(${label},key)).`;
    fail(place, 'filter_type', operand.position, message);
  }
  if (!castable[operand.cast].includes(of.type)) {
    const fitting = Object.entries(castable).filter(([, from]) => from.includes(of.type));
    const names = fitting.map(([cast]) => cast).join(', ');
    const message = `${label} is ${of.type} and cannot be cast to ${operand.cast}; possible are ${names}.`;
    fail(place, 'filter_type', operand.position, message);
  }
  // The SQL of a cast repeats its operand, so the number of casts has to stay small.
  if (of.kind === 'cast' && of.of.kind === 'cast') {
    fail(place, 'filter_too_deep', operand.position, 'at most two casts can wrap one another.');
  }
  return castTo(operand.cast, of);
}
