import { FilterError } from './errors.ts';
import { limits } from './limits.ts';
import { parseOperand } from './parse.ts';
import { Scanner } from './scanner.ts';
import type { Operand, SortColumn } from './tree.ts';

const wrapAdvice = 'casts and at(…) are sorted as asc(…) or desc(…)';

function parseBareField(scanner: Scanner, name: string, position: number): Operand {
  scanner.skipSpace();
  if (scanner.peek() === '(') scanner.fail(wrapAdvice, position);
  return { kind: 'field', name, position };
}

function sortColumn(scanner: Scanner): SortColumn {
  scanner.skipSpace();
  const { position } = scanner;
  const prefix = scanner.take('-') ? '-' : scanner.take('+') ? '+' : '';
  scanner.skipSpace();
  const name = scanner.readName();
  if (name === '') scanner.fail('expected a field, desc(field) or asc(field)');
  if (prefix !== '') return { operand: parseBareField(scanner, name, position), descending: prefix === '-' };
  if ((name === 'asc' || name === 'desc') && scanner.take('(')) {
    const operand = parseOperand(scanner, 2);
    scanner.expect(')', `to close ${name}(`);
    return { operand, descending: name === 'desc' };
  }
  const operand = parseBareField(scanner, name, position);
  if (!scanner.take(':')) return { operand, descending: false };
  scanner.skipSpace();
  const directionPosition = scanner.position;
  const direction = scanner.readName();
  if (direction !== 'asc' && direction !== 'desc') {
    scanner.fail('expected asc or desc after the colon', directionPosition);
  }
  return { operand, descending: direction === 'desc' };
}

/** Parses sort columns such as `desc(created_at),name`. The three spellings may be mixed. */
export function parseSort(text: string, path = 'sort'): SortColumn[] {
  const scanner = new Scanner(text, path, 'sort_syntax');
  const columns: SortColumn[] = [];
  do {
    if (columns.length === limits.sortColumns) {
      throw new FilterError({
        code: 'too_many_sort_columns',
        path,
        position: scanner.position,
        message: `at most ${limits.sortColumns} columns can be sorted by.`,
      });
    }
    columns.push(sortColumn(scanner));
  } while (scanner.take(','));
  if (!scanner.isAtEnd()) scanner.fail('expected a comma or the end of the sort');
  return columns;
}
