/** The syntax tree of a filter or sort text. Positions are 1-based characters, kept for messages only. */

export const casts = ['float', 'int', 'text', 'timestamp', 'date'] as const;
export type Cast = (typeof casts)[number];

export const comparisons = ['eq', 'neq', 'gt', 'lt', 'gte', 'lte'] as const;
export type Comparison = (typeof comparisons)[number];

/** The left side of a comparison, or a sort column. */
export type Operand =
  | { readonly kind: 'field'; readonly name: string; readonly position: number }
  | { readonly kind: 'at'; readonly of: Operand; readonly key: Literal; readonly position: number }
  | { readonly kind: 'cast'; readonly cast: Cast; readonly of: Operand; readonly position: number };

export interface Literal {
  readonly text: string;
  /** A quoted value is literal text; a bare one may be read as a number, and a bare null is rejected. */
  readonly quoted: boolean;
  /** The cast around a value, such as `timestamp(2026-01-01)`. */
  readonly cast: Cast | null;
  readonly position: number;
}

export type Filter =
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly operand: Operand;
      readonly value: Literal;
    }
  | { readonly kind: 'contains'; readonly operand: Operand; readonly value: Literal }
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Literal; readonly high: Literal }
  | { readonly kind: 'in'; readonly operand: Operand; readonly values: readonly Literal[] }
  | { readonly kind: 'is_null' | 'is_not_null'; readonly operand: Operand }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter };

export interface SortColumn {
  readonly operand: Operand;
  readonly descending: boolean;
}

export function isCast(name: string): name is Cast {
  return (casts as readonly string[]).includes(name);
}

export function isComparison(name: string): name is Comparison {
  return (comparisons as readonly string[]).includes(name);
}
