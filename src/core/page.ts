import { Type, type TSchema } from './schema.ts';

export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 50;

/** The response of every list endpoint. */
export function PageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item, { description: 'this page, in the order that `sort` asks for' }),
    count: Type.Integer({ description: 'number of items in this response' }),
    offset: Type.Integer({ description: 'items skipped before this page; 0 after a cursor' }),
    total: Type.Integer({ description: 'number of items matching the query across all pages' }),
    next: Type.Optional(
      Type.String({ description: 'opaque cursor of the next page; absent on the last one' }),
    ),
  });
}
