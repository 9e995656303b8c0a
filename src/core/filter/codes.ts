/** Conditions on an id whose value is the readable code of the same thing. */
import type { ListFields } from './fields.ts';
import type { Filter, Literal, Operand } from './tree.ts';

/** Rewrites a condition on an id to one on the code, where its values are codes; anything else stays as it is. */
export function rewriteCodes(list: ListFields, filter: Filter): Filter {
  if (filter.kind !== 'in' && !isEquality(filter)) return filter;
  const { operand } = filter;
  const code = operand.kind === 'field' ? list.fields.get(operand.name)?.code : undefined;
  if (code === undefined) return filter;
  const isCode = ({ text }: Literal): boolean => code.pattern.test(text);
  const byCode: Operand = { kind: 'field', name: code.field, position: operand.position };
  if (filter.kind === 'compare') return isCode(filter.value) ? { ...filter, operand: byCode } : filter;
  const codes = filter.values.filter((value) => isCode(value));
  if (codes.length === 0) return filter;
  const ids = filter.values.filter((value) => !isCode(value));
  const inCodes: Filter = { kind: 'in', operand: byCode, values: codes };
  return ids.length === 0 ? inCodes : { kind: 'or', of: [inCodes, { ...filter, values: ids }] };
}

function isEquality(filter: Filter): filter is Extract<Filter, { readonly kind: 'compare' }> {
  return filter.kind === 'compare' && (filter.operator === 'eq' || filter.operator === 'neq');
}
