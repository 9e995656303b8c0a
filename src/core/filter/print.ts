import type { Filter, Literal, Operand, SortColumn } from './tree.ts';

function quoteText(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\'`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`);
  return `'${escaped}'`;
}

function printLiteral(literal: Literal): string {
  const text = literal.quoted ? quoteText(literal.text) : literal.text;
  return literal.cast === null ? text : `${literal.cast}(${text})`;
}

export function printOperand(operand: Operand): string {
  if (operand.kind === 'field') return operand.name;
  if (operand.kind === 'at') return `at(${printOperand(operand.of)},${printLiteral(operand.key)})`;
  return `${operand.cast}(${printOperand(operand.of)})`;
}

/** Prints the canonical spelling of a filter; parsing it gives the same tree. */
export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `${filter.kind}(${filter.of.map((part) => printFilter(part)).join(',')})`;
    case 'not':
      return `not(${printFilter(filter.of)})`;
    case 'is_null':
    case 'is_not_null':
      return `${filter.kind}(${printOperand(filter.operand)})`;
    case 'compare':
      return `${filter.operator}(${printOperand(filter.operand)},${printLiteral(filter.value)})`;
    case 'contains':
      return `contains(${printOperand(filter.operand)},${printLiteral(filter.value)})`;
    case 'between':
      return `between(${printOperand(filter.operand)},${printLiteral(filter.low)},${printLiteral(filter.high)})`;
    default:
      return `in(${printOperand(filter.operand)},${filter.values.map((value) => printLiteral(value)).join(',')})`;
  }
}

/** Prints the canonical form of a sort: `desc(created_at),asc(float(at(parameters,ph)))`. */
export function printSort(columns: readonly SortColumn[]): string {
  return columns
    .map((column) => `${column.descending ? 'desc' : 'asc'}(${printOperand(column.operand)})`)
    .join(',');
}
