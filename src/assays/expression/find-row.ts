import type { Summarized } from '../row.ts';
import type { ExpressionResult } from './row.ts';

export function findExpressionRow({ rows }: Summarized): ExpressionResult | undefined {
  return rows.find((row): row is ExpressionResult => row.result_type === 'expression');
}
